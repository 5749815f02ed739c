/// A stretch of time; its end is outside.
struct Interval {
    var start, end: Int64

    var length: Int64 { end - start }
}

/// Stretches in the order of their starts.
extension [Interval] {
    /// They without overlap; empty ones are left out.
    var union: [Interval] {
        var found: [Interval] = []
        for interval in self where interval.start < interval.end {
            if let last = found.last, interval.start <= last.end {
                found[found.count - 1].end = Swift.max(last.end, interval.end)
            } else {
                found.append(interval)
            }
        }
        return found
    }

    /// The length of all, which do not overlap.
    var length: Int64 { reduce(0) { $0 + $1.length } }

    /// The time that at least two of them have.
    var doubled: Int64 {
        var (reached, counted, found) = (Int64.min, Int64.min, Int64(0))
        for interval in self where interval.start < interval.end {
            let both = Interval(start: Swift.max(interval.start, counted), end: Swift.min(interval.end, reached))
            if both.start < both.end {
                found += both.length
                counted = both.end
            }
            reached = Swift.max(reached, interval.end)
        }
        return found
    }

    /// Returns the number of the first stretch that ends after a moment, of stretches that do not overlap. O(log n).
    func firstIndex(endingAfter moment: Int64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].end <= moment { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Calls `take` with what a stretch has outside these, which do not overlap.
    func forEachGap(in interval: Interval, _ take: (Interval) -> Void) {
        var start = interval.start
        var index = firstIndex(endingAfter: start)
        while index < count, self[index].start < interval.end {
            if start < self[index].start { take(Interval(start: start, end: self[index].start)) }
            start = Swift.max(start, self[index].end)
            index += 1
        }
        if start < interval.end { take(Interval(start: start, end: interval.end)) }
    }

    /// Returns the time that both have; the stretches of either do not overlap.
    func commonLength(with others: [Interval]) -> Int64 {
        var found = length
        for interval in self { others.forEachGap(in: interval) { found -= $0.length } }
        return found
    }

    /// Returns these and others in the order of their starts.
    func merged(with others: [Interval]) -> [Interval] {
        (self + others).sorted { $0.start < $1.start }
    }
}
