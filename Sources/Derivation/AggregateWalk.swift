package import Archive
internal import Measures
internal import SQLite

/// The rows of aggregates that somebody wants derived, and what becomes of them.
package protocol AggregateRows: ~Copyable {
    /// Returns the next row of `daily_type_aggregates`, by type, start and observation; `nil` after the last.
    mutating func nextBucket() throws(ArchiveError) -> BucketSweep.Row?
    /// Returns the next row of `observation_type_summaries`, by type and observation; `nil` after the last.
    mutating func nextSummary() throws(ArchiveError) -> AggregateWalk.Summary?
    /// Begins the row that came last, before the next one is asked for.
    mutating func begin(_ row: BucketSweep.Row, _ type: AggregateWalk.TypeName) throws(ArchiveError)
    mutating func begin(_ row: AggregateWalk.Summary, _ type: AggregateWalk.TypeName) throws(ArchiveError)
    /// Takes what a row should say.
    mutating func end(_ row: BucketSweep.Row, _ derived: AggregateWalk.Derived) throws(ArchiveError)
    /// Takes what the summary of an observation should say: it has a row, or it should have one.
    mutating func end(_ row: AggregateWalk.Summary?, of observation: Int64, _ derived: AggregateWalk.Derived)
        throws(ArchiveError)
    /// Takes a bucket that should have a row of an observation.
    mutating func require(observation: Int64, type: Int64, start: Double, revision: Int64?, isThere: Bool)
    /// Counts a row that was read.
    mutating func countRow()
}

