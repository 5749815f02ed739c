internal import Archive
internal import Codes
internal import SQLite
internal import Timestamps

/// The daily buckets of one type, from one pass over its records in the order of their starts.
///
/// Stored rows come in the order of their buckets. A row is *active* from its bucket's start to its end, and takes
/// up each record in between that its observation sees. Nothing is kept of records.
struct BucketSweep: ~Copyable {
    /// A stored row, and what it should say.
    private struct Active {
        let row: Int64?
        let place: Int
        let start, end: Double
        let revision: Int64?
        let stored: AggregateRow
        var rebuilt = AggregateRow()
        var sum = ExpansionSum()
        var hasValues = false
        /// Whether a value cannot be compared with the others.
        var isMixed = false
    }

    /// What names a bucket of a type.
    private struct Name: Hashable {
        let place: Int
        let start: Double
        let revision: Int64?
    }

    private var rows: Statement
    private var hashes: AggregateHashes
    private var pending: (type: Int64, active: Active)?
    private var isAtEnd = false
    private var active: [Active] = []
    private var names: Set<Name> = []
    private var reported: Set<Name> = []
    /// The earliest end of an active row.
    private var nextEnd = Double.infinity
    private let isExact: Bool
    /// Rows that were not looked at because too many are active at once.
    private var skipped = 0
    /// More rows of one day are not followed at once.
    private static let limit = 4096
    private static let table = "daily_type_aggregates"

    init(_ reader: borrowing EvidenceReader, isExact: Bool) throws(ArchiveError) {
        let hashes = try AggregateHashes(reader)
        rows = try reader.prepare(
            """
            SELECT rowid, sample_type_id, observation_id, bucket_start, bucket_end, visible_record_count,
                value_sum, value_max, source_revision_id, aggregate_hash \
            FROM daily_type_aggregates NOT INDEXED WHERE typeof(sample_type_id) = 'integer' ORDER BY 2, 4, 3
            """)
        self.hashes = hashes
        self.isExact = isExact
    }

    /// Takes a record; those of a type come by their starts, types by their ids.
    mutating func add(
        _ record: AggregateRecord, _ rule: AmountRule, identifier: [UInt8]?, _ observations: inout ObservationTable,
        _ log: inout CheckLog
    ) throws(ArchiveError) {
        guard let start = record.start, start.isFinite else { return }
        try load(type: record.type, upTo: start, rule, identifier: identifier, observations, &log)
        if start >= nextEnd { retire(before: start, rule, &log) }
        let amount = record.amount(rule)
        for index in active.indices where active[index].start <= start && record.places.contains(active[index].place) {
            guard active[index].revision == nil || active[index].revision == record.revision else { continue }
            active[index].rebuilt.count += 1
            if case .incomparable = amount { active[index].isMixed = true }
            guard case .value(let value) = amount else { continue }
            active[index].sum.add(value)
            active[index].rebuilt.magnitude += abs(value)
            active[index].rebuilt.maximum = max(active[index].rebuilt.maximum ?? value, value)
            active[index].hasValues = true
        }
        if isExact, skipped == 0 { checkPresence(of: record, start, &observations, &log) }
    }

    /// Ends a type.
    mutating func finish(
        type: Int64, _ rule: AmountRule, identifier: [UInt8]?, _ observations: ObservationTable, _ log: inout CheckLog
    ) throws(ArchiveError) {
        try load(type: type, upTo: .infinity, rule, identifier: identifier, observations, &log)
        retire(before: .infinity, rule, &log)
        reported.removeAll()
    }

    /// Says what was not checked.
    func end(_ log: inout CheckLog) {
        guard skipped > 0 else { return }
        let rows = skipped == 1 ? "1 row of daily_type_aggregates was" : "\(skipped) rows of daily_type_aggregates were"
        log.withhold("\(rows) not recomputed: more than \(Self.limit) of one type and day")
    }

    // MARK: Stored rows

