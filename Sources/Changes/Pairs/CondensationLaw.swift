internal import Measures
internal import Archive

/// What a container and its parts come to (`Spec/pairs.md`, Condensed).
struct CondensationLaw {
    /// A law that holds.
    struct Result {
        let name: String
        /// Container less parts, in `unit`.
        let residual: Double
        let unit: [UInt8]
    }

    private let keys: PairKeys
    /// Of the greater magnitude.
    private static let tolerance = 1e-5
    private static let decibels = Array("dBASPL".utf8)

    init(keys: PairKeys) { self.keys = keys }

    /// The first law that holds; nil where none does. The parts are two or more, in the order of their starts.
    func result(of container: PairRecord, _ parts: [PairRecord]) -> Result? {
        let measure = keys.measure(of: container)
        let unit = Array((measure.unit ?? "").utf8)
        if measure.kind == .category {
            guard let length = Self.unionLength(parts) else { return nil }
            return Self.holding("duration", container.length, length, Array("s".utf8))
        }
        guard let whole = keys.canonicalValue(of: container) else { return nil }
        let values = parts.compactMap { keys.canonicalValue(of: $0) }
        guard values.count == parts.count else { return nil }
        guard let sum = Self.sum(values) else { return nil }
        if measure.kind == .cumulative { return Self.holding("sum", whole, sum, unit) }
        let mean = sum / Double(values.count)
        let digits = SixDigits(whole)
        if values.allSatisfy({ SixDigits($0) == digits }) {
            return Result(name: "value", residual: whole - mean + 0, unit: unit)
        }
        guard container.unit != Self.decibels else { return nil }
        return Self.holding("mean", whole, mean, unit)
            ?? Self.weightedMean(parts, values).flatMap { Self.holding("time_weighted_mean", whole, $0, unit) }
    }

    private static func holding(_ name: String, _ whole: Double, _ parts: Double, _ unit: [UInt8]) -> Result? {
        let residual = whole - parts
        guard residual.isFinite, residual.magnitude <= tolerance * max(whole.magnitude, parts.magnitude) else {
            return nil
        }
        return Result(name: name, residual: residual + 0, unit: unit)
    }

    private static func weightedMean(_ parts: [PairRecord], _ values: [Double]) -> Double? {
        guard parts.allSatisfy({ $0.length > 0 }) else { return nil }
        let products = zip(parts, values).map { $0.length * $1 }
        guard products.allSatisfy(\.isFinite), let weighted = sum(products), let length = sum(parts.map(\.length))
        else { return nil }
        return weighted / length
    }

    private static func unionLength(_ parts: [PairRecord]) -> Double? {
        var lengths: [Double] = []
        var stretch: (start: Double, end: Double)?
        for part in parts.sorted(by: { $0.start < $1.start }) {
            if let last = stretch, part.start <= last.end {
                stretch = (last.start, max(last.end, part.end))
            } else {
                if let last = stretch { lengths.append(last.end - last.start) }
                stretch = (part.start, part.end)
            }
        }
        if let last = stretch { lengths.append(last.end - last.start) }
        return sum(lengths)
    }

    private static func sum(_ terms: [Double]) -> Double? {
        var sum = ExactSum()
        for term in terms { sum.add(term) }
        return sum.value()
    }
}
