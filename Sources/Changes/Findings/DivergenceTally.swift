internal import Measures
internal import Archive

/// What a type's values come to day by day. They come in the order of their dates.
struct DivergenceTally {
    private let measure: Measure
    private var days: DivergenceDays
    private var baseline: [Double] = []
    private var current: [Double] = []
    private var side: SideTally
    /// The day that is being filled, and whether it is of the newer span.
    private var day: (number: Int64, isCurrent: Bool)?
    private var isUsable = true

    init(_ measure: Measure, _ days: DivergenceDays) {
        self.measure = measure
        self.days = days
        side = SideTally(measure)
    }

    /// Adds a version that has a number.
    mutating func add(_ version: ComparedVersion, start: Double) {
        let number = days.day(of: start)
        if day?.number != number {
            endDay()
            day = (number, start >= days.currentStart)
        }
        side.add(version)
    }

    private mutating func endDay() {
        guard let day else { return }
        let result = side.result()
        side = SideTally(measure)
        guard result.otherUnitCount == 0, let value = measure.kind == .cumulative ? result.sum : result.mean else {
            isUsable = false
            return
        }
        if day.isCurrent { current.append(value) } else { baseline.append(value) }
    }

    /// What the two spans come to, where they are worth a finding.
    mutating func result() -> ChangeFinding.Divergence? {
        endDay()
        day = nil
        guard isUsable, baseline.count >= days.minimumDays, current.count >= days.minimumDays,
            let before = Self.spread(baseline), let now = Self.spread(current), before.deviation > 0,
            now.deviation / before.deviation > days.ratio, (now.deviation / before.deviation).isFinite
        else { return nil }
        return ChangeFinding.Divergence(
            baselineStart: days.baselineStart, currentStart: days.currentStart, currentEnd: days.currentEnd,
            baselineDayCount: baseline.count, currentDayCount: current.count,
            measure: measure.kind.rawValue, method: measure.method.rawValue, unit: measure.unit,
            baselineMean: before.mean, currentMean: now.mean,
            baselineDeviation: before.deviation, currentDeviation: now.deviation)
    }

    private static func spread(_ values: [Double]) -> (mean: Double, deviation: Double)? {
        var sum = ExactSum()
        for value in values { sum.add(value) }
        guard let total = sum.value() else { return nil }
        let mean = total / Double(values.count)
        sum.reset()
        for value in values {
            let distance = value - mean
            guard (distance * distance).isFinite else { return nil }
            sum.add(distance * distance)
        }
        guard let squares = sum.value() else { return nil }
        let deviation = (squares / Double(values.count)).squareRoot()
        return deviation.isFinite ? (mean, deviation) : nil
    }
}
