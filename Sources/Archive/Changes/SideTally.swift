/// A version's values that comparisons look at.
struct ComparedVersion {
    /// Unix seconds, where they have a timestamp.
    var start, end: Double?
    /// Finite.
    var value: Double?
    var unit: [UInt8]?
    /// `source_revisions.id`.
    var source: Int64?
}

/// Adds up the versions of one side.
struct SideTally {
    private var side = Comparison.Side()
    private var sum = ExactSum()
    private var intervals = ExactSum()
    private var intervalCount = 0
    private var isUnitKnown = false
    private var hasSeveralUnits = false

    mutating func add(_ version: ComparedVersion) {
        side.recordCount += 1
        if let start = version.start { side.earliestStart = min(side.earliestStart ?? start, start) }
        if let end = version.end { side.latestEnd = max(side.latestEnd ?? end, end) }
        if let start = version.start, let end = version.end {
            intervals.add(end - start)
            intervalCount += 1
        }
        guard let value = version.value else { return }
        side.valueCount += 1
        if isUnitKnown, side.unit != version.unit { hasSeveralUnits = true }
        if !isUnitKnown { side.unit = version.unit }
        isUnitKnown = true
        sum.add(value)
        side.maximum = max(side.maximum ?? value, value)
    }

    mutating func reset() {
        side = Comparison.Side()
        sum.reset()
        intervals.reset()
        intervalCount = 0
        isUnitKnown = false
        hasSeveralUnits = false
    }

    /// What the versions come to.
    mutating func result() -> Comparison.Side {
        var result = side
        if side.valueCount > 0, !hasSeveralUnits {
            result.sum = sum.value()
        } else {
            (result.sum, result.maximum, result.unit) = (nil, nil, nil)
        }
        if intervalCount > 0, let total = intervals.value() {
            result.intervalSeconds = total
            result.meanIntervalSeconds = total / Double(intervalCount)
        }
        if let start = side.earliestStart, let end = side.latestEnd, end - start > 0 {
            let density = Double(side.recordCount) * 3600 / (end - start)
            if density.isFinite { result.recordsPerHour = density }
        }
        return result
    }
}

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

/// What source revisions say, by id. There are few of them.
struct SourceNames: ~Copyable {
    private var statement: Statement
    private var known: [Int64: SourceRevision] = [:]

    init(_ connection: borrowing Connection) throws(ArchiveError) { statement = try connection.prepare(SourceColumn.sql) }

    /// What a revision says; one that does not exist says nothing.
    mutating func revision(_ id: Int64?) throws(ArchiveError) -> SourceRevision {
        guard let id else { return SourceRevision() }
        if let revision = known[id] { return revision }
        var revision = SourceRevision()
        statement.bind(1, id)
        if try statement.step() {
            revision.bundleIdentifier = statement.carryableText(Int32(SourceColumn.bundleIdentifier.rawValue))
            revision.operatingSystemVersion = statement.carryableText(Int32(SourceColumn.operatingSystemVersion.rawValue))
            revision.productType = statement.carryableText(Int32(SourceColumn.productType.rawValue))
            revision.version = statement.carryableText(Int32(SourceColumn.version.rawValue))
        }
        statement.reset()
        known[id] = revision
        return revision
    }
}
