import Files
import Scratch
import Testing

@testable import SQLite

private typealias Connection = SQLiteConnection<SQLiteError>

/// Turns a text around, and adds one to a number.
private final class Turn: SQLFunction {
    func call(_ arguments: SQLiteArguments, _ result: SQLiteResult) {
        let value = arguments[0]
        switch value.storageClass {
        case .integer: result.set(value.integer + 1)
        case .real: result.set(-value.real)
        case .text:
            let turned = Array(String(String(decoding: Array(value), as: UTF8.self).reversed()).utf8)
            result.set(text: turned.span)
        case .blob: result.set(blob: Array(Array(value).reversed()).span)
        case .null: break
        }
    }
}

extension Array<UInt8> {
    fileprivate init(_ value: SQLiteValue) {
        let bytes = value.bytes
        self = bytes.indices.map { bytes[$0] }
    }
}

/// Three rows: a number, its name.
private final class Numbers: VirtualTable {
    static let name = "numbers"
    static let columns = ["number", "name"]
    private let names: [StaticString] = ["zero", "one", "two"]

    var count: Int { names.count }

    func give(_ column: Int, of row: Int, to result: SQLiteResult) {
        if column == 0 { result.set(Int64(row)) } else { result.set(text: names[row]) }
    }
}

struct SQLiteTests {
    /// A database that the `sqlite3` program made.
    private func database(_ sql: String, in folder: TemporaryFolder) throws -> Path {
        let path = folder.path("a.sqlite")
        _ = try Program.sqlite(path, sql)
        return path
    }

    private func texts(_ connection: borrowing Connection, _ sql: String) throws -> [String?] {
        var rows = try connection.prepare(sql)
        var found: [String?] = []
        while try rows.step() { for column in 0..<Int32(rows.columnCount) { found.append(rows.text(column)) } }
        return found
    }

    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func `a value keeps its storage class, and a text is read in UTF-8 whatever the database holds it in`(
        encoding: String
    ) throws {
        let folder = try TemporaryFolder()
        let path = try database(
            """
            PRAGMA encoding = '\(encoding)'; CREATE TABLE t(a); \
            INSERT INTO t VALUES (7), (-0.5), ('é🫀'), (''), (x'00ff'), (NULL)
            """,
            in: folder)
        let connection = try Connection.open(resolved: path, mode: .readWrite, wait: LockWait(seconds: 0))
        try connection.noteEncoding()
        var rows = try connection.prepare("SELECT a FROM t")
        var classes: [SQLiteValue.StorageClass] = []
        var bytes: [[UInt8]] = []
        while try rows.step() {
            classes.append(rows.storageClass(0))
            if [.text, .blob].contains(classes.last) { bytes.append(rows.bytes(0)) }
        }
        #expect(classes == [.integer, .real, .text, .text, .blob, .null])
        #expect(bytes == [Array("é🫀".utf8), [], [0x00, 0xFF]])
    }

    @Test(arguments: ["UTF-8", "UTF-16le"])
    func `a function is given values as they are stored, and its results keep their storage class`(encoding: String)
        throws
    {
        let folder = try TemporaryFolder()
        let path = try database("PRAGMA encoding = '\(encoding)'; CREATE TABLE t(a)", in: folder)
        let connection = try Connection.open(resolved: path, mode: .readWrite, wait: LockWait(seconds: 0))
        try connection.add(Turn(), as: "turn", count: 1)
        let sql = "SELECT turn(41), turn(2.5), turn('añb'), turn(''), hex(turn(x'0102')), turn(NULL), typeof(turn(''))"
        #expect(try texts(connection, sql) == ["42", "-2.5", "bña", "", "0201", nil, "text"])
    }

