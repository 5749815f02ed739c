import Scratch
import Testing

@testable import Archive
@testable import Recording
@testable import SQLite

@Suite struct `An index that is put aside` {
    private let folder: TemporaryFolder
    private let name = "idx_samples_type_semantic"
    private let statement =
        "CREATE INDEX idx_samples_type_semantic\nON samples(sample_type_id, semantic_fingerprint)"

    init() throws { folder = try TemporaryFolder() }

    /// An archive in which a transaction is open.
    private func opened() throws -> Archive {
        let path = folder.path("archive.sqlite")
        try Archive.create(path, origin: Archive.Origin(program: "test 1", createdAt: 946_684_800))
        let archive = try Archive.open(path, for: .capturing)
        try archive.connection.execute("BEGIN")
        return archive
    }

    private func stored(_ archive: borrowing Archive) throws -> String? {
        try archive.connection.text("SELECT sql FROM sqlite_schema WHERE name = '\(name)'")
    }

    @Test func `is away from an eighth of the known samples on, and made again as it was`() throws {
        let archive = try opened()
        var index = SemanticIndex(known: 800_000)
        try index.note(changed: 99_999, archive.connection)
        #expect(try stored(archive) == statement)
        try index.note(changed: 100_000, archive.connection)
        #expect(try stored(archive) == nil)
        try index.note(changed: 800_000, archive.connection)
        try index.restore(archive.connection)
        #expect(try stored(archive) == statement)
        try index.restore(archive.connection)
        try archive.connection.execute("COMMIT")
        #expect(try archive.connection.text("PRAGMA integrity_check") == "ok")
    }

    @Test func `is there again when the transaction is undone`() throws {
        let archive = try opened()
        var index = SemanticIndex(known: 800_000)
        try index.note(changed: 800_000, archive.connection)
        #expect(try stored(archive) == nil)
        try archive.connection.execute("ROLLBACK")
        #expect(try stored(archive) == statement)
    }

    @Test func `stays where few samples are known`() throws {
        let archive = try opened()
        var index = SemanticIndex(known: SemanticIndex.leastKnown - 1)
        try index.note(changed: 10_000_000, archive.connection)
        #expect(try stored(archive) == statement)
        try index.restore(archive.connection)
    }

    @Test func `stays where it is defined otherwise`() throws {
        let archive = try opened()
        let other = "CREATE INDEX \(name) ON samples(semantic_fingerprint)"
        try archive.connection.execute("DROP INDEX \(name); \(other)")
        var index = SemanticIndex(known: 800_000)
        try index.note(changed: 800_000, archive.connection)
        #expect(try stored(archive) == other)
        try index.restore(archive.connection)
        #expect(try stored(archive) == other)
    }
}
