internal import Archive
internal import Manifest
internal import Measures
internal import Preimages
internal import Timestamps

/// The law between records and those in their place (`Spec/pairs.md`, Condensed).
struct CondensationLaw {
    /// A law that holds.
    struct Result {
        let law: Law
        let outcome: Pair.Outcome
        /// The figures that are compared: of the container, or of the records after, and of the others.
        let figures: (one: Double, other: Double)
        let unit: [UInt8]
    }

    /// The figure that the law compares, in the order in which laws are tried.
    enum Law: String, CaseIterable {
        case sum, series, value, mean
        case timeWeightedMean = "time_weighted_mean"
        case duration, range
    }

    private let keys: PairKeys
    private var days: LocalDays
    /// Of the greater magnitude.
    static let tolerance = 1e-5

    init(keys: PairKeys, _ days: LocalDays) { (self.keys, self.days) = (keys, days) }

    /// Returns `true` if two numbers are the same within the tolerance.
    static func areEqual(_ one: Double, _ other: Double) -> Bool {
        let difference = (one - other).magnitude
        return difference.isFinite && difference <= tolerance * max(one.magnitude, other.magnitude)
    }

    /// Returns `true` if workouts of both sides state the same energy and distance in total.
    static func areTotalsKept(_ one: [PairRecord], _ other: [PairRecord]) -> Bool {
        [\WorkoutTotals.distance, \.energy].allSatisfy { stated in
            let amounts = [one, other].map { $0.compactMap { $0.totals[keyPath: stated] } }
            guard let left = sum(amounts[0]), let right = sum(amounts[1]) else { return false }
            return areEqual(left, right)
        }
    }

    /// Returns the first law that holds; `nil` if none does. All records are of one group, in the order of their
    /// starts.
    ///
    /// - Parameters:
    ///   - one: a container alone, or the records after.
    ///   - other: its parts, or the records before.
    mutating func result(_ one: [PairNode], _ other: [PairNode], isContainer: Bool) -> Result? {
        let measure = keys.measure(of: one[0].record)
        for law in laws(of: measure, isContainer: isContainer) {
            guard let figures = figures(law, one, other), holds(law, figures, one, other) else { continue }
            let unit = law == .duration ? "s" : measure.unit ?? ""
            return Result(
                law: law, outcome: outcome(law, one, other), figures: figures, unit: Array(unit.utf8))
        }
        return nil
    }

    private func laws(of measure: Measure, isContainer: Bool) -> [Law] {
        switch measure.kind {
        case .cumulative: [.sum]
        case .discrete:
            measure.unit == "dBASPL"
                ? (isContainer ? [.series, .value, .range] : [.value])
                : (isContainer ? [.series, .value, .mean, .timeWeightedMean, .range] : [.value, .timeWeightedMean])
        case .category, .workout: [.duration]
        case .event: []
        }
    }

    private mutating func outcome(_ law: Law, _ one: [PairNode], _ other: [PairNode]) -> Pair.Outcome {
        if law == .range { return .notProvable }
        if !Self.areTotalsKept(one.map(\.record), other.map(\.record)) { return .changed }
        return areDaysKept(law, one, other) ? .kept : .daysChanged
    }

    /// Returns `true` if the law holds between the records that start in each local day.
    private mutating func areDaysKept(_ law: Law, _ one: [PairNode], _ other: [PairNode]) -> Bool {
        var byDay: [Int64: (one: [PairNode], other: [PairNode])] = [:]
        for record in one { byDay[days.date(of: record.start), default: ([], [])].one.append(record) }
        for record in other { byDay[days.date(of: record.start), default: ([], [])].other.append(record) }
        return byDay.count == 1
            || byDay.values.allSatisfy { day in
                guard !day.one.isEmpty, !day.other.isEmpty, let figures = figures(law, day.one, day.other) else {
                    return false
                }
                return holds(law, figures, day.one, day.other)
            }
    }

