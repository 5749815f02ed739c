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
