/// Adds up the versions of one side.
struct SideTally {
    private var side = Comparison.Side()
    private var sum = ExactSum()
    private var intervals = ExactSum()
    private var intervalCount = 0
    private var isUnitKnown = false
    private var hasSeveralUnits = false

    mutating func add(_ version: ComparedVersion) {
        side.recordCount += 1
        if let start = version.start { side.earliestStart = min(side.earliestStart ?? start, start) }
        if let end = version.end { side.latestEnd = max(side.latestEnd ?? end, end) }
        if let start = version.start, let end = version.end {
            intervals.add(end - start)
            intervalCount += 1
        }
        guard let value = version.value else { return }
        side.valueCount += 1
        if isUnitKnown, side.unit != version.unit { hasSeveralUnits = true }
        if !isUnitKnown { side.unit = version.unit }
        isUnitKnown = true
        sum.add(value)
        side.maximum = max(side.maximum ?? value, value)
    }

    mutating func reset() {
        side = Comparison.Side()
        sum.reset()
        intervals.reset()
        intervalCount = 0
        isUnitKnown = false
        hasSeveralUnits = false
    }

    /// What the versions come to.
    mutating func result() -> Comparison.Side {
        var result = side
        if side.valueCount > 0, !hasSeveralUnits {
            result.sum = sum.value()
        } else {
            (result.sum, result.maximum, result.unit) = (nil, nil, nil)
        }
        if intervalCount > 0, let total = intervals.value() {
            result.intervalSeconds = total
            result.meanIntervalSeconds = total / Double(intervalCount)
        }
        if let start = side.earliestStart, let end = side.latestEnd, end - start > 0 {
            let density = Double(side.recordCount) * 3600 / (end - start)
            if density.isFinite { result.recordsPerHour = density }
        }
        return result
    }
}
