internal import Archive
internal import Manifest
internal import SQLite

/// Finds what the archive shows of a record with an unread part.
struct UnreadStatement: ~Copyable {
    /// The JSON path of the statements that a file beside the export makes about a record.
    private static let unreadMember = "'$.\"hp:route\"'"

    private var statement: Statement

    static func open(_ connection: borrowing Connection, chainID: Int64) throws(ArchiveError) -> UnreadStatement {
        let read = { (json: String) in "coalesce(json_remove(\(json), \(unreadMember)), '{}')" }
        return UnreadStatement(
            statement: try connection.prepare(
                """
                SELECT s.id, CASE WHEN v.source_revision_id IS ?3 AND v.hk_device_id IS ?4
                    AND (m.id IS NULL OR json_valid(m.metadata_json))
                    AND \(read("m.metadata_json")) = \(read("?5")) THEN v.payload_hash END FROM samples s
                LEFT JOIN sample_visibility_ranges r ON r.sample_id = s.id AND r.last_observation_id IS NULL
                    AND (SELECT o.device_chain_id FROM observations o WHERE o.id = r.first_observation_id) = \(chainID)
                LEFT JOIN sample_versions v ON v.id = r.version_id LEFT JOIN metadata_blobs m ON m.id = v.metadata_id
                WHERE s.sample_type_id = ?1 AND s.strict_fingerprint = ?2 LIMIT 1
                """))
    }

    private init(statement: consuming Statement) { self.statement = statement }

    /// Returns the sample with a fingerprint, and its visible payload if nothing that was read differs; `nil` without
    /// a sample.
    mutating func find(
        _ sample: CapturePage.Sample, _ fingerprint: Digest, _ page: borrowing CapturePage, _ rows: RowIDs
    ) throws(ArchiveError) -> (id: Int64, payload: Digest?)? {
        statement.bind(1, rows.types[sample.type])
        statement.bind(2, hex: fingerprint)
        statement.bind(3, optional: sample.source >= 0 ? rows.revisions[sample.source] : nil)
        statement.bind(4, optional: sample.device >= 0 ? rows.devices[sample.device] : nil)
        if sample.metadata >= 0 {
            statement.bind(5, text: page.bytes.span.extracting(page.metadata[sample.metadata].json))
        } else {
            statement.bindNull(5)
        }
        defer { statement.reset() }
        guard try statement.step(), let id = statement.integer(0) else { return nil }
        let payload = statement.isNull(1) ? nil : Digest(hex: statement.bytes(1).span)
        return (id, payload)
    }
}
