/// The kind of quantity that a sample type measures, and the unit in which it is compared (`Spec/measures.md`).
package struct Measure: Sendable {
    /// The kind of values of a type, which decides what may be done with them.
    package enum Kind: String, Sendable {
        /// Amounts that add up.
        case cumulative
        /// Readings, of which a mean can be taken.
        case discrete
        /// States that last.
        case category
        /// Workouts.
        case workout
        /// An event: it is only counted. An unknown type is one.
        case event
    }

    /// The way in which many values become one.
    package enum Method: String, Sendable {
        case count, duration, mean, sum
        /// The level of the mean power of sounds.
        case equivalentLevel = "equivalent_level"
        case timeWeightedMean = "time_weighted_mean"
    }

    package let kind: Kind
    package let method: Method
    /// The dimension that its unit measures; `nil` if values have no unit.
    private let dimension: String?
    /// The canonical unit; nil where values have no unit.
    package let unit: String?
    /// `true` if records of the type state a date and not a moment.
    package let isDated: Bool

    /// The measure of a sample type. O(1).
    ///
    /// - Parameter type: the identifier in UTF-8.
    package init(of type: [UInt8]) {
        self = Self.table[String(decoding: type, as: UTF8.self)] ?? .unknown
    }

    /// Returns the conversion of a value from a unit to the canonical unit. It is `nil` if the type has no unit, or the
    /// given unit is unknown or measures something else. O(1).
    ///
    /// - Parameter unit: its text in UTF-8.
    package func conversion(from unit: [UInt8]) -> UnitConversion? {
        guard let dimension, let canonical = self.unit, let units = UnitConversion.table[dimension],
            let ours = units[canonical],
            let theirs = units[String(decoding: unit, as: UTF8.self)]
                ?? UnitConversion.ofMolarMass(unit, in: dimension)
        else { return nil }
        return theirs.to(ours)
    }

    /// The type whose records state a date and not a moment (`Spec/capture.md`, "Local days").
    package static let datedType = "HKActivitySummaryTypeIdentifier"

    private init(
        kind: Kind, method: Method, dimension: String? = nil, unit: String? = nil, isDated: Bool = false
    ) {
        self.kind = kind
        self.method = method
        self.dimension = dimension
        self.unit = unit
        self.isDated = isDated
    }

    /// That of a type that is not in the table.
    package static let unknown = Measure(kind: .event, method: .count)

    private static let table: [String: Measure] = {
        var table: [String: Measure] = [:]
        for line in MeasureTable.typeText.split(separator: "\n") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            guard cells.count == 5, let kind = Kind(rawValue: cells[1]), let method = Method(rawValue: cells[4])
            else { continue }
            table[cells[0]] = Measure(
                kind: kind, method: method, dimension: cells[2].isEmpty ? nil : cells[2],
                unit: cells[3].isEmpty ? nil : cells[3], isDated: cells[0] == datedType)
        }
        return table
    }()
}
