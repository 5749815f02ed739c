internal import SQLite
public import Archive

extension Archive {
    /// Starts reading the rows of a scope: records, or changes.
    public func rows(of scope: Scope, in context: ExportContext) throws(ArchiveError) -> RecordCursor {
        guard scope.mode == .changes else { return try records(of: scope, in: context) }
        let query = ChangeQuery(records: try query(for: scope))
        var windows: JudgedWindows?
        try markPairs(query, context) { () throws(ArchiveError) in
            for sql in query.changeTables() { try connection.execute(sql) }
            let compared = try comparedChanges(query, context)
            let hasAlike = compared.hasAlike
            windows = .some(compared)
            if query.comparesLinks {
                for (sql, parameters) in query.linkTables(hasAlike: hasAlike) {
                    var statement = try connection.prepare(sql)
                    try statement.run(parameters)
                }
            }
            return hasAlike
        }
        if let windows = windows.take() { try labelChanges(windows) }
        return try records(of: query.records, from: try connection.prepare(query.changes()), in: context)
    }

    /// Starts comparing two observations type by type.
    ///
    /// - Parameters:
    ///   - context: of the same scope, which is one of changes.
    ///   - pairs: of a page, whose types say on which days their records changed, and more.
    ///   - countsDays: `true` if windows have the local days of their records.
    /// - Complexity: one pass over what is visible at either observation, a sort of the changes, two passes over
    ///   these; memory in
    ///   proportion to sample types and source revisions.
    public func comparisons(
        of scope: Scope, in context: ExportContext, thresholds: [Threshold: Double], pairs: PairDays? = nil,
        countsDays: Bool = false
    ) throws(ArchiveError) -> ComparisonCursor {
        var cursor = try ComparisonCursor(
            connection, secondConnection(), ChangeQuery(records: try query(for: scope)), context,
            thresholds: thresholds, pairs: pairs, countsDays: countsDays, path)
        try cursor.begin()
        return cursor
    }

    /// Starts reading the findings between two observations.
    ///
    /// - Complexity: one pass over what is visible at either observation, and a sort of that; memory in proportion to
    ///   sample types.
    public func findings(of scope: Scope, in context: ExportContext, thresholds: [Threshold: Double])
        throws(ArchiveError) -> FindingCursor
    {
        try FindingCursor(
            connection, secondConnection(), ChangeQuery(records: try query(for: scope)), context,
            thresholds: thresholds, path)
    }
}
