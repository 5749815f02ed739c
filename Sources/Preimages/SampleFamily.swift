internal import Bytes

/// The family of a sample, after which its weak identity is made (`Spec/identity.md`, "Families").
public enum SampleFamily: Int, CaseIterable, Sendable {
    case quantity, cumulative, category, workout, correlation

    /// The family of a sample by its `value_kind`.
    public init(of kind: Span<UInt8>, hasNumber: Bool, isCumulative: Bool) {
        if hasNumber, Self.isSame(kind, Self.kinds.quantity) {
            self = isCumulative ? .cumulative : .quantity
        } else if Self.isSame(kind, Self.kinds.category) {
            self = .category
        } else {
            self = Self.isSame(kind, Self.kinds.workout) ? .workout : .correlation
        }
    }

    private static let kinds = (
        quantity: Array("quantity".utf8), category: Array("category".utf8), workout: Array("workout".utf8)
    )

    private static func isSame(_ kind: Span<UInt8>, _ text: [UInt8]) -> Bool {
        guard kind.count == text.count else { return false }
        for index in kind.indices where kind[index] != text[index] { return false }
        return true
    }

    /// The name in preimages.
    public var name: String {
        switch self {
        case .quantity: "quantity"
        case .cumulative: "cumulative"
        case .category: "category"
        case .workout: "workout"
        case .correlation: "correlation"
        }
    }

    /// The name as JSON.
    public var json: [UInt8] { Self.names[rawValue] }

    private static let names = allCases.map { Array("\"\($0.name)\"".utf8) }

    /// The letter that a fuzzy key begins with.
    public var letter: UInt8 {
        switch self {
        case .quantity: UInt8(ascii: "q")
        case .cumulative: UInt8(ascii: "c")
        case .category: UInt8(ascii: "k")
        case .workout: UInt8(ascii: "w")
        case .correlation: UInt8(ascii: "r")
        }
    }

    /// The window of a fuzzy key in seconds.
    public var window: Int64 {
        switch self {
        case .cumulative: 3600
        case .workout: 600
        case .quantity, .category, .correlation: 60
        }
    }

    /// Adds the fuzzy key of a sample of the family.
    ///
    /// - Parameter number: the start in windows of the family, rounded down.
    public func addFuzzyKey(window number: Int64, category: Int64?, activity: Int64?, to bytes: inout [UInt8]) {
        bytes.append(letter)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(decimal: number)
        guard let more = self == .category ? category : self == .workout ? activity : nil else { return }
        bytes.append(UInt8(ascii: ":"))
        bytes.append(decimal: more)
    }

    /// Returns `true` if values of a type add up over time.
    public static func isCumulative(_ type: [UInt8]) -> Bool {
        let prefix = "HKQuantityTypeIdentifier"
        let text = String(decoding: type, as: UTF8.self)
        guard text.hasPrefix(prefix) else { return false }
        let name = text.dropFirst(prefix.count)
        return name.hasPrefix("Distance") || name.hasPrefix("Dietary") || addingUp.contains(String(name))
    }

    private static let addingUp: Set<String> = [
        "ActiveEnergyBurned", "AppleExerciseTime", "AppleMoveTime", "AppleStandTime", "BasalEnergyBurned",
        "FlightsClimbed", "InhalerUsage", "InsulinDelivery", "NikeFuel",
        "NumberOfAlcoholicBeverages", "NumberOfTimesFallen", "PushCount", "StepCount", "SwimmingStrokeCount",
        "TimeInDaylight",
    ]
}

/// A unit in terms of the base unit of its dimension (`Spec/identity.md`, "Families").
public struct BaseUnit: Sendable {
    /// The base unit's text.
    public let text: [UInt8]
    private let conversion: Conversion

    private enum Conversion {
        case factor(Double)
        case fahrenheit
    }

    /// The base of a unit; a unit that is not known is its own.
    public init(of unit: [UInt8]) {
        let known = Self.table[String(decoding: unit, as: UTF8.self)]
        text = known.map { Array($0.base.utf8) } ?? unit
        conversion = known?.conversion ?? .factor(1)
    }

    /// Returns a value in the base unit, as the nearest binary32; `nil` if that is not finite.
    public func value(_ value: Double) -> Double? {
        let converted: Float =
            switch conversion {
            case .factor(let factor): Float(value * factor)
            case .fahrenheit: Float((value - 32) * 5 / 9)
            }
        // -0.0 and 0.0 are one value.
        return converted.isFinite ? Double(converted) + 0 : nil
    }

    private static let table: [String: (base: String, conversion: Conversion)] = {
        let factors: [(base: String, units: [(String, Double)])] = [
            (
                "kcal",
                [("Cal", 1), ("kcal", 1), ("cal", 0.001), ("kJ", 0.2390057361376673), ("J", 0.0002390057361376673)]
            ),
            (
                "m",
                [
                    ("m", 1), ("km", 1000), ("cm", 0.01), ("mm", 0.001), ("mi", 1609.344), ("ft", 0.3048),
                    ("yd", 0.9144), ("in", 0.0254),
                ]
            ),
            ("kg", [("kg", 1), ("g", 0.001), ("lb", 0.45359237), ("st", 6.35029318), ("oz", 0.028349523125)]),
            ("s", [("s", 1), ("ms", 0.001), ("min", 60), ("hr", 3600), ("d", 86400)]),
            ("degC", [("degC", 1)]),
            (
                "mL",
                [
                    ("mL", 1), ("L", 1000), ("dL", 100), ("cL", 10), ("fl_oz_us", 29.5735295625),
                    ("fl_oz_imp", 28.4130625),
                ]
            ),
        ]
        var table: [String: (base: String, conversion: Conversion)] = ["degF": ("degC", .fahrenheit)]
        for (base, units) in factors { for (unit, factor) in units { table[unit] = (base, .factor(factor)) } }
        return table
    }()
}
