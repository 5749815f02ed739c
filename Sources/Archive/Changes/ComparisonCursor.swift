internal import SQLite

/// Streams comparisons in order: all types, then each type and its windows (`Spec/changes.md`).
///
/// Changes are read twice in the order of type and date: once to count what stands before the windows, once to
/// stream these. Between the two only what types come to is kept.
public struct ComparisonCursor: ~Copyable {
    private let labeling: Labeling
    private let runs: TypeRuns
    private var sources: SourceNames
    private var changes: ChangeStream
    /// What is ready to be read, in order.
    private var ready: [Comparison] = []
    private var types: [TypeResult] = []
    private var nextType = 0
    /// The window that is being filled.
    private var window: WindowTally?

    /// What a type comes to.
    private struct TypeResult {
        let type: Int?
        let whole: Comparison
        /// The changes without dates, which come first.
        let undated: Comparison?
    }

    init(
        _ connection: borrowing Connection, _ query: RecordQuery, _ context: ExportContext,
        thresholds: [Threshold: Double]
    ) throws(ArchiveError) {
        let runs = try TypeRuns(connection, query, context)
        let sources = try SourceNames(connection)
        let changes = try ChangeStream(connection, query, context)
        labeling = Labeling(thresholds: thresholds)
        self.runs = runs
        self.sources = sources
        self.changes = changes
    }

    /// Counts what stands before the windows. Called once, before anything is read.
    mutating func begin(_ connection: borrowing Connection, _ query: RecordQuery, _ context: ExportContext)
        throws(ArchiveError)
    {
        try count(connection, query, context)
        changes.restart()
    }

    /// The next comparison; nil after the last.
    public mutating func next() throws(ArchiveError) -> Comparison? {
        while ready.isEmpty {
            guard nextType < types.count else { return nil }
            try readType()
        }
        return ready.removeFirst()
    }

    // MARK: What stands before the windows

    private mutating func count(_ connection: borrowing Connection, _ query: RecordQuery, _ context: ExportContext)
        throws(ArchiveError)
    {
        var tallies: [Int?: ComparisonTally] = [:]
        try countVisible(connection, query, context, &tallies)
        var labels: [Int?: [Comparison.Label: Int]] = [:]
        var undated: [Int?: Comparison] = [:]
        while let type = try changes.peekType() {
            var loose = WindowTally(type: type)
            while let change = try changes.next(of: type) {
                tallies[type, default: ComparisonTally()].count(change.kind)
                if let finished = try add(change, undated: &loose) {
                    labels[type, default: [:]][finished.label, default: 0] += 1
                }
            }
            if let last = try finishWindow() { labels[type, default: [:]][last.label, default: 0] += 1 }
            if !loose.isEmpty {
                let result = try comparison(of: &loose)
                undated[type] = result.comparison
                labels[type, default: [:]][result.label, default: 0] += 1
            }
        }
        for type in tallies.keys.sorted(by: { ($0 ?? -1) < ($1 ?? -1) }) {
            var tally = tallies.removeValue(forKey: type)!
            let counts = try tally.sourceCounts(&sources)
            let whole = Comparison(
                type: type, subject: .type(labels: labels[type] ?? [:]), before: tally.before.result(),
                after: tally.after.result(), appeared: tally.appeared, disappeared: tally.disappeared,
                representationChanged: tally.representationChanged, sources: counts)
            types.append(TypeResult(type: type, whole: whole, undated: undated[type]))
        }
        ready = [allTypes(labels)]
    }

