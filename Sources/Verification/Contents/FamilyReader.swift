internal import Bytes
internal import CanonicalJSON
internal import Format
internal import Timestamps

/// Puts the preimage of a semantic fingerprint together (`Spec/identity.md`, "Families").
///
/// Items of a type follow each other, so what was found of the last type and the last unit is kept.
struct FamilyReader {
    private var type: (name: [UInt8], isCumulative: Bool)?
    private var unit: (name: [UInt8], base: Base) = ([], Base(name: [], factor: 1))

    /// A unit in terms of the base of its dimension.
    private struct Base {
        /// The base unit, as a JSON string.
        let name: [UInt8]
        let factor: Double
        var isFahrenheit = false
    }

    /// Appends the members of an item's family; false where the item has no semantic fingerprint.
    mutating func append(_ facts: ItemFacts, _ text: Span<UInt8>, to preimage: inout Preimage) -> Bool {
        guard let end = facts[.endDate]?.moment, let start = facts[.startDate]?.moment,
            let type = facts.members[.sampleType]
        else { return false }
        let kind = facts.members[.valueKind].map { Kind(text.extracting($0.value)) } ?? .other
        var family = "\"correlation\""
        var number: (value: Double, hasUnit: Bool)?
        switch kind {
        case .quantity:
            if let value = facts.members[.numericValue] {
                let hasUnit = facts.members[.unit].map { setUnit(text.extracting($0.value)) } != nil
                guard
                    let converted = Self.convert(
                        self.value(value.value, facts, in: text), by: hasUnit ? unit.base.factor : 1,
                        isFahrenheit: hasUnit && unit.base.isFahrenheit)
                else { return false }
                number = (converted, hasUnit)
                family = isCumulative(text.extracting(type.value)) ? "\"cumulative\"" : "\"quantity\""
            }
        case .category:
            family = "\"category\""
            if let category = facts.members[.categoryValue] {
                preimage.append(name: "\"category\":", in: text)
                preimage.append(category.value, in: text)
            }
        case .workout:
            family = "\"workout\""
            if let activity = facts.members[.workoutActivityType] {
                preimage.append(name: "\"activity\":", in: text)
                preimage.append(activity.value, in: text)
            }
        case .other: break
        }
        preimage.append(name: "\"end\":", in: text)
        preimage.append(end.seconds)
        preimage.append(name: "\"family\":", in: text)
        preimage.append(family)
        preimage.append(type, in: text)
        preimage.append(name: "\"start\":", in: text)
        preimage.append(start.seconds)
        if let number {
            if number.hasUnit {
                preimage.append(name: "\"unit\":", in: text)
                preimage.append(unit.base.name)
            }
            preimage.append(name: "\"value\":", in: text)
            preimage.append(number.value)
        }
        return true
    }

    /// Kinds of value that have a family of their own.
    private enum Kind {
        case quantity, category, workout, other

        /// - Parameter text: a JSON string.
        init(_ text: Span<UInt8>) {
            func holds(_ name: String) -> Bool { text.isSame(as: name.utf8Span.span) }
            self =
                holds("\"quantity\"")
                ? .quantity : holds("\"category\"") ? .category : holds("\"workout\"") ? .workout : .other
        }
    }

    // MARK: Types

    private mutating func isCumulative(_ name: Span<UInt8>) -> Bool {
        if let type, type.name.span.isSame(as: name) { return type.isCumulative }
        let bytes = name.indices.map { name[$0] }
        let isCumulative = Self.isCumulative(bytes)
        type = (bytes, isCumulative)
        return isCumulative
    }

    /// - Parameter bytes: a JSON string.
    private static func isCumulative(_ bytes: [UInt8]) -> Bool {
        let prefix = Array("\"HKQuantityTypeIdentifier".utf8)
        guard bytes.starts(with: prefix) else { return false }
        let rest = bytes.dropFirst(prefix.count).dropLast()
        if rest.starts(with: Array("Distance".utf8)) || rest.starts(with: Array("Dietary".utf8)) { return true }
        return cumulative.contains { $0.utf8.elementsEqual(rest) }
    }

    private static let cumulative = [
        "ActiveEnergyBurned", "AppleExerciseTime", "AppleMoveTime", "AppleStandTime", "BasalEnergyBurned",
        "FlightsClimbed", "InhalerUsage", "InsulinDelivery",
        "NikeFuel", "NumberOfAlcoholicBeverages", "NumberOfTimesFallen", "PushCount", "StepCount",
        "SwimmingStrokeCount", "TimeInDaylight",
    ]

    // MARK: Units

    /// Makes `unit` the one with a name.
    private mutating func setUnit(_ name: Span<UInt8>) {
        if unit.name.isSame(as: name) { return }
        let bytes = name.indices.map { name[$0] }
        unit = (bytes, Self.base(of: bytes))
    }

    /// - Parameter bytes: a JSON string.
    private static func base(of bytes: [UInt8]) -> Base {
        for (base, units) in dimensions {
            for (unit, factor) in units where "\"\(unit)\"".utf8.elementsEqual(bytes) {
                return Base(name: Array("\"\(base)\"".utf8), factor: factor, isFahrenheit: unit == "degF")
            }
        }
        return Base(name: bytes, factor: 1)
    }

    /// The value of a number. Whole ones are many, and read without the standard library.
    private func value(_ range: Range<Int>, _ facts: ItemFacts, in text: Span<UInt8>) -> Double {
        Reader.integer(range, in: text).flatMap { $0.magnitude < 1 << 53 ? Double($0) : nil }
            ?? facts.double(range, in: text)
    }

    /// A value in the base unit, rounded to a binary32; nil where that is infinite.
    private static func convert(_ value: Double, by factor: Double, isFahrenheit: Bool) -> Double? {
        let converted = isFahrenheit ? (value - 32) * 5 / 9 : value * factor
        let rounded = Float(converted)
        // Negative zero becomes 0.
        return rounded.isFinite ? Double(rounded) + 0 : nil
    }

    private static let dimensions: [(base: String, units: [(String, Double)])] = [
        ("kcal", [("Cal", 1), ("kcal", 1), ("cal", 0.001), ("kJ", 0.2390057361376673), ("J", 0.0002390057361376673)]),
        (
            "m",
            [
                ("m", 1), ("km", 1000), ("cm", 0.01), ("mm", 0.001), ("mi", 1609.344), ("ft", 0.3048), ("yd", 0.9144),
                ("in", 0.0254),
            ]
        ),
        ("kg", [("kg", 1), ("g", 0.001), ("lb", 0.45359237), ("st", 6.35029318), ("oz", 0.028349523125)]),
        ("s", [("s", 1), ("ms", 0.001), ("min", 60), ("hr", 3600), ("d", 86400)]),
        ("degC", [("degC", 1), ("degF", 1)]),
        (
            "mL",
            [("mL", 1), ("L", 1000), ("dL", 100), ("cL", 10), ("fl_oz_us", 29.5735295625), ("fl_oz_imp", 28.4130625)]
        ),
    ]
}
