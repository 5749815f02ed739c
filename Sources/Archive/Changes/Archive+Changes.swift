internal import SQLite

extension Archive {
    /// Starts comparing two observations type by type.
    ///
    /// - Parameters:
    ///   - context: of the same scope, which is one of changes.
    ///   - pairs: of a page, whose types say on which days their records changed, and more.
    /// - Complexity: one pass over what is visible at either observation, a sort of the changes, two passes over
    ///   these; memory in
    ///   proportion to sample types and source revisions.
    public func comparisons(
        of scope: Scope, in context: ExportContext, thresholds: [Threshold: Double], pairs: PairDays? = nil
    ) throws(ArchiveError) -> ComparisonCursor {
        var cursor = try ComparisonCursor(
            connection, secondConnection(), query(for: scope), context, thresholds: thresholds,
            pairs: pairs, path)
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
        try FindingCursor(connection, secondConnection(), query(for: scope), context, thresholds: thresholds, path)
    }
}
