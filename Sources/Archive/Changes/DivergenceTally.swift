/// Adds up values day by day. They come in the order of their dates.
struct DivergenceTally {
    private let days: DivergenceDays
    private var baseline: [Double] = []
    private var current: [Double] = []
    private var sum = ExactSum()
    private var day: Double?
    private var unit: [UInt8]??
    private var isUsable = true

    init(_ days: DivergenceDays) { self.days = days }

    mutating func add(start: Double, value: Double, unit: [UInt8]?) {
        if let known = self.unit, known != unit { isUsable = false }
        self.unit = .some(unit)
        let day = (start / DivergenceDays.day).rounded(.down) * DivergenceDays.day
        if self.day != day { endDay() }
        self.day = day
        sum.add(value)
    }

    private mutating func endDay() {
        guard let day else { return }
        if let total = sum.value() {
            if day < days.currentStart { baseline.append(total) } else { current.append(total) }
        } else {
            isUsable = false
        }
        sum.reset()
    }

    /// What the two spans come to, where they are worth a finding.
    mutating func result() -> ChangeFinding.Divergence? {
        endDay()
        guard isUsable, baseline.count >= days.minimumDays, current.count >= days.minimumDays,
            let before = Self.deviation(baseline), let now = Self.deviation(current), before > 0,
            now / before > days.ratio, (now / before).isFinite
        else { return nil }
        return ChangeFinding.Divergence(
            baselineStart: days.baselineStart, currentStart: days.currentStart, currentEnd: days.currentEnd,
            baselineDayCount: baseline.count, currentDayCount: current.count,
            baselineDeviation: before, currentDeviation: now)
    }

    private static func deviation(_ values: [Double]) -> Double? {
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
        return deviation.isFinite ? deviation : nil
    }
}
