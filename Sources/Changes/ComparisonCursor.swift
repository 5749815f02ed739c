public import Archive
internal import Files
internal import Measures
internal import SQLite

/// Streams comparisons in order: all types, then each type and its windows (`Spec/changes.md`).
///
/// What is visible is read once. The changes are then sorted, and read twice in the order of type and span: once to
/// count what stands before the windows, once to stream these. Between the two only what types come to is kept.
public struct ComparisonCursor: ~Copyable {
    private let judge: WindowJudge
    private let measures: [Measure]
    private var sources: SourceNames
    private var changes: ChangeStream
    /// The visible records of each type, until they are counted.
    private var tallies: [ComparisonTally?]
    /// The comparisons that are ready to be read, in order.
    private var ready: [Comparison] = []
    private var types: [TypeResult] = []
    /// The days on which records changed, where they are wanted.
    private var days: ChangeCalendarTally?
    private let timeline: ObservationTimeline?
    private var examples: ExampleTally?
    private let pairs: PairDays?
    /// `true` if windows have the days of their records.
    private let countsDays: Bool
    /// Months that the strips of types that follow may have.
    private var stripRoom = 600
    private let typeIDs: [Int64]
    /// Relationships that changed, by type.
    private let links: [Int?: LinkCounts]
    /// Types that the filter selects and that a run speaks of at either observation.
    private let asked: Set<Int>
    private let (rejected, withheld): (Int?, Int?)
    private var nextType = 0
    /// The windows that are being filled.
    private var windows: WindowBuilder?

    /// The result of a type.
    private struct TypeResult {
        let type: Int?
        let whole: Comparison
        /// The changes without dates, which come first.
        let undated: WindowTally?
    }

    init(
        _ connection: borrowing Connection, _ other: consuming Connection?, _ query: ChangeQuery,
        _ context: ExportContext, thresholds: [Threshold: Double], pairs: PairDays?, countsDays: Bool,
        _ path: Path
    ) throws(ArchiveError) {
        let measures = context.typeNames.map { Measure(of: $0) }
        let judge = try WindowJudge(connection, query, context, Labeling(thresholds: thresholds))
        let sources = try SourceNames(connection)
        let (numbers, firsts) = (MetadataStatements.Numbers(), judge.firsts)
        let scans = try ScanRunner.run(connection, other) { connection, isSliced throws(ArchiveError) in
            try VisibleScan(
                connection, query, context, measures, firsts, numbers, stripOffset: pairs?.offset, path,
                isSliced: isSliced)
        }
        var found = scans[0]
        for other in scans.dropFirst() { found.add(other) }
        let hasAlike = try query.alike.prepare(connection, found.notes)
        var links: [Int?: LinkCounts] = [:]
        for (id, counts) in try LinkCounts.read(connection, query, hasAlike: hasAlike) {
            links[context.typeIndex(id), default: LinkCounts()] =
                (links[context.typeIndex(id)] ?? LinkCounts()) + counts
        }
        if hasAlike {
            for sql in ChangeQuery.alikeChangeTables { try connection.execute(sql) }
            found.runs += try ChangeRows.matchedRuns(connection, query, context, measures, firsts, numbers, path)
            var sides = try connection.prepare(AlikeRecords.oneSided)
            while try sides.step() {
                guard let type = context.typeIndex(sides.exactInteger(0)) else { continue }
                found.noteChange(of: type, isBefore: sides.integer(1) == 1)
            }
        }
        var changes = try ChangeStream(found.runs)
        if hasAlike { changes.leaveOut(try AlikeReader(connection)) }
        changes.attach(
            try PairSearch.marks(connection, query, context, ofTypes: found.replaced, hasAlike: hasAlike, path))
        let selected = query.records.typeIDs.map { Set($0) }
        let rejections = try RejectedRecords.counts(connection, at: query.records.scope.observationID)
        let points = try pairs.map { _ throws(ArchiveError) in try ObservationTimeline(connection, query) }
        self.judge = judge
        self.measures = measures
        self.sources = sources
        self.changes = changes
        tallies = found.tallies
        days = pairs.map { ChangeCalendarTally(offset: $0.offset) }
        examples = pairs.map { ExampleTally(offset: $0.offset) }
        self.pairs = pairs
        self.countsDays = countsDays
        timeline = points
        typeIDs = context.typeIDs
        self.links = links
        asked = judge.asked.filter { selected?.contains(context.typeIDs[$0]) ?? true }
        (rejected, withheld) = rejections
    }

