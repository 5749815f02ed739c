internal import Measures
internal import Archive

/// Changes whose spans overlap: no record crosses the border of a piece (`Spec/changes.md`, Windows).
struct Piece {
    /// The sides that a piece has.
    enum Kind { case beforeOnly, afterOnly, both }

    private(set) var start, end: Double
    /// The end of its first change.
    private(set) var firstEnd: Double
    private(set) var spans: [SidedSpan] = []
    /// Of the versions before: their values ÷ lengths, and their values.
    private(set) var rates = Extent()
    private(set) var values = Extent()
    /// `true` if a version before has no value in the canonical unit.
    private(set) var lacksValues = false
    /// `true` if it lies in a workout; set when it has ended.
    var isInWorkout = false

    /// The outcomes of its changes, and of telling them apart from a window that only appeared.
    private(set) var outcomes = ChangeOutcomes()
    /// Once there are too many changes to keep: what the records in no pair come to.
    private var left: ComparisonTally?

    private var hasBefore = false
    private var hasAfter = false
    private var shared: Set<[StoredID]> = []
    /// The changes, as long as they are few; then what they come to.
    private(set) var changes: [ComparedChange] = []
    private(set) var tally: WindowTally?
    private static let greatestCount = 4096
    private let measure: Measure

    init(_ span: ClosedRange<Double>, _ measure: Measure) {
        (start, end, firstEnd) = (span.lowerBound, span.upperBound, span.upperBound)
        self.measure = measure
    }

    var kind: Kind { hasBefore ? (hasAfter ? .both : .beforeOnly) : .afterOnly }

    /// Returns `true` if a change with this span belongs to it. Spans come by start, then by end.
    func overlaps(_ span: ClosedRange<Double>) -> Bool {
        if span.lowerBound < end { return true }
        // Records of a pair are of the same whole seconds.
        let (first, last) = (span.lowerBound.rounded(.down), end.rounded(.down))
        return first == last && (span.upperBound.rounded(.down) == last || start.rounded(.down) == last)
    }

    /// Begins again with a span, and keeps the room.
    mutating func restart(_ span: ClosedRange<Double>) {
        (start, end, firstEnd) = (span.lowerBound, span.upperBound, span.upperBound)
        spans.removeAll(keepingCapacity: true)
        changes.removeAll(keepingCapacity: true)
        shared.removeAll(keepingCapacity: true)
        (rates, values, lacksValues, isInWorkout) = (Extent(), Extent(), false, false)
        (hasBefore, hasAfter, tally, left) = (false, false, nil, nil)
        outcomes = ChangeOutcomes()
    }

    /// - Parameter outcome: of a changed version.
    mutating func add(_ change: ComparedChange, _ span: ClosedRange<Double>, _ outcome: ChangeOutcomes.Change?) {
        end = max(end, span.upperBound)
        if let outcome { outcomes.add(outcome) } else { count(change) }
        if let before = change.before {
            hasBefore = true
            add(before.version, isBefore: true, change.shared?.before)
        }
        if let after = change.after {
            hasAfter = true
            add(after.version, isBefore: false, change.shared?.after)
        }
        if tally == nil, changes.count >= Self.greatestCount {
            var known = WindowTally(measure, Verdict(label: .uncertain))
            left = ComparisonTally(measure)
            for change in changes {
                known.add(change)
                left!.addLeft(change)
            }
            changes = []
            tally = known
        }
        if tally == nil {
            changes.append(change)
        } else {
            tally!.add(change)
            left!.addLeft(change)
        }
    }

    private mutating func count(_ change: ComparedChange) {
        if change.kind == .appeared { outcomes.appeared += 1 } else { outcomes.disappeared += 1 }
        outcomes.replacements.add(change.mark, isBefore: change.kind == .disappeared)
    }

    /// Returns the figures of the records that are in no pair; `nil` unless both sides have some.
    func leftover(_ sources: inout SourceNames) throws(ArchiveError) -> Leftover? {
        let counts = outcomes.replacements.left
        guard counts.before > 0, counts.after > 0 else { return nil }
        var tally = left ?? ComparisonTally(measure)
        for change in changes { tally.addLeft(change) }
        let (before, after) = (tally.before.result(), tally.after.result())
        let evidence = Comparison.Evidence(before, after, try tally.sourceCounts(&sources))
        return Leftover(before: before, after: after, areSourcesCompatible: evidence.areSourcesCompatible)
    }

    /// `true` if some metadata before state all that metadata after state.
    var isMetadataCompatible: Bool {
        if let tally { return tally.metadata.isCompatible }
        var metadata = MetadataTally()
        for change in changes {
            metadata.addBefore(change.before?.statements ?? [])
            metadata.addAfter(change.after?.statements ?? [])
        }
        return metadata.isCompatible
    }

    private mutating func add(_ version: ComparedVersion, isBefore: Bool, _ shared: [StoredID]?) {
        if isBefore {
            if case .amount(let amount) = version.value {
                values.add(amount)
                if version.length > 0 { rates.add(amount / version.length) }
            } else {
                lacksValues = true
            }
        }
        guard let span = version.span else { return }
        if let shared, !self.shared.insert(shared + [.integer(isBefore ? 0 : 1)]).inserted { return }
        spans.append(SidedSpan(span, isBefore: isBefore))
    }

    /// Sorts the spans by start, those after first.
    mutating func finish() {
        guard spans.count > 1 else { return }
        spans.sort { ($0.start, $0.isBefore ? 1 : 0) < ($1.start, $1.isBefore ? 1 : 0) }
    }
}
