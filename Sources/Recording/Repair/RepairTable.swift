internal import Archive
internal import Files
internal import SQLite

/// One table that is repaired: its rows beside those that were rebuilt in a temporary table of the same name.
///
///     temp.NAME           the rows as they should be; demanded: whether there must be such a row
///     temp.wrong_NAME     rows of the archive that do not agree: row, and the row that takes their place (source);
///                         NULL where there is none
///     temp.missing_NAME   rows that are demanded and are not there: source
struct RepairTable {
    let name: String
    /// The columns by which a row is matched.
    let key: [String]
    /// The column of the key that may be NULL, where there is one: it lets rows be there twice.
    let nullableKey: String?
    /// The rows of the archive, `m`, that are looked at.
    let scope: String
    /// The condition that a row of the archive, `m`, agrees with the rebuilt row, `t`.
    let agreement: String
    /// `true` if a wrong row that nothing demands is removed. Otherwise it is corrected, and rows that were not rebuilt
    /// are left.
    let removesOthers: Bool

    private var columns: [String] { Schema.columns(of: name) }
    private func matched(_ left: String, _ right: String) -> String {
        key.map { "\(left).\($0) IS \(right).\($0)" }.joined(separator: " AND ")
    }

    /// Makes the temporary table; its rows are indexed by their key.
    static func create(_ name: String, definitions: String, _ connection: borrowing Connection) throws(ArchiveError) {
        try connection.execute(
            "CREATE TEMP TABLE \(name)(\(definitions), demanded INTEGER NOT NULL DEFAULT 1, "
                + "magnitude REAL NOT NULL DEFAULT 0)")
    }

    /// Finds the differences.
    func compare(_ connection: borrowing Connection) throws(ArchiveError) {
        // Of rows that are there twice, the first stays.
        let twice = "EXISTS (SELECT 1 FROM main.\(name) d WHERE \(matched("d", "m")) AND d.rowid < m.rowid)"
        let isTwice = removesOthers ? nullableKey.map { "(m.\($0) IS NULL AND \(twice))" } ?? "0" : "0"
        let isWrong =
            removesOthers
            ? "(t.rowid IS NULL OR \(isTwice) OR (\(agreement)) IS NOT 1)"
            : "t.rowid IS NOT NULL AND (\(agreement)) IS NOT 1"
        try connection.execute(
            """
            DROP TABLE IF EXISTS temp.wrong_\(name); DROP TABLE IF EXISTS temp.missing_\(name);
            CREATE TEMP TABLE wrong_\(name)(row INTEGER PRIMARY KEY, source INTEGER);
            CREATE TEMP TABLE missing_\(name)(source INTEGER PRIMARY KEY);
            INSERT INTO temp.wrong_\(name) SELECT m.rowid, CASE WHEN NOT \(isTwice) AND (t.demanded
                OR \(removesOthers ? 0 : 1)) THEN t.rowid END \
            FROM main.\(name) m NOT INDEXED LEFT JOIN temp.\(name) t ON \(matched("t", "m")) \
            WHERE \(scope) AND \(isWrong);
            INSERT INTO temp.missing_\(name) SELECT t.rowid FROM temp.\(name) t WHERE t.demanded
                AND NOT EXISTS (SELECT 1 FROM main.\(name) m WHERE \(matched("m", "t")))
            """)
    }

    /// Counts the differences.
    func differences(_ connection: borrowing Connection) throws(ArchiveError) -> RepairReport.Differences {
        func count(_ sql: String) throws(ArchiveError) -> Int {
            Int(
                try connection.integer(
                    "SELECT count(*) FROM temp.\(sql)") ?? 0)
        }
        return RepairReport.Differences(
            replaced: try count("wrong_\(name) WHERE source IS NOT NULL"), added: try count("missing_\(name)"),
            removed: try count("wrong_\(name) WHERE source IS NULL"))
    }

    /// Writes what differs, and nothing else, in the caller's transaction.
    func write(_ connection: borrowing Connection) throws(ArchiveError) {
        let list = columns.joined(separator: ", ")
        try connection.execute(
            """
            DELETE FROM main.\(name) WHERE rowid IN (SELECT row FROM temp.wrong_\(name) WHERE source IS NULL);
            UPDATE main.\(name) AS m SET \(columns.map { "\($0) = t.\($0)" }.joined(separator: ", "))
                FROM temp.wrong_\(name) w CROSS JOIN temp.\(name) t ON t.rowid = w.source WHERE m.rowid = w.row;
            INSERT INTO main.\(name)(\(list)) SELECT \(columns.map { "t.\($0)" }.joined(separator: ", "))
                FROM temp.missing_\(name) w CROSS JOIN temp.\(name) t ON t.rowid = w.source
            """)
    }

    /// Looks once more: after writing, nothing may differ, and the table and its indexes must be intact.
    func confirm(_ connection: borrowing Connection) throws(ArchiveError) {
        try compare(connection)
        guard try differences(connection).total == 0,
            try connection.text("PRAGMA main.integrity_check(\(name))") == "ok"
        else {
            throw ArchiveError(
                .evidence,
                "\(connection.path.display): \(name) differs from its rebuilt rows after writing; nothing is kept")
        }
    }
}
