import Files
import Scratch
import Testing

@testable import SQLite

private typealias Connection = SQLiteConnection<SQLiteError>

/// Pages of a database that a connection writes are watched as before: those that it did not write.
struct WatchedWriterTests {
    private static let journals = ["DELETE", "WAL"]

    private func open(_ folder: borrowing TemporaryFolder) throws -> Connection {
        try Connection.open(resolved: folder.path("a.sqlite"), mode: .readWrite, wait: LockWait(seconds: 10))
    }

    /// A number at a place, the highest byte first.
    private func number(_ bytes: [UInt8], at place: Int, count: Int) -> Int {
        bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }

    @Test(arguments: journals)
    func `a page with two parents is refused after a write as before one`(journal: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.sqlite")
        let roots = try Program.sqlite(
            path, "PRAGMA page_size = 512",
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE TABLE other(x); \
            INSERT INTO t WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300) \
            SELECT i, zeroblob(50) FROM n; SELECT rootpage FROM sqlite_schema WHERE name = 't'
            """, "PRAGMA journal_mode = \(journal)")
        var bytes = try folder.bytes("a.sqlite")
        let root = try (#require(Int(roots[0])) - 1) * 512
        #expect(bytes[root] == 5, "it is an interior page of a table")
        let one = root + number(bytes, at: root + 12 + 2 * 10, count: 2)
        let other = root + number(bytes, at: root + 12 + 2 * 20, count: 2)
        bytes.replaceSubrange(other..<other + 4, with: bytes[one..<one + 4])
        try folder.write(bytes, as: "a.sqlite")

        let connection = try open(folder)
        try connection.execute("INSERT INTO other VALUES (1)")
        let error = #expect(throws: SQLiteError.self) { try connection.integer("SELECT sum(id) FROM t") }
        #expect(error?.description.contains("is used twice") == true)
        // What is in order can still be read and written.
        try connection.execute("INSERT INTO other VALUES (2)")
        #expect(try connection.integer("SELECT count(*) FROM other") == 2)
    }

    /// Rows of all sizes come, change and go, with a cache that holds little, so that pages are read again. A whole
    /// database is never refused.
    @Test(arguments: journals, [0, 1, 2])
    func `a whole database stays whole for its writer`(journal: String, autoVacuum: Int) throws {
        var random = SeededGenerator(seed: UInt64(autoVacuum))
        for size in [512, 4096] {
            let folder = try TemporaryFolder()
            let path = folder.path("a.sqlite")
            _ = try Program.sqlite(
                path, "PRAGMA page_size = \(size)", "PRAGMA auto_vacuum = \(autoVacuum)",
                "CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE INDEX ti ON t(x); CREATE TABLE u(x)",
                """
                INSERT INTO t(x) WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300) \
                SELECT randomblob(abs(random()) % 900) FROM n; INSERT INTO u SELECT zeroblob(9000) FROM t LIMIT 9
                """, "DELETE FROM t WHERE id % 3 = 0", "PRAGMA journal_mode = \(journal)")
            let connection = try open(folder)
            try connection.execute("PRAGMA cache_size = 6; PRAGMA wal_autocheckpoint = 20")
            for _ in 0..<60 {
                let row = Int.random(in: 1...400, using: &random), length = Int.random(in: 0...3000, using: &random)
                let removal = "DELETE FROM t WHERE id < \(row)"
                let statement = [
                    "INSERT INTO t(x) VALUES (randomblob(\(length)))",
                    "UPDATE t SET x = randomblob(\(length)) WHERE id = \(row)",
                    "DELETE FROM t WHERE id BETWEEN \(row) AND \(row + 20)",
                    "INSERT INTO u SELECT x FROM t WHERE id > \(row) LIMIT 5",
                    "DELETE FROM u WHERE rowid % 7 = \(row % 7)", "BEGIN; DELETE FROM t; ROLLBACK",
                    "BEGIN; INSERT INTO u VALUES (zeroblob(50000)); SAVEPOINT s; \(removal); ROLLBACK TO s; COMMIT",
                    "PRAGMA incremental_vacuum(\(row % 9))",
                ].randomElement(using: &random)!
                try connection.execute(statement)
                if row % 40 == 0 { _ = try Program.sqlite(path, "INSERT INTO u SELECT zeroblob(700) FROM t LIMIT 3") }
                _ = try connection.integer("SELECT sum(length(x)) FROM t NOT INDEXED WHERE id >= \(row % 2 * row)")
                _ = try connection.integer("SELECT sum(length(x)) FROM u")
                _ = try connection.integer("SELECT count(*) FROM t WHERE x > x'80'")
            }
            #expect(try connection.text("PRAGMA integrity_check") == "ok", "\(random)")
        }
    }
}
