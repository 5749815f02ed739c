internal import SQLite

/// The shape of a table: SQLite's answers about its columns, keys, indexes and references. Names are in lower case, as
/// SQLite compares them.
struct TableShape {
    /// A column.
    struct Column: Equatable {
        /// The way in which values are brought into a storage class (manual, "Determination Of Column Affinity").
        let affinity: Affinity
        let isRequired: Bool
        /// The text of the default; nil where it is NULL or there is none.
        let defaultText: String?
        let isGenerated: Bool
        /// In upper case.
        let collation: String
    }

    /// A type affinity.
    enum Affinity {
        case integer, text, blob, real, numeric

        /// The affinity of a declared type: the first rule that fits.
        init(declared type: String) {
            let type = type.asciiLowercased
            func has(_ part: String) -> Bool { type.contains(part) }
            self =
                switch true {
                case has("int"): .integer
                case has("char") || has("clob") || has("text"): .text
                case has("blob") || type.isEmpty: .blob
                case has("real") || has("floa") || has("doub"): .real
                default: .numeric
                }
        }
    }

    /// An index, also one that SQLite makes for a key or a UNIQUE.
    struct Index {
        let name: String
        let isUnique: Bool
        let isPartial: Bool
        /// `true` if it is that of a primary key.
        let isPrimaryKey: Bool
        /// Its columns; nil for an expression.
        var columns: [String?] = []
        /// In upper case.
        var collations: Set<String> = []
    }

    /// A reference of one column.
    struct Reference: Hashable {
        let column: String
        let parent: String
        let parentColumn: String
    }

    private(set) var columns: [String: Column] = [:]
    /// The columns of the primary key, in order.
    private(set) var primaryKey: [String] = []
    private(set) var indexes: [Index] = []
    private(set) var references: Set<Reference> = []
    /// The tables that a reference with an action names: what is done to their rows is done here, too.
    private(set) var parentsWithAction: Set<String> = []

    /// Reads the shape of a table of the main database.
    init(_ table: String, _ connection: borrowing Connection) throws(ArchiveError) {
        try readColumns(of: table, connection)
        try readIndexes(of: table, connection)
        try readReferences(of: table, connection)
    }

    /// `true` if the primary key is the row id under another name: then nothing but an integer is stored, and SQLite
    /// gives it.
    var isKeyRowID: Bool { primaryKey.count == 1 && !indexes.contains(where: \.isPrimaryKey) }

    /// The sets of columns that no two rows may share.
    var keys: Set<Set<String>> {
        let unique = indexes.filter { $0.isUnique && !$0.isPartial && $0.collations == ["BINARY"] }
        return Set(unique.map { Set($0.columns.compactMap { $0 }) } + (isKeyRowID ? [Set(primaryKey)] : []))
    }

    /// Returns `true` if no two rows have the same values in columns; NULL equals nothing.
    func isUnique(by columns: [String]) -> Bool {
        if isKeyRowID, columns.contains(primaryKey[0]) { return true }
        return indexes.contains { index in
            index.isUnique && !index.isPartial && index.columns.allSatisfy { $0.map(columns.contains) ?? false }
        }
    }

    /// Returns `true` if the rows with values in columns are found without reading others.
    func isOrdered(by columns: [String]) -> Bool {
        if isKeyRowID, columns.first == primaryKey[0] { return true }
        return indexes.contains { index in
            let names = index.columns.map { $0 ?? "" }
            // SQLite looks in an index only for what is compared as the index compares.
            let own = Set(names.compactMap { self.columns[$0]?.collation })
            guard !index.isPartial, own == index.collations else { return false }
            return names.starts(with: columns) || index.isUnique && columns.starts(with: names)
        }
    }

    private mutating func readColumns(of table: String, _ connection: borrowing Connection) throws(ArchiveError) {
        var rows = try connection.prepare("PRAGMA main.table_xinfo(\(table))")
        var key: [Int64: String] = [:]
        while try rows.step() {
            let name = (rows.text(1) ?? "").asciiLowercased
            let text = rows.text(4)
            columns[name] = Column(
                affinity: Affinity(declared: rows.text(2) ?? ""), isRequired: rows.integer(3) != 0,
                defaultText: text?.asciiLowercased == "null" ? nil : text, isGenerated: rows.integer(6) != 0,
                collation: try connection.collation(of: rows.text(1) ?? "", in: table))
            if let part = rows.integer(5), part > 0 { key[part] = name }
        }
        primaryKey = key.sorted { $0.key < $1.key }.map(\.value)
    }

    // `temp` leads to the pragma also where the file has a table of its name.
    private mutating func readIndexes(of table: String, _ connection: borrowing Connection) throws(ArchiveError) {
        var rows = try connection.prepare(
            """
            SELECT l.name, l."unique", l.partial, l.origin, x.name, x.coll \
            FROM temp.pragma_index_list('\(table)', 'main') l, temp.pragma_index_xinfo(l.name, 'main') x \
            WHERE x.key ORDER BY l.seq, x.seqno
            """)
        while try rows.step() {
            let name = rows.text(0) ?? ""
            if indexes.last?.name != name {
                indexes.append(
                    Index(
                        name: name, isUnique: rows.integer(1) != 0, isPartial: rows.integer(2) != 0,
                        isPrimaryKey: rows.text(3) == "pk"))
            }
            indexes[indexes.count - 1].columns.append(rows.text(4)?.asciiLowercased)
            indexes[indexes.count - 1].collations.insert((rows.text(5) ?? "").uppercased())
        }
    }

    private mutating func readReferences(of table: String, _ connection: borrowing Connection) throws(ArchiveError) {
        var rows = try connection.prepare(
            """
            SELECT "from", "table", coalesce("to", 'id'), on_update, on_delete \
            FROM temp.pragma_foreign_key_list('\(table)', 'main')
            """)
        while try rows.step() {
            let parent = (rows.text(1) ?? "").asciiLowercased
            references.insert(
                Reference(
                    column: (rows.text(0) ?? "").asciiLowercased, parent: parent,
                    parentColumn: (rows.text(2) ?? "").asciiLowercased))
            if rows.text(3) != "NO ACTION" || rows.text(4) != "NO ACTION" { parentsWithAction.insert(parent) }
        }
    }
}
