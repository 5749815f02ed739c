internal import Archive
internal import SQLite

/// What the type runs of an observation state of their types when it ends (`Spec/capture.md`, "Type runs"): whether
/// what is visible was verified, goes on without a break since it was, or is not known.
///
/// All of it is worked out from rows, so that an observation that was cut off can be ended by a later process.
struct TypeStates {
    /// What continues nothing, or disagrees, in the order in which the words are stored.
    private enum Discontinuity: String {
        case anchorBroken = "anchor_broken"
        case countDiffers = "count_differs"
        /// Says nothing against the state: what is visible goes by ids, not by dates.
        case clockBackwards = "clock_backwards"
    }

    private struct Run {
        let id, type: Int64
        let isCompleted, isFullScan: Bool
        let statedCount: Int64?
        let withheldCount, visibleCount: Int64
    }

    private let observationID: Int64
    private let chainID: Int64

    init(of observationID: Int64, chainID: Int64) {
        self.observationID = observationID
        self.chainID = chainID
    }

    /// Writes the states, in the caller's transaction; returns whether a run needs review.
    func write(_ connection: borrowing Connection) throws(ArchiveError) -> Bool {
        // A run continues one of an earlier date: the runs of an observation that is gone beyond are sent again.
        var completed = try connection.prepare(
            newest(
                "u.anchor_after IS (SELECT anchor_before FROM "
                    + "observation_type_runs WHERE id = ?2), f.state",
                "AND u.status = 'completed' AND o.observed_at IS NOT "
                    + "(SELECT observed_at FROM observations WHERE id = \(observationID))"))
        var known = try connection.prepare(newest("f.last_verified_observation_id", "AND f.type_run_id IS NOT NULL"))
        var facts = try connection.prepare(
            "UPDATE type_run_facts SET state = ?2, last_verified_observation_id = ?3, discontinuity = ?4 "
                + "WHERE type_run_id = ?1")
        var counts = try connection.prepare(
            "UPDATE observation_type_runs SET verified_visible_count = ?2 WHERE id = ?1")
        var needsReview = false
        let isBackwards =
            try connection.integer(
                "SELECT 1 FROM observation_facts WHERE observation_id = \(observationID) "
                    + "AND clock_code = 'clock_backwards'") == 1
        for run in try runs(connection) {
            let judgement = try judge(run, &completed, connection)
            let state = judgement.state
            var words = judgement.words
            if isBackwards { words.append(.clockBackwards) }
            let discontinuity = words.isEmpty ? nil : words.map(\.rawValue).joined(separator: " ")
            needsReview = needsReview || discontinuity != nil || run.withheldCount > 0
            known.bind(1, run.type)
            let before = try known.step() ? known.exactInteger(0) : nil
            known.reset()
            facts.bind(1, run.id)
            facts.bind(2, text: state.utf8Span.span)
            facts.bind(3, optional: state == "verified" ? observationID : before)
            facts.bind(4, text: discontinuity.map { Array($0.utf8) })
            try facts.run(storing: 1)
            counts.bind(1, run.id)
            counts.bind(2, optional: state == "verified" ? run.visibleCount : nil)
            try counts.run(storing: 1)
        }
        return needsReview
    }

    /// The newest earlier run of a type (?1) on the chain.
    private func newest(_ columns: String, _ condition: String) -> String {
        """
        SELECT \(columns) FROM observation_type_runs u JOIN observations o ON o.id = u.observation_id \
        LEFT JOIN type_run_facts f ON f.type_run_id = u.id \
        WHERE u.sample_type_id = ?1 AND u.observation_id < \(observationID) AND o.device_chain_id = \(chainID) \
        \(condition) ORDER BY u.observation_id DESC, u.id DESC LIMIT 1
        """
    }

    private func runs(_ connection: borrowing Connection) throws(ArchiveError) -> [Run] {
        var rows = try connection.prepare(
            """
            SELECT u.id, u.sample_type_id, u.status, f.mode, f.stated_count, f.withheld_count, m.visible_record_count \
            FROM observation_type_runs u JOIN type_run_facts f ON f.type_run_id = u.id \
            LEFT JOIN observation_type_summaries m
                ON m.observation_id = u.observation_id AND m.sample_type_id = u.sample_type_id \
            WHERE u.observation_id = \(observationID) ORDER BY u.id
            """)
        var found: [Run] = []
        while try rows.step() {
            found.append(
                Run(
                    id: rows.integer(0) ?? 0, type: rows.integer(1) ?? 0, isCompleted: rows.text(2) == "completed",
                    isFullScan: rows.text(3) == "full_scan", statedCount: rows.exactInteger(4),
                    withheldCount: rows.integer(5) ?? 0, visibleCount: rows.integer(6) ?? 0))
        }
        return found
    }

    private func judge(_ run: Run, _ completed: inout Statement, _ connection: borrowing Connection)
        throws(ArchiveError) -> (state: String, words: [Discontinuity])
    {
        guard run.isCompleted else { return ("unknown", []) }
        completed.bind(1, run.type)
        completed.bind(2, run.id)
        let hasEarlier = try completed.step()
        let isSameAnchor = hasEarlier ? completed.integer(0) == 1 : try isWithoutAnchor(run, connection)
        let earlier = hasEarlier ? completed.text(1) : nil
        completed.reset()
        var words: [Discontinuity] = []
        if !run.isFullScan, !isSameAnchor { words.append(.anchorBroken) }
        let rejected = try rejectedCount(of: run.type, connection)
        let differs = run.statedCount.map { $0 < run.visibleCount || $0 > run.visibleCount + rejected } ?? false
        if differs { words.append(.countDiffers) }
        if !words.isEmpty || run.withheldCount > 0 { return ("unknown", words) }
        if run.isFullScan || run.statedCount != nil { return ("verified", []) }
        return (earlier == "verified" || earlier == "continued" ? "continued" : "unknown", [])
    }

    private func isWithoutAnchor(_ run: Run, _ connection: borrowing Connection) throws(ArchiveError) -> Bool {
        try connection.integer(
            "SELECT anchor_before IS NULL FROM observation_type_runs WHERE id = ?1", [.integer(run.id)]) == 1
    }

    /// How many records of a type the source has and the archive cannot store.
    private func rejectedCount(of type: Int64, _ connection: borrowing Connection) throws(ArchiveError) -> Int64 {
        try connection.integer(
            """
            SELECT sum(record_count) FROM rejected_records WHERE device_chain_id = \(chainID) \
            AND last_observation_id IS NULL AND sample_type_id = ?1
            """, [.integer(type)]) ?? 0
    }
}
