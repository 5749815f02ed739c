internal import Archive

/// A number that labels or findings depend on (`Spec/changes.md`), by its name there.
public enum Threshold: String, CaseIterable, Sendable {
    case windowBoundDays = "window_bound_days", windowGapSeconds = "window_gap_seconds"
    case baselineDays = "baseline_days", currentDays = "current_days", divergenceRatio = "divergence_ratio",
        lateArrivalSeconds = "late_arrival_seconds", minimumDays = "minimum_days"

    /// The thresholds of labels, as they are unless set.
    public static let ofSummaries: [Threshold: Double] = [.windowBoundDays: 1, .windowGapSeconds: 3600]

    /// The thresholds of findings, as they are unless set.
    public static let ofFindings: [Threshold: Double] = [
        .baselineDays: 180, .currentDays: 30, .divergenceRatio: 2, .lateArrivalSeconds: 604_800, .minimumDays: 7,
    ]

    /// Returns the value that is used: the one that was set, else the usual one.
    func value(in settings: [Threshold: Double]) -> Double {
        settings[self] ?? Self.ofSummaries[self] ?? Self.ofFindings[self]!
    }

    /// Returns `true` if a threshold can be this value: a number of days is whole, and nothing is negative.
    public func accepts(_ value: Double) -> Bool {
        switch self {
        case .baselineDays, .currentDays, .minimumDays, .windowBoundDays:
            value >= 1 && value <= 100_000 && value == value.rounded()
        default: value >= 0 && value.isFinite
        }
    }
}
