internal import Files
internal import SQLite

/// The keys and indexes of the schema, by which statements find rows (`Spec/archive-verification.md`, "Schemas").
///
/// Where one is lost, rows may be there twice, and each may be looked for by reading a whole table: a small file then
/// costs as much as its rows multiplied with each other.
package enum SchemaKeys {
    private static let hint =
        "hp-verify archive names all that is lacking; Spec/archive-schema.sql has the statements that make it"

    /// Throws where a table lacks a key or an index. More of them are no fault, nor are others that serve as well.
    static func check(_ connection: borrowing Connection) throws(ArchiveError) {
        let specified = try Schema.specified()
        for table in Schema.tables.map(\.name) {
            let (wanted, found) = (try TableShape(table, specified), try TableShape(table, connection))
            func refuse(_ what: String, _ columns: [String]) -> ArchiveError {
                let text = "table \(table) lacks the \(what) (\(columns.joined(separator: ", ")))"
                return ArchiveError(.schema, "\(connection.path.display): \(text)", hint: hint)
            }
            if wanted.isKeyRowID, !found.isUnique(by: wanted.primaryKey) { throw refuse("key", wanted.primaryKey) }
            for index in wanted.indexes {
                let columns = index.columns.compactMap { $0 }
                if index.isUnique, !found.isUnique(by: columns) { throw refuse("key", columns) }
                if !found.isOrdered(by: columns) { throw refuse("index", columns) }
            }
        }
    }

    /// Returns the lack that keeps a check of an archive from finding rows of a table by a column; `nil` if there is
    /// none.
    ///
    /// Without an index a table of up to 1,000 rows is read whole instead. Ids that are there twice would multiply
    /// what is joined by them.
    static func lack(of table: String, _ column: String, isUnique: Bool, _ connection: borrowing Connection)
        throws(ArchiveError) -> String?
    {
        let shape = try TableShape(table, connection)
        let isKept = !isUnique || shape.isUnique(by: [column])
        if isKept, shape.isOrdered(by: [column]) { return nil }
        let text = "\(table) lacks the \(isUnique ? "key" : "index") (\(column))"
        if try connection.integer("SELECT count(*) FROM main.\(table)") ?? 0 > 1000 { return text }
        let repeated = "SELECT 1 FROM main.\(table) GROUP BY \(column) HAVING count(*) > 1 LIMIT 1"
        guard !isKept else { return nil }
        guard try connection.integer(repeated) == 1 else { return nil }
        return "\(text), and holds values twice"
    }
}

extension Archive {
    /// Throws where the archive lacks a key or an index of the schema. Only one that is opened as `evidence` may.
    public func requireKeys() throws(ArchiveError) { try SchemaKeys.check(connection) }
}
