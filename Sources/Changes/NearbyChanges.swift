internal import Measures
internal import SQLite
internal import Archive

/// Gathers the changes between two observations that can be in one window with a record that is no longer visible or
/// changed, and counts the others: records that appeared on days that no such record touches.
///
///     ended ranges ─► candidates ─► their days ─────────────┐
///     ranges that began ─► plain: one range, dates, a type ─┴─► on these days: a candidate; else: a number
///
/// A window ends with its local day, where no record crosses the end of that. So every window with a candidate lies on
/// the days that candidates touch, and on those that are joined to them by records that cross the end of a day. Most of
/// what an observation brings is new, and costs one look at its range, its sample and its version.
///
/// Memory is bounded by days, and by the number of records that may be kept; with more, what began is read twice.
struct NearbyChanges {
    /// A record that appeared, with the local days that it touches.
    private struct Appeared {
        let type, first, last: Int32
        let sampleID: Int64

        var days: ClosedRange<Int64> { Int64(first)...Int64(last) }
    }

    /// The maximum number of records that appeared and are kept.
    private static let limit = 200_000

    private let bounds: DayBounds
    /// The bounds of the type that was asked for last.
    private var last: (type: Int, bounds: DayBounds)
    private var appeared: [Appeared] = []
    private var areTooMany = false
    /// Days that are joined by what touches them, by type and first day: the last one, and whether a candidate does.
    private var spans: [Int: [Int64: (last: Int64, isNear: Bool)]] = [:]

    /// Fills the tables of the changes, those of `ChangeQuery.changeTables`, with the ones that are near.
    ///
    /// - Returns: how many records appeared beside them, by index of the type; nil where not all are told, so that the
    ///   tables have to be filled as always.
    static func gather(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext, _ bounds: DayBounds
    ) throws(ArchiveError) -> [Int: Int]? {
        guard query.records.fromChainID == nil, query.records.from < query.records.scope.observationID,
            query.records.selection().sql.isEmpty
        else {
            return nil
        }
        // One transaction: each candidate in one of its own would cost a journal.
        try connection.execute("SAVEPOINT nearby")
        for sql in ChangeQuery.emptyChangeTables + [query.endedCandidates] { try connection.execute(sql) }
        var changes = NearbyChanges(bounds: bounds)
        var counts: [Int: Int]?
        if try changes.readAppeared(connection, query, context) {
            try changes.readCandidates(connection, query, context)
            changes.joinDays()
            counts = try changes.addNear(connection, query, context)
            for sql in query.changeSides { try connection.execute(sql) }
        }
        try connection.execute("RELEASE nearby")
        return counts
    }

    private init(bounds: DayBounds) { (self.bounds, last) = (bounds, (-1, bounds)) }

    /// Reads what appeared. What is not plain becomes a candidate.
    ///
    /// - Returns: whether all was told.
    private mutating func readAppeared(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext
    ) throws(ArchiveError) -> Bool {
        var rows = try connection.prepare(query.begunRanges)
        var insert = try connection.prepare(ChangeQuery.insertCandidate)
        while try rows.step() {
            guard let id = rows.exactInteger(0) else { return false }
            guard let record = plain(rows, id, context) else {
                insert.bind(1, id)
                try insert.run()
                continue
            }
            // What touches one day joins none.
            if record.first < record.last { add(record.days, of: Int(record.type), isNear: false) }
            if appeared.count < Self.limit { appeared.append(record) } else { areTooMany = true }
        }
        return true
    }

    /// Returns the row of a sample with one range, dates and a type; `nil` of another.
    private mutating func plain(_ row: borrowing Statement, _ id: Int64, _ context: ExportContext) -> Appeared? {
        guard row.integer(4) == 1, let type = context.typeIndex(row.exactInteger(1)), let start = row.date(2),
            let end = row.date(3)
        else { return nil }
        let days = days(of: type, context, from: start, to: end)
        // Days of moments keep within the calendar, far from the bounds of 32 bits.
        return Appeared(
            type: Int32(type), first: Int32(days.lowerBound), last: Int32(days.upperBound), sampleID: id)
    }

    /// Reads the days that candidates touch: all from the first start to the last end of a sample's versions.
    private mutating func readCandidates(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext
    ) throws(ArchiveError) {
        var rows = try connection.prepare(query.candidateSpans)
        while try rows.step() {
            guard let type = context.typeIndex(rows.exactInteger(0)), let start = rows.real(1), let last = rows.real(2)
            else { continue }
            let end = max(last, rows.real(3) ?? last)
            add(days(of: type, context, from: start, to: end), of: type, isNear: true)
        }
    }

    private mutating func days(
        of type: Int, _ context: ExportContext, from start: Double, to end: Double
    ) -> ClosedRange<Int64> {
        if type != last.type { last = (type, bounds.counting(Measure(of: context.typeNames[type]))) }
        let first = last.bounds.index(of: start)
        return first...max(first, last.bounds.index(of: end))
    }

    private mutating func add(_ days: ClosedRange<Int64>, of type: Int, isNear: Bool) {
        let known = spans[type]?[days.lowerBound]
        spans[type, default: [:]][days.lowerBound] = (
            max(known?.last ?? days.upperBound, days.upperBound), isNear || known?.isNear ?? false
        )
    }

    /// Joins days that overlap.
    private mutating func joinDays() {
        for type in Array(spans.keys) {
            var joined: [Int64: (last: Int64, isNear: Bool)] = [:]
            var first: Int64?
            for (start, span) in spans[type]!.sorted(by: { $0.key < $1.key }) {
                if let known = first, start <= joined[known]!.last {
                    joined[known]!.last = max(joined[known]!.last, span.last)
                    joined[known]!.isNear = joined[known]!.isNear || span.isNear
                } else {
                    first = start
                    joined[start] = span
                }
            }
            spans[type] = joined.filter(\.value.isNear)
        }
    }

    /// Makes candidates of the records that are near, and counts the others.
    private mutating func addNear(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext
    ) throws(ArchiveError) -> [Int: Int] {
        let starts = spans.mapValues { $0.keys.sorted() }
        var insert = try connection.prepare(ChangeQuery.insertCandidate)
        var counts: [Int: Int] = [:]
        var rows = try connection.prepare(query.begunRanges)
        var place = 0
        while true {
            var record: Appeared?
            if areTooMany {
                guard try rows.step() else { break }
                record = plain(rows, rows.exactInteger(0) ?? 0, context)
            } else {
                guard place < appeared.count else { break }
                record = appeared[place]
                place += 1
            }
            guard let record else { continue }
            if isNear(record.days, spans[Int(record.type)] ?? [:], starts[Int(record.type)] ?? []) {
                insert.bind(1, record.sampleID)
                try insert.run()
            } else {
                counts[Int(record.type), default: 0] += 1
            }
        }
        return counts
    }

    /// Returns `true` if days touch one of the spans, which do not touch each other.
    private func isNear(
        _ days: ClosedRange<Int64>, _ spans: [Int64: (last: Int64, isNear: Bool)], _ starts: [Int64]
    ) -> Bool {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= days.upperBound { low = middle + 1 } else { high = middle }
        }
        guard low > 0, let span = spans[starts[low - 1]] else { return false }
        return span.last >= days.lowerBound
    }
}
