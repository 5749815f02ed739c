import Files
import SQLite
import Scratch
import Testing

@testable import Archive
@testable import Recording

@Suite struct `A draft` {
    private let folder: TemporaryFolder
    private let origin = Archive.Origin(program: "test 1", createdAt: 946_684_800)

    init() throws { folder = try TemporaryFolder() }

    @Test func `a reference that leads nowhere keeps a draft from its name`() throws {
        let path = folder.path("new.sqlite")
        do throws(ArchiveError) {
            let archive = try Archive.draft(path, origin: origin)
            try archive.connection.execute(
                "INSERT INTO samples VALUES (1, 7, NULL, 'fingerprint', NULL, NULL, 1, 946684800)")
            try archive.publish()
            Issue.record("the archive was published")
        } catch {
            #expect(error.description == "\(path.display): samples would have references that lead nowhere")
        }
        #expect(try folder.contents().isEmpty)
    }

    @Test func `an archive has its name, pages of 8 KiB and a log`() throws {
        let path = folder.path("new.sqlite")
        try Archive.draft(path, origin: origin).publish()
        #expect(try Program.sqlite(path, "PRAGMA page_size") == ["8192"])
        #expect(try Program.sqlite(path, "PRAGMA journal_mode") == ["wal"])
    }

    /// Without the index, each UUID of a first backup would be looked for in all samples.
    @Test func `an archive of samples with UUIDs has their index from the beginning, and once`() throws {
        let (path, other) = (folder.path("new.sqlite"), folder.path("other.sqlite"))
        let archive = try Archive.draft(path, origin: origin, hasUUIDs: true)
        var plan = try archive.connection.prepare(
            "EXPLAIN QUERY PLAN SELECT id FROM samples WHERE sample_uuid_hash = 'a'")
        #expect(try plan.step() && plan.text(3)?.contains("idx_samples_uuid_hash") == true)
        plan.reset()
        _ = consume plan
        try archive.publish()
        try Archive.draft(other, origin: origin).publish()
        let schema = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
        #expect(try Program.sqlite(path, schema) == Program.sqlite(other, schema))
    }
}
