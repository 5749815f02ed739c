internal import Archive
internal import Derivation
internal import Files
internal import SQLite

/// The end of an observation: its aggregates, what its runs counted, its status.
struct ObservationEnd {
    let id: Int64
    let chainID: Int64
    /// The name of the tool in the history.
    let program: String
    /// The visible sums of types, if this process ended the observation before.
    let memory: AggregateMemory

    /// Writes the end, in the caller's transaction; returns the status, which is `needs_review` instead of
    /// `completed` where a run continues nothing or the date is odd.
    @discardableResult
    func write(_ status: String, now: Double, _ connection: borrowing Connection) throws(ArchiveError) -> String {
        // Runs that did not end, did not complete.
        try connection.execute(
            "UPDATE observation_type_runs SET status = 'failed', error_kind = 'not_ended' "
                + "WHERE observation_id = \(id) AND status = 'started'")
        var zones = try ObservationZones(connection)
        guard let zone = try zones.zone(of: id) else {
            throw ArchiveError(
                .evidence,
                "\(connection.path.display): observation \(id) is gone")
        }
        try connection.execute(
            "DELETE FROM daily_type_aggregates WHERE observation_id = \(id); DELETE "
                + "FROM observation_type_summaries WHERE observation_id = \(id)")
        // Other engines leave observations running although their chain has later ones.
        let later = "SELECT 1 FROM observations WHERE device_chain_id = \(chainID) AND id > \(id) LIMIT 1"
        let isOlder = try connection.integer(later) != nil
        var aggregation = Aggregation(
            observationID: id, chainID: chainID, days: zone.days, rules: try IdentityRules.stated(in: connection),
            isOlder: isOlder, memory: isOlder ? nil : memory)
        try aggregation.write(connection)
        try RunRecorder.writeCounts(aggregation.events, of: id, connection)
        let runsNeedReview = try TypeStates(of: id, chainID: chainID).write(connection)
        let isDateOdd =
            try connection.integer(
                "SELECT 1 FROM observation_facts WHERE observation_id = \(id) AND clock_code IS NOT NULL") == 1
        let status = status == "completed" && (runsNeedReview || isDateOdd) ? "needs_review" : status
        var end = try connection.prepare("UPDATE observations SET status = ?1, ended_at = ?2 WHERE id = \(id)")
        try end.run([.text(status), .real(now)], storing: 1)
        if try Schema.hasHistory(connection) {
            var history = try HistoryRecorder.open(program: program, now: now, connection)
            try history.add(ended: id, connection)
        }
        return status
    }
}

