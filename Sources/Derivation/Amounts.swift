package import Archive
internal import Bytes
internal import Measures
internal import SQLite

/// The value of a record as an aggregate takes it.
package enum Amount: Equatable, Sendable {
    /// The record has no value.
    case none
    case value(Double)
    /// A value that cannot be compared with those of the type.
    case incomparable
}

/// The values of a type's records as its aggregates take them (`Spec/capture.md`, "Aggregates"). They are in the
/// canonical unit of the type by identity rules, as they are stored if an archive states none.
package struct Amounts {
    private let isConverting: Bool
    private var measure: Measure?
    private var unit: [UInt8]?
    private var conversion: UnitConversion?

    /// - Parameter rules: what the archive states.
    package init(_ rules: IdentityRules?) { isConverting = rules == .two }

    /// The column of units in a query on `sample_versions v`: what is not asked for is not read.
    package var unitColumn: String { isConverting ? "v.unit" : "NULL" }

    /// `true` if a sum of the type's values means something.
    package var areSummed: Bool { !isConverting || measure?.kind == .cumulative }

    /// Begins a type.
    package mutating func begin(type: [UInt8]) {
        measure = isConverting ? Measure(of: type) : nil
        (unit, conversion) = (nil, nil)
    }

    /// Returns the amount of a value in a unit.
    package mutating func amount(_ value: Double?, unit: [UInt8]?) -> Amount {
        guard let value, value.isFinite else { return .none }
        guard isConverting else { return .value(value) }
        guard let unit else { return .incomparable }
        if self.unit != unit { begin(unit: unit) }
        return converted(value)
    }

    /// Returns the amount in a row, from the columns of its value and its unit.
    package mutating func amount(_ row: borrowing Statement, value: Int32, unit: Int32) -> Amount {
        guard let number = row.real(value), number.isFinite else { return .none }
        guard isConverting else { return .value(number) }
        guard !row.isNull(unit) else { return .incomparable }
        // Mostly the unit of the record before.
        if !(self.unit.map { known in row.withBytes(unit) { $0.isSame(as: known.span) } } ?? false) {
            begin(unit: row.bytes(unit))
        }
        return converted(number)
    }

    private mutating func begin(unit: [UInt8]) {
        (self.unit, conversion) = (unit, measure?.conversion(from: unit))
    }

    private func converted(_ value: Double) -> Amount {
        guard let converted = conversion?(value), converted.isFinite else { return .incomparable }
        // -0.0 and 0.0 are one value.
        return .value(converted + 0)
    }
}
