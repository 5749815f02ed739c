internal import Measures

/// `before` or `after` of a row of a comparison.
struct ComparedSide {
    let recordCount, valueCount, otherUnitCount: Int64
    let sum, mean, minimum, maximum: Double?
    /// Records an hour, and the mean of their lengths.
    let density, length: Double?
    /// The sum of their lengths.
    private let lengths: Double?
    let parts: PartList?
    private let start, end: Double?
    private let unit: [UInt8]?

    init(_ values: ReportValues, _ name: String) {
        recordCount = values.count(name + ".record_count") ?? 0
        valueCount = values.count(name + ".value_count") ?? 0
        otherUnitCount = values.count(name + ".other_unit_count") ?? 0
        sum = values.number(name + ".value_sum")
        mean = values.number(name + ".value_mean")
        minimum = values.number(name + ".value_min")
        maximum = values.number(name + ".value_max")
        density = values.number(name + ".records_per_hour")
        length = values.number(name + ".mean_interval_seconds")
        lengths = values.number(name + ".interval_seconds")
        parts = values.parts[name]
        start = values.seconds(name + ".earliest_start_date")
        end = values.seconds(name + ".latest_end_date")
        unit = values.text(name + ".unit")
    }

    /// Members that others, or the measure of the type, contradict.
    func wrongMembers(_ measure: Measure) -> [String] {
        var wrong: [String] = []
        let span = start.flatMap { start in end.map { $0 - start } }
        let expected = span.flatMap { $0 > 0 ? (Double(recordCount) * 3600 / $0).written : nil }
        if density != expected { wrong.append("records_per_hour") }
        let hasAmounts = valueCount > 0 && (measure.kind == .cumulative || measure.kind == .discrete)
        if unit != (hasAmounts ? measure.unit.map { Array($0.utf8) } : nil) { wrong.append("unit") }
        if !isMeanOfLengths { wrong.append("mean_interval_seconds") }
        if (maximum != nil) != hasAmounts || isAbove(minimum, maximum) { wrong.append("value_max") }
        if (minimum != nil) != (hasAmounts && measure.kind == .discrete) { wrong.append("value_min") }
        let isOutside = isAbove(minimum, mean, by: 1e-9) || isAbove(mean, maximum, by: 1e-9)
        if mean != nil, !hasAmounts || measure.kind != .discrete || isOutside { wrong.append("value_mean") }
        if sum != nil, !hasAmounts || measure.kind != .cumulative { wrong.append("value_sum") }
        let hasParts = valueCount > 0 && (measure.kind == .category || measure.kind == .workout)
        let isMisplaced = parts.map { $0.areSumsAlone || $0.areWorkouts && measure.kind != .workout } ?? false
        if (parts != nil) != hasParts || isMisplaced { wrong.append("parts") }
        if otherUnitCount > 0, measure.kind != .cumulative, measure.kind != .discrete {
            wrong.append("other_unit_count")
        }
        if valueCount > 0, measure.kind == .event { wrong.append("value_count") }
        return wrong
    }

    /// Whether the mean length is the sum ÷ a number of records that the side has.
    private var isMeanOfLengths: Bool {
        guard let lengths, let length else { return (lengths == nil) == (length == nil) }
        func isOf(_ count: Double) -> Bool { lengths / count == length }
        if isOf(Double(recordCount)) { return true }
        let count = (lengths / length).rounded()
        return length != 0 && count >= 1 && count <= Double(recordCount) && isOf(count)
    }

    /// Whether one number is above another, by more than a share of the greater magnitude of the two.
    private func isAbove(_ one: Double?, _ other: Double?, by share: Double = 0) -> Bool {
        guard let one, let other else { return false }
        return one - other > share * max(one.magnitude, other.magnitude)
    }
}
