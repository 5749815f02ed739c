internal import SQLite

extension Archive {
    /// Returns the first observation that a scope depends on and that has not ended; `nil` if all have.
    ///
    /// A scope depends on the observations of its chains up to its own. One that has an entry in the history is over,
    /// whatever its status says (`Spec/history.md`).
    package func unfinishedObservation(in scope: Scope) throws(ArchiveError) -> Int64? {
        let ids = [scope.observationID, scope.fromObservationID].compactMap { $0 }.map(String.init)
        let hasEntry = "EXISTS (SELECT 1 FROM history_links h WHERE h.observation_id = o.id)"
        return try connection.integer(
            """
            SELECT min(o.id) FROM observations o JOIN observations n ON n.id IN (\(ids.joined(separator: ", ")))
                AND o.id <= n.id AND o.device_chain_id IS n.device_chain_id \
            WHERE o.status IN ('running', 'started')\(try Schema.hasHistory(connection) ? " AND NOT \(hasEntry)" : "")
            """)
    }
}
