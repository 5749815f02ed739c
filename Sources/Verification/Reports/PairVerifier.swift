internal import Archive
internal import Measures

/// Holds a pair against its records (`Spec/pairs.md`, Checks): written from the page, apart from what finds pairs.
struct PairVerifier {
    private let pair: PairValues
    private let form: Forms
    private let measure: Measure
    private let isAcrossChains: Bool

    private static let tolerance = 1e-5

    /// - Parameter isAcrossChains: whether records of two device chains are compared; true where that is not known.
    init(_ item: Span<UInt8>, _ form: Forms, isAcrossChains: Bool) {
        self.isAcrossChains = isAcrossChains
        pair = PairValues(item)
        self.form = form
        measure = Measure(of: pair.own.texts["sample_type"] ?? [])
    }

    private var isReIdentified: Bool { form == .reIdentified }
    private var isContainerAfter: Bool { pair.after.count == 1 }
    private var container: PairValues.Record { isContainerAfter ? pair.after[0] : pair.before[0] }
    private var parts: [PairValues.Record] { isContainerAfter ? pair.before : pair.after }

    /// Whether as many records stand on each side as the pair has.
    var hasRightCounts: Bool {
        let (before, after) = (pair.before.count, pair.after.count)
        let several = 2...PairValues.recordLimit
        switch form {
        case .reIdentified: return before == 1 && after == 1
        case .condensedInto: return after == 1 && several.contains(before)
        case .expandedInto: return before == 1 && several.contains(after)
        default: return (after == 1 && several.contains(before)) || (before == 1 && several.contains(after))
        }
    }

    /// The first member by name that does not follow from the records.
    func wrongEvidence() -> String? {
        let records = pair.before + pair.after
        if pair.own.end != records.map(\.end).max() { return "end_date" }
        if pair.own.texts["key"] != key { return "key" }
        let (residual, unit) = isReIdentified ? difference : residual(of: text("law"))
        if pair.own.numbers["residual"] != residual { return "residual" }
        if pair.own.start != records.map(\.start).min() { return "start_date" }
        return pair.own.texts["unit"] == unit ? nil : "unit"
    }

    /// The member that says more than its records have in common.
    func wrongLabel() -> String? {
        if isReIdentified { return isRightLevel ? nil : "level" }
        let whole = container
        let areParts = parts.allSatisfy {
            whole.start <= $0.start && $0.end <= whole.end && $0.length < whole.length
        }
        return areParts && firstLaw == text("law") ? nil : "law"
    }

    private func text(_ name: String) -> String { String(decoding: pair.own.texts[name] ?? [], as: UTF8.self) }

    private var key: [UInt8]? {
        guard isReIdentified else { return container.texts["identity_hash"] }
        guard let one = pair.before[0].texts["identity_hash"], let other = pair.after[0].texts["identity_hash"] else {
            return nil
        }
        return one.lexicographicallyPrecedes(other) ? one : other
    }

    // MARK: Values

    private func canonicalValue(_ record: PairValues.Record) -> Double? {
        guard let value = record.numbers["numeric_value"], let unit = record.texts["unit"],
            let converted = measure.conversion(from: unit)?(value), converted.isFinite
        else { return nil }
        return converted + 0
    }

    private var unit: [UInt8]? { measure.unit.map { Array($0.utf8) } }

    /// What a re-identified pair says of its values.
    private var difference: (Double?, [UInt8]?) {
        guard ["fuzzy", "semantic"].contains(text("level")), let before = canonicalValue(pair.before[0]),
            let after = canonicalValue(pair.after[0]), (after - before).isFinite
        else { return (nil, nil) }
        return (after - before + 0, unit)
    }

    private static func sum(_ terms: [Double]) -> Double? {
        var sum = ExactSum()
        for term in terms {
            guard term.isFinite else { return nil }
            sum.add(term)
        }
        return sum.value()
    }

    // MARK: Laws

    /// Container and parts, as a law compares them.
    private func sides(of law: String) -> (whole: Double, parts: Double)? {
        if law == "duration" { return unionLength.map { (container.length, $0) } }
        let values = parts.compactMap(canonicalValue)
        guard let whole = canonicalValue(container), values.count == parts.count, let sum = Self.sum(values) else {
            return nil
        }
        switch law {
        case "sum": return (whole, sum)
        case "time_weighted_mean":
            guard parts.allSatisfy({ $0.length > 0 }), let length = Self.sum(parts.map(\.length)),
                let weighted = Self.sum(zip(parts, values).map { $0.length * $1 })
            else { return nil }
            return (whole, weighted / length)
        default: return (whole, sum / Double(values.count))
        }
    }

    private func residual(of law: String) -> (Double?, [UInt8]?) {
        guard let sides = sides(of: law), (sides.whole - sides.parts).isFinite else { return (nil, nil) }
        return (sides.whole - sides.parts + 0, law == "duration" ? Array("s".utf8) : unit)
    }

