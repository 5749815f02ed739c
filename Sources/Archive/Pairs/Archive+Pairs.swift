internal import SQLite

extension Archive {
    /// Finds the pairs between two observations, and starts reading them (`Spec/pairs.md`).
    ///
    /// - Complexity: O(n log n) for n records that disappeared or appeared; memory does not grow with them.
    public func pairs(of scope: Scope, in context: ExportContext) throws(ArchiveError) -> PairCursor {
        let query = try query(for: scope)
        for sql in query.changeTables() { try connection.execute(sql) }
        let standing = try query.fromChainID == nil ? nil : standing()
        var finder = PairFinder(path, context, PairSink(sortedFor: path))
        try find(query, &finder)
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
        var finder = PairFinder(path, context, try PairSink(marking: connection))
        try find(query, &finder)
    }

    /// Finds the pairs. Where one side has few records, what they have in common with others is noted first.
    private func find(_ query: RecordQuery, _ finder: inout PairFinder) throws(ArchiveError) {
        var counts: [(kind: RowBatch.Kind, count: Int64)] = []
        var rows = try connection.prepare(RecordQuery.oneSidedCounts)
        while try rows.step() {
            guard let kind = RowBatch.Kind(rawValue: UInt8(rows.integer(0) ?? 0)) else { continue }
            counts.append((kind, rows.integer(1) ?? 0))
        }
        // Without records on both sides there are no pairs.
        guard counts.count == 2 else { return }
        let fewer = counts[0].count < counts[1].count ? counts[0] : counts[1]
        if fewer.count <= PairFilter.greatestCount { try finder.note(pairRecords(query, [fewer.kind]), of: fewer.kind) }
        try finder.find(pairRecords(query, [.appeared, .disappeared]))
    }

    private func pairRecords(_ query: RecordQuery, _ kinds: [RowBatch.Kind]) throws(ArchiveError) -> Statement {
        let records = query.pairRecords(kinds)
        var rows = try connection.prepare(records.sql)
        try rows.bind(records.parameters)
        return rows
    }
}
