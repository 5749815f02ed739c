internal import Archive

/// What is counted and summed of the records in a group: a type, a local day of a type, or one source revision in it.
struct AggregateGroup {
    private(set) var count: Int64 = 0
    private(set) var earliestStart: Double?
    private(set) var latestEnd: Double?
    private(set) var maximum: Double?
    private var sum = ExactSum()
    private var hasValues = false

    mutating func add(start: Double?, end: Double?, value: Double?) {
        count += 1
        if let start { earliestStart = min(earliestStart ?? start, start) }
        if let end { latestEnd = max(latestEnd ?? end, end) }
        guard let value, value.isFinite else { return }
        maximum = max(maximum ?? value, value)
        sum.add(value)
        hasValues = true
    }

    /// What a row says of the values.
    mutating func values() -> AggregateValues {
        AggregateValues(
            count: count, earliestStart: earliestStart, latestEnd: latestEnd, sum: hasValues ? sum.value() : nil,
            maximum: maximum)
    }

    mutating func reset() {
        count = 0
        earliestStart = nil
        latestEnd = nil
        maximum = nil
        hasValues = false
        sum.reset()
    }
}
