internal import Archive

/// The values of a row of an aggregate, from its records.
package struct AggregateValues: Sendable {
    package var count: Int64 = 0
    package var earliestStart, latestEnd: Double?
    /// The exact sum, rounded once; `nil` if no record has a value, or beyond the doubles.
    package var sum: Double?
    package var maximum: Double?

    /// Values; those of no records if nothing is given.
    package init(
        count: Int64 = 0, earliestStart: Double? = nil, latestEnd: Double? = nil, sum: Double? = nil,
        maximum: Double? = nil
    ) {
        (self.count, self.sum, self.maximum) = (count, sum, maximum)
        (self.earliestStart, self.latestEnd) = (earliestStart, latestEnd)
    }
}

/// The counts of the events of an observation for a type: samples that are visible since, no longer visible, and
/// visible with another version. A sample that came and went in one observation was never visible.
package struct EventCounts: Equatable, Sendable {
    package var appeared: Int64 = 0
    package var disappeared: Int64 = 0
    package var representationChanged: Int64 = 0
    /// The events themselves: those of records, and those that say that a sample is gone.
    package var insertions: Int64 = 0
    package var deletions: Int64 = 0

    /// Counts.
    package init(appeared: Int64 = 0, disappeared: Int64 = 0, representationChanged: Int64 = 0) {
        (self.appeared, self.disappeared) = (appeared, disappeared)
        self.representationChanged = representationChanged
    }

    /// The contribution of an event `e` to the counts of its type, in SQL. Other events are looked for only if one ends
    /// a range: `CASE` is what SQLite evaluates lazily.
    package static let columns = (
        appeared: "CASE WHEN \(isEnd) THEN -\(also("appeared")) ELSE e.event_kind = 'appeared' END",
        disappeared: "CASE WHEN \(isEnd) AND e.version_id IS NOT NULL THEN NOT \(also("appeared")) ELSE 0 END",
        representationChanged: "CASE WHEN \(isEnd) THEN -\(also("representation_changed")) "
            + "ELSE e.event_kind = 'representation_changed' END"
    )

    private static let isEnd = "e.event_kind = 'disappeared'"

    /// Returns the condition that the observation has an event of another kind of the sample.
    private static func also(_ kind: String) -> String {
        """
        EXISTS (SELECT 1 FROM sample_observation_events x WHERE x.observation_id = e.observation_id
            AND x.sample_id = e.sample_id AND x.event_kind = '\(kind)')
        """
    }
}

/// The counts and sums of the records in a group: a type, a local day of a type, or one source revision in it.
package struct AggregateGroup {
    package private(set) var count: Int64 = 0
    private var earliestStart, latestEnd, maximum: Double?
    private var sum = ExactSum()
    private var valueCount: Int64 = 0
    /// Values that cannot be compared with the others: if there is one, nothing is said of any.
    private var incomparableCount: Int64 = 0
    /// The sum of the magnitudes of the values: how far a sum that was rounded at each step may be off.
    package private(set) var magnitude = 0.0

    /// A group of no records.
    package init() {}

    /// Adds a record.
    package mutating func add(start: Double?, end: Double?, amount: Amount) {
        count += 1
        if let start { earliestStart = min(earliestStart ?? start, start) }
        if let end { latestEnd = max(latestEnd ?? end, end) }
        switch amount {
        case .none: break
        case .incomparable: incomparableCount += 1
        case .value(let value):
            maximum = max(maximum ?? value, value)
            sum.add(value)
            magnitude += abs(value)
            valueCount += 1
        }
    }

    /// Adds the records of one group and removes those of another. Returns `false` if the first start, the last end or
    /// the maximum is then not known.
    package mutating func change(adding gained: AggregateGroup?, removing lost: AggregateGroup?) -> Bool {
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
        magnitude += gained.magnitude - lost.magnitude
        return count >= 0 && valueCount >= 0 && incomparableCount >= 0
    }

    /// Changes the least value of a group. Returns `false` if it is removed and the next one is not known.
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

    /// Returns what a row says of the records.
    ///
    /// - Parameter areSummed: whether the sum of their values means something.
    package mutating func values(areSummed: Bool) -> AggregateValues {
        let isMixed = incomparableCount > 0
        return AggregateValues(
            count: count, earliestStart: earliestStart, latestEnd: latestEnd,
            sum: valueCount > 0 && areSummed && !isMixed ? sum.value() : nil, maximum: isMixed ? nil : maximum)
    }

    /// Forgets all records.
    package mutating func reset() {
        count = 0
        (earliestStart, latestEnd, maximum) = (nil, nil, nil)
        valueCount = 0
        incomparableCount = 0
        magnitude = 0
        sum.reset()
    }
}
