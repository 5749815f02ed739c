internal import Archive

/// What is counted and summed of the records in a group: a type, a local day of a type, or one source revision in it.
struct AggregateGroup {
    private(set) var count: Int64 = 0
    private(set) var earliestStart: Double?
    private(set) var latestEnd: Double?
    private(set) var maximum: Double?
    private var sum = ExactSum()
    private var hasValues = false
    /// Whether there is a value that cannot be compared with the others: then nothing is said of any.
    private var isMixed = false

    mutating func add(start: Double?, end: Double?, amount: Amounts.Amount) {
        count += 1
        if let start { earliestStart = min(earliestStart ?? start, start) }
        if let end { latestEnd = max(latestEnd ?? end, end) }
        switch amount {
        case .none: break
        case .incomparable: isMixed = true
        case .value(let value):
            maximum = max(maximum ?? value, value)
            sum.add(value)
            hasValues = true
        }
    }

    /// What a row says of the values.
    ///
    /// - Parameter areSummed: whether their sum means something.
    mutating func values(areSummed: Bool) -> AggregateValues {
        AggregateValues(
            count: count, earliestStart: earliestStart, latestEnd: latestEnd,
            sum: hasValues && areSummed && !isMixed ? sum.value() : nil, maximum: isMixed ? nil : maximum)
    }

    mutating func reset() {
        count = 0
        earliestStart = nil
        latestEnd = nil
        maximum = nil
        hasValues = false
        isMixed = false
        sum.reset()
    }
}
