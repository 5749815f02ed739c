internal import Archive
internal import Derivation
internal import SQLite
internal import Timestamps

/// One pass over records in the order of type, day and source revision: three sums are open, and each is written
/// when the next group begins.
struct AggregationPass {
    private let types: [Int64: [UInt8]]
    private let summarized: Set<Int64>
    private let events: [Int64: EventCounts]
    private var days: LocalDays
    private var amounts: Amounts
    private var ofType = AggregateGroup()
    private var ofDay = AggregateGroup()
    private var ofRevision = AggregateGroup()
    /// Whether the open day's rows are to be written.
    private var isWanted = false
    /// The open groups.
    private(set) var type: Int64?
    private(set) var day: Double?
    private(set) var revision: Int64?
    /// Types that had a record, with what is visible of them.
    private(set) var written: [Int64: AggregateGroup] = [:]

    /// - Parameters:
    ///   - types: identifiers of the types, by id.
    ///   - summarized: types that have a summary.
    ///   - events: what the observation's events count, by type.
    ///   - amounts: how values are taken.
    init(
        types: [Int64: [UInt8]], summarized: Set<Int64>, events: [Int64: EventCounts], days: LocalDays,
        amounts: Amounts
    ) {
        self.types = types
        self.summarized = summarized
        self.events = events
        self.days = days
        self.amounts = amounts
    }

    /// Whether the open day has no record so far.
    var isAtDayStart: Bool { ofDay.count == 0 }

    /// Ends the open type, and opens the next.
    mutating func begin(type: Int64?, _ writer: inout AggregateWriter) throws(ArchiveError) {
        try endType(&writer)
        (self.type, day, revision) = (type, nil, nil)
        amounts.begin(type: type.flatMap { types[$0] } ?? [])
    }

    /// Ends the open day, and opens the next.
    mutating func begin(day: Double?, isWanted: Bool, _ writer: inout AggregateWriter) throws(ArchiveError) {
        try endDay(&writer)
        self.day = day
        self.isWanted = isWanted
    }

    /// Ends the open source revision, and opens the next.
    mutating func begin(revision: Int64?, _ writer: inout AggregateWriter) throws(ArchiveError) {
        try endRevision(&writer)
        self.revision = revision
    }

    /// Adds a record to the open groups: its start, end, value and unit are in the columns 3 to 6.
    mutating func add(_ row: borrowing Statement) {
        let (start, end) = (row.real(3), row.real(4))
        let amount = amounts.amount(row, value: 5, unit: 6)
        ofType.add(start: start, end: end, amount: amount)
        ofDay.add(start: start, end: end, amount: amount)
        if revision != nil { ofRevision.add(start: start, end: end, amount: amount) }
    }

    /// Ends the open type.
    mutating func endType(_ writer: inout AggregateWriter) throws(ArchiveError) {
        try endDay(&writer)
        guard let type else { return }
        if summarized.contains(type) {
            let counts = events[type] ?? EventCounts()
            try writer.write(
                ofType.values(areSummed: amounts.areSummed), type: type, identifier: types[type] ?? [], counts)
        }
        written[type] = ofType
        ofType.reset()
    }

    private mutating func endDay(_ writer: inout AggregateWriter) throws(ArchiveError) {
        try endRevision(&writer)
        guard ofDay.count > 0 else { return }
        try write(ofDay.values(areSummed: amounts.areSummed), revision: nil, &writer)
        ofDay.reset()
    }

    private mutating func endRevision(_ writer: inout AggregateWriter) throws(ArchiveError) {
        guard ofRevision.count > 0 else { return }
        if let revision { try write(ofRevision.values(areSummed: amounts.areSummed), revision: revision, &writer) }
        ofRevision.reset()
    }

    private mutating func write(
        _ values: AggregateValues, revision: Int64?, _ writer: inout AggregateWriter
    ) throws(ArchiveError) {
        guard isWanted, let type, let day, let bucket = days.bucket(of: day) else { return }
        try writer.write(
            values, type: type, identifier: types[type] ?? [], start: Double(bucket.lowerBound),
            end: Double(bucket.upperBound), revision: revision)
    }
}
