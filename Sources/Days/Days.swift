/// Local days and months of each sample type, nights and naps, as observed at one point in time (`Spec/days.md`).
///
///     Archive ─► DayRows ─► sorted by type and start ─► DaySweep ─► DayCell of each day ─► DayItem
///                                                          └─► NightGatherer ─► sessions ─┘
///
/// Amounts and times are whole numbers, so no figure depends on the order of records. Times are microseconds since
/// 1970. Memory is bounded by the records of a type that overlap one day, and by the sessions of sleep that are open.
public import Archive
internal import Measures
internal import SQLite

extension Archive {
    /// Calls `take` with the items of a day report, in their order.
    ///
    /// - Parameters:
    ///   - scope: of one point in time; the dates of its filter select items, all else of it records.
    ///   - context: of the same scope.
    /// - Complexity: one pass over what is visible, and a sort of it.
    public func days(
        of scope: Scope, in context: ExportContext, _ question: DayQuestion, take: (DayItem) throws -> Void
    ) throws {
        precondition(scope.mode == .pointInTime, "days are of one observation")
        let filter = scope.filter
        let records = Scope(
            mode: .pointInTime, observationID: scope.observationID,
            filter: Filter(sampleTypes: filter.sampleTypes, sources: filter.sources, sourceNames: filter.sourceNames))
        var zones = try ObservationZones(connection)
        let zone = try zones.zone(of: scope.observationID)
        let types = DayTypes(context)
        var rows = try DayRows(connection, try query(for: records), context, types, scope.observationID, path)
        let runs = try rows.sorted()
        let calendar = DayCalendar(zone)
        let ranking = SourceRanking(rows.sources, preferred: question.preferred)
        var sweep = DaySweep(
            question, types, calendar, ranking, observedAt: zone?.moment.map(Microseconds.of),
            since: filter.since.map(Microseconds.of), until: filter.until.map(Microseconds.of))
        var merge = try RowMerge(runs)
        var reader = DayRowReader()
        while let (type, record) = try reader.next(&merge, types) { try sweep.add(record, of: type, take: take) }
        try sweep.finish(take: take)
    }
}
