internal import Files
internal import SQLite

/// Expressions of a schema that SQLite computes for each row when it checks a table: of an index, of a partial index's
/// condition, of a generated column (decision 0021).
///
/// Whoever made the file wrote them. One call of a function may take hours and gigabytes, and nothing ends it. CHECK
/// constraints are not among them: no connection enforces them (`SQLiteConnection`).
package enum SchemaExpressions {
    /// Returns the tables that have one, by name.
    package static func tables(_ connection: borrowing Connection) throws(ArchiveError) -> [String] {
        var computed = try connection.prepare(
            """
            SELECT EXISTS (SELECT 1 FROM temp.pragma_table_xinfo(?1, 'main') WHERE hidden IN (2, 3)) OR EXISTS (
                SELECT 1 FROM temp.pragma_index_list(?1, 'main') l WHERE l.partial
                OR EXISTS (SELECT 1 FROM temp.pragma_index_xinfo(l.name, 'main') x WHERE x.cid = -2))
            """)
        var found: [String] = []
        for name in try plainTables(connection) {
            computed.bind(1, text: Array(name.utf8))
            if try computed.firstInteger() == 1 { found.append(name) }
        }
        return found
    }

    /// Returns the tables that have pages of their own.
    package static func plainTables(_ connection: borrowing Connection) throws(ArchiveError) -> [String] {
        try SchemaObject.all(connection).filter { $0.type == "table" && $0.rootPage != 0 }.map(\.name)
    }

    /// Returns `true` if `PRAGMA integrity_check` takes a name for that of a table. A name that begins like a number is
    /// a number for it, and means the whole file.
    package static func isNameOfTable(_ name: String) -> Bool {
        name.utf8.first.map { !"0123456789+-".utf8.contains($0) } ?? false
    }
}

extension Archive {
    /// Throws if a check of the whole file would compute what its author wrote.
    package func requireNoExpressions() throws(ArchiveError) {
        guard let table = try SchemaExpressions.tables(connection).first else { return }
        let text = "table \(printable(table.utf8)) has an expression in an index or a column"
        throw ArchiveError(
            .schema, "\(path.display): \(text), so the file cannot be checked, and nothing is written",
            hint: "DROP INDEX removes an index with an expression or a condition")
    }
}
