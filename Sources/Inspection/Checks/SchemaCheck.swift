internal import Archive
internal import Codes
internal import Files
internal import SQLite

/// The shape of the archive's tables beside that of `Spec/archive-schema.sql`, and of an extension that it states
/// beside that of `Spec/archive-extensions.sql`, as SQLite describes both. More
/// tables, columns and indexes are no fault.
///
/// What opening refuses (a missing table or column, another version, triggers on evidence) never comes here.
enum SchemaCheck {
    static func run(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        let specification = try EvidenceReader.specified()
        let ours = try reader.statedTables()
        for table in EvidenceReader.tables + ours {
            log.countRow()
            let wanted = try TableShape(table, specification)
            let found = try TableShape(table, reader)
            for (name, column) in wanted.columns.sorted(by: { $0.key < $1.key }) where found.columns[name] != column {
                log.add(
                    .schemaColumn, table, column: name, expected: column,
                    found: found.columns[name].map { printable($0.utf8) })
            }
            for key in wanted.foreignKeys.subtracting(found.foreignKeys).sorted() {
                log.add(.schemaForeignKey, table, expected: key)
            }
            for index in wanted.declared.subtracting(found.offered).sorted() {
                log.add(index.hasPrefix("unique") ? .schemaUnique : .schemaIndex, table, expected: index)
            }
        }
    }
}

/// The shape of a table, as SQLite describes it.
private struct TableShape {
    /// Per column: type, NOT NULL, default, place in the primary key.
    private(set) var columns: [String: String] = [:]
    private(set) var foreignKeys: Set<String> = []
    /// The indexes that cover all rows, by their columns; a unique one as such alone.
    private(set) var declared: Set<String> = []
    /// The same; a unique index serves as a plain one too.
    private(set) var offered: Set<String> = []

    init(_ table: String, _ reader: borrowing EvidenceReader) throws(ArchiveError) {
        // `temp` leads to the pragma also where the file has a table of its name.
        var info = try reader.prepare(
            "SELECT name, type, \"notnull\", dflt_value, pk FROM temp.pragma_table_info('\(table)')")
        while try info.step() {
            let key = info.integer(4) ?? 0
            let text = [
                info.text(1)?.uppercased(), info.integer(2) == 1 ? "NOT NULL" : nil,
                info.text(3).map { "DEFAULT \($0)" }, key > 0 ? "PRIMARY KEY part \(key)" : nil,
            ]
            columns[info.text(0) ?? ""] = text.compactMap { $0 }.joined(separator: " ")
        }
        var keys = try reader.prepare(
            "SELECT \"from\", \"table\", coalesce(\"to\", 'id') FROM temp.pragma_foreign_key_list('\(table)')")
        while try keys.step() {
            foreignKeys.insert(
                "\(keys.text(0) ?? "") REFERENCES \(keys.text(1) ?? "")(\(keys.text(2) ?? ""))")
        }
        try readIndexes(of: table, reader)
    }

    private mutating func readIndexes(of table: String, _ reader: borrowing EvidenceReader) throws(ArchiveError) {
        var rows = try reader.prepare(
            """
            SELECT l.seq, l."unique", l.partial, x.name, x.coll, x.desc \
            FROM temp.pragma_index_list('\(table)') l, temp.pragma_index_xinfo(l.name) x \
            WHERE x.key ORDER BY l.seq, x.seqno
            """)
        var index: (number: Int64?, isUnique: Bool, isPartial: Bool) = (nil, false, false)
        var parts: [String] = []
        func end(_ shape: inout TableShape) {
            guard !parts.isEmpty, !index.isPartial else { return }
            let columns = "(\(parts.joined(separator: ", ")))"
            if index.isUnique { shape.offered.insert("unique \(columns)") }
            shape.offered.insert("index \(columns)")
            shape.declared.insert((index.isUnique ? "unique " : "index ") + columns)
        }
        while try rows.step() {
            if rows.integer(0) != index.number {
                end(&self)
                index = (rows.integer(0), rows.integer(1) == 1, rows.integer(2) == 1)
                parts = []
            }
            let collation = rows.text(4)?.uppercased() ?? ""
            parts.append(
                (rows.text(3) ?? "an expression") + (collation == "BINARY" ? "" : " COLLATE \(collation)")
                    + (rows.integer(5) == 1 ? " DESC" : ""))
        }
        end(&self)
    }
}
