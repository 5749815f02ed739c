internal import Measures
internal import Timestamps
internal import Archive

/// Puts the changes of a type, which come by start and then by end of their spans, into windows (`Spec/changes.md`,
/// Windows).
///
///     piece      the changes that overlap those before them; unfinished
///     window     the pieces before it that have one verdict
///
/// Memory is in proportion to the greatest piece.
struct WindowBuilder {
    private let measure: Measure
    private let gap: Double
    private var bounds: DayBounds
    private let workouts: Workouts
    /// Why every window is uncertain, sorted.
    private let incomplete: [Comparison.Reason]
    /// `true` if records are counted by local day.
    private let countsDays: Bool
    private var piece: Piece?
    private var isInPiece = false
    private var window: WindowTally?
    /// Windows that have ended, in order.
    private(set) var finished: [WindowTally] = []

    init(
        _ measure: Measure, gap: Double, _ bounds: DayBounds, _ workouts: Workouts, incomplete: [Comparison.Reason],
        countsDays: Bool = false
    ) {
        (self.measure, self.gap, self.bounds, self.workouts) = (measure, gap, bounds, workouts)
        self.incomplete = incomplete
        self.countsDays = countsDays
    }

    /// Adds the next change.
    mutating func add(
        _ change: ComparedChange, _ span: ClosedRange<Double>, _ sources: inout SourceNames
    ) throws(ArchiveError) {
        if isInPiece, !piece!.overlaps(span) { try endPiece(&sources) }
        if !isInPiece {
            if piece == nil { piece = Piece(span, measure) } else { piece!.restart(span) }
            isInPiece = true
        }
        let outcome = change.kind == .representationChanged ? outcome(of: change) : nil
        guard countsDays, let start = (change.before ?? change.after)?.version.start else {
            return piece!.add(change, span, outcome)
        }
        var change = change
        change.day = bounds.date(of: start)
        piece!.add(change, span, outcome)
    }

    /// Ends the last window.
    mutating func finish(_ sources: inout SourceNames) throws(ArchiveError) {
        try endPiece(&sources)
        endWindow()
    }

    /// Takes the windows that have ended.
    mutating func takeFinished() -> [WindowTally] {
        defer { finished.removeAll(keepingCapacity: true) }
        return finished
    }

    /// Returns the outcome for the measure of a sample that has another version.
    private mutating func outcome(of change: ComparedChange) -> ChangeOutcomes.Change {
        guard let before = change.before?.version, let after = change.after?.version else { return .kept }
        if let one = before.start, let other = after.start, !bounds.areOfOneDay(one, other) { return .changed }
        return before.outcome(as: after, measure)
    }

    private mutating func endPiece(_ sources: inout SourceNames) throws(ArchiveError) {
        guard isInPiece else { return }
        isInPiece = false
        piece!.finish()
        let start = piece!.start
        if piece!.kind == .both { piece!.isInWorkout = workouts.contains(start, piece!.end) }
        let leftover = try piece!.leftover(&sources)
        let verdict = Labeling.verdict(piece!.outcomes, incomplete: incomplete, measure.kind, leftover) {
            piece!.isMetadataCompatible
        }
        if let known = window, let first = known.start, let latest = known.end {
            if start - latest > gap || known.verdict != verdict || bounds.index(of: start) > bounds.index(of: first) {
                endWindow()
            }
        }
        if window == nil { window = WindowTally(measure, verdict) }
        if let known = piece!.tally { window!.add(known) }
        for change in piece!.changes { window!.add(change) }
        window!.add(piece!)
    }

    private mutating func endWindow() {
        if let window { finished.append(window) }
        window = nil
    }
}

/// Bounds of windows: every so many local days.
struct DayBounds {
    private var days: LocalDays
    private let count: Int64

    init(_ days: LocalDays, count: Double) {
        self.days = days
        self.count = max(1, Int64(count))
    }

    /// The bounds of records that state a date.
    var ofDates: DayBounds { DayBounds(.dated, count: Double(count)) }

    /// Returns the bounds of windows of a type.
    func counting(_ measure: Measure) -> DayBounds {
        DayBounds(days.counting(isDated: measure.isDated), count: Double(count))
    }

    /// Counts the bounds at or before a moment, from 1970-01-01.
    mutating func index(of moment: Double) -> Int64 {
        let date = days.date(of: moment)
        return date >= 0 ? date / count : (date - count + 1) / count
    }

    /// Returns the local day of a moment, as days since 1970.
    mutating func date(of moment: Double) -> Int64 { days.date(of: moment) }

    /// Returns `true` if two moments are of one local day.
    mutating func areOfOneDay(_ one: Double, _ other: Double) -> Bool { days.date(of: one) == days.date(of: other) }

    /// Returns `true` if a bound lies between two moments, and is neither.
    mutating func areCrossed(from start: Double, to end: Double) -> Bool {
        var last = index(of: end)
        let first = index(of: start)
        // Dates that do not exist begin with the next one.
        while last > first, Double(days.start(of: last * count)) >= end { last -= 1 }
        return last > first
    }
}

/// The spans of workouts of five minutes or more.
struct Workouts {
    private let starts: [Double]
    /// The latest end of those up to each.
    private let ends: [Double]

    /// - Parameter spans: sorted by start.
    init(_ spans: [(start: Double, end: Double)]) {
        let long = spans.filter { $0.end - $0.start >= 300 }
        starts = long.map(\.start)
        var latest = -Double.infinity
        ends = long.map {
            latest = max(latest, $0.end)
            return latest
        }
    }

    /// Returns `true` if one workout has all of a span.
    func contains(_ start: Double, _ end: Double) -> Bool {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= start { low = middle + 1 } else { high = middle }
        }
        return low > 0 && ends[low - 1] >= end
    }
}
