internal import Measures
internal import Archive

/// A window that is being filled, or the changes of a piece that has too many to keep.
struct WindowTally {
    private(set) var tally: ComparisonTally
    private(set) var coverage = CoverageTally()
    private(set) var signs = SignTally()
    private(set) var metadata = MetadataTally()
    private(set) var start: Double?
    private(set) var end: Double?
    /// That of each of its pieces.
    let verdict: Verdict
    /// The pairs that its records are in.
    private(set) var replacements = Comparison.Replacements()
    /// On which local days its records begin, where days are counted.
    private(set) var days = Comparison.Days()
    /// The end of its first change.
    private(set) var firstEnd: Double?
    /// Changes whose versions may stand in other changes too: each version counts once, when the window ends.
    private var shared: [ComparedChange] = []

    init(_ measure: Measure, _ verdict: Verdict) {
        tally = ComparisonTally(measure)
        self.verdict = verdict
    }

    var isEmpty: Bool { tally.appeared + tally.disappeared + tally.representationChanged == 0 }

    /// Adds a change, without what its piece says.
    mutating func add(_ change: ComparedChange) {
        tally.count(change.kind)
        if let day = change.day { days.add(change, on: day) }
        if change.kind != .representationChanged {
            replacements.add(change.mark, isBefore: change.kind == .disappeared)
        }
        if let before = change.before {
            metadata.addBefore(before.statements)
            if change.kind == .disappeared { signs.addDisappeared(isLater: change.isFirstSeenLater) }
        }
        if let after = change.after {
            metadata.addAfter(after.statements)
            if change.kind == .appeared { signs.addAppeared(after.version) }
        }
        guard change.shared == nil else { return shared.append(change) }
        if let before = change.before { tally.addBefore(before.version) }
        if let after = change.after { tally.addAfter(after.version) }
    }

    /// Adds what is known of a piece when it has ended.
    mutating func add(_ piece: Piece) {
        start = start ?? piece.start
        firstEnd = firstEnd ?? piece.firstEnd
        end = max(end ?? piece.end, piece.end)
        coverage.add(piece.spans)
        if piece.kind == .both { signs.add(piece) }
    }

    /// Adds the changes of a piece.
    mutating func add(_ other: WindowTally) {
        tally.add(other.tally)
        coverage.add(other.coverage)
        signs.add(other.signs)
        metadata.add(other.metadata)
        shared += other.shared
        replacements.add(other.replacements)
        days.add(other.days)
        start = start ?? other.start
        firstEnd = firstEnd ?? other.firstEnd
        if let later = other.end { end = max(end ?? later, later) }
    }

    /// Returns the tally, with each version once.
    func finished() -> ComparisonTally {
        var tally = tally
        var (before, after): (Set<[StoredID]>, Set<[StoredID]>) = ([], [])
        for change in shared {
            if let side = change.before, before.insert(change.shared!.before).inserted { tally.addBefore(side.version) }
            if let side = change.after, after.insert(change.shared!.after).inserted { tally.addAfter(side.version) }
        }
        return tally
    }
}
