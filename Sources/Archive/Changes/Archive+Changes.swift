internal import SQLite

extension Archive {
    /// Starts comparing two observations type by type.
    ///
    /// - Parameter context: of the same scope, which is one of changes.
    /// - Complexity: one pass over what is visible at either observation, a sort of the changes, two passes over
    ///   these; memory in
    ///   proportion to sample types and source revisions.
    public func comparisons(of scope: Scope, in context: ExportContext, thresholds: [Threshold: Double])
        throws(ArchiveError) -> ComparisonCursor
    {
        var cursor = try ComparisonCursor(
            connection, secondConnection(), query(for: scope), context, thresholds: thresholds, path)
        try cursor.begin()
        return cursor
    }

    /// Starts reading the findings between two observations.
    public func findings(of scope: Scope, in context: ExportContext, thresholds: [Threshold: Double])
        throws(ArchiveError) -> FindingCursor
    {
        let query = try prepared(scope, context)
        var cursor = try FindingCursor(connection, query, context, thresholds: thresholds)
        try cursor.begin()
        return cursor
    }

    private func prepared(_ scope: Scope, _ context: ExportContext) throws(ArchiveError) -> RecordQuery {
        let query = try query(for: scope)
        try connection.add(OrderKeyFunction(ranks: context.typeRanks), as: "hp_order", count: 2)
        try connection.add(DateKeyFunction(), as: "hp_date", count: 1)
        for sql in query.changeTables() { try connection.execute(sql) }
        return query
    }
}
