/// Numbers as the answer writes them.
public enum AnswerNumbers {
    /// Returns a count as `22,189`.
    public static func text(_ count: Int) -> String {
        var digits = String(count.magnitude)
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3)[...], at: 0)
            digits = String(digits.dropLast(3))
        }
        return (count < 0 ? "-" : "") + ([digits[...]] + groups).joined(separator: ",")
    }

    /// Returns a sum, with at most two decimals: `3,957`, `12.35`.
    public static func text(_ sum: Double) -> String? {
        guard sum.isFinite, sum.magnitude < 1e15 else { return nil }
        let hundredths = Int((sum.magnitude * 100).rounded())
        var text = Self.text(hundredths / 100)
        if hundredths % 100 > 0 {
            let decimals = String(100 + hundredths % 100).dropFirst()
            text += "." + (decimals.hasSuffix("0") ? decimals.dropLast() : decimals)
        }
        return (sum < 0 && hundredths > 0 ? "-" : "") + text
    }

    /// Returns a count as `1 record`, `18 records`.
    public static func records(_ count: Int) -> String { counted(count, "record") }

    /// Returns a count and its noun.
    public static func counted(_ count: Int, _ noun: String, _ plural: String = "s") -> String {
        "\(text(count)) \(noun)\(count == 1 ? "" : plural)"
    }
}