/// One pass over all records of an archive, by type and start, that derives rows of aggregates of any observation, each
/// by its own boundaries.
///
/// Five sorted streams are merged type by type: types, records, buckets, summaries, and what events and type runs ask
/// for. Nothing is kept but what is open, so time is O(n log n), and memory is that of the observations.
package struct AggregateWalk: ~Copyable {
    /// A type.
    package struct TypeName {
        package let id: Int64
        /// The identifier; `nil` if it is not text.
        package let identifier: [UInt8]?
    }

    /// A row of `observation_type_summaries`.
    package struct Summary {
        package let id: Int64?
        package let type, observation: Int64
        /// The values that the row states.
        package let stored: AggregateValues
        package let events: EventCounts

        /// A row.
        package init(id: Int64?, type: Int64, observation: Int64, stored: AggregateValues, events: EventCounts) {
            (self.id, self.type, self.observation) = (id, type, observation)
            (self.stored, self.events) = (stored, events)
        }
    }

    /// The values that a row should have.
    package struct Derived {
        package let type: TypeName
        package let values: AggregateValues
        /// The sum of the magnitudes of the values: a sum that was rounded at each step may be off by that much.
        package let magnitude: Double
        /// The counts from the events; `nil` if the observation had neither an event nor a run of the type.
        package var events: EventCounts?
    }

    private var observations: ObservationTable
    private var amounts: Amounts
    private var buckets = BucketSweep()
    private var summaries: SummarySweep
    /// Of each type and observation that had a run or an event: what its events count.
    private var events: Statement
    private var isAtEvents = false
    private var nextBucket: BucketSweep.Row?
    private var nextSummary: Summary?
    private var skipped = 0
    /// `true` if the records of the type state a date.
    private var isDated = false

    /// Derives rows. Returns how many buckets were left out because too many of one type and day came.
    package static func run<Rows: AggregateRows & ~Copyable>(
        _ rows: inout Rows, _ observations: consuming ObservationTable, _ rules: IdentityRules?,
        _ connection: borrowing Connection
    ) throws(ArchiveError) -> Int {
        var walk = try AggregateWalk(observations, rules, connection)
        try walk.run(&rows, connection)
        return walk.skipped
    }

    private init(
        _ observations: consuming ObservationTable, _ rules: IdentityRules?, _ connection: borrowing Connection
    )
        throws(ArchiveError)
    {
        let columns = EventCounts.columns
        events = try connection.prepare(
            """
            SELECT type, observation, sum(appeared), sum(disappeared), sum(changed) FROM (\
            SELECT s.sample_type_id AS type, e.observation_id AS observation, \(columns.appeared) AS appeared,
                \(columns.disappeared) AS disappeared, \(columns.representationChanged) AS changed
                FROM sample_observation_events e NOT INDEXED
                CROSS JOIN samples s ON s.id = e.sample_id \
            UNION ALL SELECT sample_type_id, observation_id, 0, 0, 0 FROM observation_type_runs)
                WHERE typeof(type) = 'integer' GROUP BY 1, 2 ORDER BY 1, 2
            """)
        summaries = SummarySweep(size: observations.ids.count)
        amounts = Amounts(rules)
        self.observations = observations
    }

    private mutating func run<Rows: AggregateRows & ~Copyable>(_ rows: inout Rows, _ connection: borrowing Connection)
        throws(ArchiveError)
    {
        var records = try AggregateRecords(connection)
        isAtEvents = try events.step()
        nextBucket = try rows.nextBucket()
        nextSummary = try rows.nextSummary()
        var types = try connection.prepare("SELECT id, type_identifier FROM sample_types NOT INDEXED ORDER BY id")
        var record = try next(&records, &rows)
        while try types.step() {
            guard let id = types.exactInteger(0) else { continue }
            let type = TypeName(id: id, identifier: types.storageClass(1) == .text ? types.bytes(1) : nil)
            amounts.begin(type: type.identifier ?? [])
            isDated = Measure(of: type.identifier ?? []).isDated
            while let found = record, found.type <= id {
                if found.type == id { try add(found, type, &rows) }
                record = try next(&records, &rows)
            }
            try endSummaries(type, &rows)
            try open(upTo: .infinity, type, &rows)
            try close(through: .infinity, type, &rows)
        }
    }

    private func next<Rows: AggregateRows & ~Copyable>(_ records: inout AggregateRecords, _ rows: inout Rows)
        throws(ArchiveError) -> AggregateRecord?
    {
        while try records.step() {
            rows.countRow()
            if let record = records.record(observations) { return record }
        }
        return nil
    }

    private mutating func add<Rows: AggregateRows & ~Copyable>(
        _ record: AggregateRecord, _ type: TypeName, _ rows: inout Rows
    ) throws(ArchiveError) {
        let amount = amounts.amount(record.value, unit: record.unit)
        summaries.add(start: record.start, end: record.endDate, at: record.places, amount)
        guard let start = record.start, start.isFinite else { return }
        try open(upTo: start, type, &rows)
        try close(through: start, type, &rows)
        buckets.add(start: start, at: record.places, revision: record.revision, amount)
        if skipped == 0 { require(record, start, &rows) }
    }

    // MARK: Buckets

    /// Opens the rows of a type that begin at or before a moment. Those that a record of a date can be counted in begin
    /// at most 26 hours after it. Rows of types before it have no record.
    private mutating func open<Rows: AggregateRows & ~Copyable>(
        upTo start: Double, _ type: TypeName, _ rows: inout Rows
    ) throws(ArchiveError) {
        let latest = isDated ? start + 93_600 : start
        while let row = nextBucket, row.type < type.id || (row.type == type.id && row.start <= latest) {
            let place = observations.place(of: row.observation)
            if row.type == type.id, place != nil { try rows.begin(row, type) }
            nextBucket = try rows.nextBucket()
            guard row.type == type.id, let place, observations.isFinished[place] else { continue }
            let starts = isDated ? observations.datedStarts(of: row, at: place) : nil
            // No record that is to come begins before this one.
            if buckets.isFull { try close(through: start, type, &rows) }
            if buckets.isFull { skipped += 1 } else { buckets.open(row, at: place, starts) }
        }
    }

    private mutating func close<Rows: AggregateRows & ~Copyable>(
        through moment: Double, _ type: TypeName, _ rows: inout Rows
    ) throws(ArchiveError) {
        try buckets.close(through: moment, areSummed: amounts.areSummed) {
            row, values, magnitude throws(ArchiveError) in
            try rows.end(row, Derived(type: type, values: values, magnitude: magnitude))
        }
    }

    /// Names the rows that a record demands: of its day and of its source revision, at the observations at which it
    /// appears or goes, and at those that write all buckets (`Spec/capture.md`, "Aggregates").
    private mutating func require<Rows: AggregateRows & ~Copyable>(
        _ record: AggregateRecord, _ start: Double, _ rows: inout Rows
    ) {
        guard let first = record.places.first else { return }
        require(record, start, at: first, &rows)
        for place in observations.rewriting(in: first + 1..<record.places.upperBound) {
            require(record, start, at: place, &rows)
        }
        if let end = record.end, observations.rewriting(in: end..<end + 1).isEmpty {
            require(record, start, at: end, &rows)
        }
    }

    private mutating func require<Rows: AggregateRows & ~Copyable>(
        _ record: AggregateRecord, _ start: Double, at place: Int, _ rows: inout Rows
    ) {
        guard observations.isFinished[place], let day = observations.bucket(of: start, isDated: isDated, at: place)
        else { return }
        let begin = Double(day.lowerBound)
        func require(_ revision: Int64?) {
            rows.require(
                observation: observations.ids[place], type: record.type, start: begin, revision: revision,
                isThere: buckets.has(place: place, start: begin, revision: revision))
        }
        require(nil)
        if let revision = record.revision { require(revision) }
    }

    // MARK: Summaries

    /// Ends the summaries of a type: all its rows, and those that should be there.
    private mutating func endSummaries<Rows: AggregateRows & ~Copyable>(_ type: TypeName, _ rows: inout Rows)
        throws(ArchiveError)
    {
        var counts = try eventCounts(of: type.id)
        var found: [Int: Summary] = [:]
        while let row = nextSummary, row.type <= type.id {
            rows.countRow()
            if row.type == type.id, let place = observations.place(of: row.observation) {
                try rows.begin(row, type)
                found[place] = row
            }
            nextSummary = try rows.nextSummary()
        }
        // Types without anything may be as many as there are rows, and each pass goes over all observations.
        guard !found.isEmpty || !counts.isEmpty else { return summaries.reset() }
        let (ids, isFinished) = (observations.ids, observations.isFinished)
        try summaries.finish(areSummed: amounts.areSummed) { place, values, magnitude throws(ArchiveError) in
            let events = counts.removeValue(forKey: place), row = found[place]
            guard isFinished[place], row != nil || events != nil else { return }
            try rows.end(
                row, of: ids[place], Derived(type: type, values: values, magnitude: magnitude, events: events))
        }
    }

    private mutating func eventCounts(of type: Int64) throws(ArchiveError) -> [Int: EventCounts] {
        var counts: [Int: EventCounts] = [:]
        while isAtEvents, let other = events.exactInteger(0), other <= type {
            if other == type, let place = events.exactInteger(1).flatMap({ observations.place(of: $0) }) {
                counts[place] = EventCounts(
                    appeared: events.integer(2) ?? 0, disappeared: events.integer(3) ?? 0,
                    representationChanged: events.integer(4) ?? 0)
            }
            isAtEvents = try events.step()
        }
        return counts
    }
}