/// The statements of an observation's type runs about their types when it ends (`Spec/capture.md`, "Type runs"). What
/// is visible was verified, continues without a break since it was, or is not known.
///
/// All of it is worked out from rows, so that an observation that was cut off can be ended by a later process.
struct TypeStates {
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
                "u.anchor_after = (SELECT anchor_before FROM "
                    + "observation_type_runs WHERE id = ?2), f.state, u.anchor_after IS NULL AND (SELECT anchor_before "
                    + "FROM observation_type_runs WHERE id = ?2) IS NULL",
                "AND u.status = 'completed' AND o.observed_at IS NOT "
                    + "(SELECT observed_at FROM observations WHERE id = \(observationID))"))
        var known = try connection.prepare(newest("f.last_verified_observation_id", "AND f.type_run_id IS NOT NULL"))
        var stated = try connection.prepare(
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
            var facts = run.facts
            facts.isClockBackwards = isBackwards
            if facts.isCompleted { try complete(&facts, run.id, run.type, &completed, connection) }
            let found = TypeRunState(of: facts)
            let isVerified = found.state == "verified"
            needsReview = needsReview || found.needsReview
            known.bind(1, run.type)
            let before = try known.step() ? known.exactInteger(0) : nil
            known.reset()
            stated.bind(1, run.id)
            stated.bind(2, text: found.state.utf8Span.span)
            stated.bind(3, optional: isVerified ? observationID : before)
            stated.bind(4, text: found.discontinuity.map { Array($0.utf8) })
            try stated.run(storing: 1)
            counts.bind(1, run.id)
            counts.bind(2, optional: isVerified ? facts.visibleCount : nil)
            try counts.run(storing: 1)
        }
        return needsReview
    }

    /// Returns the newest earlier run of a type (?1) on the chain.
    private func newest(_ columns: String, _ condition: String) -> String {
        """
        SELECT \(columns) FROM observation_type_runs u JOIN observations o ON o.id = u.observation_id \
        LEFT JOIN type_run_facts f ON f.type_run_id = u.id \
        WHERE u.sample_type_id = ?1 AND u.observation_id < \(observationID) AND o.device_chain_id = \(chainID) \
        \(condition) ORDER BY u.observation_id DESC, u.id DESC LIMIT 1
        """
    }

    private func runs(_ connection: borrowing Connection) throws(ArchiveError)
        -> [(id: Int64, type: Int64, facts: TypeRunState.Run)]
    {
        var rows = try connection.prepare(
            """
            SELECT u.id, u.sample_type_id, u.status, f.mode, f.stated_count, f.withheld_count, m.visible_record_count,
                f.conflict_count, f.unread_count \
            FROM observation_type_runs u JOIN type_run_facts f ON f.type_run_id = u.id \
            LEFT JOIN observation_type_summaries m
                ON m.observation_id = u.observation_id AND m.sample_type_id = u.sample_type_id \
            WHERE u.observation_id = \(observationID) ORDER BY u.id
            """)
        var found: [(id: Int64, type: Int64, facts: TypeRunState.Run)] = []
        while try rows.step() {
            var run = TypeRunState.Run()
            run.isCompleted = rows.text(2) == "completed"
            run.isFullScan = rows.text(3) == "full_scan"
            run.statedCount = rows.exactInteger(4)
            run.withheldCount = rows.integer(5) ?? 0
            run.visibleCount = rows.integer(6) ?? 0
            run.conflictCount = rows.integer(7) ?? 0
            run.unreadCount = rows.integer(8) ?? 0
            found.append((rows.integer(0) ?? 0, rows.integer(1) ?? 0, run))
        }
        return found
    }

    /// Adds what a completed run continues.
    private func complete(
        _ run: inout TypeRunState.Run, _ id: Int64, _ type: Int64, _ completed: inout Statement,
        _ connection: borrowing Connection
    ) throws(ArchiveError) {
        completed.bind(1, type)
        completed.bind(2, id)
        let hasEarlier = try completed.step()
        // The first run has nothing to continue, and fetches what there is. Later on no anchor is no evidence.
        run.hasAnchorOfEarlier = hasEarlier ? completed.integer(0) == 1 : try isWithoutAnchor(id, connection)
        run.earlierState = hasEarlier ? completed.text(1) : nil
        run.hasNoAnchor = hasEarlier && completed.integer(2) == 1
        completed.reset()
        run.hasOtherRejections = try hasOtherRejections(type, connection)
    }

    private func isWithoutAnchor(_ run: Int64, _ connection: borrowing Connection) throws(ArchiveError) -> Bool {
        try connection.integer(
            "SELECT anchor_before IS NULL FROM observation_type_runs WHERE id = ?1", [.integer(run)]) == 1
    }

    /// Returns `true` if records of a type, or of one that cannot be read, were rejected only here, or only before.
    private func hasOtherRejections(_ type: Int64, _ connection: borrowing Connection) throws(ArchiveError) -> Bool {
        try connection.integer(
            """
            SELECT EXISTS (SELECT 1 FROM rejected_records WHERE device_chain_id = \(chainID)
                AND (sample_type_id = ?1 OR sample_type_id IS NULL)
                AND (first_observation_id = \(observationID) OR last_observation_id = \(observationID)))
            """, [.integer(type)]) == 1
    }
}
