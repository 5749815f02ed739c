internal import Archive
internal import Derivation
internal import Files
internal import SQLite

/// The end of an observation: its aggregates, what its runs counted, its status.
struct ObservationEnd {
    let id: Int64
    let chainID: Int64
    /// What the history calls the tool.
    let program: String
    /// What is visible of types, where this process ended the observation before.
    let memory: AggregateMemory

    /// Writes the end, in the caller's transaction; returns the status, which is `needs_review` instead of
    /// `completed` where a run continues nothing or the date is odd.
    @discardableResult
    func write(_ status: String, now: Double, _ connection: borrowing Connection) throws(ArchiveError) -> String {
        // Runs that did not end, did not complete.
        try connection.execute(
            "UPDATE observation_type_runs SET status = 'failed', error_kind = 'not_ended' "
                + "WHERE observation_id = \(id) AND status = 'started'")
        var zone = try connection.prepare(
            "SELECT time_zone_identifier, time_zone_seconds_from_gmt FROM observations WHERE id = \(id)")
        guard try zone.step() else {
            throw ArchiveError(
                .evidence,
                "\(connection.path.display): observation \(id) is gone")
        }
        let days = LocalDay.days(zone: zone.isNull(0) ? nil : zone.bytes(0), secondsFromGMT: zone.exactInteger(1))
        zone.reset()
        try connection.execute(
            "DELETE FROM daily_type_aggregates WHERE observation_id = \(id); DELETE "
                + "FROM observation_type_summaries WHERE observation_id = \(id)")
        // Other engines leave observations running although their chain has later ones.
        let later = "SELECT 1 FROM observations WHERE device_chain_id = \(chainID) AND id > \(id) LIMIT 1"
        let isOlder = try connection.integer(later) != nil
        var aggregation = Aggregation(
            observationID: id, chainID: chainID, days: days, rules: try IdentityRules.stated(in: connection),
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