/// The summaries of one type at all observations, derived in one pass over its records.
///
/// A record is visible in an interval of places. Counts and sums take it up at the interval's beginning and drop it
/// at its end; the sum is exact, so what is dropped leaves no trace. For minima and maxima the interval is covered
/// by two overlapping runs whose length is a power of two; runs are resolved into halves at the end. So a record
/// costs O(1), whatever the number of observations.
package struct SummarySweep {
    private let size: Int
    /// `true` if there is nothing to finish.
    package private(set) var isEmpty = true
    private var count: [Int64]
    private var values: [Int64]
    /// Values that cannot be compared with the others.
    private var others: [Int64]
    private var magnitude: [Double]
    /// The changes of sums, only at the places that change.
    private var changes: [Int: ExactSum] = [:]
    private var earliest: RunTable
    private var latest: RunTable
    private var maximum: RunTable

    /// - Parameter size: number of places.
    package init(size: Int) {
        self.size = size
        count = [Int64](repeating: 0, count: size + 1)
        values = count
        others = count
        magnitude = [Double](repeating: 0, count: size + 1)
        earliest = RunTable(size: size)
        latest = RunTable(size: size)
        maximum = RunTable(size: size)
    }

    /// Adds a record that is visible at an interval of places.
    package mutating func add(start: Double?, end: Double?, at places: Range<Int>, _ amount: Amount) {
        guard !places.isEmpty else { return }
        isEmpty = false
        count[places.lowerBound] += 1
        count[places.upperBound] -= 1
        // Minima are maxima of the negative.
        if let start { earliest.raise(places, to: -start) }
        if let end { latest.raise(places, to: end) }
        switch amount {
        case .none: break
        case .incomparable:
            others[places.lowerBound] += 1
            others[places.upperBound] -= 1
        case .value(let value):
            values[places.lowerBound] += 1
            values[places.upperBound] -= 1
            magnitude[places.lowerBound] += abs(value)
            magnitude[places.upperBound] -= abs(value)
            changes[places.lowerBound, default: ExactSum()].add(value)
            if places.upperBound < size { changes[places.upperBound, default: ExactSum()].add(-value) }
            maximum.raise(places, to: value)
        }
    }

    /// Calls `body` with the summary at each place and the sum of the magnitudes of its values; then forgets all
    /// records.
    ///
    /// - Parameter areSummed: whether a sum of the values means something.
    package mutating func finish(
        areSummed: Bool, _ body: (Int, AggregateValues, _ magnitude: Double) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        earliest.resolve()
        latest.resolve()
        maximum.resolve()
        var (counted, valued, mixed, sum, weight) = (Int64(0), Int64(0), Int64(0), ExactSum(), 0.0)
        for place in 0..<size {
            counted += count[place]
            valued += values[place]
            mixed += others[place]
            weight += magnitude[place]
            if let change = changes[place] { sum.add(change) }
            var found = AggregateValues(
                count: counted, earliestStart: earliest[place].map { -$0 }, latestEnd: latest[place])
            if valued > 0, mixed == 0 {
                found.sum = areSummed ? sum.value() : nil
                found.maximum = maximum[place]
            }
            try body(place, found, weight)
        }
        reset()
    }

    /// Forgets all records.
    package mutating func reset() {
        guard !isEmpty else { return }
        isEmpty = true
        for place in 0...size { (count[place], values[place], others[place], magnitude[place]) = (0, 0, 0, 0) }
        changes.removeAll(keepingCapacity: true)
        earliest.reset()
        latest.reset()
        maximum.reset()
    }
}

