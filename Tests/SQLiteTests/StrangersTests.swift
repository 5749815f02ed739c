import Files
import Scratch
import Testing

@testable import SQLite

private typealias Connection = SQLiteConnection<SQLiteError>

/// Databases that somebody made to hurt whoever opens them, where nobody looked at them before SQLite does.
struct StrangersTests {
    private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

    private func number(_ value: Int) -> [UInt8] {
        (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// A folder with a database, a victim, and a hot journal that names the victim as its super-journal (manual,
    /// "Database File Format", 3).
    private func folder(victim: String = "victim") throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        _ = try Program.sqlite(folder.path("a.sqlite"), "PRAGMA page_size = 4096; CREATE TABLE t(a)")
        try folder.write(Array("nothing may touch this".utf8), as: victim)
        let name = Array(folder.path(victim).text.utf8)
        let pages = try folder.bytes("a.sqlite").count / 4096
        let header = Self.magic + [0, pages, 512, 4096].flatMap { $0 == 0 ? number(0) + number(0) : number($0) }
        let sum = name.reduce(0) { $0 + Int($1) }
        let end = number(0x4000_0000 / 4096 + 1) + name + number(name.count) + number(sum) + Self.magic
        try folder.write(header + [UInt8](repeating: 0, count: 512 - header.count) + end, as: "a.sqlite-journal")
        return folder
    }

    @Test(arguments: ["victim", "b.sqlite-journal", "a.sqlite-wal.1"])
    func `a super-journal is neither read nor removed, whatever it is called`(victim: String) throws {
        let control = try folder(victim: victim)
        _ = try? Program.sqlite(control.path("a.sqlite"), "SELECT count(*) FROM t")
        #expect(!FileStatus.exists(control.path(victim)), "SQLite itself does not take it for a super-journal")

        let folder = try folder(victim: victim)
        let before = try folder.contents()
        #expect(throws: SQLiteError.self) {
            let connection = try Connection.open(
                resolved: folder.path("a.sqlite"), mode: .readWrite, wait: LockWait(seconds: 0))
            _ = try connection.integer("SELECT count(*) FROM t")
        }
        #expect(try folder.contents() == before)
    }

    @Test func `a journal of the database is played back and removed, and a log is folded in`() throws {
        let folder = try folder()
        let journal = try folder.bytes("a.sqlite-journal").prefix(512)
        try folder.write(Array(journal), as: "a.sqlite-journal")
        let connection = try Connection.open(
            resolved: folder.path("a.sqlite"), mode: .readWrite, wait: LockWait(seconds: 0))
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
        #expect(try folder.names() == ["a.sqlite", "victim"])
        try connection.execute("PRAGMA journal_mode = WAL; INSERT INTO t VALUES (1)")
        #expect(try folder.names() == ["a.sqlite", "a.sqlite-shm", "a.sqlite-wal", "victim"])
        try connection.close()
        #expect(try folder.names() == ["a.sqlite", "victim"])
    }

    private static let forged = [
        "one row for all": [("t", "ta", "1000000 1000000"), ("t", "tb", "1000000 1"), ("u", "ua", "1000000 1000000")],
        "tables of no rows": [("t", "ta", "0 0"), ("t", "tb", "0 0"), ("u", "ua", "0 0")],
        "words": [("t", "ta", "10000 5000 unordered"), ("u", "ua", "100 100 noskipscan sz=1")],
        "tables alone": [("t", "", "99999999"), ("u", "", "1")],
    ]

    /// Which table leads, and by what each is searched.
    @Test(arguments: forged.keys.sorted())
    func `what a database says of its statistics steers no plan`(name: String) throws {
        let schema = """
            CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); CREATE INDEX ta ON t(a); CREATE INDEX tb ON t(b); \
            CREATE TABLE u(id INTEGER PRIMARY KEY, a, b); CREATE INDEX ua ON u(a)
            """
        let rows = Self.forged[name]!.map { "('\($0.0)', nullif('\($0.1)', ''), '\($0.2)')" }.joined(separator: ", ")
        let forged = "ANALYZE; DELETE FROM sqlite_stat1; INSERT INTO sqlite_stat1 VALUES \(rows)"
        let queries = [
            "SELECT * FROM t WHERE a = 1 AND b = 2", "SELECT * FROM t JOIN u ON u.a = t.a WHERE t.b = 1",
            "SELECT * FROM t, u WHERE t.a = u.a AND t.b = u.b", "SELECT * FROM t JOIN u USING (id) WHERE u.a > 5",
        ]
        let folder = try TemporaryFolder()
        let (plain, steered) = (folder.path("plain.sqlite"), folder.path("steered.sqlite"))
        _ = try Program.sqlite(plain, schema)
        _ = try Program.sqlite(steered, schema + "; INSERT INTO t VALUES (1, 1, 1); " + forged)
        let ours = try [plain, steered].map { try plans(of: queries, in: $0) }
        #expect(ours[0] == ours[1])
        #expect(ours[0].joined().contains("USING INDEX"))
        let own = try [plain, steered].map { path in
            try queries.flatMap { try Program.sqlite(path, "EXPLAIN QUERY PLAN " + $0) }
        }
        #expect(own[0] != own[1], "these statistics would not steer anything")
    }

    private func plans(of queries: [String], in path: Path) throws -> [String] {
        let connection = try Connection.open(resolved: path, mode: .readOnly, wait: LockWait(seconds: 0))
        // A database that was analyzed is read like any other.
        if path.text.contains("steered") { #expect(try connection.integer("SELECT count(*) FROM sqlite_stat1")! > 0) }
        var found: [String] = []
        for query in queries {
            var rows = try connection.prepare("EXPLAIN QUERY PLAN " + query)
            while try rows.step() { found.append(rows.text(3) ?? "") }
        }
        return found
    }
}
