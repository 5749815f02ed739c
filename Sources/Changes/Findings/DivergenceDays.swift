internal import Timestamps
internal import Archive

/// The spans of days that divergence compares, in Unix seconds: local days, the newest before that of the observation.
struct DivergenceDays {
    let baselineStart, currentStart, currentEnd: Double
    let minimumDays: Int
    let ratio: Double
    private var days: LocalDays

    /// - Parameter days: those of the observation's zone.
    init(observedAt: Double, _ days: LocalDays, _ thresholds: [Threshold: Double]) {
        func threshold(_ name: Threshold) -> Double { name.value(in: thresholds) }
        self.days = days
        let today = self.days.date(of: observedAt)
        let current = today - Int64(threshold(.currentDays))
        currentEnd = Double(days.start(of: today))
        currentStart = Double(days.start(of: current))
        baselineStart = Double(days.start(of: current - Int64(threshold(.baselineDays))))
        minimumDays = Int(threshold(.minimumDays))
        ratio = threshold(.divergenceRatio)
    }

    /// Returns the local day of a moment, counted from 1970-01-01.
    mutating func day(of moment: Double) -> Int64 { days.date(of: moment) }
}
