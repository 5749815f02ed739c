internal import Archive
internal import SQLite

/// What an undo must know of the history before it removes anything (`Spec/history.md`, "When entries are made").
struct HistoryWithdrawal {
    private let id: Int64
    /// The first entry whose rows are hashed anew; nil where no entry covers the observation.
    private let first: Int64?
    /// Up to where rows belong to entries that stay as they are, by table.
    private let floors: [String: Int64]

    /// - Parameter reopened: an observation that will be running again.
    static func find(_ id: Int64, reopened: Int64?, _ connection: borrowing Connection) throws(ArchiveError)
        -> HistoryWithdrawal
    {
        guard try Schema.hasHistory(connection) else { return HistoryWithdrawal(id: id, first: nil, floors: [:]) }
        // While it ran, entries of others, or `seal`, may have covered its rows.
        var first = try connection.integer(
            """
            SELECT min(sequence) FROM history_links WHERE observation_id = \(reopened ?? id)
            OR (json_valid(entry_json) AND json_extract(entry_json, '$.last_ids.observations') >= \(id))
            """)
        // What an earlier withdrawal hashed anew is hashed anew as a whole.
        while let place = first,
            let earlier = try connection.integer(
                """
                SELECT min(json_extract(entry_json, '$.replaces')) FROM history_links WHERE sequence >= \(place)
                AND json_valid(entry_json) AND json_extract(entry_json, '$.replaces') < \(place)
                """)
        {
            first = earlier
        }
        let floors = try HistoryRecorder.lastIDs(before: first, connection)
        return HistoryWithdrawal(id: id, first: first, floors: floors)
    }

    /// The greatest id of a table that the observation cannot have brought.
    func floor(of table: String) -> Int64? { floors[table] }

    /// Adds the entry, when everything else is done.
    func write(program: String, now: Double, _ connection: borrowing Connection) throws(ArchiveError) {
        guard let first else { return }
        var history = try HistoryRecorder.open(program: program, now: now, connection)
        try history.add(withdrawn: id, replacing: first, connection)
    }
}
