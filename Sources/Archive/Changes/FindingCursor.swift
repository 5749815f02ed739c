internal import Measures
internal import SQLite
internal import Timestamps

/// Streams findings in order: by sample type, and by kind within a type (`Spec/changes.md`).
public struct FindingCursor: ~Copyable {
    private let runs: [Int?: String]
    /// When the older observation's runs looked for the records of each type, in Unix seconds.
    private let verified: [Int?: Double]
    private let lateArrivalSeconds: Double
    private let context: ExportContext
    /// Type ids with their places in the context; the next one is the last.
    private var types: [(id: Int64, index: Int?)]
    private let disappeared: [Int64: Int]
    private let elapsed: Double?
    private let days: DivergenceDays?
    private var visibleBefore, visibleAfter, exact, semantic, values, late: Statement
    private var hasLate = false
    private var failure: ArchiveError?
    private var step = Step.disappearance
    /// Whether the finding that a type has at most one of was looked for.
    private var isLookedFor = false

    /// Kinds in the order of their names.
    private enum Step: CaseIterable { case disappearance, divergence, exactDuplicate, lateArrival, semanticDuplicate }

    init(
        _ connection: borrowing Connection, _ query: RecordQuery, _ context: ExportContext,
        thresholds: [Threshold: Double]
    ) throws(ArchiveError) {
        let (from, to) = (query.scope.fromObservationID ?? query.scope.observationID, query.scope.observationID)
        let visibleBefore = try connection.prepare(query.visibleCount(at: from), leading: 1)
        let visibleAfter = try connection.prepare(query.visibleCount(at: to), leading: 1)
        let exact = try connection.prepare(query.exactDuplicates(), leading: 1)
        let semantic = try connection.prepare(query.semanticDuplicates(), leading: 1)
        let values = try connection.prepare(query.values(), leading: 3)
        var late = try connection.prepare(query.lateArrivals(), leading: 1)
        let limit = Threshold.lateArrivalSeconds.value(in: thresholds)
        late.bind(1, limit)
        let moments = (from: try Self.observation(connection, from).moment, to: try Self.observation(connection, to))
        let runs = try TypeRuns.statuses(connection, query, context, at: min(from, to))
        let verified = try TypeRuns.moments(connection, query, context, at: min(from, to))
        let disappeared = try Self.disappeared(connection, query)
        self.visibleBefore = visibleBefore
        self.visibleAfter = visibleAfter
        self.exact = exact
        self.semantic = semantic
        self.values = values
        self.late = late
        (self.verified, lateArrivalSeconds) = (verified, limit)
        (self.runs, self.disappeared, self.context) = (runs, disappeared, context)
        let after = moments.to.moment
        elapsed = if let before = moments.from, let after { after - before } else { nil }
        days = after.map { DivergenceDays(observedAt: $0, moments.to.days, thresholds) }
        types = context.typeIDs.filter { query.typeIDs?.contains($0) ?? true }.reversed().map {
            ($0, context.typeIndex($0))
        }
    }

    /// Reads ahead. Called once, before anything is read.
    mutating func begin() throws(ArchiveError) {
        hasLate = try late.step()
        beginType()
    }

    /// When an observation was made, in Unix seconds, and the days of its zone.
    private static func observation(_ connection: borrowing Connection, _ id: Int64) throws(ArchiveError)
        -> (moment: Double?, days: LocalDays)
    {
        var row = try connection.prepare(ObservationDates.query)
        row.bind(1, id)
        var dates = ObservationDates()
        guard try row.step() else { return (nil, LocalDays(TimeZoneRules(secondsFromGMT: 0))) }
        return (row.date(0), dates.days(row))
    }

    private static func disappeared(_ connection: borrowing Connection, _ query: RecordQuery) throws(ArchiveError)
        -> [Int64: Int]
    {
        var rows = try connection.prepare(query.disappearances())
        var counts: [Int64: Int] = [:]
        while try rows.step() { if let type = rows.exactInteger(0) { counts[type] = Int(rows.integer(1) ?? 0) } }
        return counts
    }

    /// The next finding; nil after the last.
    public mutating func next() throws(ArchiveError) -> ChangeFinding? {
        while let type = types.last {
            if let content = try found(type) { return ChangeFinding(type: type.index, content: content) }
            isLookedFor = false
            if let next = Step.allCases.firstIndex(of: step).map({ $0 + 1 }), next < Step.allCases.count {
                step = Step.allCases[next]
            } else {
                types.removeLast()
                beginType()
            }
        }
        return nil
    }