    /// Counts what stands before the windows. Called once, before anything is read.
    mutating func begin() throws(ArchiveError) {
        try count()
        try changes.restart()
    }

    /// Returns the next comparison; `nil` after the last.
    public mutating func next() throws(ArchiveError) -> Comparison? {
        while ready.isEmpty {
            guard nextType < types.count else { return nil }
            try readType()
        }
        return ready.removeFirst()
    }

    private func measure(_ type: Int?) -> Measure { type.map { measures[$0] } ?? .unknown }

    // MARK: What stands before the windows

    private mutating func count() throws(ArchiveError) {
        var labels: [Int?: [WindowLabel: Int]] = [:]
        var undated: [Int?: WindowTally] = [:]
        var replacements: [Int?: Comparison.Replacements] = [:]
        while let type = try changes.peekType() {
            let measure = measure(type)
            var loose = judge.undated(measure, of: type)
            var builder = judge.builder(measure, of: type)
            var tally = tallies[(type ?? -1) + 1] ?? ComparisonTally(measure)
            var paired = Comparison.Replacements()
            while let change = try changes.next(of: type) {
                if change.kind != .representationChanged {
                    paired.add(change.mark, isBefore: change.kind == .disappeared)
                }
                tally.count(change.kind)
                examples?.add(change, of: type, measure)
                if let span = change.span {
                    try builder.add(change, span, &sources)
                    days?.add(change.kind, at: span.lowerBound, of: type, measure)
                } else {
                    loose.add(change)
                }
                for window in builder.takeFinished() { count(window, of: type, &labels) }
            }
            try builder.finish(&sources)
            for window in builder.takeFinished() { count(window, of: type, &labels) }
            replacements[type] = paired
            if !loose.isEmpty {
                undated[type] = loose
                labels[type, default: [:]][.uncertain, default: 0] += 1
            }
            tallies[(type ?? -1) + 1] = tally
        }
        try summarize(labels, replacements, undated)
        ready = [allTypes(labels)]
    }

    /// Makes of what was counted a comparison of each type.
    private mutating func summarize(
        _ labels: [Int?: [WindowLabel: Int]], _ replacements: [Int?: Comparison.Replacements],
        _ undated: [Int?: WindowTally]
    ) throws(ArchiveError) {
        let calendar = pairs.flatMap { days?.calendar($0) }
        days = nil
        for index in tallies.indices {
            let type = index == 0 ? nil : index - 1
            let isAsked = type.map { asked.contains($0) } ?? false
            guard var tally = tallies[index] ?? (isAsked ? ComparisonTally(measure(type)) : nil) else { continue }
            tallies[index] = nil
            let counts = try tally.sourceCounts(&sources)
            let measure = measure(type)
            let hasChanges = tally.appeared + tally.disappeared + tally.representationChanged > 0
            let links = links[type] ?? LinkCounts()
            let standing = judge.standing(of: type, hasChanges: hasChanges || links.total > 0)
            var whole = Comparison(
                type: type, measure: measure.kind.rawValue, method: measure.method.rawValue,
                subject: .type(labels: labels[type] ?? [:], standing: standing.0, reasons: standing.reasons),
                before: tally.before.result(),
                after: tally.after.result(), appeared: tally.appeared, disappeared: tally.disappeared,
                representationChanged: tally.representationChanged, sources: counts)
            whole.replacements = replacements[type] ?? .init()
            if let calendar, let buckets = calendar.buckets[type] {
                whole.calendar = (calendar.bucketDays, buckets)
            }
            whole.links = links
            whole.examples = examples?[type] ?? []
            whole.pairs = type.flatMap { pairs?.counts[$0] } ?? [:]
            if hasChanges { whole.months = tally.strip?.all ?? [] }
            if hasChanges, let strip = tally.strip?.result(), strip.count <= stripRoom {
                stripRoom -= strip.count
                whole.strip = strip
            }
            if let timeline { whole.statuses = timeline.statuses(of: type.map { typeIDs[$0] }) }
            types.append(TypeResult(type: type, whole: whole, undated: undated[type]))
        }
    }

    private mutating func count(
        _ window: WindowTally, of type: Int?, _ labels: inout [Int?: [WindowLabel: Int]]
    ) {
        labels[type, default: [:]][window.verdict.label, default: 0] += 1
    }