    private func holds(_ law: String) -> Bool {
        if law == "value" {
            guard let whole = canonicalValue(container) else { return false }
            return parts.allSatisfy { canonicalValue($0).map(Self.sixDigits) == Self.sixDigits(whole) }
        }
        guard let sides = sides(of: law) else { return false }
        return (sides.whole - sides.parts).magnitude <= Self.tolerance
            * max(sides.whole.magnitude, sides.parts.magnitude)
    }

    /// The first law of the type that holds; nil where none does.
    private var firstLaw: String? {
        let isSound = container.texts["unit"] == Array("dBASPL".utf8)
        let laws: [String] =
            switch measure.kind {
            case .cumulative: ["sum"]
            case .discrete: isSound ? ["value"] : ["value", "mean", "time_weighted_mean"]
            case .category: ["duration"]
            case .workout, .event: []
            }
        return laws.first(where: holds)
    }

    private var unionLength: Double? {
        var edges = parts.map { ($0.start, $0.end) }
        edges.sort { $0.0 < $1.0 }
        var lengths: [Double] = []
        var (start, end) = edges[0]
        for edge in edges.dropFirst() {
            if edge.0 > end {
                lengths.append(end - start)
                (start, end) = edge
            } else {
                end = max(end, edge.1)
            }
        }
        return Self.sum(lengths + [end - start])
    }

    // MARK: Levels

    /// Whether the records have one key at the level, and none at a more specific one: there they would be a pair.
    /// What `strict` looks at is not all here.
    private var isRightLevel: Bool {
        let level = text("level")
        if level != "payload", haveOneKey(at: "payload") { return false }
        return haveOneKey(at: level) && (level != "fuzzy" || !haveOneKey(at: "semantic"))
    }

    private func haveOneKey(at level: String) -> Bool {
        let (one, other) = (pair.before[0], pair.after[0])
        switch level {
        case "payload": return one.texts["payload_hash"] == other.texts["payload_hash"]
        case "strict":
            return Self.strictTexts(one) == Self.strictTexts(other)
                && Self.strictNumbers.allSatisfy { one.numbers[$0] == other.numbers[$0] }
        case "semantic": return seconds(one) == seconds(other) && meaning(one) == meaning(other)
        default:
            // Of two records with one meaning the steps are the same.
            return isAcrossChains && meaning(one) == meaning(other) && fuzzyStart(one) == fuzzyStart(other)
        }
    }

    private static let strictNumbers = [
        "category_value", "duration_seconds", "numeric_value", "workout_activity_type",
    ]

    private static func strictTexts(_ record: PairValues.Record) -> [[UInt8]?] {
        let isCalories = record.texts["unit"] == Array("Cal".utf8)
        return ["start_date", "end_date", "value_kind"].map { record.texts[$0] }
            + [isCalories ? Array("kcal".utf8) : record.texts["unit"]]
    }

    private func seconds(_ record: PairValues.Record) -> [Double] {
        [record.start, record.end].map { $0.rounded(.down) }
    }

    private func fuzzyStart(_ record: PairValues.Record) -> Double {
        let step: Double =
            switch meaning(record)[0] {
            case "quantity": measure.kind == .cumulative ? 3600 : 60
            case "workout": 600
            default: 60
            }
        return (record.start.rounded(.down) / step).rounded(.down)
    }

    /// What a record says beside its dates.
    private func meaning(_ record: PairValues.Record) -> [String?] {
        let kind = record.texts["value_kind"].map { String(decoding: $0, as: UTF8.self) }
        switch kind {
        case "quantity":
            guard let value = record.numbers["numeric_value"] else { break }
            let own = record.texts["unit"].map { String(decoding: $0, as: UTF8.self) }
            guard let canonical = canonicalValue(record) else { return [kind, own, Self.sixDigits(value)] }
            return [kind, measure.unit, Self.sixDigits(canonical)]
        case "category": return [kind, record.numbers["category_value"].map { "\($0)" }]
        case "workout": return [kind, record.numbers["workout_activity_type"].map { "\($0)" }]
        default: break
        }
        return ["correlation"]
    }

    /// The digits of a number, rounded to six, half to even, and the power of ten of the first.
    static func sixDigits(_ value: Double) -> String {
        let parts = value.magnitude.description.split(separator: "e")
        let number = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        var digits = Array(number.joined().utf8).map { Int($0 - UInt8(ascii: "0")) }
        var power = number[0].utf8.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        while digits.first == 0 {
            digits.removeFirst()
            power -= 1
        }
        if digits.count > 6 {
            let rest = digits[6...]
            let isTie = rest.first == 5 && rest.dropFirst().allSatisfy { $0 == 0 }
            let isUp = isTie ? digits[5] % 2 == 1 : (rest.first ?? 0) >= 5
            digits = Array(digits.prefix(6))
            var place = 5
            if isUp { digits[place] += 1 }
            while place > 0, digits[place] == 10 {
                digits[place] = 0
                place -= 1
                digits[place] += 1
            }
            if digits[0] == 10 { (digits[0], power) = (1, power + 1) }
        }
        while digits.last == 0 { digits.removeLast() }
        return digits.isEmpty ? "0" : (value < 0 ? "-" : "") + digits.map(String.init).joined() + "e\(power)"
    }
}
