internal import SQLite

extension Archive {
    /// Starts comparing two observations type by type.
    ///
    /// - Parameters:
    ///   - context: of the same scope, which is one of changes.
    ///   - hasCalendar: whether types say on which days their records changed.
    /// - Complexity: one pass over what is visible at either observation, a sort of the changes, two passes over
    ///   these; memory in
    ///   proportion to sample types and source revisions.
    public func comparisons(
        of scope: Scope, in context: ExportContext, thresholds: [Threshold: Double], hasCalendar: Bool = false
    ) throws(ArchiveError) -> ComparisonCursor {
        let offset = try connection.integer(
            "SELECT time_zone_seconds_from_gmt FROM observations WHERE id = ?1", [.integer(scope.observationID)])
        var cursor = try ComparisonCursor(
            connection, secondConnection(), query(for: scope), context, thresholds: thresholds,
            calendarOffset: hasCalendar ? offset.flatMap { Int(exactly: $0) } ?? 0 : nil, path)
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
