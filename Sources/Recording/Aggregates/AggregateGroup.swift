internal import Archive

/// What is counted and summed of the records in a group: a type, a local day of a type, or one source revision in it.
struct AggregateGroup {
    private(set) var count: Int64 = 0
    private(set) var earliestStart: Double?
    private(set) var latestEnd: Double?
    private(set) var maximum: Double?
    private var sum = ExactSum()
    private var valueCount: Int64 = 0
    /// Values that cannot be compared with the others: where there is one, nothing is said of any.
    private var incomparableCount: Int64 = 0

    mutating func add(start: Double?, end: Double?, amount: Amounts.Amount) {
        count += 1
        if let start { earliestStart = min(earliestStart ?? start, start) }
        if let end { latestEnd = max(latestEnd ?? end, end) }
        switch amount {
        case .none: break
        case .incomparable: incomparableCount += 1
        case .value(let value):
            maximum = max(maximum ?? value, value)
            sum.add(value)
            valueCount += 1
        }
    }

    /// Adds the records of a group, and takes those of another one away; false where it cannot be told what the first
    /// start, the last end or the maximum is then.
    mutating func change(adding gained: AggregateGroup?, removing lost: AggregateGroup?) -> Bool {
        let (gained, lost) = (gained ?? AggregateGroup(), lost ?? AggregateGroup())
        guard
            Self.change(&earliestStart, adding: gained.earliestStart, removing: lost.earliestStart, isLess: <),
            Self.change(&latestEnd, adding: gained.latestEnd, removing: lost.latestEnd, isLess: >),
            Self.change(&maximum, adding: gained.maximum, removing: lost.maximum, isLess: >)
        else { return false }
        count += gained.count - lost.count
        valueCount += gained.valueCount - lost.valueCount
        incomparableCount += gained.incomparableCount - lost.incomparableCount
        sum.add(gained.sum)
        sum.subtract(lost.sum)
        return count >= 0 && valueCount >= 0 && incomparableCount >= 0
    }

    /// Changes the least value of a group; false where it is gone and the next one is not known.
    private static func change(
        _ least: inout Double?, adding gained: Double?, removing lost: Double?, isLess: (Double, Double) -> Bool
    ) -> Bool {
        guard let value = least else {
            least = gained
            return lost == nil
        }
        if let gained, !isLess(value, gained) {
            least = gained
            return true
        }
        return lost.map { isLess(value, $0) } ?? true
    }

    /// What a row says of the values.
    ///
    /// - Parameter areSummed: whether their sum means something.
    mutating func values(areSummed: Bool) -> AggregateValues {
        let isMixed = incomparableCount > 0
        return AggregateValues(
            count: count, earliestStart: earliestStart, latestEnd: latestEnd,
            sum: valueCount > 0 && areSummed && !isMixed ? sum.value() : nil, maximum: isMixed ? nil : maximum)
    }

    mutating func reset() {
        count = 0
        earliestStart = nil
        latestEnd = nil
        maximum = nil
        valueCount = 0
        incomparableCount = 0
        sum.reset()
    }
}
