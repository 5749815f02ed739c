internal import Files
internal import SQLite

/// The requirements on a schema to be written into (`Spec/archive-verification.md`, "Schemas"): each row that is
/// inserted is then stored as it is meant, and nothing else happens.
///
/// Shapes are asked of SQLite. What no pragma tells, CHECK and ON CONFLICT, is looked for in the statements themselves.
package struct WritableSchema {
    private static let hint = """
        such an archive is only read: hp-export with --no-record, hp-verify; \
        Spec/archive-verification.md says what is written into
        """
    /// Tables whose rows are removed and made anew.
    private static let derived = ["daily_type_aggregates", "observation_type_summaries", "sample_visibility_ranges"]
    /// The collations that every SQLite has.
    private static let collations: Set<String> = ["BINARY", "NOCASE", "RTRIM"]
    /// The longest default of another engine's column, in bytes: it is stored with every row.
    private static let defaultLimit = 255

    private let path: String
    private let table: String

    /// Throws where something else than what is meant might be stored; the shape that reading needs has been checked.
    package static func check(_ connection: borrowing Connection) throws(ArchiveError) {
        let path = connection.path.display
        let objects = try SchemaObject.all(connection)
        try checkRootPages(objects, path)
        let specified = try Schema.specified()
        let ours = try Schema.statedTables(connection)
        for name in Schema.tables.map(\.name) + ArchiveExtension.contextLog.tables + ours {
            guard let object = objects.first(where: { $0.key == name && $0.type != "trigger" }) else { continue }
            let check = WritableSchema(path: path, table: name)
            try check.checkObject(object, among: objects)
            let (wanted, found) = (try TableShape(name, specified), try TableShape(name, connection))
            try check.checkColumns(wanted, found)
            try check.checkIndexes(wanted, found)
            try check.checkReferences(wanted, found)
        }
        try checkChildren(connection)
    }

    private func refuse(_ what: String) -> ArchiveError { Self.refusal("\(path): table \(table) \(what)") }

    private static func refusal(_ text: String) -> ArchiveError { ArchiveError(.schema, text, hint: hint) }

    // MARK: Objects

    /// Checks that no two objects share a root page: writes to one b-tree would go to both.
    private static func checkRootPages(_ objects: [SchemaObject], _ path: String) throws(ArchiveError) {
        var owners: [Int64: SchemaObject] = [:]
        for object in objects where object.rootPage != 0 {
            if let other = owners[object.rootPage] {
                throw refusal("\(path): \(object.display) and \(other.display) begin on the same page")
            }
            owners[object.rootPage] = object
        }
    }

    private func checkObject(_ object: SchemaObject, among objects: [SchemaObject]) throws(ArchiveError) {
        guard object.isPlainTable, object.name == table else { throw refuse("is no plain table of that name") }
        if objects.contains(where: { $0.type == "trigger" && $0.tableKey == table }) { throw refuse("has a trigger") }
        var before = SchemaTokens.Token.quoted
        var isConflict = false
        for token in SchemaTokens(object.sql) {
            if isConflict, token != .word("abort") { throw refuse("has an ON CONFLICT clause") }
            isConflict = before == .word("on") && token == .word("conflict")
            if token == .word("check") { throw refuse("has a CHECK constraint") }
            if token == .word("autoincrement") { throw refuse("has AUTOINCREMENT") }
            before = token
        }
    }

    // MARK: Columns

    private func checkColumns(_ wanted: TableShape, _ found: TableShape) throws(ArchiveError) {
        for (name, column) in found.columns.sorted(by: { $0.key < $1.key }) {
            let place = "has the column \(printable(name.utf8)), which"
            if column.isGenerated { throw refuse("\(place) is generated") }
            if let ours = wanted.columns[name] {
                guard column.affinity == ours.affinity else { throw refuse("\(place) is of another type") }
                guard column.collation == "BINARY" else { throw refuse("\(place) has a collation") }
                guard column.defaultText == ours.defaultText else { throw refuse("\(place) has another default") }
                guard ours.isRequired || !column.isRequired else { throw refuse("\(place) may not be NULL") }
                continue
            }
            if ArchiveExtension.allCases.contains(where: { $0.tables.contains(table) }) {
                throw refuse("\(place) the extension does not have")
            }
            if let text = column.defaultText {
                guard Self.isLiteral(text) else { throw refuse("\(place) has a default that is computed or too long") }
            } else if column.isRequired {
                throw refuse("\(place) may not be NULL and has no default")
            }
        }
        if let missing = wanted.columns.keys.sorted().first(where: { found.columns[$0] == nil }) {
            throw refuse("has no column \(missing)")
        }
    }

    /// Returns `true` if a text is a number, a text, a blob or a word, with a sign at most: no expression.
    private static func isLiteral(_ text: String) -> Bool {
        guard text.utf8.count <= defaultLimit else { return false }
        var tokens = Array(SchemaTokens(Array(text.utf8)))
        if let first = tokens.first, [.symbol(UInt8(ascii: "-")), .symbol(UInt8(ascii: "+"))].contains(first) {
            tokens.removeFirst()
        }
        // x'00' is a word and a text.
        if tokens.count == 2, tokens[0] == .word("x"), tokens[1] == .quoted { return true }
        guard tokens.count == 1 else { return false }
        if case .symbol = tokens[0] { return false }
        return true
    }

    // MARK: Keys and indexes

    private func checkIndexes(_ wanted: TableShape, _ found: TableShape) throws(ArchiveError) {
        guard found.primaryKey == wanted.primaryKey, found.isKeyRowID == wanted.isKeyRowID else {
            throw refuse("has another primary key")
        }
        for key in wanted.keys where !found.keys.contains(key) {
            throw refuse("may hold rows twice: it lacks the key (\(key.sorted().joined(separator: ", ")))")
        }
        for index in found.indexes {
            let name = "has the index \(printable(index.name.utf8)), which"
            if index.isPartial { throw refuse("\(name) is partial") }
            if index.columns.contains(nil) { throw refuse("\(name) has an expression") }
            guard index.collations.isSubset(of: index.isUnique ? ["BINARY"] : Self.collations) else {
                throw refuse("\(name) has a collation")
            }
            // What is unique by some columns is so by more of them.
            let columns = Set(index.columns.compactMap { $0 })
            guard !index.isUnique || wanted.keys.contains(where: { $0.isSubset(of: columns) }) else {
                throw refuse("\(name) is unique")
            }
        }
    }

    // MARK: References

    private func checkReferences(_ wanted: TableShape, _ found: TableShape) throws(ArchiveError) {
        if let parent = found.parentsWithAction.min() {
            throw refuse("has a reference to \(printable(parent.utf8)) with an action")
        }
        for reference in found.references.subtracting(wanted.references) where wanted.columns[reference.column] != nil {
            throw refuse("has a reference of \(reference.column) to \(printable(reference.parent.utf8))")
        }
    }

    /// Checks the tables that refer to a derived one: removing a row would look through every such table, or change it.
    private static func checkChildren(_ connection: borrowing Connection) throws(ArchiveError) {
        let names = derived.map { "'\($0)'" }.joined(separator: ", ")
        var rows = try connection.prepare(
            """
            SELECT m.name, lower(f."table") FROM main.sqlite_master m, temp.pragma_foreign_key_list(m.name, 'main') f \
            WHERE m.type = 'table' AND lower(f."table") IN (\(names)) LIMIT 1
            """)
        guard try rows.step() else { return }
        throw refusal(
            """
            \(connection.path.display): table \(printable(rows.bytes(0))) refers to \(rows.text(1) ?? ""), \
            which is made anew
            """
        )
    }
}

extension Archive {
    /// Returns `true` if captures accept the schema: columns compare as those of the specification.
    package func hasWritableSchema() -> Bool { (try? WritableSchema.check(connection)) != nil }
}
