internal import Files
internal import SQLite

/// A look at an archive before a capture writes to it: both ends of every required table and of its indexes
/// (decision 0010).
///
/// A few hundred pages are read whatever the size. What lies between the ends is for `hp-verify archive`.
enum ArchiveEnds {
    /// Throws where SQLite finds a page malformed, or an index that leads nowhere.
    static func check(_ connection: borrowing Connection) throws(ArchiveError) {
        let ours = try Schema.statedTables(connection)
        for table in Schema.tables.map(\.name) + ours {
            for direction in ["ASC", "DESC"] {
                try readRow("SELECT * FROM \(table) NOT INDEXED ORDER BY rowid \(direction) LIMIT 1", connection)
            }
            for index in try indexes(of: table, connection) { try check(index, of: table, connection) }
        }
    }

    private struct Index {
        let name: String
        var columns: [String] = []
    }

    private static func readRow(_ sql: String, _ connection: borrowing Connection) throws(ArchiveError) {
        var row = try connection.prepare(sql)
        guard try row.step() else { return }
        // Values on overflow pages are read when they are asked for.
        for column in 0..<row.columnCount { row.withBytes(Int32(column)) { _ in } }
    }

    /// The indexes of plain columns that cover all rows.
    private static func indexes(of table: String, _ connection: borrowing Connection) throws(ArchiveError) -> [Index] {
        var rows = try connection.prepare(
            """
            SELECT l.name, x.name FROM temp.pragma_index_list('\(table)') l, temp.pragma_index_xinfo(l.name) x \
            WHERE x.key AND NOT l.partial ORDER BY l.seq, x.seqno
            """)
        var found: [Index] = []
        while try rows.step() {
            let name = rows.text(0) ?? ""
            if found.last?.name != name { found.append(Index(name: name)) }
            found[found.count - 1].columns.append(rows.text(1) ?? "")
        }
        return found.filter { !$0.columns.contains("") }
    }

    private static func check(_ index: Index, of table: String, _ connection: borrowing Connection) throws(ArchiveError)
    {
        func quoted(_ name: String) -> String {
            "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
        }
        for direction in ["ASC", "DESC"] {
            let order = index.columns.map { "\(quoted($0)) \(direction)" }.joined(separator: ", ")
            // An index that SQLite cannot go along, by its collations, is not ours.
            guard
                var end = try? connection.prepare(
                    "SELECT rowid FROM \(table) INDEXED BY \(quoted(index.name)) "
                        + "ORDER BY \(order) LIMIT 1"), try end.step(), let row = end.integer(0)
            else { continue }
            if try connection.integer("SELECT 1 FROM \(table) NOT INDEXED WHERE rowid = ?1", [.integer(row)]) == nil {
                throw ArchiveError(
                    .unreadable,
                    "\(connection.path.display): an index of \(table) leads to a row "
                        + "that is not there", hint: ArchiveError.damageHint)
            }
        }
    }
}
