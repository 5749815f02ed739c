internal import Measures
internal import Archive

/// Gives windows their labels (`Spec/changes.md`, Labels): every rule of the table, in its order.
struct Labeling {
    let thresholds: [Threshold: Double]

    private func threshold(_ name: Threshold) -> Double { name.value(in: thresholds) }

    /// How far changes of one window lie apart.
    var windowGap: Double { threshold(.windowGapSeconds) }
    /// After how many local days a window ends.
    var windowBound: Double { threshold(.windowBoundDays) }

    /// The label of a window, and why it is uncertain.
    ///
    /// - Parameter incomplete: reasons that are known before its records are looked at.
    func label(
        _ window: Comparison.Counts, _ before: Comparison.Side, _ after: Comparison.Side,
        _ evidence: Comparison.Evidence, incomplete: [Comparison.Reason]
    )
        -> (WindowLabel, [Comparison.Reason])
    {
        if !incomplete.isEmpty { return (.uncertain, incomplete.sorted { $0.rawValue < $1.rawValue }) }
        if window.representationChanged == 0, window.disappeared == 0 { return (.appeared, []) }
        if window.representationChanged == 0, window.appeared == 0 { return (.disappeared, []) }
        let haveNoValues = [before, after].allSatisfy { $0.valueCount + $0.otherUnitCount == 0 }
        if window.disappeared == 0, window.appeared == 0, haveNoValues || evidence.isMeasureKept == true {
            return (.representationChanged, [])
        }
        guard let isKept = evidence.isMeasureKept else {
            if before.otherUnitCount + after.otherUnitCount > 0 { return (.uncertain, [.unitsDiffer]) }
            return (.uncertain, [haveNoValues ? .valuesMissing : .valuesIncomplete])
        }
        guard isKept else { return (.aggregateChanged, []) }
        if window.disappeared > 0, window.appeared > 0, !evidence.areSourcesCompatible {
            return (.uncertain, [.sourcesDiffer])
        }
        let isConsolidated = window.disappeared > 0 && against(window, before, after, evidence).isEmpty
        return (isConsolidated ? .consolidationLikely : .representationChanged, [])
    }

    /// The pieces of evidence that speak against a consolidation, in the order of their names.
    func against(
        _ window: Comparison.Counts, _ before: Comparison.Side, _ after: Comparison.Side,
        _ evidence: Comparison.Evidence
    ) -> [Comparison.Piece] {
        Comparison.Piece.allCases.filter { piece in
            switch piece {
            case .count: !isFewer(window, before, after)
            case .coverage: !isCovered(evidence.coverage)
            case .density: !isSparser(before, after)
            case .measure: evidence.isMeasureKept != true
            case .metadata: !evidence.isMetadataCompatible
            case .sources: !evidence.areSourcesCompatible
            }
        }
    }

    private func isFewer(_ window: Comparison.Counts, _ before: Comparison.Side, _ after: Comparison.Side) -> Bool {
        Double(window.disappeared) >= threshold(.minimumDisappeared)
            && Double(after.recordCount) <= threshold(.countRatio) * Double(before.recordCount)
    }

    private func isCovered(_ coverage: Comparison.Coverage?) -> Bool {
        let shares = [coverage?.overlap, coverage?.instantOverlap].compactMap { $0 }
        return !shares.isEmpty && shares.allSatisfy { $0 >= threshold(.coverageOverlap) }
    }

    private func isSparser(_ before: Comparison.Side, _ after: Comparison.Side) -> Bool {
        guard let densityBefore = before.recordsPerHour, let densityAfter = after.recordsPerHour,
            let meanBefore = before.meanIntervalSeconds, let meanAfter = after.meanIntervalSeconds
        else { return false }
        return densityAfter < densityBefore && meanAfter > meanBefore
    }

    /// The measure of a window before and after: the difference, and whether it is within tolerance.
    func compare(_ kind: Measure.Kind, _ before: Comparison.Side, _ after: Comparison.Side)
        -> (delta: Double?, isKept: Bool)?
    {
        let sides = [before, after]
        guard sides.allSatisfy({ $0.recordCount > 0 && (kind == .event || $0.valueCount == $0.recordCount) }) else {
            return nil
        }
        switch kind {
        case .cumulative:
            guard let one = before.sum, let other = after.sum else { return nil }
            return (other - one, isWithin(one, other))
        case .discrete:
            guard let one = before.mean, let other = after.mean else { return nil }
            return (other - one, isWithin(one, other))
        case .category, .workout: return compare(before.parts, after.parts)
        case .event:
            let delta = after.recordCount - before.recordCount
            return (Double(delta), delta == 0)
        }
    }

    private func isWithin(_ before: Double, _ after: Double) -> Bool {
        (after - before).magnitude <= threshold(.measureTolerance) * max(before.magnitude, after.magnitude)
    }

    /// Seconds by value, records where there are no seconds, and what every record of both sides states.
    private func compare(_ before: [Comparison.Part], _ after: [Comparison.Part]) -> (delta: Double?, isKept: Bool)? {
        var (delta, isKept) = (0.0, true)
        let sides = [before, after].map { Dictionary(uniqueKeysWithValues: $0.map { ($0.value, $0) }) }
        for value in Set((before + after).map(\.value)).sorted() {
            let none = Comparison.Part(value: value, recordCount: 0, seconds: 0)
            let (one, other) = (sides[0][value] ?? none, sides[1][value] ?? none)
            guard let first = one.seconds, let second = other.seconds else { return nil }
            delta += (second - first).magnitude
            isKept = isKept && isWithin(first, second)
            if first == 0, second == 0, one.recordCount != other.recordCount { isKept = false }
            for stated in [\Comparison.Part.distance, \.energy] {
                guard let was = one[keyPath: stated], let now = other[keyPath: stated], was.count == one.recordCount,
                    now.count == other.recordCount, let first = was.sum, let second = now.sum
                else { continue }
                isKept = isKept && isWithin(first, second)
            }
        }
        return (delta, isKept)
    }
}

extension Comparison {
    /// Changes by kind.
    struct Counts {
        let appeared, disappeared, representationChanged: Int
    }
}
