public import Archive
internal import Preimages
internal import SQLite

/// What a seal did (`Spec/history.md`).
public struct SealReport: Sendable {
    /// Observations that have an entry now and had none.
    public let observationCount: Int
    /// The head of the history; nil where the archive has no observation that ended.
    public let head: HistoryHead?
}

extension Archive {
    /// Begins a history, or goes on with one: each observation that ended and has no entry gets one, in one
    /// transaction with an entry of the context log. Where there is none, nothing is written.
    ///
    /// - Parameters:
    ///   - program: what the context log calls the tool.
    ///   - now: Unix seconds.
    /// - Throws: `ArchiveError`; then the archive is as it was.
    public func seal(program: String, now: Double) throws(ArchiveError) -> SealReport {
        try begin(writing: true)
        do throws(ArchiveError) {
            let count = try writeSeal(program: program, now: now)
            if count > 0 { try commitInPlace() } else { rollBack() }
            return SealReport(observationCount: count, head: try historyHead())
        } catch {
            rollBack()
            throw error
        }
    }

    private func writeSeal(program: String, now: Double) throws(ArchiveError) -> Int {
        let hasHistory = try Schema.hasHistory(connection)
        let condition =
            hasHistory
            ? "AND NOT EXISTS (SELECT 1 FROM history_links h WHERE h.observation_id = o.id)" : ""
        var rows = try connection.prepare(
            "SELECT id FROM observations o WHERE status NOT IN ('running', 'started') \(condition) ORDER BY id")
        var open: [Int64] = []
        while try rows.step() {
            guard let id = rows.exactInteger(0) else { continue }
            open.append(id)
        }
        guard !open.isEmpty else { return 0 }
        var log = try contextLogInPlace(program: program, now: now)
        if !hasHistory {
            try Schema.checkRoom(for: .history, connection)
            try SchemaChange.addition(.history).make(in: self, now: now)
            try log.add(.extensionAdded, at: now, observationID: nil, detail: ArchiveExtension.history.detail)
        }
        try log.add(.historySealed, at: now, observationID: nil, detail: "{\"observations\":\(open.count)}")
        var history = try HistoryRecorder.open(program: program, now: now, connection)
        for id in open { try history.add(.sealed, of: id, connection) }
        return open.count
    }
}