    private func holds(
        _ law: Law, _ figures: (one: Double, other: Double), _ one: [PairNode], _ other: [PairNode]
    ) -> Bool {
        switch law {
        case .series: return Self.isSeries(one[0].record, of: other.map(\.record))
        case .value:
            let values = (one + other).compactMap { keys.canonicalValue(of: $0.record) }
            let digits = SixDigits(values[0])
            return values.allSatisfy { SixDigits($0) == digits }
        case .range:
            let values = other.compactMap { keys.canonicalValue(of: $0.record) }
            guard let least = values.min(), let greatest = values.max() else { return false }
            return (figures.one >= least || Self.areEqual(figures.one, least))
                && (figures.one <= greatest || Self.areEqual(figures.one, greatest))
        case .sum:
            // Values that cancel each other out prove nothing.
            guard let left = magnitude(one), let right = magnitude(other) else { return false }
            return Self.areEqual(figures.one, figures.other) && Self.areEqual(left, right)
        default: return Self.areEqual(figures.one, figures.other)
        }
    }

    /// Returns `true` if a record's points are the other side's records: their starts and stored values, in its unit.
    private static func isSeries(_ whole: PairRecord, of parts: [PairRecord]) -> Bool {
        guard let expected = whole.series, parts.allSatisfy({ $0.unit == whole.unit }) else { return false }
        var hash = SHA256()
        for part in parts.sorted(by: PairRecord.precedes) {
            guard let value = part.value, let moment = Int64(exactly: (part.start * 1e6).rounded(.toNearestOrEven))
            else { return false }
            let digits = String((value + 0).bitPattern, radix: 16)
            let line = "\(moment):" + String(repeating: "0", count: 16 - digits.count) + digits + "\n"
            hash.update(line.utf8Span.span)
        }
        return hash.finish().hex == String(decoding: expected, as: UTF8.self)
    }

    private func figures(_ law: Law, _ one: [PairNode], _ other: [PairNode]) -> (one: Double, other: Double)? {
        guard let left = figure(law, one), let right = figure(law, other), (left - right).isFinite else { return nil }
        return (left + 0, right + 0)
    }

    private func figure(_ law: Law, _ records: [PairNode]) -> Double? {
        if law == .duration {
            return keys.measure(of: records[0].record).kind == .workout
                ? Self.sum(records.map { keys.seconds(of: $0.record) }) : Self.unionLength(records)
        }
        let values = records.compactMap { keys.canonicalValue(of: $0.record) }
        guard values.count == records.count else { return nil }
        if values.count == 1 { return values[0] }
        if law == .timeWeightedMean { return Self.weightedMean(records, values) }
        guard let sum = Self.sum(values) else { return nil }
        return law == .sum ? sum : sum / Double(values.count)
    }

    private func magnitude(_ records: [PairNode]) -> Double? {
        Self.sum(records.compactMap { keys.canonicalValue(of: $0.record)?.magnitude })
    }

    private static func weightedMean(_ records: [PairNode], _ values: [Double]) -> Double? {
        guard records.allSatisfy({ $0.length > 0 }) else { return nil }
        let products = zip(records, values).map { $0.length * $1 }
        guard products.allSatisfy(\.isFinite), let weighted = sum(products), let length = sum(records.map(\.length))
        else { return nil }
        return weighted / length
    }

    private static func unionLength(_ records: [PairNode]) -> Double? {
        sum(union(records).map { $0.end - $0.start })
    }

    /// Returns the stretches of time that records cover.
    static func union(_ records: [PairNode]) -> [(start: Double, end: Double)] {
        var stretches: [(start: Double, end: Double)] = []
        for record in records.sorted(by: { $0.start < $1.start }) {
            if let last = stretches.last, record.start <= last.end {
                stretches[stretches.count - 1].end = max(last.end, record.end)
            } else {
                stretches.append((record.start, record.end))
            }
        }
        return stretches
    }

    private static func sum(_ terms: [Double]) -> Double? {
        if terms.isEmpty { return 0 }
        var sum = ExactSum()
        for term in terms { sum.add(term) }
        return sum.value()
    }
}
