import Archive
import Files
import Scratch
import Testing

@testable import Exports

@Suite struct `Totals` {
    /// Four records of com.example.a and one of com.example.b; what each of them loses is worked out by hand from
    /// Spec/items.md.
    private static let sql = """
        INSERT INTO observations(id, device_chain_id, observed_at, status, trigger_reason, schema_version) VALUES (1, 1, 1, 'completed', 'manual', 2);
        INSERT INTO sample_types(id, type_identifier) VALUES (1, 'com.example.a'), (2, 'com.example.b');
        INSERT INTO sources VALUES (1, NULL, 'com.example.app'), (2, 'aa', NULL);
        INSERT INTO source_revisions VALUES (1, 1, 'P', NULL, NULL), (2, 2, NULL, '1.0', '15.8');
        INSERT INTO hk_devices(id, device_hash, model) VALUES (1, 'dd', NULL), (2, NULL, 'Model');
        INSERT INTO metadata_blobs VALUES (1, 'm1', 'no JSON'), (2, 'm2', '{"a":1}');
        INSERT INTO samples(id, sample_type_id, sample_uuid_hash, strict_fingerprint, first_seen_observation_id, first_seen_at) VALUES
          (1, 1, NULL, 's1', 1, 1), (2, 1, 'u2', 's2', 1, 1), (3, 1, 'u3', 's3', 1, 1), (4, 1, 'u4', 's4', 1, 1), (5, 2, 'u5', 's5', 1, 1), (6, 2, 'u6', 's6', 1, 1);
        INSERT INTO sample_versions(id, sample_id, payload_hash, start_date, end_date, source_revision_id, hk_device_id, metadata_id, created_observation_id) VALUES
          (1, 1, 'p1', 1, 1, NULL, NULL, NULL, 1), (2, 2, 'p2', 2, 2, 1, 1, 1, 1), (3, 3, 'p3', 3, 3, 2, 2, 2, 1), (4, 4, 'p4', 4, 4, 2, 2, NULL, 1);
        INSERT INTO sample_visibility_ranges VALUES (1, 1, 1, NULL, 1, NULL), (2, 2, 1, NULL, 1, NULL), (3, 3, 1, NULL, 1, NULL), (4, 4, 1, NULL, 1, NULL), (5, NULL, 1, NULL, 1, NULL);
        INSERT INTO sample_relationships VALUES (1, 1, 3, 4, 'both in scope', NULL), (2, 1, 4, 6, 'one is not', NULL);
        """

    @Test func `each item raises the codes of what it lost`() async throws {
        let folder = try TemporaryFolder()
        let path = try TestArchive.make(in: folder, Self.sql)
        _ = try await exported(path, Scope(mode: .pointInTime, observationID: 1), in: folder)
        let manifest = try #require(try lines(folder.path("out")).last)
        // Row 1: no UUID, device or source. Row 2: hashed device, source without versions, metadata as text. Rows 3
        // and 4: source name hashed; 4 has a relationship to row 6, which is not visible. Row 5: a range without a
        // version: a defect, and nothing of a version.
        let expected = """
            "totals":{"defect_count":1,"item_count":5,"types":[{"defect_count":0,"item_count":4,"provenance_loss":{"device_absent":1,"device_identifiers_hashed":1,\
            "metadata_as_text":1,"operating_system_version_absent":1,"relationship_end_not_in_scope":1,"sample_uuid_absent":1,"source_absent":1,"source_name_hashed":2,\
            "source_version_absent":1},"sample_type":"com.example.a"},{"defect_count":1,"item_count":1,"provenance_loss":{"device_absent":1,"payload_absent":1,\
            "source_absent":1},"sample_type":"com.example.b"}]}}
            """
        #expect(String(manifest.drop { $0 != "," }.dropFirst()) == expected)
    }

    @Test func `samples of a history lose nothing that only versions have`() async throws {
        let folder = try TemporaryFolder()
        let path = try TestArchive.make(in: folder, Self.sql)
        _ = try await exported(
            path, Scope(mode: .history, observationID: 1, filter: Filter(sampleTypes: ["com.example.b"])), in: folder)
        let manifest = try #require(try lines(folder.path("out")).last)
        #expect(
            manifest.contains(
                #""item_count":2,"types":[{"defect_count":0,"item_count":2,"provenance_loss":{"relationship_end_not_in_scope":1},"sample_type":"com.example.b"}]"#
            ))
    }
}

@Suite struct `Completing a publication` {
    private let folder: TemporaryFolder
    private let path: Path
    /// A token of the archive.
    private let token: String

    init() throws {
        folder = try TemporaryFolder()
        path = try folder.copy("archives/small.sqlite", as: "a.sqlite")
        let status = try #require(try FileStatus.of(path))
        token = PendingFile.token(of: PublicationOwner.number(of: status))
    }

