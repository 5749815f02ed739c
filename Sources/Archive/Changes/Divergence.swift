internal import CSQLite

/// The spans of days that divergence compares, in Unix seconds: UTC days, the newest before the day of the observation.
struct DivergenceDays {
    static let day = 86_400.0
    let baselineStart, currentStart, currentEnd: Double
    let minimumDays: Int
    let ratio: Double

    init(observedAt: Double, _ thresholds: [Threshold: Double]) {
        func threshold(_ name: Threshold) -> Double { name.value(in: thresholds) }
        currentEnd = (observedAt / Self.day).rounded(.down) * Self.day
        currentStart = currentEnd - threshold(.currentDays) * Self.day
        baselineStart = currentStart - threshold(.baselineDays) * Self.day
        minimumDays = Int(threshold(.minimumDays))
        ratio = threshold(.divergenceRatio)
    }
}

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
        guard isUsable, baseline.count >= days.minimumDays, current.count >= days.minimumDays, let before = Self.deviation(baseline), let now = Self.deviation(current), before > 0,
            now / before > days.ratio, (now / before).isFinite
        else { return nil }
        return ChangeFinding.Divergence(
            baselineStart: days.baselineStart, currentStart: days.currentStart, currentEnd: days.currentEnd, baselineDayCount: baseline.count, currentDayCount: current.count,
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

/// The SQL function `hp_date(value)`: a date that has a timestamp as it is, anything else as NULL, which sorts first.
final class DateKeyFunction: SQLFunction {
    override func call(_ context: OpaquePointer, _ values: UnsafeBufferPointer<OpaquePointer?>) {
        if let date = unsafe OrderKeyFunction.date(values[0]) { unsafe sqlite3_result_double(context, date) } else { unsafe sqlite3_result_null(context) }
    }
}
