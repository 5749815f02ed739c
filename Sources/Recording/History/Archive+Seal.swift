public import Archive
internal import Files
internal import Preimages
internal import SQLite

/// The result of a seal (`Spec/history.md`).
public struct SealReport: Sendable {
    /// Observations that have an entry now and had none.
    public let observationCount: Int
    /// The head of the history; nil where the archive has no observation that ended.
    public let head: HistoryHead?
}

extension Archive {
    /// Begins a history, or continues one: each observation that has no entry gets one, except the newest while it
    /// runs, in one transaction with an entry of the context log. If all have one, nothing is written.
    ///
    /// - Parameters:
    ///   - salt: the key of the commitments, if the history begins.
    ///   - program: what the context log calls the tool.
    ///   - now: Unix seconds.
    /// - Throws: `ArchiveError`; then the archive is as it was.
    public func seal(program: String, now: Double, salt: HistorySalt) throws(ArchiveError) -> SealReport {
        try begin(writing: true)
        do throws(ArchiveError) {
            let count = try writeSeal(program: program, now: now, salt)
            if count > 0 { try commitInPlace() } else { rollBack() }
            return SealReport(observationCount: count, head: try historyHead())
        } catch {
            rollBack()
            throw error
        }
    }

    private func writeSeal(program: String, now: Double, _ salt: HistorySalt) throws(ArchiveError) -> Int {
        let hasHistory = try Schema.hasHistory(connection)
        let open = try observationsWithoutEntry(hasHistory)
        guard !open.isEmpty else { return 0 }
        var log = try contextLogInPlace(program: program, now: now)
        if !hasHistory {
            try Schema.checkRoom(for: .history, connection)
            try SchemaChange.addition(.history).make(in: self, now: now)
            var metadata = try connection.prepare("INSERT OR REPLACE INTO archive_metadata(key, value) VALUES (?1, ?2)")
            try metadata.run([.text(HistorySalt.key), .text(salt.digits)], storing: 1)
            try log.add(.extensionAdded, at: now, observationID: nil, detail: ArchiveExtension.history.detail)
        }
        try log.add(.historySealed, at: now, observationID: nil, detail: "{\"observations\":\(open.count)}")
        var history = try HistoryRecorder.open(program: program, now: now, connection)
        try history.add(.sealed, of: open, connection)
        return open.count
    }

    /// Returns the ids of observations that have no entry, in their order, without the newest while it runs.
    ///
    /// - Throws: `ArchiveError` with the code `evidence` if one of them is not beyond all that entries name.
    private func observationsWithoutEntry(_ hasHistory: Bool) throws(ArchiveError) -> [Int64] {
        let condition =
            hasHistory ? "AND NOT EXISTS (SELECT 1 FROM history_links h WHERE h.observation_id = o.id)" : ""
        var rows = try connection.prepare(
            """
            SELECT id FROM observations o WHERE (status NOT IN ('running', 'started')
                OR id < (SELECT max(id) FROM observations)) \(condition) ORDER BY id
            """)
        let tail = hasHistory ? try HistoryTail.read(connection) : HistoryTail()
        var open: [Int64] = []
        while try rows.step() {
            guard let id = rows.exactInteger(0) else { continue }
            guard id.magnitude < 1 << 53 else {
                throw ArchiveError(.evidence, "\(path.display): an observation has an id beyond 2^53-1: no history")
            }
            guard tail.mayName(id) else {
                throw ArchiveError(
                    .evidence,
                    "\(path.display): observation \(id) is older than the newest of the history, and has no entry",
                    hint: "nobody can say when it came: hp-verify archive has the finding")
            }
            open.append(id)
        }
        return open
    }
}
