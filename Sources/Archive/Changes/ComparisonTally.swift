/// Both sides of a comparison, its changes, and where its records come from.
struct ComparisonTally {
    var before = SideTally()
    var after = SideTally()
    var appeared = 0
    var disappeared = 0
    var representationChanged = 0
    private var sources: [Int64?: (before: Int, after: Int)] = [:]

    mutating func addBefore(_ version: ComparedVersion) {
        before.add(version)
        sources[version.source, default: (0, 0)].before += 1
    }

    mutating func addAfter(_ version: ComparedVersion) {
        after.add(version)
        sources[version.source, default: (0, 0)].after += 1
    }

    mutating func count(_ kind: ChangeKind) {
        switch kind {
        case .appeared: appeared += 1
        case .disappeared: disappeared += 1
        case .representationChanged: representationChanged += 1
        }
    }

    mutating func reset() {
        before.reset()
        after.reset()
        (appeared, disappeared, representationChanged) = (0, 0, 0)
        sources.removeAll(keepingCapacity: true)
    }

    /// Records by what their source revisions say, sorted.
    func sourceCounts(_ names: inout SourceNames) throws(ArchiveError) -> [Comparison.SourceCount] {
        var counts: [SourceRevision: Comparison.SourceCount] = [:]
        for (id, count) in sources {
            let source = try names.revision(id)
            counts[source, default: Comparison.SourceCount(source: source)].before += count.before
            counts[source]!.after += count.after
        }
        return counts.values.sorted { SourceRevision.precedes($0.source, $1.source) }
    }
}
