internal import Archive
internal import SQLite

/// Records of exports that name an observation which the archive does not have (`Spec/repair.md`): they are removed,
/// with their items. Nothing can give such an export again.
enum RepairExports {
    private static let dangling = "SELECT id FROM temp.dangling_exports"

    /// The tables, in the order of their names. Their temporary tables are empty: each row in scope is removed.
    static let tables = [
        table("export_items", key: ["export_manifest_id", "sample_id", "version_id"], id: "export_manifest_id"),
        table("export_manifests", key: ["id"], id: "id"),
    ]

    private static func table(_ name: String, key: [String], id: String) -> RepairTable {
        RepairTable(
            name: name, key: key, nullableKey: nil, scope: "m.\(id) IN (\(dangling))", agreement: "1",
            removesOthers: true)
    }

    /// Makes the temporary tables.
    static func find(_ connection: borrowing Connection) throws(ArchiveError) {
        func isMissing(_ column: String) -> String {
            "(\(column) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM main.observations o WHERE o.id = m.\(column)))"
        }
        try connection.execute(
            """
            CREATE TEMP TABLE dangling_exports(id INTEGER PRIMARY KEY);
            INSERT INTO temp.dangling_exports SELECT m.id FROM main.export_manifests m
                WHERE \(isMissing("from_observation_id")) OR \(isMissing("to_observation_id"))
            """)
        for table in tables {
            try RepairTable.create(
                table.name, definitions: Schema.columns(of: table.name).joined(separator: ", "), connection)
        }
    }

    /// Returns the ids of the exports whose records are removed.
    static func exportIDs(_ connection: borrowing Connection) throws(ArchiveError) -> [String] {
        var rows = try connection.prepare(
            "SELECT export_id FROM main.export_manifests WHERE id IN (\(dangling)) ORDER BY id")
        var found: [String] = []
        while try rows.step() { if let id = rows.text(0) { found.append(id) } }
        return found
    }
}
