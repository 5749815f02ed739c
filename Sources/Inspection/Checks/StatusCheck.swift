internal import Archive
internal import Codes
internal import Derivation
internal import SQLite

/// A check of the status of an observation against its runs and the context log's entry on its end (`Spec/capture.md`,
/// "Statuses").
enum StatusCheck {
    private static let table = "observations"

    static func run(_ reader: borrowing EvidenceReader, hasFacts: Bool, _ log: inout CheckLog) throws(ArchiveError) {
        // What makes a completed observation one that needs review. A run with rejected records is completed; the
        // first release called it failed.
        let doubts =
            hasFacts
            ? """
            OR f.withheld_count > 0 OR \(TypeRunState.needsReview("f.discontinuity"))
            """ : ""
        let facts = hasFacts ? "LEFT JOIN type_run_facts f ON f.type_run_id = u.id" : ""
        let isOdd =
            hasFacts
            ? "EXISTS (SELECT 1 FROM observation_facts c WHERE c.observation_id = o.id AND c.clock_code IS NOT NULL)"
            : "0"
        var rows = try reader.prepare(
            """
            SELECT o.id, o.status,
                total(u.status <> 'completed' AND coalesce(u.error_kind, '') NOT IN ('not_ended', 'rejected_records')),
                total(u.error_kind IS 'rejected_records' OR (u.status = 'completed' AND (0 \(doubts)))), \(isOdd),
                total(u.status IN ('failed', 'unauthorized', 'timed_out'))
            FROM observations o NOT INDEXED LEFT JOIN observation_type_runs u ON u.observation_id = o.id \(facts)
            WHERE o.status IN ('completed', 'needs_review', 'partial_types') GROUP BY o.id ORDER BY o.id
            """)
        while try rows.step() {
            log.countRow()
            guard let status = rows.text(1) else { continue }
            let isIncomplete = (rows.real(2) ?? 0) > 0
            let isDoubtful = (rows.real(3) ?? 0) > 0 || rows.integer(4) == 1
            let expected: String? =
                switch status {
                case "partial_types": (rows.real(5) ?? 0) > 0 ? nil : "a run that did not complete"
                case _ where isIncomplete: "partial_types, or why the source ended"
                case "completed": isDoubtful ? "needs_review" : nil
                default: nil
                }
            guard let expected else { continue }
            log.add(.evidenceStatus, table, row: rows.exactInteger(0), column: "status", expected: expected)
        }
    }
}

/// The context log beside the rows that it speaks of.
enum ContextEntries {
    private static let table = "context_log"

    /// Returns `true` if the archive states that it has the log, and has it with its columns.
    static func isThere(_ reader: borrowing EvidenceReader) throws(ArchiveError) -> Bool {
        let part = ArchiveExtension.contextLog
        let isStated = "SELECT 1 FROM archive_metadata WHERE key = '\(part.key)' AND value = '\(part.version)'"
        guard try reader.integer(isStated) == 1 else { return false }
        return try reader.hasContextLog()
    }

    /// Returns the observations that were resumed.
    static func resumed(_ reader: borrowing EvidenceReader) throws(ArchiveError) -> Set<Int64> {
        var rows = try reader.prepare(
            "SELECT DISTINCT observation_id FROM context_log WHERE event_kind = 'capture_resumed'")
        var found: Set<Int64> = []
        while try rows.step() {
            if let id = rows.exactInteger(0) { found.insert(id) }
        }
        return found
    }

    /// Checks that each withdrawn observation is in the log, and that each withdrawal of the log is known as one.
    private static func checkWithdrawn(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        let logged = "SELECT observation_id FROM context_log WHERE event_kind = 'observation_withdrawn'"
        var rows = try reader.prepare(
            """
            SELECT 'withdrawn_observations', observation_id, 'an entry of the context log' FROM withdrawn_observations
                WHERE observation_id NOT IN (\(logged) AND observation_id IS NOT NULL)
            UNION ALL SELECT 'context_log', c.id, 'a row of withdrawn_observations' FROM context_log c
                WHERE c.event_kind = 'observation_withdrawn' AND NOT EXISTS (
                    SELECT 1 FROM withdrawn_observations w WHERE w.observation_id = c.observation_id) ORDER BY 1, 2
            """)
        while try rows.step() {
            log.add(
                .evidenceWithdrawnLog, rows.text(0) ?? "", row: rows.exactInteger(1), column: "observation_id",
                expected: rows.text(2))
        }
    }

    /// Entries are added and never removed, and the last word on the end of an observation is its status.
    static func check(_ reader: borrowing EvidenceReader, hasFacts: Bool, _ log: inout CheckLog) throws(ArchiveError) {
        if hasFacts { try checkWithdrawn(reader, &log) }
        var rows = try reader.prepare("SELECT id FROM context_log NOT INDEXED ORDER BY id")
        var last: Int64 = 0
        var isEmpty = true
        while try rows.step() {
            log.countRow()
            guard let id = rows.exactInteger(0) else { continue }
            if id != last + 1 {
                log.add(.evidenceLog, table, row: id, column: "id", expected: "an entry \(last + 1) before it")
            }
            (last, isEmpty) = (id, false)
        }
        if isEmpty { log.add(.evidenceLogEmpty, table, expected: "the entry of its beginning") }
        var ends = try reader.prepare(
            """
            SELECT o.id, o.status, c.status FROM observations o JOIN (
                SELECT observation_id, max(id), json_extract(detail_json, '$.status') AS status FROM context_log
                WHERE event_kind = 'capture_finished' AND json_valid(detail_json) GROUP BY observation_id) c
            ON c.observation_id = o.id
            WHERE o.status NOT IN ('running', 'started') AND c.status IS NOT o.status ORDER BY o.id
            """)
        while try ends.step() {
            log.add(
                .evidenceLoggedStatus, "observations", row: ends.exactInteger(0), column: "status",
                expected: "the status that the context log states")
        }
    }
}
