internal import Archive
internal import Codes
internal import SQLite

/// Ranges of rejected records and ends of links beside the observations that wrote them (`Spec/capture.md`,
/// "Rejected records", "Relationships").
enum CaptureFactsCheck {
    static func run(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        try checkRejected(reader, &log)
        for (table, column) in [("sample_visibility_ranges", "sample_id"), ("withheld_closures", "sample_id")] {
            guard let lack = try reader.lack(of: table, column, isUnique: false) else { continue }
            return log.note("ends of links were not held beside ranges: \(lack)")
        }
        try checkLinkEnds(reader, &log)
    }

    // MARK: Rejected records

    private enum Rejected: Int32 {
        case row, first, last, count, isOtherChain, hasRun, isOtherEnd, isScanned, previousLast, hasPrevious
        case nextFirst, nextCount
    }

    private static func checkRejected(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        // Of a type, the observation that read the record has a run of it that says so. Its end is a full scan of the
        // type, without a type an export that was read to its end.
        var rows = try reader.prepare(
            """
            SELECT k.rowid, k.first_observation_id, k.last_observation_id, k.record_count,
                a.device_chain_id IS NOT k.device_chain_id,
                k.sample_type_id IS NULL OR EXISTS (SELECT 1 FROM observation_type_runs u
                    WHERE u.observation_id = a.id AND u.sample_type_id = k.sample_type_id
                    AND (u.status <> 'completed' OR u.error_kind = 'rejected_records')),
                z.device_chain_id IS NOT k.device_chain_id,
                CASE WHEN k.sample_type_id IS NULL THEN z.trigger_reason = 'apple_health_export'
                        AND z.status IN ('completed', 'needs_review', 'partial_types')
                    ELSE EXISTS (SELECT 1 FROM observation_type_runs u
                        LEFT JOIN type_run_facts f ON f.type_run_id = u.id
                        WHERE u.observation_id = z.id AND u.sample_type_id = k.sample_type_id
                        AND u.status = 'completed' AND coalesce(f.mode, 'full_scan') = 'full_scan') END,
                lag(k.last_observation_id) OVER same, lag(k.rowid) OVER same IS NOT NULL,
                lead(k.first_observation_id) OVER same, lead(k.record_count) OVER same
            FROM rejected_records k NOT INDEXED JOIN observations a ON a.id = k.first_observation_id
            LEFT JOIN observations z ON z.id = k.last_observation_id
            WHERE k.last_observation_id IS NULL OR z.id IS NOT NULL
            WINDOW same AS (PARTITION BY k.device_chain_id, k.content_hash ORDER BY k.first_observation_id, k.rowid)
            """)
        while try rows.step() {
            log.countRow()
            if let expected = beginningFault(rows) {
                log.add(
                    .evidenceRejected, "rejected_records", row: rows.exactInteger(0), column: "first_observation_id",
                    expected: expected)
            }
            if let expected = endFault(rows) {
                log.add(
                    .evidenceRejected, "rejected_records", row: rows.exactInteger(0), column: "last_observation_id",
                    expected: expected)
            }
        }
    }

    private static func beginningFault(_ row: borrowing Statement) -> String? {
        func integer(_ column: Rejected) -> Int64? { row.exactInteger(column.rawValue) }
        if integer(.isOtherChain) == 1 { return "an observation of the chain of the record" }
        if integer(.hasRun) == 0 { return "an observation with a run of the type that rejected records" }
        guard integer(.hasPrevious) == 1, let first = integer(.first) else { return nil }
        let isAfter = integer(.previousLast).map { $0 <= first } ?? false
        return isAfter ? nil : "an observation at or after the end of the range before"
    }

    private static func endFault(_ row: borrowing Statement) -> String? {
        func integer(_ column: Rejected) -> Int64? { row.exactInteger(column.rawValue) }
        guard let last = integer(.last), let first = integer(.first) else { return nil }
        if last <= first { return "an observation after the first" }
        if integer(.isOtherEnd) == 1 { return "an observation of the chain of the record" }
        // More of them end a range in any run.
        let isMore = integer(.nextFirst) == last && (integer(.nextCount) ?? 0) > (integer(.count) ?? 0)
        guard integer(.isScanned) == 0, !isMore else { return nil }
        return "a completed full scan of the type, of a record without a type an export that was read to its end"
    }

    // MARK: Ends of links

    private static func checkLinkEnds(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        // What a sample has to be at the end of one of its links.
        func isSeen(_ sample: String) -> String {
            """
            EXISTS (SELECT 1 FROM samples s JOIN observation_type_runs u
                    ON u.observation_id = e.observation AND u.sample_type_id = s.sample_type_id
                LEFT JOIN type_run_facts f ON f.type_run_id = u.id
                WHERE s.id = \(sample) AND u.status = 'completed' AND coalesce(f.mode, 'full_scan') = 'full_scan')
            AND EXISTS (SELECT 1 FROM sample_visibility_ranges v JOIN observations p ON p.id = v.first_observation_id
                WHERE v.sample_id = \(sample) AND p.device_chain_id = e.chain AND p.id <= e.observation
                AND (v.last_observation_id IS NULL OR v.last_observation_id > e.observation))
            AND NOT EXISTS (SELECT 1 FROM withheld_closures w JOIN observations p ON p.id = w.first_observation_id
                WHERE w.sample_id = \(sample) AND p.device_chain_id = e.chain AND p.id <= e.observation
                AND (w.last_observation_id IS NULL OR w.last_observation_id > e.observation))
            """
        }
        // Rows of a link and their ends in the order of time: each end has a row just before it.
        var rows = try reader.prepare(
            """
            SELECT e.row, e.before = 0 AND e.earlier < e.observation,
                (\(isSeen("e.source"))) AND (\(isSeen("e.target"))) FROM (
                SELECT row, is_end, observation, chain, source, target, lag(is_end) OVER link AS before,
                    lag(observation) OVER link AS earlier FROM (
                    SELECT r.rowid AS row, 0 AS is_end, o.id AS observation, o.device_chain_id AS chain,
                        r.source_sample_id AS source, r.target_sample_id AS target, r.relationship_kind AS kind
                    FROM sample_relationships r NOT INDEXED JOIN observations o ON o.id = r.observation_id
                    WHERE EXISTS (SELECT 1 FROM relationship_ends)
                    UNION ALL SELECT n.rowid, 1, o.id, o.device_chain_id, n.source_sample_id, n.target_sample_id,
                        n.relationship_kind
                    FROM relationship_ends n NOT INDEXED JOIN observations o ON o.id = n.observation_id)
                WINDOW link AS (PARTITION BY chain, source, target, kind ORDER BY observation, is_end DESC, row)) e
            WHERE e.is_end = 1 ORDER BY e.row
            """)
        while try rows.step() {
            log.countRow()
            let expected: String? =
                if rows.integer(1) != 1 {
                    "an observation after one that has the link, once"
                } else if rows.integer(2) != 1 {
                    "an observation whose full scans saw both samples"
                } else { nil }
            guard let expected else { continue }
            log.add(
                .evidenceLinkEnd, "relationship_ends", row: rows.exactInteger(0), column: "observation_id",
                expected: expected)
        }
    }
}
