internal import Archive
internal import Bytes
internal import Measures
internal import SQLite

/// The values of a type's records as its aggregates take them (`Spec/capture.md`, "Aggregates"): in the
/// canonical unit of the type by identity rules, as they are stored where an archive states none.
struct Amounts {
    /// What the value of a record is to an aggregate.
    enum Amount {
        /// The record has no value.
        case none
        case value(Double)
        /// A value that cannot be compared with those of the type.
        case incomparable
    }

    private let isConverting: Bool
    private var measure: Measure?
    private var unit: [UInt8]?
    private var conversion: UnitConversion?

    init(_ rules: IdentityRules?) { isConverting = rules == .two }

    /// The column of units in a query on `sample_versions v`: what is not asked for is not read.
    var unitColumn: String { isConverting ? "v.unit" : "NULL" }

    /// Whether sums of the type's values mean something.
    var areSummed: Bool { !isConverting || measure?.kind == .cumulative }

    /// Begins a type.
    mutating func begin(type: [UInt8]) {
        measure = isConverting ? Measure(of: type) : nil
        (unit, conversion) = (nil, nil)
    }

    /// The amount in a row, from the columns of its value and its unit.
    mutating func amount(_ row: borrowing Statement, value: Int32, unit: Int32) -> Amount {
        guard let number = row.real(value), number.isFinite else { return .none }
        guard isConverting else { return .value(number) }
        guard !row.isNull(unit) else { return .incomparable }
        // Mostly the unit of the record before.
        if !(self.unit.map { known in row.withBytes(unit) { $0.isSame(as: known.span) } } ?? false) {
            let text = row.bytes(unit)
            (self.unit, conversion) = (text, measure?.conversion(from: text))
        }
        guard let converted = conversion?(number), converted.isFinite else { return .incomparable }
        // -0.0 and 0.0 are one value.
        return .value(converted + 0)
    }
}
