internal import Archive

/// The span of a version of one side.
struct SidedSpan {
    let start, end: Double
    let isBefore: Bool

    init(_ span: ClosedRange<Double>, isBefore: Bool) {
        (start, end, self.isBefore) = (span.lowerBound, span.upperBound, isBefore)
    }

    var isInstant: Bool { start == end }
}

/// Lengths of what spans cover, exact: sums of ends and of starts taken away.
struct CoverageTally {
    private var before = ExactSum()
    private var after = ExactSum()
    private var either = ExactSum()
    private var instantsBefore = 0
    private var instantsWithin = 0

    /// Adds the spans of a piece, sorted by start, those after first. No span of another piece overlaps them.
    mutating func add(_ spans: [SidedSpan]) {
        if spans.count == 1 {
            let only = spans[0]
            if only.isInstant { return instantsBefore += only.isBefore ? 1 : 0 }
            if only.isBefore { Self.add(only.start, only.end, &before) } else { Self.add(only.start, only.end, &after) }
            return Self.add(only.start, only.end, &either)
        }
        Self.addUnion(of: spans, &before) { $0.isBefore }
        Self.addUnion(of: spans, &after) { !$0.isBefore }
        Self.addUnion(of: spans, &either) { _ in true }
        var latest = -Double.infinity
        for span in spans {
            if !span.isBefore { latest = max(latest, span.end) }
            guard span.isBefore, span.isInstant else { continue }
            instantsBefore += 1
            if latest >= span.start { instantsWithin += 1 }
        }
    }

    private static func addUnion(
        of spans: [SidedSpan], _ sum: inout ExactSum, where isCounted: (SidedSpan) -> Bool
    ) {
        var open: (start: Double, end: Double)?
        for span in spans where isCounted(span) {
            if let known = open, span.start <= known.end {
                open = (known.start, max(known.end, span.end))
            } else {
                if let known = open { add(known.start, known.end, &sum) }
                open = (span.start, span.end)
            }
        }
        if let known = open { add(known.start, known.end, &sum) }
    }

    private static func add(_ start: Double, _ end: Double, _ sum: inout ExactSum) {
        guard end > start else { return }
        sum.add(end)
        sum.add(-start)
    }

    /// Adds the pieces of another tally.
    mutating func add(_ other: CoverageTally) {
        before.add(other.before)
        after.add(other.after)
        either.add(other.either)
        instantsBefore += other.instantsBefore
        instantsWithin += other.instantsWithin
    }

    /// Returns the time that the spans cover. The common time is the sum of both, less the time that either covers.
    func result() -> Comparison.Coverage {
        var (first, second, common) = (before, after, before)
        common.add(after)
        common.subtract(either)
        return Comparison.Coverage(
            secondsBefore: first.value(), secondsAfter: second.value(), commonSeconds: common.value(),
            instantsBefore: instantsBefore, instantsWithin: instantsWithin)
    }
}
