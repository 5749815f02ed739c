import Bytes
import Files
import Scratch
import Testing

@testable import Archive
@testable import Recording

private let hash1 = String(repeating: "1", count: 64), hash2 = String(repeating: "2", count: 64),
    hash3 = String(repeating: "3", count: 64)

@Suite struct `Recording an export` {
    private let folder: TemporaryFolder
    private let path: Path

    init() throws {
        folder = try TemporaryFolder()
        path = try folder.copy("archives/small.sqlite", as: "a.sqlite")
    }

    private func add(_ rows: [(Int64, Int64?, String)], to recorder: inout ExportRecorder) throws {
        for (sample, version, hash) in rows {
            let text = Array(hash.utf8)
            try recorder.add(sampleID: sample, versionID: version, hash: text.span)
        }
    }

    private func record(
        _ archive: borrowing Archive, _ id: String, _ rows: [(Int64, Int64?, String)], inStaging: Bool = false,
        intent: PublishIntent? = nil
    ) throws {
        var recorder = try archive.recorder(inStaging: inStaging)
        try add(rows, to: &recorder)
        let scope = Scope(mode: .pointInTime, observationID: 4)
        try archive.finish(
            recorder,
            NewExport(
                exportID: id, kind: "recovery_bundle", scope: scope, filterJSON: "{\"ü\":1}", manifestHash: hash3,
                itemCount: rows.count, createdAt: 1_700_000_000.25,
                intents: intent.map { [$0] } ?? []))
    }

    private func counts() throws -> [String] {
        try Program.sqlite(
            path,
            "SELECT (SELECT count(*) FROM export_manifests), (SELECT count(*) FROM export_items), (SELECT count(*) FROM archive_metadata WHERE key LIKE 'publish%')"
        )
    }

    @Test(arguments: [false, true])
    func `what is rolled back leaves nothing`(inStaging: Bool) throws {
        let before = try Program.sqlite(path, ".dump")
        do {
            let archive = try Archive.open(path, for: .recording)
            try archive.begin(writing: true)
            let intent = PublishIntent(
                exportID: "x", temporary: Path("/t"), destination: Path("/d"), isReplacing: false)
            try record(archive, "x", [(1, 1, hash1), (2, nil, hash2)], inStaging: inStaging, intent: intent)
            #expect(try archive.exportRecord("x") != nil)
            archive.rollBack()
            archive.rollBack()
            #expect(try archive.exportRecord("x") == nil)
            #expect(try archive.publishIntents().isEmpty)
        }
        #expect(try Program.sqlite(path, ".dump") == before)
        #expect(try folder.names() == ["a.sqlite"])
    }

    @Test func `a transaction that nobody ends is undone with its connection`() throws {
        let before = try Program.sqlite(path, ".dump")
        do {
            let archive = try Archive.open(path, for: .recording)
            try archive.begin(writing: true)
            try record(archive, "x", [(1, 1, hash1)])
        }
        #expect(try Program.sqlite(path, ".dump") == before)
    }

