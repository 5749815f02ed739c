internal import Files
internal import SQLite

/// A row of `sqlite_schema`: what its author says of a table, an index, a view or a trigger.
struct SchemaObject {
    /// `table`, `index`, `view` or `trigger`. SQLite refuses a row whose type or name is not that of its text.
    let type: String
    /// As it is written.
    let name: String
    /// The name as SQLite compares it: ASCII in lower case.
    let key: String
    /// The table that it belongs to, as SQLite compares it.
    let tableKey: String
    /// 0 where it has no pages of its own.
    let rootPage: Int64
    /// The statement that makes it; empty where there is none.
    let sql: [UInt8]

    /// Returns all rows.
    ///
    /// They are read under the name that no object of a file can take: a table called `sqlite_schema` might.
    static func all(_ connection: borrowing Connection) throws(ArchiveError) -> [SchemaObject] {
        var rows = try connection.prepare("SELECT type, name, tbl_name, rootpage, sql FROM main.sqlite_master")
        var found: [SchemaObject] = []
        while try rows.step() {
            guard let object = SchemaObject(rows) else {
                throw ArchiveError(.schema, "\(connection.path.display): the schema has an entry of no known form")
            }
            found.append(object)
        }
        return found
    }

    /// Nil where a column is of another storage class, or holds U+0000, at which SQLite stops reading.
    private init?(_ row: borrowing Statement) {
        for column: Int32 in 0..<3 where row.storageClass(column) != .text { return nil }
        let (root, text) = (row.storageClass(3), row.storageClass(4))
        guard root == .integer || root == .null, text == .text || text == .null else {
            return nil
        }
        for column: Int32 in [0, 1, 2, 4] where row.bytes(column).contains(0) { return nil }
        type = row.text(0) ?? ""
        name = row.text(1) ?? ""
        key = name.asciiLowercased
        tableKey = (row.text(2) ?? "").asciiLowercased
        rootPage = row.integer(3) ?? 0
        sql = row.bytes(4)
    }

    /// The type and the name, for errors.
    var display: String { "\(printable(type.utf8)) \(printable(name.utf8))" }

    /// `true` if it is a table that is kept in pages of its own, by the statement that SQLite keeps for such a table.
    var isPlainTable: Bool {
        var tokens = SchemaTokens(sql)
        return type == "table" && rootPage > 1 && tokens.next() == .word("create") && tokens.next() == .word("table")
    }

    /// `true` if its name is one that only SQLite gives, on an object that SQLite does not make.
    var takesNameOfSQLite: Bool {
        guard key.hasPrefix("sqlite_") else { return false }
        let isIndex = type == "index" && key.hasPrefix("sqlite_autoindex_")
        let tables = ["sqlite_sequence", "sqlite_stat1", "sqlite_stat2", "sqlite_stat3", "sqlite_stat4"]
        return !isIndex && !(isPlainTable && tables.contains(key))
    }
}
