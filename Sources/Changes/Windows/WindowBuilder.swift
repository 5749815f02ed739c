internal import Measures
internal import Timestamps
internal import Archive

/// Puts the changes of a type, which come by start and then by end of their spans, into windows (`Spec/changes.md`,
/// Windows).
///
///     piece      the changes that overlap those before them; unfinished
///     pending    a run of pieces of another kind than the window, not yet long
///     window     everything before
///
/// Memory is in proportion to the greatest piece.
struct WindowBuilder {
    private let measure: Measure
    private let gap: Double
    private var bounds: DayBounds
    private let workouts: Workouts
    private var piece: Piece?
    private var isInPiece = false
    private var window: WindowTally?
    /// The kind of the window's first long run.
    private var kind: Piece.Kind?
    /// The last run of a window without a kind.
    private var run: (kind: Piece.Kind, start: Double, end: Double)?
    private var pending: (kind: Piece.Kind, tally: WindowTally)?
    /// Windows that have ended, in order.
    private(set) var finished: [WindowTally] = []

    init(_ measure: Measure, gap: Double, _ bounds: DayBounds, _ workouts: Workouts) {
        (self.measure, self.gap, self.bounds, self.workouts) = (measure, gap, bounds, workouts)
    }

    /// Adds the next change.
    mutating func add(_ change: ComparedChange, _ span: ClosedRange<Double>) {
        if isInPiece, !piece!.overlaps(span) { endPiece() }
        if !isInPiece {
            if piece == nil { piece = Piece(span) } else { piece!.restart(span) }
            isInPiece = true
        }
        piece!.add(change, span, measure)
    }

    /// Ends the last window.
    mutating func finish() {
        endPiece()
        endWindow()
    }

    /// Takes the windows that have ended.
    mutating func takeFinished() -> [WindowTally] {
        defer { finished.removeAll(keepingCapacity: true) }
        return finished
    }

    private mutating func endPiece() {
        guard isInPiece else { return }
        isInPiece = false
        piece!.finish()
        let (kind, start, end) = (piece!.kind, piece!.start, piece!.end)
        if kind == .both { piece!.isInWorkout = workouts.contains(start, end) }
        if let first = window?.start, let known = window?.end {
            let latest = max(known, pending?.tally.end ?? known)
            if start - latest > gap || bounds.index(of: start) > bounds.index(of: first) { endWindow() }
        }
        if let own = self.kind, kind != own { return addOther(kind) }
        endPending()
        if window == nil { window = WindowTally(measure) }
        Self.add(piece!, to: &window!)
        guard self.kind == nil else { return }
        if let known = run, known.kind == kind {
            run = (kind, known.start, max(known.end, end))
        } else {
            run = (kind, start, end)
        }
        if kind == .both || run!.end - run!.start > gap { self.kind = kind }
    }

    /// Adds a piece of another kind than the window's.
    private mutating func addOther(_ kind: Piece.Kind) {
        if let known = pending, known.kind != kind { endPending() }
        var tally = pending?.tally ?? WindowTally(measure)
        pending = nil
        Self.add(piece!, to: &tally)
        guard kind == .both || tally.end! - tally.start! > gap else { return pending = (kind, tally) }
        endWindow()
        window = tally
        self.kind = kind
    }

    /// A run that did not become long belongs to the window before it.
    private mutating func endPending() {
        guard let run = pending else { return }
        pending = nil
        window!.add(run.tally)
    }

    private mutating func endWindow() {
        endPending()
        if let window { finished.append(window) }
        (window, kind, run) = (nil, nil, nil)
    }

    private static func add(_ piece: Piece, to tally: inout WindowTally) {
        if let known = piece.tally { tally.add(known) }
        for change in piece.changes { tally.add(change) }
        tally.add(piece)
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

    /// How many bounds lie at or before a moment, counted from 1970-01-01.
    mutating func index(of moment: Double) -> Int64 {
        let date = days.date(of: moment)
        return date >= 0 ? date / count : (date - count + 1) / count
    }

    /// Whether a bound lies between two moments, and is neither.
    mutating func areCrossed(from start: Double, to end: Double) -> Bool {
        let last = index(of: end)
        let first = index(of: start)
        guard last > first else { return false }
        return last > first + 1 || Double(days.start(of: last * count)) < end
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

    /// Whether one workout has all of a span.
    func contains(_ start: Double, _ end: Double) -> Bool {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= start { low = middle + 1 } else { high = middle }
        }
        return low > 0 && ends[low - 1] >= end
    }
}