    /// Makes the rows of a type active that begin at or before a moment. Rows of types before it have no record.
    private mutating func load(
        type: Int64, upTo start: Double, _ rule: AmountRule, identifier: [UInt8]?, _ observations: ObservationTable,
        _ log: inout CheckLog
    ) throws(ArchiveError) {
        while true {
            if pending == nil, !isAtEnd { try fetch(observations, &log) }
            guard let next = pending, next.type < type || (next.type == type && next.active.start <= start) else {
                return
            }
            if next.type == type, isExact { try hashes.check(bucket: rows, type: identifier, &log) }
            pending = nil
            guard next.type == type, observations.isFinished[next.active.place] else { continue }
            // No record that is to come begins before the next row does.
            if active.count >= Self.limit, next.active.start >= nextEnd {
                retire(before: next.active.start, rule, &log)
            }
            guard active.count < Self.limit else {
                skipped += 1
                continue
            }
            names.insert(Name(place: next.active.place, start: next.active.start, revision: next.active.revision))
            active.append(next.active)
            nextEnd = min(nextEnd, next.active.end)
        }
    }

    private mutating func fetch(_ observations: ObservationTable, _ log: inout CheckLog) throws(ArchiveError) {
        while try rows.step() {
            log.countRow()
            guard let type = rows.exactInteger(1),
                let place = rows.exactInteger(2).flatMap({ observations.place(of: $0) }), let start = rows.real(3),
                let end = rows.real(4)
            else { continue }
            guard rows.isNull(8) || rows.exactInteger(8) != nil else { continue }
            let stored = AggregateRow(count: rows.exactInteger(5) ?? -1, sum: rows.real(6), maximum: rows.real(7))
            pending = (
                type,
                Active(
                    row: rows.exactInteger(0), place: place, start: start, end: end, revision: rows.exactInteger(8),
                    stored: stored)
            )
            return
        }
        isAtEnd = true
    }

    /// Compares the rows whose bucket is over.
    private mutating func retire(before moment: Double, _ rule: AmountRule, _ log: inout CheckLog) {
        var rest: [Active] = []
        nextEnd = .infinity
        for var row in active {
            guard row.end <= moment || moment == .infinity else {
                nextEnd = min(nextEnd, row.end)
                rest.append(row)
                continue
            }
            names.remove(Name(place: row.place, start: row.start, revision: row.revision))
            if row.hasValues, rule.isSummed { row.rebuilt.sum = row.sum.value() }
            if row.isMixed { (row.rebuilt.sum, row.rebuilt.maximum) = (nil, nil) }
            guard let column = row.rebuilt.firstDifference(from: row.stored, isExact: isExact, ofSummary: false) else {
                continue
            }
            log.add(.aggregatesBucket, Self.table, row: row.row, column: column, expected: "what the ranges give")
        }
        active = rest
    }

    // MARK: Rows that should be there

    /// Where a record appears or goes, and where an observation writes all buckets, there is a row of its day, and
    /// one of its source revision (`Spec/capture.md`, "Aggregates").
    private mutating func checkPresence(
        of record: AggregateRecord, _ start: Double, _ observations: inout ObservationTable, _ log: inout CheckLog
    ) {
        guard !record.places.isEmpty else { return }
        require(record, start, at: record.places.lowerBound, &observations, &log)
        for place in record.places.dropFirst() where observations.writesAll[place] {
            require(record, start, at: place, &observations, &log)
        }
        if let end = record.end, !observations.writesAll[end] { require(record, start, at: end, &observations, &log) }
    }

    private mutating func require(
        _ record: AggregateRecord, _ start: Double, at place: Int, _ observations: inout ObservationTable,
        _ log: inout CheckLog
    ) {
        guard observations.isFinished[place] else { return }
        let bounds = observations.days[observations.zone[place]].day(of: start)
        // A day at an end of time has no bucket.
        guard Calendar.range.contains(bounds.lowerBound), Calendar.range.contains(bounds.upperBound) else { return }
        let day = Double(bounds.lowerBound)
        for revision in record.revision == nil ? [nil] : [nil, record.revision] {
            let name = Name(place: place, start: day, revision: revision)
            guard !names.contains(name), reported.insert(name).inserted else { continue }
            log.add(
                .aggregatesMissing, Self.table,
                expected: "a row of observation \(observations.ids[place]), type "
                    + "\(record.type), for \(revision.map { "source revision \($0)" } ?? "all records") of a day")
        }
        // A bound, not a rule: a name that is forgotten may be reported again.
        if reported.count > 100_000 { reported.removeAll() }
    }
}
