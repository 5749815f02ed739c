internal import Archive
internal import Manifest
internal import SQLite

/// The number of a table's rows, and a hash of their contents.
///
/// The hash is SHA-256 over one line for each row: the SQL literals of its columns (`quote`), with commas between
/// them and a line feed after. Lines come in the order of their bytes (`Spec/repair.md`), so the `sqlite3` program,
/// `sort` and `sha256sum` give the same.
public struct TableContent: Sendable, Equatable {
    /// Number of rows.
    public let rows: Int
    /// 64 hex digits.
    public let hash: String

    /// Reads a table of the archive, the columns of the schema alone.
    static func read(_ table: String, _ connection: borrowing Connection) throws(ArchiveError) -> TableContent {
        let literals = Schema.columns(of: table).map { "quote(\($0))" }.joined(separator: "||','||")
        var lines = try connection.prepare(
            "SELECT \(literals)||char(10) FROM main.\(table) NOT INDEXED ORDER BY 1 COLLATE BINARY")
        var hash = SHA256()
        var count = 0
        while try lines.step() {
            count += 1
            lines.withBytes(0) { hash.update($0) }
        }
        return TableContent(rows: count, hash: hash.finish().hex)
    }
}
