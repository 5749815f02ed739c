internal import Measures
internal import Archive

/// Adds up the versions of one side.
struct SideTally {
    private let measure: Measure
    private var side = Comparison.Side()
    private var intervals = ExactSum()
    private var intervalCount = 0
    /// Of amounts: their sum, or that of what their mean is made of.
    private var sum = ExactSum()
    private var weights = ExactSum()
    private var isMeanPossible = true
    private var parts: [Int64: PartTally] = [:]

    init(_ measure: Measure) { self.measure = measure }

    mutating func add(_ version: ComparedVersion) {
        side.recordCount += 1
        if let start = version.start { side.earliestStart = min(side.earliestStart ?? start, start) }
        if let end = version.end { side.latestEnd = max(side.latestEnd ?? end, end) }
        if let start = version.start, let end = version.end {
            intervals.add(end - start)
            intervalCount += 1
        }
        switch version.value {
        case .absent: break
        case .otherUnit: side.otherUnitCount += 1
        case .amount(let amount):
            side.valueCount += 1
            side.maximum = max(side.maximum ?? amount, amount)
            if measure.kind == .discrete { side.minimum = min(side.minimum ?? amount, amount) }
            add(amount, weight: max(1, version.length))
        case .part(let value):
            side.valueCount += 1
            parts[value, default: PartTally()].add(version)
        }
    }

    private mutating func add(_ amount: Double, weight: Double) {
        switch measure.method {
        case .timeWeightedMean: addWeighted(amount, weight)
        case .equivalentLevel:
            guard let power = SoundLevel.power(amount) else { return isMeanPossible = false }
            addWeighted(power, weight)
        default: sum.add(amount)
        }
    }

    private mutating func addWeighted(_ amount: Double, _ weight: Double) {
        guard (amount * weight).isFinite else { return isMeanPossible = false }
        sum.add(amount * weight)
        weights.add(weight)
    }

    /// Adds all versions of another tally of the same measure.
    mutating func add(_ other: SideTally) {
        side.recordCount += other.side.recordCount
        side.valueCount += other.side.valueCount
        side.otherUnitCount += other.side.otherUnitCount
        side.earliestStart = Self.chosen(side.earliestStart, other.side.earliestStart, min)
        side.latestEnd = Self.chosen(side.latestEnd, other.side.latestEnd, max)
        side.maximum = Self.chosen(side.maximum, other.side.maximum, max)
        side.minimum = Self.chosen(side.minimum, other.side.minimum, min)
        intervals.add(other.intervals)
        intervalCount += other.intervalCount
        sum.add(other.sum)
        weights.add(other.weights)
        isMeanPossible = isMeanPossible && other.isMeanPossible
        for (value, part) in other.parts {
            parts[value, default: PartTally()].add(part)
        }
    }

    private static func chosen(_ one: Double?, _ other: Double?, _ choice: (Double, Double) -> Double) -> Double? {
        guard let one, let other else { return one ?? other }
        return choice(one, other)
    }

    /// What the versions come to.
    mutating func result() -> Comparison.Side {
        var result = side
        if side.valueCount > 0 {
            switch measure.kind {
            case .cumulative:
                result.sum = sum.value()
                result.unit = measure.unit
            case .discrete:
                result.mean = mean()
                result.unit = measure.unit
            default: break
            }
        }
        for value in parts.keys.sorted() {
            result.parts.append(parts[value]!.result(value))
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

    private mutating func mean() -> Double? {
        guard isMeanPossible, let total = sum.value() else { return nil }
        guard measure.method != .mean else { return total / Double(side.valueCount) }
        guard let weight = weights.value(), (total / weight).isFinite else { return nil }
        return measure.method == .equivalentLevel ? SoundLevel.level(total / weight) : total / weight
    }
}