/// The greatest number that was given to each place, where numbers are given to intervals.
private struct RunTable {
    /// Level k, place i: for the places i ..< i + 2^k. Allocated when it is first used.
    private var levels: [[Double]]
    private let size: Int

    init(size: Int) {
        self.size = size
        levels = [[Double]](repeating: [], count: Int.bitWidth - size.leadingZeroBitCount + 1)
    }

    mutating func raise(_ places: Range<Int>, to value: Double) {
        let level = Int.bitWidth - 1 - places.count.leadingZeroBitCount
        if levels[level].isEmpty { levels[level] = [Double](repeating: -.infinity, count: size) }
        for start in [places.lowerBound, places.upperBound - 1 << level] where levels[level][start] < value {
            levels[level][start] = value
        }
    }

    /// Hands the numbers of each run down to its halves.
    mutating func resolve() {
        for level in (1..<levels.count).reversed() where !levels[level].isEmpty {
            if levels[level - 1].isEmpty { levels[level - 1] = [Double](repeating: -.infinity, count: size) }
            for start in 0..<size where levels[level][start] > -.infinity {
                for half in [start, start + 1 << (level - 1)] {
                    levels[level - 1][half] = max(levels[level - 1][half], levels[level][start])
                }
            }
        }
    }

    subscript(place: Int) -> Double? { levels[0].isEmpty || levels[0][place] == -.infinity ? nil : levels[0][place] }

    mutating func reset() { for level in levels.indices { levels[level] = [] } }
}
