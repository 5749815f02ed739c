/// Amounts as people read them.
public enum AnswerUnits {
    /// Returns the unit of a type as people read it; `nil` of numbers without one.
    public static func unit(_ type: Answer.TypeFacts) -> String? {
        switch type.measure {
        case "category", "workout": return "h"
        default: break
        }
        guard let unit = type.unit, unit != "count" else { return nil }
        if unit == "count/min" { return type.identifier.contains("HeartRate") ? "bpm" : "per minute" }
        if isDistance(type) { return "km" }
        return unit == "degC" ? "°C" : unit
    }

    /// Returns a value of a type in that unit: kilometres of a distance, hundredths of a fraction.
    public static func value(_ value: Double?, _ type: Answer.TypeFacts) -> Double? {
        guard let value else { return nil }
        if isDistance(type) { return value / 1000 }
        return type.unit == "%" ? value * 100 : value
    }

    private static func isDistance(_ type: Answer.TypeFacts) -> Bool {
        type.unit == "m" && type.measure == "cumulative" && !type.identifier.contains("Swimming")
    }

    /// Returns a value with three significant digits, at least its whole ones: `3,957`, `72.4`, `0.0123`; `–` without
    /// one.
    public static func short(_ value: Double?) -> String {
        guard let value, value.isFinite, value.magnitude < 1e15 else { return "–" }
        if value == 0 { return "0" }
        var (decimals, limit) = (0, 100.0)
        while value.magnitude < limit, decimals < 9 {
            decimals += 1
            limit /= 10
        }
        var factor = 1.0
        for _ in 0..<decimals { factor *= 10 }
        let digits = Int((value.magnitude * factor).rounded())
        let whole = digits / Int(factor)
        var rest = String(String(digits % Int(factor) + Int(factor)).dropFirst())
        while rest.hasSuffix("0") { rest.removeLast() }
        return (value < 0 ? "−" : "") + AnswerNumbers.text(whole) + (rest.isEmpty ? "" : "." + rest)
    }

    /// Returns a sum in the unit of a type: `3,957`, `12.35 kcal`, `19.8 km`; `nil` if it cannot be written.
    static func text(_ sum: Double, _ type: Answer.TypeFacts, _ names: AnswerNames) -> String? {
        AnswerNumbers.text(isDistance(type) ? sum / 1000 : sum).map { number in
            guard let unit = isDistance(type) ? "km" : type.unit, unit != "count" else { return number }
            return "\(number) \(names.unit(unit))"
        }
    }
}