    /// Prepares the statements for the next type.
    private mutating func beginType() {
        step = .disappearance
        guard let type = types.last else { return }
        exact.reset()
        semantic.reset()
        exact.bind(1, type.id)
        semantic.bind(1, type.id)
    }

    private mutating func found(_ type: (id: Int64, index: Int?)) throws(ArchiveError) -> ChangeFinding.Content? {
        switch step {
        case .disappearance, .divergence:
            guard !isLookedFor else { return nil }
            isLookedFor = true
            return step == .disappearance ? try disappearance(type.id) : try divergence(type).map { .divergence($0) }
        case .exactDuplicate: return try exactDuplicate()
        case .lateArrival: return try lateArrival(type.id, type.index)
        case .semanticDuplicate: return try semanticDuplicate()
        }
    }

    private mutating func disappearance(_ type: Int64) throws(ArchiveError) -> ChangeFinding.Content? {
        guard let count = disappeared[type] else { return nil }
        return .disappearance(
            before: try Self.count(&visibleBefore, type), after: try Self.count(&visibleAfter, type),
            disappeared: count, elapsedSeconds: elapsed)
    }

    private static func count(_ statement: inout Statement, _ type: Int64) throws(ArchiveError) -> Int {
        statement.bind(1, type)
        defer { statement.reset() }
        return try statement.step() ? Int(statement.integer(0) ?? 0) : 0
    }

    private mutating func exactDuplicate() throws(ArchiveError) -> ChangeFinding.Content? {
        while try exact.step() {
            guard let hash = exact.carryableText(2) else { continue }
            return .exactDuplicate(
                start: exact.date(0), end: exact.date(1), payloadHash: hash, recordCount: Int(exact.integer(3) ?? 0))
        }
        return nil
    }

    private mutating func semanticDuplicate() throws(ArchiveError) -> ChangeFinding.Content? {
        while try semantic.step() {
            guard let fingerprint = semantic.carryableText(0) else { continue }
            return .semanticDuplicate(
                fingerprint: fingerprint, payloadCount: Int(semantic.integer(1) ?? 0),
                recordCount: Int(semantic.integer(2) ?? 0))
        }
        return nil
    }

    /// Late arrivals come from one statement for all types, in their order.
    private mutating func lateArrival(_ type: Int64, _ index: Int?) throws(ArchiveError) -> ChangeFinding.Content? {
        while hasLate, context.typeIndex(late.exactInteger(0)) == index, index != nil || late.exactInteger(0) == type {
            defer { advanceLate() }
            guard runs[index] == "completed", let verified = verified[index], let seen = late.date(1),
                let start = late.date(2), let end = late.date(3), verified - max(start, end) > lateArrivalSeconds,
                let observation = late.exactInteger(4), observation.magnitude < 1 << 53
            else { continue }
            return .lateArrival(
                ChangeFinding.LateArrival(
                    delaySeconds: seen - start, start: start, firstSeenAt: seen, end: end,
                    firstSeenObservationID: observation, payloadHash: late.carryableText(5),
                    sampleUUIDHash: late.carryableText(6), strictFingerprint: late.carryableText(7)))
        }
        if let failure { throw failure }
        return nil
    }

    private mutating func advanceLate() {
        do throws(ArchiveError) {
            hasLate = try late.step()
        } catch {
            failure = error
            hasLate = false
        }
    }

    private mutating func divergence(_ type: (id: Int64, index: Int?)) throws(ArchiveError) -> ChangeFinding.Divergence?
    {
        let measure = type.index.map { Measure(of: context.typeNames[$0]) } ?? .unknown
        guard let days, measure.kind == .cumulative || measure.kind == .discrete else { return nil }
        values.bind(1, type.id)
        values.bind(2, days.baselineStart)
        values.bind(3, days.currentEnd)
        defer { values.reset() }
        var tally = DivergenceTally(measure, days)
        var reader = VersionReader(measure)
        while try values.step() {
            let version = reader.version(values, at: 0)
            guard let start = version.start, values.number(2) != nil else { continue }
            tally.add(version, start: start)
        }
        return tally.result()
    }
}
