/// What kind of quantity a sample type measures, and in which unit it is compared (`Spec/measures.md`).
package struct Measure: Sendable {
    /// What may be done with the values of a type.
    package enum Kind: String, Sendable {
        /// Amounts that add up.
        case cumulative
        /// Readings, of which a mean can be taken.
        case discrete
        /// States that last.
        case category
        /// Workouts.
        case workout
        /// What only happens: it is counted. A type that is not known is one.
        case event
    }

    /// How many values become one.
    package enum Method: String, Sendable {
        case count, duration, mean, sum
        /// The level of the mean power of sounds.
        case equivalentLevel = "equivalent_level"
        case timeWeightedMean = "time_weighted_mean"
    }

    package let kind: Kind
    package let method: Method
    /// What its unit measures; nil where values have no unit.
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

    /// How a value in a unit becomes one in the canonical unit; nil where the type has no unit, or the unit measures
    /// something else or is not known. O(1).
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