    private var temporary: String { ".out.\(token).partial" }

    private func hexadecimal(_ path: Path) -> String {
        path.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func leaveIntent(_ mode: String = "new") throws {
        let value = "\(hexadecimal(folder.path(temporary))) \(hexadecimal(folder.path("out"))) \(mode)"
        _ = try Program.sqlite(path, "INSERT INTO archive_metadata VALUES ('publish_intent:e:1', '\(value)')")
    }

    private func recover() throws -> (lines: [String], intents: Int) {
        let archive = try Archive.open(path, for: .recording)
        let lines = try PublicationRecovery.run(archive)
        return (lines, try archive.publishIntents().count)
    }

    @Test func `without an intent nothing happens`() throws {
        try folder.write([1], as: temporary)
        let before = try folder.contents()
        let result = try recover()
        #expect(result.lines.isEmpty && result.intents == 0)
        #expect(try folder.contents() == before)
    }

    @Test func `an intent with its temporary file is completed`() throws {
        try leaveIntent()
        try folder.write([1, 2, 3], as: temporary)
        let result = try recover()
        #expect(
            result.lines == [
                "\(folder.path("out").display): completed an export that was interrupted after it was recorded"
            ])
        #expect(result.intents == 0)
        #expect(try folder.names() == ["a.sqlite", "out"])
        #expect(try folder.bytes("out") == [1, 2, 3])
        let again = try recover()
        #expect(again.lines.isEmpty && again.intents == 0)
    }

    @Test func `an intent with the finished file is dropped`() throws {
        try leaveIntent()
        try folder.write([1, 2, 3], as: "out")
        let result = try recover()
        #expect(result.lines.isEmpty && result.intents == 0)
        #expect(try folder.bytes("out") == [1, 2, 3])
        #expect(try folder.names() == ["a.sqlite", "out"])
    }

    @Test func `an intent that speaks of other files is not followed`() throws {
        try folder.write([1], as: "thesis")
        try folder.write([2], as: "other")
        let value = "\(hexadecimal(folder.path("thesis"))) \(hexadecimal(folder.path("other"))) replace"
        _ = try Program.sqlite(path, "INSERT INTO archive_metadata VALUES ('publish_intent:e:1', '\(value)')")
        let result = try recover()
        #expect(result.lines.count == 1 && result.lines[0].hasSuffix("it stays as it is") && result.intents == 1)
        #expect(try folder.names() == ["a.sqlite", "other", "thesis"])
        #expect(try folder.bytes("other") == [2])
    }

    @Test func `an intent with neither file is dropped`() throws {
        try leaveIntent()
        let result = try recover()
        #expect(result.lines.isEmpty && result.intents == 0)
    }

    @Test func `an intent whose temporary file is locked belongs to a living process`() throws {
        try leaveIntent()
        var living = try PendingFile(destination: folder.path("out"), token: token)
        try living.write([7].span)
        let result = try recover()
        #expect(result.lines.isEmpty && result.intents == 1)
        #expect(try folder.names() == [temporary, "a.sqlite"])
        _ = living.destination
    }

    @Test func `a file that somebody else made meanwhile is not replaced`() throws {
        try leaveIntent()
        try folder.write([1], as: temporary)
        try folder.write([2], as: "out")
        let result = try recover()
        #expect(result.lines.isEmpty && result.intents == 0)
        #expect(try folder.names() == ["a.sqlite", "out"])
        #expect(try folder.bytes("out") == [2])
    }

    @Test func `a file that was to be replaced is replaced`() throws {
        try leaveIntent("replace")
        try folder.write([1], as: temporary)
        try folder.write([2], as: "out")
        let result = try recover()
        #expect(result.lines.count == 1 && result.intents == 0)
        #expect(try folder.names() == ["a.sqlite", "out"])
        #expect(try folder.bytes("out") == [1])
    }

    @Test func `an intent with a token of another archive is told and not followed`() throws {
        let status = try #require(try FileStatus.of(folder.copy("archives/small.sqlite", as: "b.sqlite")))
        let other = ".out.\(PendingFile.token(of: PublicationOwner.number(of: status))).partial"
        try folder.write([1], as: other)
        let value = "\(hexadecimal(folder.path(other))) \(hexadecimal(folder.path("out"))) new"
        _ = try Program.sqlite(path, "INSERT INTO archive_metadata VALUES ('publish_intent:e:1', '\(value)')")
        let result = try recover()
        #expect(result.lines.count == 1 && result.intents == 1)
        #expect(try folder.names() == [other, "a.sqlite", "b.sqlite"].sorted())
        try remove(folder.path(other))
        let again = try recover()
        #expect(again.lines.isEmpty && again.intents == 0)
    }
}
