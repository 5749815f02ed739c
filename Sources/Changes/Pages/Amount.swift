internal import Measures

/// The records of a day or a month, added up. Values are added in millionths, so that a sum is the same in whatever
/// order records are read.
struct Amount: Sendable {
    private(set) var recordCount = 0
    private(set) var valueCount = 0
    private(set) var millionths: Int128 = 0
    /// `true` if a value is beyond what is added up.
    private(set) var isBeyond = false
    /// The least and the greatest value.
    private(set) var range: ClosedRange<Double>?

    mutating func add(_ value: Double?) {
        recordCount += 1
        guard let value else { return }
        valueCount += 1
        guard value.magnitude < 1e15 else { return isBeyond = true }
        let scaled = (value * 1e6).rounded()
        // The conversion to 64 bits is one instruction.
        millionths += scaled.magnitude < 9e18 ? Int128(Int64(scaled)) : Int128(scaled)
        range = range.map { min($0.lowerBound, value)...max($0.upperBound, value) } ?? value...value
    }

    mutating func add(_ other: Amount) {
        recordCount += other.recordCount
        valueCount += other.valueCount
        millionths += other.millionths
        isBeyond = isBeyond || other.isBeyond
        guard let added = other.range else { return }
        range = range.map { min($0.lowerBound, added.lowerBound)...max($0.upperBound, added.upperBound) } ?? added
    }

    /// Returns a sum, a mean, or hours.
    func value(_ kind: Measure.Kind) -> Double? {
        guard valueCount > 0, !isBeyond else { return nil }
        let sum = Double(millionths)
        return switch kind {
        case .cumulative: sum / 1e6
        case .discrete: sum / 1e6 / Double(valueCount)
        case .category, .workout: sum / 1e6 / 3600
        case .event: nil
        }
    }
}

extension Measure.Kind {
    /// Returns the share of a version in an amount; `nil` without a value.
    func value(of version: ComparedVersion) -> Double? {
        switch (self, version.value) {
        case (.cumulative, .amount(let amount)), (.discrete, .amount(let amount)): amount
        case (.category, .part), (.workout, .part): version.length
        default: nil
        }
    }
}
