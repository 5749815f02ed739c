internal import Archive
internal import SQLite

/// The part of the history that an undo reads before it removes anything (`Spec/history.md`, "When entries are made").
struct HistoryWithdrawal {
    private let id: Int64
    private let isLive: Bool
    /// Up to where ids belong to entries that stay, by table.
    private let floors: [String: Int64]

    static func find(_ id: Int64, _ connection: borrowing Connection) throws(ArchiveError) -> HistoryWithdrawal {
        guard try Schema.hasHistory(connection) else {
            return HistoryWithdrawal(id: id, isLive: false, floors: [:])
        }
        let tail = try HistoryTail.read(connection)
        let isLive = tail.live?.observationID == id
        let below = isLive ? try HistoryTail.read(connection, without: id).live : tail.live
        let floors = zip(HistoryParts.all, below?.lastIDs ?? []).compactMap { table, last in
            last.map { (table.name, $0) }
        }
        return HistoryWithdrawal(id: id, isLive: isLive, floors: Dictionary(uniqueKeysWithValues: floors))
    }

    /// Returns the greatest id of a table that the observation cannot have brought; `nil` if there is none.
    func floor(of table: String) -> Int64? { floors[table] }

    /// Adds the entry, when everything else is done.
    func write(program: String, now: Double, _ connection: borrowing Connection) throws(ArchiveError) {
        guard isLive else { return }
        var history = try HistoryRecorder.open(program: program, now: now, connection)
        try history.add(withdrawn: id, connection)
    }
}
