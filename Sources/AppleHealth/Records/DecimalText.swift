internal import Bytes
internal import Capture

/// A decimal number as an export writes it: sign, digits, fraction, exponent.
struct DecimalText {
    /// The nearest double; infinite where the number is beyond all doubles.
    let value: Double
    /// `true` if it has more than 17 digits, from the first to the last that is not 0, or is another number than its
    /// double to the last of them.
    let isLong: Bool
    /// `true` if it is not 0, and its double is.
    let isTooSmall: Bool

    /// Powers of ten that are doubles.
    private static let powers: InlineArray<23, Double> = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// Reads a text; nil where it is no number.
    init?(_ text: Span<UInt8>) {
        var at = 0
        let isNegative = !text.isEmpty && text[0] == UInt8(ascii: "-")
        if !text.isEmpty, text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+") { at = 1 }
        var digits = Digits()
        let start = at
        while at < text.count, text[at] &- UInt8(ascii: "0") < 10 {
            digits.add(text[at] &- UInt8(ascii: "0"), isFraction: false); at &+= 1
        }
        var count = at - start
        if at < text.count, text[at] == UInt8(ascii: ".") {
            at &+= 1
            let fraction = at
            while at < text.count, text[at] &- UInt8(ascii: "0") < 10 {
                digits.add(text[at] &- UInt8(ascii: "0"), isFraction: true); at &+= 1
            }
            count += at - fraction
        }
        guard count > 0 else { return nil }
        var exponent = 0
        if at < text.count {
            guard let read = Self.exponent(text, at) else { return nil }
            exponent = read
        }
        if let exact = Self.exact(digits, exponent) {
            value = isNegative ? -exact : exact
        } else {
            guard let parsed = Double(String(decoding: text.array, as: UTF8.self)) else { return nil }
            value = parsed
        }
        let isKept =
            digits.count == digits.significant
            ? DecimalValue.isKept(digits.mantissa, count: digits.count, power: digits.power &+ exponent, as: value)
            : nil
        isLong = digits.significant > 17 || !(isKept ?? DecimalValue.isKept(text, as: value))
        isTooSmall = digits.significant > 0 && value == 0
    }

    private struct Digits {
        /// The digits up to the last that is not 0, while they are few.
        var mantissa: UInt64 = 0
        var power = 0
        /// Digits from the first that is not 0 on, and up to the last that is not 0.
        var count = 0
        var significant = 0

        @inline(__always)
        mutating func add(_ digit: UInt8, isFraction: Bool) {
            if count < 19 { mantissa = mantissa &* 10 &+ UInt64(digit) }
            if digit != 0 || count > 0 { count &+= 1 }
            if digit != 0 { significant = count }
            if isFraction { power &-= 1 }
        }
    }

    /// Returns a double by one multiplication or division of exact numbers, which is rounded once, and so is right.
    private static func exact(_ digits: Digits, _ exponent: Int) -> Double? {
        guard digits.count <= 19, digits.mantissa <= 1 << 53 else { return nil }
        let power = digits.power + exponent
        if digits.mantissa == 0 { return 0 }
        if power >= 0 { return power <= 22 ? Double(digits.mantissa) * powers[power] : nil }
        return power >= -22 ? Double(digits.mantissa) / powers[-power] : nil
    }

    private static func exponent(_ text: Span<UInt8>, _ start: Int) -> Int? {
        guard text[start] | 0x20 == UInt8(ascii: "e") else { return nil }
        var at = start + 1
        let isNegative = at < text.count && text[at] == UInt8(ascii: "-")
        if at < text.count, text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") { at += 1 }
        guard at < text.count else { return nil }
        var value = 0
        while at < text.count {
            let digit = text[at] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = min(value * 10 + Int(digit), 1 << 40)
            at += 1
        }
        return isNegative ? -value : value
    }

    /// Returns a whole number in its shortest form, of a magnitude below 2^53 or not; `nil` for any other text.
    static func integer(_ text: Span<UInt8>) -> (value: Int64, isExact: Bool)? {
        let isNegative = !text.isEmpty && text[0] == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        guard text.count > start, text.count - start == 1 || text[start] != UInt8(ascii: "0") else { return nil }
        var value: Int64 = 0
        for at in start..<text.count {
            let digit = text[at] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = min(value * 10 + Int64(digit), 1 << 53)
        }
        if isNegative, value == 0 { return nil }
        return (isNegative ? -value : value, value < 1 << 53)
    }
}
