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
    private var sources = SourceTally()

    /// - Parameter stripOffset: seconds that the clock of its months is ahead of UTC; nil where nobody asks for them.
    init(_ measure: Measure, stripOffset: Int? = nil) {
        before = SideTally(measure)
        after = SideTally(measure)
        strip = stripOffset.map { MonthStrip(measure, offset: $0) }
    }

    mutating func addBefore(_ version: ComparedVersion) {
        before.add(version)
        strip?.addBefore(version)
        sources.addBefore(version.source, version.start)
    }

    mutating func addAfter(_ version: ComparedVersion) {
        after.add(version)
        strip?.addAfter(version)
        sources.addAfter(version.source, version.start)
    }

    /// Adds the record of a change that is in no pair.
    mutating func addLeft(_ change: ComparedChange) {
        guard change.mark == nil, change.kind != .representationChanged else { return }
        if let before = change.before { addBefore(before.version) }
        if let after = change.after { addAfter(after.version) }
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
        before.add(other.before)
        after.add(other.after)
        if let months = other.strip { strip?.add(months) }
        appeared += other.appeared
        disappeared += other.disappeared
        representationChanged += other.representationChanged
        sources.add(other.sources)
    }

    /// Records by what their source revisions say, sorted.
    mutating func sourceCounts(_ names: inout SourceNames) throws(ArchiveError) -> [Comparison.SourceCount] {
        try sources.counts(&names)
    }
}
