internal import Archive
internal import Codes
internal import Format
internal import SQLite

/// Ids that name rows which do not exist: every reference of `Spec/archive-schema.sql`, declared in the archive or
/// not, and one that the schema does not declare.
enum ReferenceCheck {
    /// A reference of a table: its column, and the table whose `id` it names.
    private struct Reference {
        let column: String
        let target: String
    }

    private static func references(of table: ArchiveTable) -> [Reference] {
        table.columns.compactMap { column in column.reference.map { Reference(column: column.name, target: $0) } }
    }

    static func run(_ reader: borrowing EvidenceReader, _ subject: Subject, _ log: inout CheckLog) throws(ArchiveError)
    {
        let tables = try ArchiveTable.ofSchema + (reader.hasCaptureFacts() ? ArchiveTable.ofCaptureFacts : [])
        let targets = Set(tables.flatMap { references(of: $0).map(\.target) })
        var lacking: Set<String> = []
        for target in targets.sorted() {
            guard let lack = try reader.lack(of: target, "id") else { continue }
            lacking.insert(target)
            log.withhold("references to \(target) were not looked at: \(lack)")
        }
        for table in tables {
            let references = references(of: table).filter { !lacking.contains($0.target) }
            if !references.isEmpty { try check(table.name, references, reader, subject, &log) }
        }
    }

    private static func check(
        _ table: String, _ references: [Reference], _ reader: borrowing EvidenceReader, _ subject: Subject,
        _ log: inout CheckLog
    ) throws(ArchiveError) {
        // A row that holds costs one number. A join keeps its place in the table that is named, where a subquery begins
        // anew for each row. `<<` and `|` bind alike in SQLite.
        var joins = "", faults: [String] = []
        for (index, reference) in references.enumerated() {
            joins += "LEFT JOIN \(reference.target) p\(index) ON p\(index).id = c.\(reference.column) "
            faults.append("((c.\(reference.column) IS NOT NULL AND p\(index).id IS NULL) << \(index))")
        }
        let columns =
            "c.rowid, \(faults.joined(separator: " | ")), "
            + "\(references.map { "c.\($0.column)" }.joined(separator: ", "))"
        try RowWalk(sample: subject.sample).forEach(
            reader, columns, from: "\(table) c NOT INDEXED", joined: joins, rowID: "c.rowid"
        ) {
            row throws(ArchiveError) in
            log.countRow()
            guard let found = row.exactInteger(1), found != 0 else { return }
            for (index, reference) in references.enumerated() where found & 1 << Int64(index) != 0 {
                let column = Int32(2 + index)
                let value =
                    row.exactInteger(column).map { "id \($0)" }
                    ?? "a value that is \(row.storageClass(column).rawValue)"
                log.add(
                    .referencesMissingRow, table, row: row.exactInteger(0), column: reference.column,
                    expected: "a row of \(reference.target)", found: value)
            }
        }
    }
}
