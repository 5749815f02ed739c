internal import Archive
internal import Files
internal import Pipeline
internal import SQLite

extension Connection {
    /// Whether `PRAGMA integrity_check` finds nothing. O(n log n).
    ///
    /// For each row, that pragma searches its entry in each index. Those of samples stand in the order of hashes: of
    /// many samples, each search reads another page. Then `quick_check`, which makes all other checks (manual,
    /// "PRAGMA quick_check"), and `integrity_check` of each other table take its place, and the indexes of samples are
    /// compared in their own order. Where these are not certainly intact, the whole is asked.
    ///
    /// - Parameters:
    ///   - many: how many samples are many. The check of fewer takes about a second.
    ///   - second: gives another connection that sees the same, for a second thread. It is asked of many samples only.
    func isIntact(many: Int64 = 200_000, beside second: () -> Connection? = { nil }) throws(ArchiveError) -> Bool {
        // What cannot be read here is not intact, which `integrity_check` says without an error.
        if let most = try? integer("SELECT ifnull(max(id), 0) FROM main.samples"), most >= many,
            let indexes = try SampleIndexes.ofPlainColumns(self)
        {
            switch try findings(indexes, second()) {
            case .none: return true
            case .damage: return false
            case .doubt: break
            }
        }
        return try text("PRAGMA integrity_check(1)") == "ok"
    }

    /// What there is to say of a file with many samples. Two connections share the work.
    private func findings(_ indexes: SampleIndexes, _ second: consuming Connection?) throws(ArchiveError)
        -> IntegrityFindings
    {
        guard let other = second.take() else {
            let found = try findings(indexes)
            guard found != .damage, try areOtherTablesIntact() else { return .damage }
            return found
        }
        try other.noteEncoding()
        let beside = Handed(FindingsBeside(connection: other, indexes: indexes))
        var areOthersIntact = Result<Bool, ArchiveError>.success(false)
        sideBySide(
            { areOthersIntact = Result { () throws(ArchiveError) in try areOtherTablesIntact() } },
            { beside.value.run() })
        let found = try beside.value.outcome.get()
        guard found != .damage, try areOthersIntact.get() else { return .damage }
        return found
    }

    /// What there is to say of all pages, and of the indexes of samples.
    fileprivate func findings(_ indexes: SampleIndexes) throws(ArchiveError) -> IntegrityFindings {
        guard try text("PRAGMA main.quick_check(1)") == "ok" else { return .damage }
        return (try? indexes.areIntact(self)) == true ? .none : .doubt
    }

    private func areOtherTablesIntact() throws(ArchiveError) -> Bool {
        // The pragma is a table of SQLite's own in temp, whatever the file calls its tables.
        let found = try integer(
            """
            SELECT 1 FROM main.sqlite_schema t, temp.pragma_integrity_check(t.name, 'main') i
            WHERE t.type = 'table' AND t.name <> 'samples' COLLATE NOCASE AND i.integrity_check <> 'ok' LIMIT 1
            """)
        return found == nil
    }
}

extension Archive {
    /// Throws where `integrity_check` finds anything: neither repair nor undo is a recovery of files. Nothing was
    /// written yet in the transaction.
    func checkIntegrity() throws(ArchiveError) {
        guard try connection.isIntact(beside: { secondConnection() }) else {
            throw ArchiveError(
                .unreadable, "\(path.display): the file itself is damaged, and nothing is written",
                hint: "hp-verify archive names what is damaged")
        }
    }
}

private enum IntegrityFindings: Sendable {
    case none, damage
    /// The indexes of samples are not certainly intact.
    case doubt
}

/// A connection that is another thread's for a while, and what it found.
private struct FindingsBeside: ~Copyable {
    let connection: Connection
    let indexes: SampleIndexes
    var outcome = Result<IntegrityFindings, ArchiveError>.success(.doubt)

    mutating func run() {
        do throws(ArchiveError) {
            outcome = .success(try connection.findings(indexes))
        } catch {
            outcome = .failure(error)
        }
    }
}