    @Test(arguments: [false, true])
    func `a record comes back as it was written, for the sqlite3 program too`(inStaging: Bool) throws {
        let archive = try Archive.open(path, for: .recording)
        try archive.begin(writing: true)
        try record(archive, "id-1", [(1, 1, hash1), (2, nil, hash2)], inStaging: inStaging)
        try archive.commit()
        let stored = try archive.exportRecord("id-1")
        let found = try #require(stored)
        #expect(found.exportID == "id-1")
        #expect(found.createdAt == 1_700_000_000.25)
        #expect(found.exportKind == "recovery_bundle")
        #expect(found.fromObservationID == nil)
        #expect(found.toObservationID == 4)
        #expect(found.filterJSON == "{\"ü\":1}")
        #expect(found.manifestHash == hash3)
        #expect(found.recordCount == 2)
        #expect(try archive.exportRecord("id-2") == nil)
        #expect(try archive.exportRecords().map(\.exportID) == ["id-1"])
        #expect(
            try Program.sqlite(
                path,
                "SELECT m.export_id, m.record_count, i.sample_id, i.version_id, i.item_hash FROM export_manifests m JOIN export_items i ON i.export_manifest_id = m.id ORDER BY 3"
            )
                == ["id-1|2|1|1|\(hash1)", "id-1|2|2||\(hash2)"])
    }

    @Test func `staged rows outlive the reading transaction they were staged in`() throws {
        // The way of an export to standard output: read and stage, end the reading transaction, take the lock, record.
        let archive = try Archive.open(path, for: .recording)
        try archive.begin(writing: false)
        var recorder = try archive.recorder(inStaging: true)
        try add([(1, 1, hash1)], to: &recorder)
        // Rolling back would undo the temporary table too.
        try archive.commit()
        try archive.begin(writing: true)
        let scope = Scope(mode: .pointInTime, observationID: 4)
        try archive.finish(
            recorder,
            NewExport(
                exportID: "s", kind: "recovery_bundle", scope: scope, filterJSON: "{}", manifestHash: hash3,
                itemCount: 1, createdAt: 0, intents: []))
        try archive.commit()
        #expect(try counts() == ["1|1|0"])
    }

    @Test func `a second export id of the same text is refused`() throws {
        let archive = try Archive.open(path, for: .recording)
        try archive.begin(writing: true)
        try record(archive, "same", [(1, 1, hash1)])
        try archive.commit()
        try archive.begin(writing: true)
        let error = #expect(throws: ArchiveError.self) { try record(archive, "same", [(1, 1, hash1)]) }
        #expect(error?.code == .evidence)
        archive.rollBack()
        #expect(try counts() == ["1|1|0"])
    }

    @Test func `a held write lock is reported as such`() throws {
        let holder = try Archive.open(path, for: .recording)
        try holder.begin(writing: true)
        let archive = try Archive.open(path, for: .recording, wait: LockWait(seconds: 0))
        let error = #expect(throws: ArchiveError.self) { try archive.begin(writing: true) }
        #expect(error?.code == .locked)
        holder.rollBack()
        try archive.begin(writing: true)
        archive.rollBack()
    }

    @Test func `an archive that was moved away is not recorded in`() throws {
        let archive = try Archive.open(path, for: .recording)
        try archive.begin(writing: true)
        try record(archive, "first", [(1, 1, hash1)])
        try rename(path, to: folder.path("moved.sqlite"), replacing: false)
        let error = #expect(throws: ArchiveError.self) { try record(archive, "second", [(1, 1, hash1)]) }
        #expect(error?.code == .storage)
        #expect(error?.description.contains("moved away or replaced") == true)
        archive.rollBack()
    }

    @Test func `an archive that is only read is not written to`() throws {
        for access in [.reading, .evidence] as [Archive.Access] {
            let archive = try Archive.open(path, for: access)
            #expect(throws: ArchiveError.self) {
                try archive.begin(writing: true)
                try record(archive, "x", [(1, 1, hash1)])
            }
            archive.rollBack()
        }
        #expect(try counts() == ["0|0|0"])
    }

    @Test func `publish intents come back byte for byte, and are dropped one by one`() throws {
        let names: [[UInt8]] = [
            Array("/tmp/plain".utf8), [0x2F, 0xFF, 0xFE], Array("/a b\n:c".utf8), Array("/é测试".utf8),
        ]
        let archive = try Archive.open(path, for: .recording)
        for (number, name) in names.enumerated() {
            try archive.begin(writing: true)
            let intent = PublishIntent(
                exportID: "e\(number)", temporary: Path(bytes: name + [0x2E]), destination: Path(bytes: name),
                isReplacing: number % 2 == 0)
            try record(archive, "e\(number)", [], intent: intent)
            try archive.commit()
        }
        let found = try archive.publishIntents()
        #expect(found.map(\.destination.bytes) == names)
        #expect(found.map(\.temporary.bytes) == names.map { $0 + [0x2E] })
        #expect(found.map(\.isReplacing) == [true, false, true, false])
        try archive.drop(found[1])
        #expect(try archive.publishIntents().map(\.destination.bytes) == [names[0], names[2], names[3]])
    }

    @Test func `metadata that is no intent is passed over`() throws {
        _ = try Program.sqlite(
            path,
            """
            INSERT INTO archive_metadata VALUES ('publish_intent:x', 'zz 00 new'), ('publish_intent:y', '00'), ('publish_intent:z', ''), ('publish_intent', '2f61 2f62 new'), ('publish_intent;', '2f61 2f62 new')
            """)
        let archive = try Archive.open(path, for: .recording)
        #expect(try archive.publishIntents().isEmpty)
    }
}

