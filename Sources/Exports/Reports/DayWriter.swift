internal import Archive
internal import CanonicalJSON
internal import Days
internal import Measures

/// Writes `day` items (`Spec/days.md`, Items).
enum DayWriter {
    private static let rings: [(name: Key, place: Int)] = [
        ("active_energy", 0), ("active_energy_goal", 1), ("exercise_minutes", 2), ("exercise_minutes_goal", 3),
        ("move_minutes", 4), ("move_minutes_goal", 5), ("stand_hours", 6), ("stand_hours_goal", 7),
    ]

    static func document(_ item: DayItem, _ types: TypeNames) -> Document {
        let mean = item.cell.mean
        var writer = DocumentWriter()
        writeToMeasure(item, &writer)
        writeToSources(item, types, &writer)
        let cell = item.cell, night = cell.night, isByDay = item.period == .day
        let hasSources = cell.key.measure == .cumulative || night != nil
        if hasSources, item.sources.count > 1 {
            writer.put("sources", array: item.sources) { source, writer in write(source, item, &writer) }
        }
        if !isByDay { writer.put("stage_day_count", night?.stageDays) }
        write(rings[6..<8], cell, &writer)
        if isByDay { writer.put("start_date", moment: cell.span.map { moment($0.start) }) }
        if cell.sums != nil || mean != nil { writer.put("unit", item.unit) }
        writer.put("unspecified_seconds", seconds: night?.stages?.unspecified)
        writer.put("value_max", mean.map { _ in cell.greatest })
        writer.put("value_mean", mean)
        writer.put("value_min", mean.map { _ in cell.least })
        writer.put("value_sum", amount: cell.sums?.kept, digits: item.digits)
        if cell.key.measure == .workout { writer.put("workout_activity_type", cell.key.part.map { Int($0) }) }
        return Document(bytes: writer.finish(), type: item.type ?? -1, days: tally(item))
    }

    /// Writes the members up to `measure`.
    private static func writeToMeasure(_ item: DayItem, _ writer: inout DocumentWriter) {
        let cell = item.cell, night = cell.night, isByDay = item.period == .day
        write(rings[0..<2], cell, &writer)
        if !isByDay { writer.put("asleep_day_count", night?.asleepDays) }
        writer.put("asleep_seconds", seconds: night?.asleep)
        writer.put("awake_seconds", seconds: night?.awake)
        if cell.key.measure == .category { writer.put("category_value", cell.key.part.map { Int($0) }) }
        writer.put("completeness", item.when?.completeness.rawValue)
        writer.put("core_seconds", seconds: night?.stages?.core)
        writer.put("date", item.when?.date)
        if !isByDay, item.when != nil { writer.put("day_count", cell.dayCount) }
        writer.put("day_seconds", item.when.map { Int($0.seconds) })
        writer.put("day_start", moment: item.when.map { moment($0.start) })
        writer.put("deep_seconds", seconds: night?.stages?.deep)
        writer.put("distance", amount: cell.distance)
        writer.put("dropped_sum", amount: cell.sums?.dropped, digits: item.digits)
        if isByDay { writer.put("end_date", moment: cell.span.map { moment($0.end) }) }
        writer.put("energy", amount: cell.energy)
        write(rings[2..<4], cell, &writer)
        writer.put("in_bed_seconds", seconds: night?.inBed)
        writer.put("item_kind", "day")
        if let night, night.longSessionCount > 0 { writer.put("long_session_count", night.longSessionCount) }
        writer.put("measure", cell.key.measure.rawValue)
    }

    /// Writes the members from `measure` up to `sources`.
    private static func writeToSources(_ item: DayItem, _ types: TypeNames, _ writer: inout DocumentWriter) {
        let cell = item.cell, night = cell.night
        write(rings[4..<6], cell, &writer)
        if hasNotSummed(cell.key.measure) { writer.put("not_summed_count", cell.notSummed) }
        if cell.otherZone > 0 { writer.put("other_zone_count", cell.otherZone) }
        if cell.key.measure == .cumulative { writer.put("overlap_seconds", seconds: cell.overlap) }
        writer.put("overlap_seconds", seconds: night?.overlap)
        writer.put("record_count", cell.recordCount)
        writer.put("rem_seconds", seconds: night?.stages?.rem)
        writer.putType(item.type, types)
        let seconds = cell.key.measure == .category ? cell.seconds ?? 0 : cell.seconds
        writer.put("seconds", amount: seconds)
        writer.put("session_count", night?.sessionCount)
        writer.put("session_seconds", seconds: night?.session)
        if cell.key.measure == .cumulative { writer.put("shared_seconds", seconds: cell.shared) }
        if let source = item.source {
            writer.put("source") { writer in
                writer.put("bundle_identifier", text: source.bundle)
                writer.put("source_name_hash", text: source.nameHash)
            }
        }
        writer.put("source_count", item.sources.count)
    }

    private static func hasNotSummed(_ measure: DayMeasure) -> Bool {
        switch measure {
        case .activitySummary, .category, .cumulative, .discrete: true
        case .event, .nap, .night, .workout: false
        }
    }

    /// Returns a moment in seconds.
    private static func moment(_ microseconds: Int64) -> Double { Double(microseconds) / 1_000_000 }

    private static func write(
        _ members: ArraySlice<(name: Key, place: Int)>, _ cell: DayCell, _ writer: inout DocumentWriter
    ) {
        guard !cell.rings.isEmpty else { return }
        for member in members { writer.put(member.name, amount: cell.rings[member.place]) }
    }

    private static func write(
        _ source: (source: DaySource, entry: DayCell.Entry), _ item: DayItem, _ writer: inout DocumentWriter
    ) {
        let (entry, isByDay) = (source.entry, item.period == .day)
        writer.put("asleep_seconds", seconds: entry.night?.asleep)
        writer.put("bundle_identifier", text: source.source.bundle)
        if isByDay { writer.put("class", entry.sourceClass?.name) }
        if item.cell.key.measure == .cumulative { writer.put("covered_seconds", seconds: entry.covered) }
        writer.put("dropped_sum", amount: entry.sums?.dropped, digits: item.digits)
        writer.put("in_bed_seconds", seconds: entry.night?.inBed)
        if isByDay { writer.put("rank", entry.rank) }
        writer.put("record_count", entry.recordCount)
        writer.put("session_count", entry.night?.sessionCount)
        writer.put("session_seconds", seconds: entry.night?.session)
        writer.put("source_name_hash", text: source.source.nameHash)
        writer.put("value_sum", amount: entry.sums?.kept, digits: item.digits)
    }

    /// Returns the amounts that the totals add: they follow from the statements of the item.
    private static func tally(_ item: DayItem) -> DayTally {
        func stated(_ amount: Int128) -> Int128 {
            DecimalAmount.nearest(DecimalAmount.number(amount, digits: item.digits), digits: item.digits)
        }
        let isOfNight = item.cell.night != nil
        return DayTally(
            recordCount: isOfNight ? 0 : item.cell.recordCount,
            sums: item.cell.sums.map {
                .init(unit: item.unit ?? "", kept: stated($0.kept), dropped: stated($0.dropped))
            })
    }
}

extension DocumentWriter {
    /// Puts a whole number of the last decimal, as a number.
    fileprivate mutating func put(_ key: Key, amount: Int128?, digits: Int = 6) {
        put(key, amount.map { DecimalAmount.number($0, digits: digits) })
    }

    /// Microseconds as a number of seconds.
    fileprivate mutating func put(_ key: Key, seconds: Int64?) { put(key, amount: seconds.map { Int128($0) }) }
}
