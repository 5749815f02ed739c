/// Compares a decimal with the double that stands for it (`Spec/identity.md`, "Normal values").
package enum DecimalValue {
    /// Digits that are compared; a longer decimal is not kept.
    private static let digitLimit = 800

    /// Returns `true` if a double keeps the value of a decimal: the double differs from the decimal by at most half a
    /// unit of the last digit of the decimal that is not 0.
    ///
    /// - Parameters:
    ///   - text: a sign or none, digits with a point or none, an exponent or none.
    ///   - value: the double that is nearest to the decimal.
    package static func isKept(_ text: Span<UInt8>, as value: Double) -> Bool {
        // 15 digits are always kept.
        if text.count <= 15, value.magnitude >= Double.leastNormalMagnitude, value.isFinite { return true }
        guard value.isFinite, let decimal = Decimal(text) else { return false }
        guard !decimal.digits.isEmpty else { return true }
        guard value != 0 else { return false }
        if decimal.digits.count <= 15, value.magnitude >= Double.leastNormalMagnitude { return true }
        guard decimal.digits.count <= digitLimit, abs(decimal.power) <= 2 * digitLimit else { return false }
        // value = mantissa × 2^exponent, decimal = number × 10^power; both sides times 2 and the denominators.
        let hidden: UInt64 = value.isNormal ? 1 << 52 : 0
        let exponent = max(Int(value.exponentBitPattern), 1) - 1075
        var left = Natural(value.significandBitPattern | hidden)
        var unit = Natural(1)
        left.shift(by: 1 + max(exponent, 0))
        left.multiply(byPowerOfTen: max(-decimal.power, 0))
        unit.multiply(byPowerOfTen: max(decimal.power, 0))
        unit.shift(by: max(-exponent, 0))
        var right = Natural(digits: decimal.digits)
        right.multiply(byPowerOfTen: max(decimal.power, 0))
        right.shift(by: 1 + max(-exponent, 0))
        return left.isAtMost(right, plus: unit) && right.isAtMost(left, plus: unit)
    }

    /// Returns the same of `digits` × 10^`power`, whose last digit is not 0, without a number of any size; `nil` if
    /// that does not do.
    ///
    /// - Parameter count: digits, from the first that is not 0 on; with more than 17 they need not be known.
    package static func isKept(_ digits: UInt64, count: Int, power: Int, as value: Double) -> Bool? {
        if count == 0 { return true }
        guard count <= 17, value.isNormal else { return nil }
        if count <= 15 { return true }
        guard power <= 0, power > -fives.count else { return nil }
        // value = mantissa × 2^exponent; both sides times 2 × 10^-power × 2^places, which makes them whole.
        let places = 1074 - Int(value.exponentBitPattern) + power
        guard places >= 0, places < 128 - 58 else { return nil }
        let left = UInt128(value.significandBitPattern | 1 << 52) * UInt128(fives[-power])
        let right = UInt128(2 * digits) << UInt128(places)
        return (left > right ? left - right : right - left) <= UInt128(1) << UInt128(places)
    }

    /// Powers of five that fit.
    private static let fives: [UInt64] = {
        var fives: [UInt64] = [1]
        while fives.count < 28 { fives.append(fives[fives.count - 1] * 5) }
        return fives
    }()

    /// The digits of a decimal from the first to the last that is not 0, and the power of ten of the last.
    private struct Decimal {
        var digits: [UInt8] = []
        var power = 0

        init?(_ text: Span<UInt8>) {
            var isFraction = false
            var at = 0
            while at < text.count, text[at] | 0x20 != UInt8(ascii: "e") {
                let digit = text[at] &- UInt8(ascii: "0")
                if digit < 10 {
                    if digit != 0 || !digits.isEmpty { digits.append(digit) }
                    if isFraction { power -= 1 }
                } else if text[at] == UInt8(ascii: ".") {
                    isFraction = true
                } else if at > 0 {
                    return nil
                }
                at += 1
            }
            while digits.last == 0 {
                digits.removeLast()
                power += 1
            }
            if at < text.count { power += Self.exponent(text.extracting((at + 1)...)) }
        }

        private static func exponent(_ text: Span<UInt8>) -> Int {
            var value = 0
            for at in text.indices {
                let digit = text[at] &- UInt8(ascii: "0")
                if digit < 10 { value = min(value * 10 + Int(digit), 1 << 40) }
            }
            return !text.isEmpty && text[0] == UInt8(ascii: "-") ? -value : value
        }
    }

    /// A whole number of any size, the lowest 32 bits first.
    private struct Natural {
        private var words: [UInt32]

        init(_ value: UInt64) {
            words = [UInt32(truncatingIfNeeded: value), UInt32(truncatingIfNeeded: value >> 32)]
        }

        init(digits: [UInt8]) {
            self.init(0)
            for digit in digits { multiply(by: 10, adding: UInt32(digit)) }
        }

        mutating func multiply(by factor: UInt32, adding carry: UInt32 = 0) {
            var carry = UInt64(carry)
            for index in words.indices {
                carry += UInt64(words[index]) * UInt64(factor)
                words[index] = UInt32(truncatingIfNeeded: carry)
                carry >>= 32
            }
            if carry > 0 { words.append(UInt32(carry)) }
        }

        mutating func multiply(byPowerOfTen power: Int) {
            for _ in 0..<power / 9 { multiply(by: 1_000_000_000) }
            for _ in 0..<power % 9 { multiply(by: 10) }
        }

        mutating func shift(by count: Int) {
            if count % 32 > 0 { multiply(by: 1 << UInt32(count % 32)) }
            words.insert(contentsOf: repeatElement(0, count: count / 32), at: 0)
        }

        /// Returns `true` if this is at most the sum of two numbers.
        func isAtMost(_ one: Natural, plus other: Natural) -> Bool {
            let count = max(words.count, one.words.count, other.words.count)
            func word(_ number: Natural, _ at: Int) -> Int64 { at < number.words.count ? Int64(number.words[at]) : 0 }
            // Subtraction with a carry that may be negative: the last one has the sign of the difference.
            var carry: Int64 = 0
            for at in 0..<count { carry = (word(one, at) + word(other, at) + carry - word(self, at)) >> 32 }
            return carry >= 0
        }
    }
}