    private func allTypes(_ labels: [Int?: [Comparison.Label: Int]]) -> Comparison {
        var all = Comparison(
            type: nil,
            subject: .allTypes(labels: labels.values.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }),
            before: .init(), after: .init(), appeared: 0, disappeared: 0,
            representationChanged: 0, sources: [])
        for type in types {
            all.before.recordCount += type.whole.before.recordCount
            all.after.recordCount += type.whole.after.recordCount
            all.appeared += type.whole.appeared
            all.disappeared += type.whole.disappeared
            all.representationChanged += type.whole.representationChanged
        }
        return all
    }

    /// Adds up what is visible on each side. Several ranges of one version count once.
    private func countVisible(
        _ connection: borrowing Connection, _ query: RecordQuery, _ context: ExportContext,
        _ tallies: inout [Int?: ComparisonTally]
    ) throws(ArchiveError) {
        var rows = try connection.prepare(query.visibleOnEitherSide())
        var last: (sample: StoredID, version: StoredID, before: Bool, after: Bool)?
        while try rows.step() {
            let ids = (StoredID(rows, 3), StoredID(rows, 4))
            var (isBefore, isAfter) = (rows.integer(1) == 1, rows.integer(2) == 1)
            if let known = last, known.sample == ids.0, known.version == ids.1 {
                (isBefore, isAfter) = (isBefore && !known.before, isAfter && !known.after)
                last = (ids.0, ids.1, known.before || isBefore, known.after || isAfter)
            } else {
                last = (ids.0, ids.1, isBefore, isAfter)
            }
            let version = rows.comparedVersion(at: 5)
            let type = context.typeIndex(rows.exactInteger(0))
            if isBefore { tallies[type, default: ComparisonTally()].addBefore(version) }
            if isAfter { tallies[type, default: ComparisonTally()].addAfter(version) }
        }
    }

    // MARK: Windows

    /// Reads the next type: its own row, the changes without dates, then window by window.
    private mutating func readType() throws(ArchiveError) {
        let result = types[nextType]
        if window == nil, !isInType {
            isInType = true
            ready = [result.whole]
            if let undated = result.undated { ready.append(undated) }
            return
        }
        var loose = WindowTally(type: result.type)
        while try changes.peekType() == .some(result.type), let change = try changes.next(of: result.type) {
            if let finished = try add(change, undated: &loose) {
                ready = [finished.comparison]
                return
            }
        }
        if let last = try finishWindow() { ready = [last.comparison] }
        nextType += 1
        isInType = false
    }

    /// Whether the row of the type that is being read was given.
    private var isInType = false

    /// Puts a change into its window; returns the window before, where that ends here.
    private mutating func add(_ change: ComparedChange, undated: inout WindowTally) throws(ArchiveError) -> (
        comparison: Comparison, label: Comparison.Label
    )? {
        guard let start = change.leading.start, let end = change.leading.end else {
            undated.add(change)
            return nil
        }
        var finished: (comparison: Comparison, label: Comparison.Label)?
        if let latest = window?.end, start - latest > labeling.windowGap { finished = try finishWindow() }
        if window == nil { window = WindowTally(type: change.type) }
        window!.add(change)
        window!.extend(start, end)
        return finished
    }

    private mutating func finishWindow() throws(ArchiveError) -> (comparison: Comparison, label: Comparison.Label)? {
        guard var finished = window else { return nil }
        window = nil
        return try comparison(of: &finished)
    }

    private mutating func comparison(of window: inout WindowTally) throws(ArchiveError) -> (
        comparison: Comparison, label: Comparison.Label
    ) {
        let (before, after) = (window.tally.before.result(), window.tally.after.result())
        let counts = try window.tally.sourceCounts(&sources)
        let evidence = Comparison.Evidence(before, after, counts)
        let incomplete = runs.incompleteness(of: window.type) + (window.start == nil ? [.datesMissing] : [])
        let changes = Comparison.Counts(
            appeared: window.tally.appeared, disappeared: window.tally.disappeared,
            representationChanged: window.tally.representationChanged)
        let (label, reasons) = labeling.label(changes, before, after, evidence, incomplete: incomplete)
        return (
            Comparison(
                type: window.type,
                subject: .window(start: window.start, end: window.end, evidence, label, reasons: reasons),
                before: before, after: after, appeared: changes.appeared,
                disappeared: changes.disappeared, representationChanged: changes.representationChanged,
                sources: counts),
            label
        )
    }
}

/// A window that is being filled.
private struct WindowTally {
    let type: Int?
    var tally = ComparisonTally()
    private(set) var start: Double?
    private(set) var end: Double?
    private var versions: Set<[StoredID]> = []
    private var others: Set<[StoredID]> = []

    init(type: Int?) { self.type = type }

    var isEmpty: Bool { tally.appeared + tally.disappeared + tally.representationChanged == 0 }

    /// Adds a change; of samples with several versions each version counts once.
    mutating func add(_ change: ComparedChange) {
        tally.count(change.kind)
        if let before = change.before,
            !change.isOneOfSeveral || versions.insert([change.sampleID, change.versionID]).inserted
        {
            tally.addBefore(before)
        }
        if let after = change.after,
            !change.isOneOfSeveral || others.insert([change.sampleID, change.otherID]).inserted
        {
            tally.addAfter(after)
        }
    }

    mutating func extend(_ start: Double, _ end: Double) {
        self.start = self.start ?? start
        self.end = max(self.end ?? end, end)
    }
}

/// The changes of a scope in order, with a look ahead at the type.
private struct ChangeStream: ~Copyable {
    private var rows: Statement
    private let context: ExportContext
    private var hasRow = false
    private var isAtEnd = false

    init(_ connection: borrowing Connection, _ query: RecordQuery, _ context: ExportContext) throws(ArchiveError) {
        rows = try connection.prepare(query.comparedChanges())
        self.context = context
    }

    /// Begins again.
    mutating func restart() {
        rows.reset()
        (hasRow, isAtEnd) = (false, false)
    }

    /// The type of the next change; nil at the end.
    mutating func peekType() throws(ArchiveError) -> Int?? {
        if !hasRow, !isAtEnd {
            hasRow = try rows.step()
            isAtEnd = !hasRow
        }
        return hasRow ? .some(context.typeIndex(rows.exactInteger(0))) : nil
    }

    /// The next change, if it is of a type.
    mutating func next(of type: Int?) throws(ArchiveError) -> ComparedChange? {
        guard let found = try peekType(), found == type else { return nil }
        hasRow = false
        let kind: ChangeKind =
            switch RowBatch.Kind(rawValue: UInt8(rows.integer(1) ?? 0)) {
            case .appeared: .appeared
            case .disappeared: .disappeared
            default: .representationChanged
            }
        return ComparedChange(
            type: type, kind: kind, isOneOfSeveral: rows.integer(2) == 1, sampleID: StoredID(rows, 3),
            versionID: StoredID(rows, 4), otherID: StoredID(rows, 5),
            leading: rows.comparedVersion(at: 6), other: rows.comparedVersion(at: 11))
    }
}
