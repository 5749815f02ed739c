import Files
import Scratch
import Testing

@testable import SQLite

private typealias Connection = SQLiteConnection<SQLiteError>

/// Bytes in memory.
private final class Content: SuppliedFile {
    private let bytes: [UInt8]
    /// Reads from this place on fail.
    private let broken: Int64

    init(_ bytes: [UInt8], broken: Int64 = .max) { (self.bytes, self.broken) = (bytes, broken) }

    var byteCount: Int64 { Int64(bytes.count) }

    func read(into buffer: inout MutableRawSpan, at offset: Int64) -> Bool {
        guard offset + Int64(buffer.byteCount) <= broken else { return false }
        for index in 0..<buffer.byteCount {
            buffer.storeBytes(of: bytes[Int(offset) + index], toByteOffset: index, as: UInt8.self)
        }
        return true
    }
}

@Suite struct `Supplied files` {
    private let folder: TemporaryFolder
    private let wait = LockWait(shouldStop: { false })
    private let database: [UInt8]
    private let log: [UInt8]

    /// A database with 100 rows, and its log, by which one row is deleted and 50 are added.
    init() throws {
        folder = try TemporaryFolder()
        _ = try Program.run(
            "sqlite3",
            [
                "-cmd", ".dbconfig no_ckpt_on_close on", folder.path("made.sqlite").text,
                """
                PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(i INTEGER PRIMARY KEY, x BLOB);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
                INSERT INTO t SELECT i, randomblob(500) FROM n; PRAGMA wal_checkpoint(TRUNCATE);
                INSERT INTO t SELECT i + 100, x FROM t WHERE i <= 50; DELETE FROM t WHERE i = 1
                """,
            ])
        database = try folder.bytes("made.sqlite")
        log = try folder.bytes("made.sqlite-wal")
    }

    private func rows(_ database: [UInt8], _ log: [UInt8]?) throws -> Int64? {
        let connection = try Connection.open(
            supplied: Content(database), log: log.map { Content($0) }, named: Path("/made"), wait: wait)
        return try connection.integer("SELECT count(*) FROM t")
    }

    @Test func `the log is read up to its last whole transaction`() throws {
        #expect(try rows(database, log) == 149)
        #expect(try rows(database, nil) == 100)
        #expect(try rows(database, []) == 100)
        // The deletion is the last transaction.
        #expect(try rows(database, Array(log.dropLast(100))) == 150)
        #expect(try rows(database, Array(log[..<1000])) == 100)
        var changed = log
        changed[log.count - 10] ^= 1
        #expect(try rows(database, changed) == 150)
    }

    @Test func `several databases are open at a time, and each is its own`() throws {
        let one = try Connection.open(
            supplied: Content(database), log: Content(log), named: Path("/one"), wait: wait)
        let other = try Connection.open(supplied: Content(database), log: nil, named: Path("/other"), wait: wait)
        #expect(try one.integer("SELECT count(*) FROM t") == 149)
        #expect(try other.integer("SELECT count(*) FROM t") == 100)
        #expect(try one.integer("SELECT max(i) FROM t") == 150)
    }

    @Test func `nothing is written`() throws {
        let connection = try Connection.open(
            supplied: Content(database), log: Content(log), named: Path("/made"), wait: wait)
        for sql in ["DELETE FROM t", "PRAGMA user_version = 3", "CREATE TABLE u(x)"] {
            let error = #expect(throws: SQLiteError.self) { try connection.execute(sql) }
            #expect(error?.code.primary == .readOnly, "\(sql): \(String(describing: error))")
        }
        #expect(try connection.integer("SELECT count(*) FROM t") == 149)
    }

    @Test func `what cannot be read is an error`() throws {
        #expect(throws: SQLiteError.self) { try rows([UInt8](repeating: 7, count: 8192), nil) }
        #expect(throws: SQLiteError.self) { try rows(Array(database[..<8192]), nil) }
        let connection = try Connection.open(
            supplied: Content(database, broken: 20_000), log: nil, named: Path("/made"), wait: wait)
        #expect(throws: SQLiteError.self) { try connection.integer("SELECT sum(length(x)) FROM t") }
    }

    @Test func `a statement outlives its connection`() throws {
        var statement = try Connection.open(
            supplied: Content(database), log: Content(log), named: Path("/made"), wait: wait
        ).prepare("SELECT i FROM t")
        var count = 0
        while try statement.step() { count += 1 }
        #expect(count == 149)
    }
}
