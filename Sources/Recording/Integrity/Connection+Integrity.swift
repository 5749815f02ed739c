internal import Archive
internal import Files
internal import Pipeline
internal import SQLite
internal import Synchronization

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
            let found =
                if let other = second(), (try? other.noteEncoding()) != nil {
                    try findings(indexes, beside: other)
                } else {
                    try findings(indexes)
                }
            switch found {
            case .none: return true
            case .damage: return false
            case .doubt: break
            }
        }
        return try text("PRAGMA integrity_check(1)") == "ok"
    }

    /// What there is to say of a file with many samples.
    private func findings(_ indexes: SampleIndexes) throws(ArchiveError) -> IntegrityFindings {
        let found = try findingsOfPages(indexes)
        guard found != .damage, try areOtherTablesIntact() else { return .damage }
        return found
    }

    /// The same, with half of the work on another connection and its own thread.
    private func findings(_ indexes: SampleIndexes, beside other: consuming Connection) throws(ArchiveError)
        -> IntegrityFindings
    {
        let beside = Handed(FindingsBeside(connection: other, indexes: indexes))
        let damage = FoundDamage()
        var areOthersIntact = Result<Bool, ArchiveError>.success(false)
        sideBySide(
            {
                areOthersIntact = Result { () throws(ArchiveError) in
                    try areOtherTablesIntact(until: { damage.isFound.load(ordering: .relaxed) })
                }
            }, { beside.value.run(damage) })
        let found = beside.value.found
        guard found != .damage, try areOthersIntact.get() else { return .damage }
        return found
    }

    /// What there is to say of all pages, and of the indexes of samples.
    fileprivate func findingsOfPages(_ indexes: SampleIndexes) throws(ArchiveError) -> IntegrityFindings {
        guard try text("PRAGMA main.quick_check(1)") == "ok" else { return .damage }
        return (try? indexes.areIntact(self)) == true ? .none : .doubt
    }

    /// - Parameter isOver: asked before each table.
    private func areOtherTablesIntact(until isOver: () -> Bool = { false }) throws(ArchiveError) -> Bool {
        // The pragma is a table of SQLite's own in temp, whatever the file calls its tables.
        var lines = try prepare(
            """
            SELECT i.integrity_check FROM main.sqlite_schema t, temp.pragma_integrity_check(t.name, 'main') i
            WHERE t.type = 'table' AND t.name <> 'samples' COLLATE NOCASE
            """)
        while !isOver(), try lines.step() {
            guard lines.text(0) == "ok" else { return false }
        }
        return true
    }
}

extension Archive {
    /// Throws if `integrity_check` finds anything, or would compute expressions of the file's author: neither repair
    /// nor undo is a recovery of files. Nothing was written yet in the transaction.
    func checkIntegrity() throws(ArchiveError) {
        try requireNoExpressions()
        guard try connection.isIntact(beside: { secondConnection() }) else {
            try checkReading()
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

/// Whether one of two threads found damage: the other need not go on then.
private final class FoundDamage: Sendable {
    let isFound = Atomic(false)
}

/// A connection that is another thread's for a while, and what it found. Where it cannot read, that is a doubt.
private struct FindingsBeside: ~Copyable {
    let connection: Connection
    let indexes: SampleIndexes
    var found = IntegrityFindings.doubt

    mutating func run(_ damage: FoundDamage) {
        found = (try? connection.findingsOfPages(indexes)) ?? .doubt
        if found == .damage { damage.isFound.store(true, ordering: .relaxed) }
    }
}