    @Test func `rows of ours are read and joined like a table`() throws {
        let folder = try TemporaryFolder()
        let path = try database("CREATE TABLE t(a); INSERT INTO t VALUES (2), (0), (5)", in: folder)
        let connection = try Connection.open(resolved: path, mode: .readWrite, wait: LockWait(seconds: 0))
        try connection.add(Numbers())
        #expect(
            try texts(connection, "SELECT name FROM t JOIN numbers ON number = a ORDER BY t.rowid") == ["two", "zero"])
        #expect(try connection.integer("SELECT count(*) FROM numbers a, numbers b") == 9)
    }

    @Test func `an empty text and an empty blob that are bound are none of them NULL`() throws {
        let folder = try TemporaryFolder()
        let connection = try Connection.open(
            resolved: try database("CREATE TABLE t(a)", in: folder), mode: .readWrite, wait: LockWait(seconds: 0))
        var rows = try connection.prepare("SELECT typeof(?1), typeof(?2), typeof(?3)")
        rows.bind(1, text: [])
        rows.bind(2, blob: [])
        rows.bind(3, text: nil)
        _ = try rows.step()
        #expect([rows.text(0), rows.text(1), rows.text(2)] == ["text", "blob", "null"])
    }

    @Test func `an error names the database and holds no value`() throws {
        let folder = try TemporaryFolder()
        let path = try database("CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES ('secret')", in: folder)
        let connection = try Connection.open(resolved: path, mode: .readWrite, wait: LockWait(seconds: 0))
        var insert = try connection.prepare("INSERT INTO t VALUES (?1)")
        insert.bind(1, text: Array("secret".utf8))
        let error = try #require(throws: SQLiteError.self) { try insert.run() }
        #expect(error.code.primary == SQLiteError.Code(19))
        #expect(error.description == "\(path.display): UNIQUE constraint failed: t.a")
    }

    @Test func `a file that is not there is not made`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("none.sqlite")
        let error = try #require(throws: SQLiteError.self) {
            _ = try Connection.open(resolved: path, mode: .readWrite, wait: LockWait(seconds: 0))
        }
        #expect(error.code.primary == .cannotOpen)
        #expect(!FileStatus.exists(path))
    }

    @Test func `a statement that runs for ever ends on request`() throws {
        let folder = try TemporaryFolder()
        let path = try database("CREATE TABLE t(a)", in: folder)
        let connection = try Connection.open(
            resolved: path, mode: .readWrite, wait: LockWait(seconds: 0, shouldStop: { true }))
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        let error = try #require(throws: SQLiteError.self) { try connection.integer(endless) }
        #expect(error.code.primary == .interrupted)
    }

    /// As columns of `Spec/archive-schema.sql` are named, and as they are bound.
    private enum Column: Int32, SQLiteColumn {
        case id = 1, hkDeviceID, sampleUUIDHash, timeZoneSecondsFromGMT, valueMax
    }

    @Test func `columns are named as in SQL, and are bound in the order of their names`() throws {
        #expect(Column.names == "id, hk_device_id, sample_uuid_hash, time_zone_seconds_from_gmt, value_max")
        let folder = try TemporaryFolder()
        let path = try database(
            "CREATE TABLE t(value_max, id, hk_device_id, time_zone_seconds_from_gmt, sample_uuid_hash)", in: folder)
        let connection = try Connection.open(resolved: path, mode: .readWrite, wait: LockWait(seconds: 0))
        var insert = try connection.prepare("INSERT INTO t(\(Column.names)) VALUES (\(Column.parameters))")
        insert.bind(Column.valueMax, 0.5)
        insert.bind(Column.id, 7)
        insert.bind(Column.sampleUUIDHash, text: Array("a".utf8))
        insert.bind(Column.timeZoneSecondsFromGMT, optional: nil)
        insert.bindNull(Column.hkDeviceID)
        try insert.run()
        let names = ["value_max", "id", "hk_device_id", "time_zone_seconds_from_gmt", "sample_uuid_hash"]
        let values = names.map { "quote(\($0))" }.joined(separator: ", ")
        #expect(try Program.sqlite(path, "SELECT \(values) FROM t") == ["0.5|7|NULL|NULL|'a'"])
    }
}
