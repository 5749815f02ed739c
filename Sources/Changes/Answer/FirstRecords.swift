public import Answer
public import Timestamps

/// The records of an observation that nothing is compared with, counted from comparisons of it with itself.
public struct FirstRecords {
    /// Records of each type, by its place in the context; `nil` without an identifier.
    public private(set) var types: [(type: Int?, count: Int)] = []
    /// All versions of a source are one.
    public private(set) var sources: Set<Answer.Source> = []
    public private(set) var rejected = 0
    private var (first, last) = (Double.infinity, -Double.infinity)

    public init() {}

    /// Counts a comparison.
    public mutating func add(_ comparison: Comparison) {
        if case .allTypes = comparison.subject { rejected = comparison.rejected ?? 0 }
        guard case .type = comparison.subject, comparison.after.recordCount > 0 else { return }
        types.append((comparison.type, comparison.after.recordCount))
        first = min(first, comparison.after.earliestStart ?? first)
        last = max(last, comparison.after.latestEnd ?? last)
        for count in comparison.sources where count.after > 0 {
            let source = count.source
            sources.insert(Answer.Source(bundle: source.bundleIdentifier, nameHash: source.sourceNameHash))
        }
    }

    /// Returns the first and the last day of a record; `nil` without one.
    public func span(_ days: inout LocalDays) -> ClosedRange<Int64>? {
        guard first <= last else { return nil }
        return days.date(of: first)...days.date(of: last)
    }
}
