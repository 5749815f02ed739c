internal import Archive
internal import Measures

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
    /// Of category values and activities: records without one.
    private var unstated: PartTally?

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
        case .absent:
            guard measure.kind == .category || measure.kind == .workout else { break }
            unstated = unstated ?? PartTally()
            unstated!.add(version)
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
        if let more = other.unstated {
            unstated = unstated ?? PartTally()
            unstated!.add(more)
        }
        for (value, part) in other.parts {
            parts[value, default: PartTally()].add(part)
        }
    }

    private static func chosen(_ one: Double?, _ other: Double?, _ choice: (Double, Double) -> Double) -> Double? {
        guard let one, let other else { return one ?? other }
        return choice(one, other)
    }

    /// Returns the figures of the versions.
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
        if var found = unstated { result.unstated = found.result(0) }
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

/// Levels and powers of sounds (`Spec/changes.md`, Sides): made of operations that IEEE 754 rounds correctly, so that
/// every implementation has the same bits.
enum SoundLevel {
    /// 10^(1/2), 10^(1/4), …: each the square root of the one before.
    private static let roots: [Double] = {
        var roots: [Double] = []
        var root = 10.0
        for _ in 0..<40 {
            root = root.squareRoot()
            roots.append(root)
        }
        return roots
    }()

    /// Returns the power 10^(level ÷ 10); `nil` beyond ±1000.
    static func power(_ level: Double) -> Double? {
        guard level.magnitude <= 1000 else { return nil }
        let exponent = (level / 10).rounded(.down)
        var rest = level / 10 - exponent
        var power = 1.0
        for _ in 0..<Int(exponent.magnitude) { power = exponent > 0 ? power * 10 : power / 10 }
        var bit = 1.0
        for root in roots {
            bit /= 2
            guard rest >= bit else { continue }
            rest -= bit
            power *= root
        }
        return power
    }

    /// Returns the level of a power above 0; `nil` of any other.
    static func level(_ power: Double) -> Double? {
        guard power > 0, power.isFinite else { return nil }
        var (power, exponent) = (power, 0.0)
        while power >= 10 { (power, exponent) = (power / 10, exponent + 1) }
        while power < 1 { (power, exponent) = (power * 10, exponent - 1) }
        var bit = 1.0
        for root in roots {
            bit /= 2
            guard power >= root else { continue }
            power /= root
            exponent += bit
        }
        return exponent * 10
    }
}

/// Adds up the versions of one category value, or of one activity.
struct PartTally {
    private var count = 0
    private var seconds = ExactSum()
    private var distance = Stated()
    private var energy = Stated()

    /// A statement that some of the versions make.
    private struct Stated {
        var count = 0
        /// Nothing is held for what no version states.
        var sum: ExactSum?

        mutating func add(_ amount: Double?) {
            guard let amount else { return }
            count += 1
            sum = sum ?? ExactSum()
            sum!.add(amount)
        }

        mutating func add(_ other: Stated) {
            count += other.count
            guard let added = other.sum else { return }
            sum = sum ?? ExactSum()
            sum!.add(added)
        }

        /// nil where no version states one.
        var result: Comparison.Stated? {
            guard var sum else { return nil }
            return Comparison.Stated(count: count, sum: sum.value())
        }
    }

    mutating func add(_ version: ComparedVersion) {
        count += 1
        seconds.add(version.length)
        distance.add(version.totals.distance)
        energy.add(version.totals.energy)
    }

    mutating func add(_ other: PartTally) {
        count += other.count
        seconds.add(other.seconds)
        distance.add(other.distance)
        energy.add(other.energy)
    }

    mutating func result(_ value: Int64) -> Comparison.Part {
        Comparison.Part(
            value: value, recordCount: count, seconds: seconds.value(), distance: distance.result,
            energy: energy.result)
    }
}
