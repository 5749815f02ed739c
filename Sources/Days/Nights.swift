internal import Measures

/// The times of sleep of one source, added up: of a session, or of the sessions of a date.
struct SleepTally {
    private(set) var standing: SourceStanding
    private(set) var span: Interval
    private(set) var recordCount = 0
    private(set) var otherZone = 0
    private var sessionCount = 1
    private var longSessionCount = 0
    private var session: Int64 = 0
    /// By value: whether a record has it, and the time that counts for it.
    private var isThere = [Bool](repeating: false, count: 6)
    private var times = [Int64](repeating: 0, count: 6)
    private var overlap: Int64 = 0

    /// At each moment the first of these counts: awake, deep, REM, core, unspecified.
    private static let order = [2, 4, 5, 3, 1]

    /// The tally of a session.
    init(_ records: [DayRecord]) {
        standing = SourceStanding(records[0].source)
        span = Interval(start: records[0].start ?? 0, end: records[0].end)
        var edges: [(moment: Int64, value: Int, step: Int)] = []
        for record in records {
            guard let start = record.start, let value = record.part.map({ Int($0) }) else { continue }
            standing.add(record.maker)
            recordCount += 1
            if record.isOfOtherZone { otherZone += 1 }
            isThere[value] = true
            span.end = max(span.end, record.end)
            edges.append((start, value, 1))
            edges.append((record.end, value, -1))
        }
        standing.started = recordCount
        session = span.length
        longSessionCount = session > 24 * Microseconds.hour ? 1 : 0
        sweep(edges.sorted { $0.moment < $1.moment })
    }

    private mutating func sweep(_ edges: [(moment: Int64, value: Int, step: Int)]) {
        var running = [Int](repeating: 0, count: 6)
        var last = span.start
        for edge in edges {
            let length = edge.moment - last
            last = edge.moment
            if length > 0 {
                let asleep = running[1...].reduce(0, +)
                if running[0] > 0 { times[0] += length }
                if let first = Self.order.first(where: { running[$0] > 0 }) { times[first] += length }
                if asleep > 1 { overlap += length }
                if asleep + running[0] > 0 { standing.covered += length }
            }
            running[edge.value] += edge.step
        }
    }

    /// Adds another session of the same date.
    mutating func add(_ other: SleepTally) {
        standing.add(other.standing)
        span = Interval(start: min(span.start, other.span.start), end: max(span.end, other.span.end))
        recordCount += other.recordCount
        otherZone += other.otherZone
        sessionCount += other.sessionCount
        longSessionCount += other.longSessionCount
        session += other.session
        overlap += other.overlap
        for value in times.indices {
            isThere[value] = isThere[value] || other.isThere[value]
            times[value] += other.times[value]
        }
    }

    /// Core, deep and REM: how many of them there are.
    var stageCount: Int { isThere[3...5].count { $0 } }

    var figures: NightFigures {
        var found = NightFigures()
        found.sessionCount = sessionCount
        found.longSessionCount = longSessionCount
        found.session = session
        found.overlap = overlap
        if isThere[0] { found.inBed = times[0] }
        if isThere[2] { found.awake = times[2] }
        if isThere[1] || stageCount > 0 {
            found.asleep = times[1] + times[3] + times[4] + times[5]
            found.asleepDays = 1
        }
        if stageCount > 0 {
            found.stages = .init(core: times[3], deep: times[4], rem: times[5], unspecified: times[1])
            found.stageDays = 1
        }
        return found
    }
}

/// Puts records of sleep together to sessions, and sessions to nights and naps.
struct NightGatherer {
    /// A session that may go on.
    private struct Open {
        var records: [DayRecord]
        var end: Int64
    }

    private struct Date: Hashable {
        let day: Int64
        let measure: DayMeasure
    }

    private var open: [Int: Open] = [:]
    private var dates: [Date: [Int: SleepTally]] = [:]
    /// No session that is open ends before this, so nothing is looked for until then.
    private var nextEnd = Int64.max

    /// A session ends where 60 minutes have no record.
    private static let gap = Microseconds.hour
    /// A session that is open this long after a day, or later, is not of that day: a nap lasts less than three hours
    /// and ends with the gap, and the date of a night is that of a later moment than its end.
    static let margin = 4 * Microseconds.hour

    /// Adds a record; records come in the order of their starts.
    mutating func add(_ record: DayRecord, _ calendar: inout DayCalendar) {
        guard let start = record.start, let value = record.part, (0...5).contains(value), record.length > 0,
            !record.isLong
        else { return }
        close(before: start, &calendar)
        var session = open[record.source] ?? Open(records: [], end: record.end)
        session.records.append(record)
        session.end = max(session.end, record.end)
        open[record.source] = session
        nextEnd = min(nextEnd, session.end)
    }

    /// Ends the sessions that no record from a moment on can join.
    private mutating func close(before moment: Int64, _ calendar: inout DayCalendar) {
        guard nextEnd <= moment - Self.gap else { return }
        nextEnd = .max
        for (source, session) in open {
            guard session.end <= moment - Self.gap else {
                nextEnd = min(nextEnd, session.end)
                continue
            }
            open[source] = nil
            let tally = SleepTally(session.records)
            let date = Self.date(of: tally.span, &calendar)
            if dates[date]?[source]?.add(tally) == nil { dates[date, default: [:]][source] = tally }
        }
    }

    private static func date(of span: Interval, _ calendar: inout DayCalendar) -> Date {
        let day = 24 * Microseconds.hour
        let clock = calendar.local(span.start) - calendar.local(span.start).dividedDown(by: day) * day
        let isShort = span.length < 3 * Microseconds.hour
        if isShort, clock >= 10 * Microseconds.hour, clock < 20 * Microseconds.hour {
            return Date(day: calendar.day(of: span.start).number, measure: .nap)
        }
        return Date(day: calendar.day(of: span.end + 6 * Microseconds.hour).number, measure: .night)
    }

    /// Takes the nights and naps of which everything is known once the records up to a moment are there.
    mutating func take(
        before moment: Int64, _ calendar: inout DayCalendar, _ ranking: SourceRanking
    ) -> [(day: Int64, cell: DayCell)] {
        close(before: moment, &calendar)
        var found: [(day: Int64, cell: DayCell)] = []
        for (date, sources) in dates
        where moment == .max || calendar.day(date.day).end <= moment - Self.margin {
            found.append((date.day, Self.cell(date.measure, sources, ranking)))
            dates[date] = nil
        }
        return found
    }

    private static func cell(
        _ measure: DayMeasure, _ sources: [Int: SleepTally], _ ranking: SourceRanking
    ) -> DayCell {
        let ranked = sources.values.sorted { left, right in
            if left.stageCount != right.stageCount { return left.stageCount > right.stageCount }
            let asleep = (left.figures.asleep ?? -1, right.figures.asleep ?? -1)
            return asleep.0 != asleep.1 ? asleep.0 > asleep.1 : ranking.precedes(left.standing, right.standing)
        }
        var cell = DayCell(DayCell.Key(measure: measure))
        for (place, tally) in ranked.enumerated() {
            cell.entries[tally.standing.source] = DayCell.Entry(
                recordCount: tally.recordCount, sourceClass: tally.standing.sourceClass, rank: place + 1,
                night: tally.figures)
        }
        let best = ranked[0]
        cell.recordCount = best.recordCount
        cell.otherZone = best.otherZone
        cell.night = best.figures
        cell.taken = best.standing.source
        cell.span = (best.span.start, best.span.end)
        return cell
    }
}
