internal import SQLite

extension Archive {
    /// Finds the pairs between two observations, and starts reading them (`Spec/pairs.md`).
    ///
    /// - Complexity: O(n log n) for n records that disappeared or appeared; memory does not grow with them.
    public func pairs(of scope: Scope, in context: ExportContext) throws(ArchiveError) -> PairCursor {
        let query = try query(for: scope)
        for sql in query.changeTables() { try connection.execute(sql) }
        let standing = try query.fromChainID == nil ? nil : standing()
        guard try connection.integer(RecordQuery.mayHavePairs) == 1 else { return try PairCursor([], standing) }
        var finder = PairFinder(path, context, PairSink(sortedFor: path))
        try finder.find(pairRecords(query))
        return try PairCursor(finder.finish(), standing)
    }

    private func standing() throws(ArchiveError) -> PairStanding {
        var row = try connection.prepare(RecordQuery.standing)
        guard try row.step() else { return PairStanding(before: 0, after: 0, both: 0) }
        return PairStanding(before: row.integer(0) ?? 0, after: row.integer(1) ?? 0, both: row.integer(2) ?? 0)
    }

    /// Notes in `pair_marks` which pairs records are in; the tables of the changes are there.
    func markPairs(_ query: RecordQuery, _ context: ExportContext) throws(ArchiveError) {
        for sql in RecordQuery.pairMarks { try connection.execute(sql) }
        guard try connection.integer(RecordQuery.mayHavePairs) == 1 else { return }
        var finder = PairFinder(path, context, try PairSink(marking: connection))
        try finder.find(pairRecords(query))
    }

    private func pairRecords(_ query: RecordQuery) throws(ArchiveError) -> Statement {
        let records = query.pairRecords()
        var rows = try connection.prepare(records.sql)
        try rows.bind(records.parameters)
        return rows
    }
}