    private func allTypes(_ labels: [Int?: [WindowLabel: Int]]) -> Comparison {
        let unknown = Measure.unknown
        var all = Comparison(
            type: nil, measure: unknown.kind.rawValue, method: unknown.method.rawValue,
            subject: .allTypes(labels: labels.values.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }),
            before: .init(), after: .init(), appeared: 0, disappeared: 0,
            representationChanged: 0, sources: [])
        all.observations = timeline?.points ?? []
        all.context = timeline?.context ?? []
        (all.rejected, all.withheld) = (rejected, withheld)
        for type in types {
            all.before.recordCount += type.whole.before.recordCount
            all.after.recordCount += type.whole.after.recordCount
            all.appeared += type.whole.appeared
            all.disappeared += type.whole.disappeared
            all.representationChanged += type.whole.representationChanged
            all.replacements.add(type.whole.replacements)
            all.links = all.links + type.whole.links
        }
        return all
    }

    // MARK: Windows

    /// Reads the next type: its own row, the changes without dates, then window by window.
    private mutating func readType() throws(ArchiveError) {
        let result = types[nextType]
        guard var builder = windows else {
            windows = judge.builder(measure(result.type), of: result.type, countsDays: countsDays)
            ready = [result.whole]
            if let undated = result.undated { try publish([undated], result, areDated: false) }
            return
        }
        windows = nil
        while try changes.peekType() == .some(result.type), let change = try changes.next(of: result.type) {
            if let span = change.span { try builder.add(change, span, &sources) }
            let finished = builder.takeFinished()
            if !finished.isEmpty {
                windows = builder
                return try publish(finished, result)
            }
        }
        try builder.finish(&sources)
        try publish(builder.takeFinished(), result)
        nextType += 1
    }

    private mutating func publish(
        _ tallies: [WindowTally], _ type: TypeResult, areDated: Bool = true
    ) throws(ArchiveError) {
        for tally in tallies {
            ready.append(try comparison(of: tally, type.type, isDated: areDated, visible: type.whole.after))
        }
    }

    /// - Parameter visible: where the type is visible at the observation; its window alone needs it.
    private mutating func comparison(
        of window: WindowTally, _ type: Int?, isDated: Bool, visible: Comparison.Side? = nil
    ) throws(ArchiveError) -> Comparison {
        var tally = window.finished()
        let measure = measure(type)
        let (before, after) = (tally.before.result(), tally.after.result())
        let counts = try tally.sourceCounts(&sources)
        let changes = Comparison.Counts(
            appeared: tally.appeared, disappeared: tally.disappeared,
            representationChanged: tally.representationChanged)
        let found = judge.judged(
            window, isDated: isDated, changes, before, after, counts, type, measure, visible: visible)
        return Comparison(
            type: type, measure: measure.kind.rawValue, method: measure.method.rawValue, subject: .window(found),
            before: before, after: after, appeared: changes.appeared, disappeared: changes.disappeared,
            representationChanged: changes.representationChanged, replacements: window.replacements,
            days: window.days, sources: counts)
    }
}

/// Keeps the first records that are no longer visible or changed, of each day and type (`Spec/report-page.md`,
/// Examples).
struct ExampleTally {
    /// Records of a day, of a type, and of all types.
    private static let (ofDay, ofType, ofAll) = (5, 100, 250)

    private let pageDays: PageDays
    private var examples: [Int?: [Comparison.Example]] = [:]
    private var count = 0
    /// The day of the record before, and how many records it has.
    private var last: (type: Int?, day: Int?, count: Int) = (nil, nil, 0)

    /// - Parameter offset: seconds that the clock is ahead of UTC.
    init(offset: Int) { pageDays = PageDays(offset: offset) }

    /// Adds a change; they come by type, and in the order of their spans.
    mutating func add(_ change: ComparedChange, of type: Int?, _ measure: Measure) {
        guard count < Self.ofAll, examples[type]?.count ?? 0 < Self.ofType, let example = change.example else { return }
        let day = change.span.flatMap { pageDays.day(of: $0.lowerBound, measure) }
        if last.type != type || last.day != day || examples[type] == nil { last = (type, day, 0) }
        guard last.count < Self.ofDay else { return }
        last.count += 1
        count += 1
        examples[type, default: []].append(example)
    }

    subscript(_ type: Int?) -> [Comparison.Example] { examples[type] ?? [] }
}
