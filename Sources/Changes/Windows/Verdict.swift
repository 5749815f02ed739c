internal import Archive
internal import Measures

/// The label of a window, and the reasons why it is uncertain.
struct Verdict: Equatable {
    let label: WindowLabel
    var reasons: [Comparison.Reason] = []

    static func uncertain(_ reason: Comparison.Reason) -> Verdict { Verdict(label: .uncertain, reasons: [reason]) }
}

/// The outcomes of a piece's changes, besides the pairs that their records are in.
struct ChangeOutcomes {
    /// The outcome for the measure of a sample that has another version.
    enum Change { case kept, changed, unitsDiffer, incomplete }

    var appeared = 0, disappeared = 0
    private(set) var changed = 0
    var replacements = Comparison.Replacements()
    private(set) var hasOtherMeasure = false
    private(set) var hasOtherUnits = false
    private(set) var lacksValues = false

    mutating func add(_ outcome: Change) {
        changed += 1
        switch outcome {
        case .kept: break
        case .changed: hasOtherMeasure = true
        case .unitsDiffer: hasOtherUnits = true
        case .incomplete: lacksValues = true
        }
    }
}

/// The figures of records that are in no pair, if some disappeared and others appeared in one piece.
struct Leftover {
    let before, after: Comparison.Side
    let areSourcesCompatible: Bool
}

/// Gives windows their labels (`Spec/changes.md`, Labels): every rule of the table, in its order.
struct Labeling {
    let thresholds: [Threshold: Double]

    /// The maximum gap between changes of one window, in seconds.
    var windowGap: Double { Threshold.windowGapSeconds.value(in: thresholds) }
    /// After how many local days a window ends.
    var windowBound: Double { Threshold.windowBoundDays.value(in: thresholds) }

    /// Returns the verdict on a piece.
    ///
    /// - Parameters:
    ///   - incomplete: reasons that are known before its records are looked at, sorted.
    ///   - leftover: if records of both sides are in no pair.
    ///   - isMetadataCompatible: asked only where it decides.
    static func verdict(
        _ piece: ChangeOutcomes, incomplete: [Comparison.Reason], _ kind: Measure.Kind, _ leftover: Leftover?,
        isMetadataCompatible: () -> Bool
    ) -> Verdict {
        if !incomplete.isEmpty { return Verdict(label: .uncertain, reasons: incomplete) }
        if piece.changed == 0, piece.disappeared == 0 { return Verdict(label: .appeared) }
        let replacements = piece.replacements
        if replacements.left.before > 0, leftover == nil { return Verdict(label: .disappeared) }
        if replacements.areAmbiguous { return .uncertain(.pairsAmbiguous) }
        if let leftover, let verdict = verdict(leftover, kind) { return verdict }
        if piece.hasOtherUnits { return .uncertain(.unitsDiffer) }
        if piece.lacksValues { return .uncertain(.valuesIncomplete) }
        if piece.hasOtherMeasure || replacements.has(.changed) || replacements.has(.daysChanged) {
            return Verdict(label: .aggregateChanged)
        }
        if replacements.has(.sourceChanged) { return .uncertain(.sourcesDiffer) }
        if replacements.has(.notProvable) { return Verdict(label: .replacedNotProvable) }
        let paired = replacements.paired()
        let isCondensed = paired.before > paired.after && isMetadataCompatible()
        return Verdict(label: isCondensed ? .consolidationLikely : .representationChanged)
    }

    /// Returns the verdict on records in each other's place; `nil` if nothing of them decides.
    private static func verdict(_ leftover: Leftover, _ kind: Measure.Kind) -> Verdict? {
        let (before, after) = (leftover.before, leftover.after)
        guard let compared = compare(kind, before, after) else {
            if before.otherUnitCount + after.otherUnitCount > 0 { return .uncertain(.unitsDiffer) }
            return .uncertain(before.valueCount + after.valueCount == 0 ? .valuesMissing : .valuesIncomplete)
        }
        if compared.isKept, !leftover.areSourcesCompatible { return .uncertain(.sourcesDiffer) }
        return compared.isKept && kind == .event ? nil : Verdict(label: .aggregateChanged)
    }

    /// Compares the measure before and after: returns the difference, and `true` if it is within tolerance.
    static func compare(_ kind: Measure.Kind, _ before: Comparison.Side, _ after: Comparison.Side)
        -> (delta: Double?, isKept: Bool)?
    {
        guard before.recordCount > 0, after.recordCount > 0 else { return nil }
        switch kind {
        case .cumulative:
            guard isComplete(before), isComplete(after), let one = before.sum, let other = after.sum else {
                return nil
            }
            return (other - one, CondensationLaw.areEqual(one, other))
        case .discrete:
            guard isComplete(before), isComplete(after), let one = before.mean, let other = after.mean else {
                return nil
            }
            return (other - one, CondensationLaw.areEqual(one, other))
        case .category, .workout: return compareParts(before, after)
        case .event:
            let delta = after.recordCount - before.recordCount
            return (Double(delta), delta == 0)
        }
    }

    private static func isComplete(_ side: Comparison.Side) -> Bool { side.valueCount == side.recordCount }

    /// Seconds by value, records where there are no seconds, and what workouts state in total.
    private static func compareParts(_ before: Comparison.Side, _ after: Comparison.Side)
        -> (delta: Double?, isKept: Bool)?
    {
        var (delta, isKept) = (0.0, true)
        var pairs = [(before.unstated, after.unstated)]
        let sides = [before, after].map { Dictionary(uniqueKeysWithValues: $0.parts.map { ($0.value, $0) }) }
        for value in Set((before.parts + after.parts).map(\.value)).sorted() {
            pairs.append((sides[0][value], sides[1][value]))
        }
        for pair in pairs {
            let none = Comparison.Part(value: 0, recordCount: 0, seconds: 0)
            let (one, other) = (pair.0 ?? none, pair.1 ?? none)
            guard let first = one.seconds, let second = other.seconds else { return nil }
            delta += (second - first).magnitude
            isKept = isKept && CondensationLaw.areEqual(first, second)
            if first == 0, second == 0, one.recordCount != other.recordCount { isKept = false }
            for stated in [\Comparison.Part.distance, \.energy] {
                let (was, now) = (one[keyPath: stated], other[keyPath: stated])
                guard let first = was.map(\.sum) ?? 0, let second = now.map(\.sum) ?? 0 else { return nil }
                isKept = isKept && CondensationLaw.areEqual(first, second)
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
