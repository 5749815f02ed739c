import Files
import Scratch
import Testing

@testable import Archive

/// An archive that must be refused: how, and a part of what is said.
struct Refusal: Sendable, CustomTestStringConvertible {
    let fixture: String
    let code: ArchiveError.Code
    let text: String

    var testDescription: String { fixture }

    static let all = [
        Refusal(fixture: "empty", code: .unreadable, text: "the file is empty"),
        Refusal(fixture: "not-a-database", code: .unreadable, text: "not a SQLite database"),
        Refusal(fixture: "truncated", code: .unreadable, text: "truncated"),
        Refusal(fixture: "schema-version-1", code: .schema, text: "schema version 1 is older"),
        Refusal(fixture: "schema-version-3", code: .schema, text: "schema version 3 is newer"),
        Refusal(fixture: "schema-version-missing", code: .schema, text: "states no schema_version"),
        Refusal(fixture: "schema-version-contradictory", code: .schema, text: "schema_migrations 3"),
        Refusal(fixture: "table-missing", code: .schema, text: "table sample_relationships is missing"),
        Refusal(fixture: "column-missing", code: .schema, text: "column samples.fuzzy_key is missing"),
        Refusal(fixture: "table-is-a-view", code: .schema, text: "metadata_blobs is a view"),
        Refusal(fixture: "virtual-table", code: .schema, text: "metadata_blobs is a virtual table"),
        Refusal(fixture: "trigger", code: .schema, text: "export_items has a trigger"),
        Refusal(fixture: "generated-column", code: .schema, text: "column sample_versions.unit is generated"),
    ]
}

private func refusal(_ path: Path, _ access: Archive.Access) -> ArchiveError? {
    do throws(ArchiveError) {
        _ = try Archive.open(path, for: access)
        return nil
    } catch {
        return error
    }
}

private let accesses: [Archive.Access] = [.recording, .reading, .evidence]

@Suite struct `Opening an archive` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: Refusal.all, accesses)
    func `what is no archive is refused, and left as it was`(expected: Refusal, access: Archive.Access) throws {
        let path = try folder.copy("archives/\(expected.fixture).sqlite", as: "a.sqlite")
        let before = try folder.contents()
        let error = refusal(path, access)
        #expect(error?.code == expected.code)
        #expect(error?.description.contains(expected.text) == true, "\(error?.description ?? "opened")")
        #expect(error?.description.hasPrefix(path.display) == true)
        #expect(try folder.contents() == before)
    }

    @Test(arguments: accesses)
    func `a name without a file is missing, and no file is made`(access: Archive.Access) throws {
        #expect(refusal(folder.path("none.sqlite"), access)?.code == .missing)
        try folder.link("dangling", to: "nowhere")
        #expect(refusal(folder.path("dangling"), access)?.code == .missing)
        #expect(try folder.names() == ["dangling"])
    }

    @Test(arguments: accesses)
    func `a folder, a FIFO and a device are unreadable, and nothing waits`(access: Archive.Access) throws {
        try folder.fifo("fifo")
        for path in [folder.path, folder.path("fifo"), Path("/dev/null"), Path("/dev/zero")] {
            let error = refusal(path, access)
            #expect(error?.code == .unreadable)
            #expect(error?.description.contains("not a regular file") == true)
        }
    }

    @Test func `trailing bytes and pages are refused`() throws {
        let good = Fixture.bytes("archives/small.sqlite")
        for extra in [1, 1024] {
            let path = try folder.write(good + [UInt8](repeating: 0, count: extra), as: "a.sqlite")
            let error = refusal(path, .evidence)
            #expect(error?.code == .unreadable)
            #expect(error?.description.contains("trailing bytes") == true)
        }
    }

    @Test func `a header that is cut or has a page size that SQLite has not is refused`() throws {
        let good = Fixture.bytes("archives/small.sqlite")
        #expect(refusal(try folder.write(Array(good.prefix(99)), as: "a.sqlite"), .evidence)?.code == .unreadable)
        for size in [[0, 0], [0x01, 0x00], [0x04, 0x01], [0xFF, 0xFF]] as [[UInt8]] {
            var changed = good
            changed.replaceSubrange(16..<18, with: size)
            #expect(refusal(try folder.write(changed, as: "a.sqlite"), .evidence)?.code == .unreadable)
        }
    }

    @Test(
        arguments: ["small", "defects", "unsettled", "two-chains", "utf16", "extra-columns", "page-size-512"], accesses)
    func `a good archive is opened whichever way`(fixture: String, access: Archive.Access) throws {
        let path = try folder.copy("archives/\(fixture).sqlite", as: "a.sqlite")
        #expect(refusal(path, access) == nil)
    }

    @Test func `a database of somebody else is no archive`() throws {
        _ = try Program.sqlite(folder.path("other.sqlite"), "CREATE TABLE t(x)")
        let error = refusal(folder.path("other.sqlite"), .reading)
        #expect(error?.code == .schema)
        #expect(error?.description.contains("not a HealthProbe archive") == true)
    }

    @Test(arguments: [
        "with blank.sqlite", "what?mode=memory", "hash#.sqlite", "%41.sqlite", "-dash", "new\nline", "é 测试",
    ])
    func `an odd name is opened as it is, and nothing else is made`(name: String) throws {
        try folder.copy("archives/small.sqlite", as: name)
        #expect(refusal(folder.path(name), .evidence) == nil)
        #expect(refusal(folder.path(name), .recording) == nil)
        #expect(try folder.names() == [name])
    }
}

