internal import Archive
internal import Codes
internal import SQLite

/// Identities that occur twice, and rows that a key with NULL in it lets repeat. Where the archive states
/// `identity_rules`, its hashes are recomputed.
enum IdentityCheck {
    static func run(_ reader: borrowing EvidenceReader, _ subject: Subject, _ log: inout CheckLog) throws(ArchiveError)
    {
        try checkTwins(reader, &log)
        try checkDuplicates(reader, &log)
        for (table, column) in lookups {
            guard let lack = try reader.lack(of: table, column, isUnique: column == "id") else { continue }
            return log.withhold("samples were not compared and hashes not recomputed: \(lack)")
        }
        try checkSamples(.identitiesUuid, "sample_uuid_hash", by: "sample_uuid_hash", reader, &log)
        try checkSamples(
            .identitiesFingerprint, "strict_fingerprint", by: "sample_type_id, strict_fingerprint", reader, &log)
        if subject.statesIdentityRules {
            var hashes = try HashCheck(reader, subject)
            try hashes.run(reader, &log)
        } else {
            log.note("content hashes were not recomputed: the archive does not state identity_rules")
        }
    }

    /// By what a row is found for each of another table.
    private static let lookups = [
        ("samples", "id"), ("sample_types", "id"), ("metadata_blobs", "id"), ("source_revisions", "id"),
        ("sources", "id"), ("hk_devices", "id"), ("sample_versions", "sample_id"),
    ]

    /// Types whose identifiers are one text to a reader that normalizes.
    private static func checkTwins(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        var rows = try reader.prepare("SELECT id, type_identifier FROM sample_types NOT INDEXED ORDER BY id")
        // `String` compares by canonical equivalence.
        var known: Set<String> = []
        while try rows.step() {
            guard rows.storageClass(1) == .text, let text = rows.text(1) else { continue }
            guard !known.insert(text).inserted else { continue }
            log.add(
                .identitiesTypeTwin, "sample_types", row: rows.exactInteger(0), column: "type_identifier",
                expected: "an identifier that no other type has after normalization")
        }
    }

    /// Samples of one type with the same text in a column. An index gives the order where there is one; the check
    /// `sqlite` compares it with the table.
    ///
    /// - Parameter leading: the columns of that index up to this one.
    private static func checkSamples(
        _ code: Code, _ column: String, by leading: String, _ reader: borrowing EvidenceReader, _ log: inout CheckLog
    ) throws(ArchiveError) {
        var type = try reader.prepare("SELECT sample_type_id FROM samples WHERE id = ?1")
        var rows = try reader.prepare(
            "SELECT \(column), id FROM samples WHERE \(column) IS NOT NULL ORDER BY \(leading), id")
        var before: (text: [UInt8], row: Int64?) = ([], nil)
        var types: Set<Int64?> = []
        while try rows.step() {
            log.countRow()
            let row = rows.exactInteger(1)
            guard before.row != nil, rows.withBytes(0, { isSame($0, before.text) }) else {
                before = (rows.bytes(0), row)
                types.removeAll(keepingCapacity: true)
                continue
            }
            // Only where a text stands twice are the types looked at.
            if types.isEmpty { types.insert(try self.type(of: before.row, &type)) }
            if try !types.insert(self.type(of: row, &type)).inserted {
                log.add(
                    code, "samples", row: row, column: column, expected: "a value that no other sample of its type has")
            }
        }
    }

    private static func isSame(_ text: Span<UInt8>, _ other: [UInt8]) -> Bool {
        guard text.count == other.count else { return false }
        for index in text.indices where text[index] != other[index] { return false }
        return true
    }

    private static func type(of sample: Int64?, _ statement: inout Statement) throws(ArchiveError) -> Int64? {
        statement.bind(1, sample ?? 0)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : nil
    }

    /// Keys of the schema, and the columns of them that may be NULL.
    private static let keys: [(table: String, columns: [String], optional: [String])] = [
        ("sample_visibility_ranges", ["sample_id", "version_id", "first_observation_id"], ["version_id"]),
        ("export_items", ["export_manifest_id", "sample_id", "version_id"], ["version_id"]),
        (
            "source_revisions", ["source_id", "product_type", "version", "operating_system_version"],
            ["product_type", "version", "operating_system_version"]
        ),
        (
            "daily_type_aggregates", ["observation_id", "sample_type_id", "bucket_start", "source_revision_id"],
            ["source_revision_id"]
        ),
        (
            "sample_relationships", ["observation_id", "source_sample_id", "target_sample_id", "relationship_kind"],
            ["observation_id"]
        ),
        ("sample_versions", ["sample_id", "payload_hash"], []),
        ("sample_observation_events", ["observation_id", "sample_id", "event_kind"], []),
        ("observation_type_runs", ["observation_id", "sample_type_id"], []),
        ("observation_type_summaries", ["observation_id", "sample_type_id"], []),
        ("sample_types", ["type_identifier"], []),
        ("metadata_blobs", ["metadata_hash"], []),
        ("device_chains", ["device_chain_hash"], []),
        ("export_manifests", ["export_id"], []),
        ("archive_metadata", ["key"], []),
    ]

    /// Tables whose key is their row id, which a table that lost it no longer keeps apart.
    private static let rowKeys = [
        "device_chains", "observations", "sample_types", "observation_type_runs", "sources", "source_revisions",
        "hk_devices", "metadata_blobs", "samples", "sample_versions", "sample_observation_events",
        "sample_relationships", "export_manifests",
    ]

    private static func checkDuplicates(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError)
    {
        for key in keys + rowKeys.map({ ($0, ["id"], []) }) {
            // SQLite lets no other rows repeat where the key is there (manual, "NULL Handling").
            let isKept = try hasKey(key.table, key.columns, reader)
            guard !isKept || !key.optional.isEmpty else { continue }
            let columns = key.columns.joined(separator: ", ")
            let absent = isKept ? "WHERE " + key.optional.map { "\($0) IS NULL" }.joined(separator: " OR ") : ""
            // An export has an item for each relationship of a sample that changed, and none has a version.
            let item = key.table == "export_items" ? ", CASE WHEN version_id IS NULL THEN item_hash END" : ""
            var rows = try reader.prepare(
                "SELECT max(rowid) FROM \(key.table) \(absent) GROUP BY \(columns)\(item) "
                    + "HAVING count(*) > 1 ORDER BY 1")
            while try rows.step() {
                log.add(
                    .identitiesDuplicateRow, key.table, row: rows.exactInteger(0), column: columns,
                    expected: "one row with these values")
            }
        }
    }

    private static func hasKey(_ table: String, _ columns: [String], _ reader: borrowing EvidenceReader)
        throws(ArchiveError) -> Bool
    {
        if columns.count == 1 {
            let key = "name = '\(columns[0])' AND pk = 1 AND upper(type) = 'INTEGER'"
            if try reader.integer("SELECT 1 FROM temp.pragma_table_info('\(table)') WHERE \(key)") == 1 { return true }
        }
        var rows = try reader.prepare(
            """
            SELECT l.seq, x.name FROM temp.pragma_index_list('\(table)') l, temp.pragma_index_xinfo(l.name) x \
            WHERE x.key AND l."unique" AND NOT l.partial ORDER BY 1, x.seqno
            """)
        var found: [Int64: Set<String>] = [:]
        while try rows.step() { found[rows.integer(0) ?? 0, default: []].insert(rows.text(1) ?? "") }
        return found.values.contains(Set(columns))
    }
}