@Suite struct `Comparing a bundle with a record` {
    /// Items as text: type, identity, payload hash, item hash, as `sqlite3` prints them.
    private struct Item {
        var type: String, identity: String, payload: String, hash: String
    }

    private static let recorded: [(sample: Int64, version: Int64?, hash: String)] = [
        (1, 1, hash1), (2, 3, hash2), (3, nil, hash3),
    ]

    private func differences(_ change: (inout [Item]) -> Void) throws -> [String] {
        let folder = try TemporaryFolder()
        let path = try folder.copy("archives/small.sqlite", as: "a.sqlite")
        for (sample, version, hash) in Self.recorded {
            _ = try Program.sqlite(
                path, "INSERT INTO export_items VALUES (1, \(sample), \(version.map(String.init) ?? "NULL"), '\(hash)')"
            )
        }
        _ = try Program.sqlite(
            path, "INSERT INTO export_manifests VALUES (1, 'e', 0, 'recovery_bundle', NULL, 4, '{}', '\(hash1)', 3)")
        var items = try Program.sqlite(
            path,
            """
            SELECT t.type_identifier, coalesce(s.sample_uuid_hash, s.strict_fingerprint), coalesce(v.payload_hash, ''), i.item_hash FROM export_items i \
            JOIN samples s ON s.id = i.sample_id JOIN sample_types t ON t.id = s.sample_type_id LEFT JOIN sample_versions v ON v.id = i.version_id ORDER BY i.sample_id
            """
        ).map { line in
            let parts = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            return Item(type: parts[0], identity: parts[1], payload: parts[2], hash: parts[3])
        }
        change(&items)
        let archive = try Archive.open(path, for: .evidence)
        let differ = ItemDiffer(of: path)
        var key = ByteBuffer()
        for (line, item) in items.enumerated() {
            ItemKey.set(&key, to: [item.type, item.identity, item.payload].map { Array($0.utf8) })
            let hash = Array(item.hash.utf8)
            try differ.add(.left, key: key.span, hash: hash.span, ItemDiffer.Place(Int64(line)))
        }
        let record = try archive.exportRecord("e")
        try archive.recordedItems(of: try #require(record)) { key, hash, place throws(ArchiveError) in
            try differ.add(.right, key: key, hash: hash, place)
        }
        var found: [String] = []
        _ = try differ.finish(limit: 10) { difference in
            func hash(_ item: ItemDiffer.Item?) -> String {
                String(decoding: item?.hash.prefix(1) ?? [], as: UTF8.self)
            }
            let (left, right) = (difference.left?.place, difference.right?.place)
            switch difference.kind {
            case .leftOnly: found.append("unknown \(left?.first ?? -1)")
            case .rightOnly: found.append("absent \(right?.first ?? -1) \(right?.second ?? -1)")
            case .changed:
                found.append("hash \(left?.first ?? -1) \(hash(difference.right)) \(hash(difference.left))")
            }
        }
        return found.sorted()
    }

    @Test func `the same items in any order have no difference`() throws {
        #expect(try differences { _ in }.isEmpty)
        #expect(try differences { $0.reverse() }.isEmpty)
    }

    @Test func `an item that is not in the bundle is absent`() throws {
        #expect(try differences { $0.remove(at: 1) } == ["absent 2 3"])
        #expect(try differences { $0.removeLast() } == ["absent 3 -1"])
        #expect(try differences { $0 = [] } == ["absent 1 1", "absent 2 3", "absent 3 -1"])
    }

    @Test func `an item that is not in the record is unknown`() throws {
        #expect(
            try differences { $0.append(Item(type: "z", identity: "i", payload: "p", hash: hash1)) } == ["unknown 3"])
        #expect(try differences { $0.append($0[0]) } == ["unknown 3"])
    }

    @Test func `an item with another hash is one difference`() throws {
        #expect(try differences { $0[0].hash = hash3 } == ["hash 0 1 3"])
    }

    @Test func `an item with another identity is one difference on each side`() throws {
        #expect(try differences { $0[0].identity = "other" } == ["absent 1 1", "unknown 0"])
        #expect(try differences { $0[1].payload = "other" } == ["absent 2 3", "unknown 1"])
        #expect(try differences { $0[1].type += "x" } == ["absent 2 3", "unknown 1"])
    }
}