@Suite struct `Reading evidence` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func countRecords(_ path: Path) throws -> (count: Int, isPrivateCopy: Bool, isUnchanged: Bool) {
        let archive = try Archive.open(path, for: .evidence)
        let scope = Scope(mode: .pointInTime, observationID: try archive.observationID(.latest))
        let context = try archive.context(of: scope)
        var records = try archive.records(of: scope, in: context)
        var count = 0
        while let batch = try records.next() { count += batch.rows.count }
        return (count, archive.isPrivateCopy, archive.isUnchanged())
    }

    /// An archive in WAL mode whose newest observation (5) is in the log alone.
    private func archiveWithLog() throws -> Path {
        let path = try folder.copy("archives/small.sqlite", as: "wal.sqlite")
        _ = try Program.sqlite(
            path, ".dbconfig no_ckpt_on_close on", "PRAGMA journal_mode = WAL",
            """
            INSERT INTO observations(id, device_chain_id, observed_at, status, trigger_reason, schema_version) VALUES (5, 1, 1e9, 'completed', 'manual', 2)
            """)
        try remove(folder.path("wal.sqlite-shm"))
        try #require(try folder.names() == ["wal.sqlite", "wal.sqlite-wal"])
        return path
    }

    private func latest(_ path: Path) throws -> Int64 {
        let archive = try Archive.open(path, for: .evidence)
        return try archive.observationID(.latest)
    }

    @Test func `a log beside the archive is read from a private copy, and not a byte changes`() throws {
        let path = try archiveWithLog()
        let before = try folder.contents()
        #expect(try latest(path) == 5)
        let result = try countRecords(path)
        #expect(result.isPrivateCopy)
        #expect(result.isUnchanged)
        #expect(try folder.contents() == before)
    }

    @Test func `a clean archive in WAL mode gets no log and no shared memory beside it`() throws {
        let path = try archiveWithLog()
        _ = try Program.sqlite(path, "PRAGMA wal_checkpoint(TRUNCATE)")
        let before = try folder.contents()
        try #require(before.keys.sorted() == ["wal.sqlite"])
        try #require(before["wal.sqlite"]?[18] == 2, "the header says WAL mode")
        #expect(try latest(path) == 5)
        let result = try countRecords(path)
        #expect(!result.isPrivateCopy)
        #expect(result.isUnchanged)
        #expect(try folder.contents() == before)
    }

    @Test func `an empty log is no log`() throws {
        let path = try folder.copy("archives/small.sqlite", as: "a.sqlite")
        try folder.write([], as: "a.sqlite-wal")
        try folder.write([], as: "a.sqlite-journal")
        let before = try folder.contents()
        #expect(try !countRecords(path).isPrivateCopy)
        #expect(try folder.contents() == before)
    }

    @Test func `a log of garbage changes nothing of what is read`() throws {
        let path = try folder.copy("archives/small.sqlite", as: "a.sqlite")
        let clean = try countRecords(path)
        try folder.write([UInt8](repeating: 0x5A, count: 5000), as: "a.sqlite-wal")
        let before = try folder.contents()
        let result = try countRecords(path)
        #expect(result.count == clean.count)
        #expect(result.isPrivateCopy)
        #expect(try folder.contents() == before)
    }

    /// The end that decides is worked out by hand from the SQLite manual, "Database File Format", 3.
    @Test(arguments: [Archive.Access.evidence, .reading, .recording, .capturing])
    func `a journal that names a super-journal is refused, and nothing is touched`(access: Archive.Access) throws {
        let path = try folder.copy("archives/small.sqlite", as: "a.sqlite")
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        for front in [[], [UInt8](repeating: 0, count: 512), magic + [UInt8](repeating: 1, count: 504)] {
            try folder.write(front + Array("/x".utf8) + [0, 0, 0, 2, 0, 0, 0, 0xA7] + magic, as: "a.sqlite-journal")
            let before = try folder.contents()
            let error = #expect(throws: ArchiveError.self) { _ = try Archive.open(path, for: access).isPrivateCopy }
            #expect(error?.description.contains("super-journal") == true)
            #expect(try folder.contents() == before)
        }
    }

    @Test func `a reader where nobody else is at work leaves the log as it is`() throws {
        let path = try archiveWithLog()
        let before = try folder.contents()
        do {
            let archive = try Archive.open(path, for: .reading)
            #expect(try archive.observationID(.latest) == 5)
            #expect(archive.isPrivateCopy == true)
            try archive.checkReading()
        }
        #expect(try folder.contents() == before)
    }

    @Test func `an archive that is replaced while it is open is noticed`() throws {
        let path = try folder.copy("archives/small.sqlite", as: "a.sqlite")
        let archive = try Archive.open(path, for: .evidence)
        #expect(archive.isUnchanged() == true)
        try folder.write(Fixture.bytes("archives/small.sqlite"), as: "b.sqlite")
        try rename(folder.path("b.sqlite"), to: path, replacing: true)
        #expect(archive.isUnchanged() == false)
        try remove(path)
        #expect(archive.isUnchanged() == false)
    }
}
