package import Archive

/// The summaries of one type at all observations, derived in one pass over its records.
///
/// A record is visible in an interval of places. Counts and sums take it up at the interval's beginning and drop it
/// at its end; the sum is exact, so what is dropped leaves no trace. For minima and maxima the interval is covered
/// by two overlapping runs whose length is a power of two; runs are resolved into halves at the end. So a record
/// costs O(1), whatever the number of observations.
package struct SummarySweep {
    private let size: Int
    /// `true` if there is nothing to finish.
    package private(set) var isEmpty = true
    private var count: [Int64]
    private var values: [Int64]
    /// Values that cannot be compared with the others.
    private var others: [Int64]
    private var magnitude: [Double]
    /// What sums change by, only where they change.
    private var changes: [Int: ExactSum] = [:]
    private var earliest: RunTable
    private var latest: RunTable
    private var maximum: RunTable

    /// - Parameter size: number of places.
    package init(size: Int) {
        self.size = size
        count = [Int64](repeating: 0, count: size + 1)
        values = count
        others = count
        magnitude = [Double](repeating: 0, count: size + 1)
        earliest = RunTable(size: size)
        latest = RunTable(size: size)
        maximum = RunTable(size: size)
    }

    /// Adds a record that is visible at an interval of places.
    package mutating func add(start: Double?, end: Double?, at places: Range<Int>, _ amount: Amount) {
        guard !places.isEmpty else { return }
        isEmpty = false
        count[places.lowerBound] += 1
        count[places.upperBound] -= 1
        // Minima are maxima of the negative.
        if let start { earliest.raise(places, to: -start) }
        if let end { latest.raise(places, to: end) }
        switch amount {
        case .none: break
        case .incomparable:
            others[places.lowerBound] += 1
            others[places.upperBound] -= 1
        case .value(let value):
            values[places.lowerBound] += 1
            values[places.upperBound] -= 1
            magnitude[places.lowerBound] += abs(value)
            magnitude[places.upperBound] -= abs(value)
            changes[places.lowerBound, default: ExactSum()].add(value)
            if places.upperBound < size { changes[places.upperBound, default: ExactSum()].add(-value) }
            maximum.raise(places, to: value)
        }
    }

    /// Calls `body` with the summary at each place and the sum of the magnitudes of its values; then forgets all
    /// records.
    ///
    /// - Parameter areSummed: whether a sum of the values means something.
    package mutating func finish(
        areSummed: Bool, _ body: (Int, AggregateValues, _ magnitude: Double) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        earliest.resolve()
        latest.resolve()
        maximum.resolve()
        var (counted, valued, mixed, sum, weight) = (Int64(0), Int64(0), Int64(0), ExactSum(), 0.0)
        for place in 0..<size {
            counted += count[place]
            valued += values[place]
            mixed += others[place]
            weight += magnitude[place]
            if let change = changes[place] { sum.add(change) }
            var found = AggregateValues(
                count: counted, earliestStart: earliest[place].map { -$0 }, latestEnd: latest[place])
            if valued > 0, mixed == 0 {
                found.sum = areSummed ? sum.value() : nil
                found.maximum = maximum[place]
            }
            try body(place, found, weight)
        }
        reset()
    }

    /// Forgets all records.
    package mutating func reset() {
        guard !isEmpty else { return }
        isEmpty = true
        for place in 0...size { (count[place], values[place], others[place], magnitude[place]) = (0, 0, 0, 0) }
        changes.removeAll(keepingCapacity: true)
        earliest.reset()
        latest.reset()
        maximum.reset()
    }
}

/// The greatest number that was given to each place, where numbers are given to intervals.
private struct RunTable {
    /// Level k, place i: for the places i ..< i + 2^k. Allocated when it is first used.
    private var levels: [[Double]]
    private let size: Int

    init(size: Int) {
        self.size = size
        levels = [[Double]](repeating: [], count: Int.bitWidth - size.leadingZeroBitCount + 1)
    }

    mutating func raise(_ places: Range<Int>, to value: Double) {
        let level = Int.bitWidth - 1 - places.count.leadingZeroBitCount
        if levels[level].isEmpty { levels[level] = [Double](repeating: -.infinity, count: size) }
        for start in [places.lowerBound, places.upperBound - 1 << level] where levels[level][start] < value {
            levels[level][start] = value
        }
    }

    /// Hands the numbers of each run down to its halves.
    mutating func resolve() {
        for level in (1..<levels.count).reversed() where !levels[level].isEmpty {
            if levels[level - 1].isEmpty { levels[level - 1] = [Double](repeating: -.infinity, count: size) }
            for start in 0..<size where levels[level][start] > -.infinity {
                for half in [start, start + 1 << (level - 1)] {
                    levels[level - 1][half] = max(levels[level - 1][half], levels[level][start])
                }
            }
        }
    }

    subscript(place: Int) -> Double? { levels[0].isEmpty || levels[0][place] == -.infinity ? nil : levels[0][place] }

    mutating func reset() { for level in levels.indices { levels[level] = [] } }
}
