internal import Archive
internal import Codes
internal import Derivation
internal import SQLite

/// A check of the states that type runs give their types (`Spec/capture.md`, "Type runs"). It works the states out
/// again from the runs of each type on each chain, one after the other.
enum StateCheck {
    /// A run that completed.
    private struct CompletedRun {
        let anchor: [UInt8]?
        let state: String?
    }

    /// The past of a type on a chain when its next run comes.
    private struct Past {
        var place: [Int64?] = []
        /// The date of the newest run.
        var date: Double?
        /// The newest completed run, and the newest of an earlier date: the one that a run continues.
        var newest, continued: CompletedRun?
        var lastVerified: Int64?
    }

    private enum Column: Int32 {
        case id, chain, type, observation, status, anchorBefore, anchorAfter, verifiedCount, mode, state, lastVerified,
            statedCount, withheldCount, discontinuity, visibleCount, hasOtherRejections, openCount, isBackwards, date,
            conflictCount, unreadCount
    }

    static func run(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        guard try reader.hasCaptureFacts() else { return }
        var rows = try reader.prepare(
            """
            SELECT u.id, o.device_chain_id, u.sample_type_id, u.observation_id, u.status, u.anchor_before,
                u.anchor_after, u.verified_visible_count, f.mode, f.state, f.last_verified_observation_id,
                f.stated_count, f.withheld_count, f.discontinuity, m.visible_record_count,
                EXISTS (SELECT 1 FROM rejected_records k WHERE k.device_chain_id = o.device_chain_id
                    AND (k.sample_type_id = u.sample_type_id OR k.sample_type_id IS NULL)
                    AND (k.first_observation_id = o.id OR k.last_observation_id = o.id)),
                (SELECT count(*) FROM withheld_closures w JOIN samples s ON s.id = w.sample_id
                    JOIN observations p ON p.id = w.first_observation_id
                    WHERE p.device_chain_id = o.device_chain_id AND s.sample_type_id = u.sample_type_id
                    AND w.first_observation_id <= o.id AND (w.last_observation_id IS NULL
                        OR w.last_observation_id > o.id)),
                EXISTS (SELECT 1 FROM observation_facts c WHERE c.observation_id = o.id
                    AND c.clock_code = 'clock_backwards'), o.observed_at, f.conflict_count, f.unread_count
            FROM observation_type_runs u JOIN observations o ON o.id = u.observation_id
            LEFT JOIN type_run_facts f ON f.type_run_id = u.id
            LEFT JOIN observation_type_summaries m
                ON m.observation_id = u.observation_id AND m.sample_type_id = u.sample_type_id
            WHERE o.status NOT IN ('running', 'started')
            ORDER BY o.device_chain_id, u.sample_type_id, u.observation_id, u.id
            """)
        var past = Past()
        while try rows.step() {
            log.countRow()
            let place = [Column.chain, .type].map { rows.exactInteger($0.rawValue) }
            if past.place != place {
                past = Past()
                past.place = place
            }
            check(rows, &past, &log)
        }
    }

    private static func check(_ row: borrowing Statement, _ past: inout Past, _ log: inout CheckLog) {
        func text(_ column: Column) -> String? { row.isNull(column.rawValue) ? nil : row.text(column.rawValue) }
        func integer(_ column: Column) -> Int64? { row.exactInteger(column.rawValue) }
        func blob(_ column: Column) -> [UInt8]? { row.isNull(column.rawValue) ? nil : row.bytes(column.rawValue) }
        let isCompleted = text(.status) == "completed"
        let date = row.real(Column.date.rawValue)
        if date != past.date { past.continued = past.newest }
        past.date = date
        defer {
            if isCompleted { past.newest = CompletedRun(anchor: blob(.anchorAfter), state: text(.state)) }
            if text(.mode) != nil { past.lastVerified = integer(.lastVerified) }
        }
        // A run of before, or of another engine: nothing is stated of it.
        // Without its summary it is not known how many samples were visible; that a summary is not there is for others.
        guard let mode = text(.mode), let visible = integer(.visibleCount) else { return }
        var run = TypeRunState.Run()
        run.isCompleted = isCompleted
        run.isFullScan = mode == "full_scan"
        run.hasAnchorOfEarlier =
            past.continued.map { $0.anchor != nil && blob(.anchorBefore) == $0.anchor } ?? (blob(.anchorBefore) == nil)
        run.earlierState = past.continued?.state
        run.hasNoAnchor = past.continued.map { $0.anchor == nil && blob(.anchorBefore) == nil } ?? false
        run.statedCount = integer(.statedCount)
        run.visibleCount = visible
        run.hasOtherRejections = integer(.hasOtherRejections) == 1
        run.conflictCount = integer(.conflictCount) ?? 0
        run.unreadCount = integer(.unreadCount) ?? 0
        run.withheldCount = run.isFullScan && isCompleted ? integer(.openCount) ?? 0 : 0
        run.isClockBackwards = integer(.isBackwards) == 1
        let found = TypeRunState(of: run)
        let isVerified = found.state == "verified"
        func expect(_ table: String, _ column: String, _ isRight: Bool, _ expected: String?) {
            guard !isRight else { return }
            log.add(
                .aggregatesTypeState, table, row: row.exactInteger(Column.id.rawValue), column: column,
                expected: expected)
        }
        expect("type_run_facts", "state", text(.state) == found.state, found.state)
        expect(
            "type_run_facts", "discontinuity", text(.discontinuity) == found.discontinuity,
            found.discontinuity ?? "none")
        expect(
            "type_run_facts", "withheld_count", integer(.withheldCount) == run.withheldCount, "\(run.withheldCount)")
        let last = isVerified ? integer(.observation) : past.lastVerified
        expect(
            "type_run_facts", "last_verified_observation_id", integer(.lastVerified) == last,
            last.map { "\($0)" } ?? "none")
        expect(
            "observation_type_runs", "verified_visible_count",
            integer(.verifiedCount) == (isVerified ? visible : nil), isVerified ? "\(visible)" : "none")
    }
}
