/// Gives windows their labels (`Spec/changes.md`, Labels): every rule of the table, in its order.
struct Labeling {
    let thresholds: [Threshold: Double]

    private func threshold(_ name: Threshold) -> Double { name.value(in: thresholds) }

    /// How far changes of one window lie apart.
    var windowGap: Double { threshold(.windowGapSeconds) }

    /// The label of a window, and why it is uncertain.
    ///
    /// - Parameter incomplete: reasons that are known before its records are looked at.
    func label(
        _ window: Comparison.Counts, _ before: Comparison.Side, _ after: Comparison.Side,
        _ evidence: Comparison.Evidence, incomplete: [Comparison.Reason]
    )
        -> (Comparison.Label, [Comparison.Reason])
    {
        if !incomplete.isEmpty { return (.uncertain, incomplete.sorted { $0.rawValue < $1.rawValue }) }
        if window.representationChanged == 0, window.disappeared == 0 { return (.appeared, []) }
        if window.representationChanged == 0, window.appeared == 0 { return (.disappeared, []) }
        let areSameRecords = window.disappeared == 0 && window.appeared == 0
        let haveNoValues = before.valueCount == 0 && after.valueCount == 0
        if areSameRecords, haveNoValues || Self.unitsDiffer(before, after) { return (.representationChanged, []) }
        if let reason = Self.missing(before, after, haveNoValues: haveNoValues) { return (.uncertain, [reason]) }
        guard let sumBefore = before.sum, let sumAfter = after.sum else { return (.uncertain, [.unitsDiffer]) }
        guard
            (sumAfter - sumBefore).magnitude <= threshold(.sumTolerance) * max(sumBefore.magnitude, sumAfter.magnitude)
        else { return (.aggregateChanged, []) }
        return (isConsolidation(window, before, after, evidence) ? .consolidationLikely : .representationChanged, [])
    }

    /// Whether each side has values, and they cannot be compared.
    private static func unitsDiffer(_ before: Comparison.Side, _ after: Comparison.Side) -> Bool {
        guard before.valueCount > 0, after.valueCount > 0 else { return false }
        return before.sum == nil || after.sum == nil || before.unit != after.unit
    }

    private static func missing(_ before: Comparison.Side, _ after: Comparison.Side, haveNoValues: Bool) -> Comparison
        .Reason?
    {
        if haveNoValues { return .valuesMissing }
        if before.valueCount != before.recordCount || after.valueCount != after.recordCount { return .valuesIncomplete }
        return unitsDiffer(before, after) ? .unitsDiffer : nil
    }

    /// Fewer and longer records with the same sum.
    private func isConsolidation(
        _ window: Comparison.Counts, _ before: Comparison.Side, _ after: Comparison.Side,
        _ evidence: Comparison.Evidence
    ) -> Bool {
        guard let overlap = evidence.coverageOverlap, let densityBefore = before.recordsPerHour,
            let densityAfter = after.recordsPerHour, let meanBefore = before.meanIntervalSeconds,
            let meanAfter = after.meanIntervalSeconds
        else { return false }
        return Double(window.disappeared) >= threshold(.minimumDisappeared)
            && Double(after.recordCount) <= threshold(.countRatio) * Double(before.recordCount)
            && overlap >= threshold(.coverageOverlap) && densityAfter < densityBefore && meanAfter > meanBefore
            && evidence.areSourcesCompatible
    }
}

extension Comparison {
    /// Changes by kind.
    struct Counts {
        let appeared, disappeared, representationChanged: Int
    }
}

extension Comparison.Evidence {
    init(_ before: Comparison.Side, _ after: Comparison.Side, _ sources: [Comparison.SourceCount]) {
        recordCountDelta = after.recordCount - before.recordCount
        coverageOverlap = Self.overlap(before, after)
        let known = Set(sources.filter { $0.before > 0 }.map(\.source.bundleIdentifier))
        areSourcesCompatible = sources.allSatisfy { $0.after == 0 || known.contains($0.source.bundleIdentifier) }
        if let sumBefore = before.sum, let sumAfter = after.sum, before.unit == after.unit,
            (sumAfter - sumBefore).isFinite
        {
            sumDelta = sumAfter - sumBefore
        } else {
            sumDelta = nil
        }
    }

    private static func overlap(_ before: Comparison.Side, _ after: Comparison.Side) -> Double? {
        guard let start = before.earliestStart, let end = before.latestEnd, let otherStart = after.earliestStart,
            let otherEnd = after.latestEnd
        else { return nil }
        let whole = max(end, otherEnd) - min(start, otherStart)
        guard whole != 0 else { return 1 }
        return max(0, min(end, otherEnd) - max(start, otherStart)) / whole
    }
}
