public import Archive
public import Files
internal import SQLite

extension Archive {
    /// Takes the newest observation back, after a verified backup, in one transaction with its entry in the context
    /// log; then the file is made anew without what was taken back (`Spec/undo.md`).
    ///
    /// - Parameters:
    ///   - backup: a name that is not taken; nil makes none.
    ///   - removesExports: whether records of exports that name the observation go with it.
    ///   - program: what the context log calls the tool.
    ///   - now: Unix seconds.
    /// - Throws: `ArchiveError`; then the archive is as it was. A backup that was made stays.
    public func undo(backup: Path?, removesExports: Bool, program: String, now: Double) throws(ArchiveError)
        -> UndoReport
    {
        if let backup {
            try ArchiveBackup.checkPlace(backup, of: self)
            try ArchiveBackup.removeUnfinished(backup, of: self)
        }
        try begin(writing: true)
        do throws(ArchiveError) {
            // What is deleted is overwritten. Checking and removing reach any page of the indexes by hash next: the
            // pages that lead there have room in the cache.
            try connection.execute("PRAGMA secure_delete = ON; PRAGMA cache_size = -24000")
            let newest = "SELECT max(id) FROM observations WHERE typeof(id) = 'integer'"
            guard let found = try connection.integer(newest) else {
                throw ArchiveError(.notFound, "\(path.display): the archive has no observation")
            }
            let id = try named(found)
            var report = UndoReport(observationID: id, label: try observationLabel(id))
            report.exports = try exports(naming: id)
            let kept = report.exports.filter { $0.exportKind != Self.pageKind }
            guard kept.isEmpty || removesExports else { throw refusal(report, kept) }
            // The backup is checked in the archive's place: it has the same pages.
            if let backup {
                report.backup = try ArchiveBackup.make(backup, of: self, tables: [])
            } else {
                try checkIntegrity()
            }
            let withdrawal = try Withdrawal.open(id, exports: report.exports.map(\.id), connection)
            try addCaptureFacts(program: program, now: now)
            let history = try HistoryWithdrawal.find(id, connection)
            report.counts = try withdrawal.run(now: now, history, connection)
            // No later command gives a file its name that nothing is recorded of.
            try dropIntents(ofExports: report.exports.map(\.exportID))
            try checkReferences(report)
            var log = try contextLogInPlace(program: program, now: now)
            try log.add(.observationWithdrawn, at: now, observationID: id, detail: report.detail)
            try history.write(program: program, now: now, connection)
            try commitInPlace()
            report.isVacuumed = vacuum()
            return report
        } catch {
            rollBack()
            throw error
        }
    }

    /// Records of pages do not keep an observation: a page is written again at any time (decision 0050).
    private static let pageKind = "page_report"

    /// Returns the recorded exports of the observation.
    private func exports(naming id: Int64) throws(ArchiveError) -> [ExportRecord] {
        try exportRecords().filter { $0.fromObservationID == id || $0.toObservationID == id }
    }

    private func refusal(_ report: UndoReport, _ kept: [ExportRecord]) -> ArchiveError {
        let listed = kept.prefix(10).map { "\(printable($0.exportKind.utf8)) \(printable($0.exportID.utf8))" }
        let more = kept.count - listed.count
        let names = listed.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        let count = kept.count
        let subject = count == 1 ? "1 recorded export names" : "\(count) recorded exports name"
        return ArchiveError(
            .evidence, "\(path.display): \(subject) \(report.label): \(names)",
            hint: "--with-exports removes these records too; the exported files stay, and no longer match the archive")
    }

    /// Checks that nothing that stays refers to deleted rows: tables of other engines may.
    private func checkReferences(_ report: UndoReport) throws(ArchiveError) {
        var dangling = try connection.prepare("PRAGMA foreign_key_check")
        guard try dangling.step() else { return }
        let table = printable((dangling.text(0) ?? "a table").utf8)
        throw ArchiveError(
            .evidence, "\(path.display): \(table) would have references that lead nowhere without \(report.label)",
            hint: "hp-verify archive says whether it has them already")
    }

    /// Makes the file anew, without its free pages; whether that could be done.
    ///
    /// In rollback mode SQLite shortens the file after the commit: a fault in between would leave pages behind its end,
    /// and such an archive is refused. So it is put into WAL mode first, as by a capture, and stays there.
    private func vacuum() -> Bool {
        (try? connection.text("PRAGMA main.journal_mode = WAL")) == "wal" && (try? connection.vacuum()) != nil
            && (try? connection.integer("PRAGMA wal_checkpoint(TRUNCATE)")) == 0
    }
}
