internal import Measures
internal import Archive

/// Both sides of a comparison, its changes, and where its records come from.
struct ComparisonTally {
    var before, after: SideTally
    var appeared = 0
    var disappeared = 0
    var representationChanged = 0
    /// Month by month, where that is wanted.
    private(set) var strip: MonthStrip?
    private var sources: [Int64?: (before: Int, after: Int)] = [:]
    /// Records of a source that no other stood between: most have the source of the one before them.
    private var run: (source: Int64?, before: Int, after: Int) = (nil, 0, 0)

    /// - Parameter stripOffset: seconds that the clock of its months is ahead of UTC; nil where nobody asks for them.
    init(_ measure: Measure, stripOffset: Int? = nil) {
        before = SideTally(measure)
        after = SideTally(measure)
        strip = stripOffset.map { MonthStrip(measure, offset: $0) }
    }

    mutating func addBefore(_ version: ComparedVersion) {
        before.add(version)
        strip?.addBefore(version)
        if run.source != version.source { endRun(version.source) }
        run.before += 1
    }

    mutating func addAfter(_ version: ComparedVersion) {
        after.add(version)
        strip?.addAfter(version)
        if run.source != version.source { endRun(version.source) }
        run.after += 1
    }

    /// Adds the record of a change that is in no pair.
    mutating func addLeft(_ change: ComparedChange) {
        guard change.mark == nil, change.kind != .representationChanged else { return }
        if let before = change.before { addBefore(before.version) }
        if let after = change.after { addAfter(after.version) }
    }

    private mutating func endRun(_ next: Int64?) {
        if run.before + run.after > 0 {
            sources[run.source, default: (0, 0)].before += run.before
            sources[run.source]!.after += run.after
        }
        run = (next, 0, 0)
    }

    mutating func count(_ kind: ChangeKind) {
        switch kind {
        case .appeared: appeared += 1
        case .disappeared: disappeared += 1
        case .representationChanged: representationChanged += 1
        }
    }

    /// Adds all of another tally of the same measure.
    mutating func add(_ other: ComparisonTally) {
        var other = other
        other.endRun(nil)
        before.add(other.before)
        after.add(other.after)
        if let months = other.strip { strip?.add(months) }
        appeared += other.appeared
        disappeared += other.disappeared
        representationChanged += other.representationChanged
        for (source, count) in other.sources {
            sources[source, default: (0, 0)].before += count.before
            sources[source]!.after += count.after
        }
    }

    /// Records by what their source revisions say, sorted.
    mutating func sourceCounts(_ names: inout SourceNames) throws(ArchiveError) -> [Comparison.SourceCount] {
        endRun(nil)
        var counts: [Int: (before: Int, after: Int)] = [:]
        for (id, count) in sources {
            let number = try names.number(of: id)
            counts[number, default: (0, 0)].before += count.before
            counts[number]!.after += count.after
        }
        let order = counts.keys.sorted { names.precedes($0, $1) }
        return order.map { number in
            var count = Comparison.SourceCount(source: names.revision(number))
            (count.before, count.after) = counts[number]!
            return count
        }
    }
}
