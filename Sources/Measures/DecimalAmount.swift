/// Amounts as whole numbers of their last decimal: their sums are exact and do not depend on order (`Spec/days.md`,
/// "Amounts").
package enum DecimalAmount {
    /// The greatest magnitude of one amount.
    private static let limit: Int64 = 1_000_000_000_000_000
    /// The greatest magnitude of a number that totals add, in whole numbers.
    private static let totalLimit: Int128 = 1_000_000_000_000_000_000_000_000_000

    /// Returns the fraction digits of a unit: nine of grams, else six.
    package static func digits(ofUnit unit: String?) -> Int { unit == "g" ? 9 : 6 }

    private static func power(_ digits: Int) -> Int128 { digits == 9 ? 1_000_000_000 : 1_000_000 }

    /// Returns a value as a whole number of the last decimal, half up; `nil` if it is not finite or too large.
    package static func whole(_ value: Double, digits: Int) -> Int64? {
        guard value.isFinite, value.magnitude * (digits == 9 ? 1e9 : 1e6) < 2e15 else { return nil }
        let (significand, scale) = parts(of: value)
        let scaled = significand * power(digits)
        // The value is less than 2^53, so its unit is less than 1. A sum of less than 2^-40 rounds to 0.
        guard scale < 0, scale > -126 else { return scale < 0 ? 0 : nil }
        let found = (scaled &* 2 &+ (Int128(1) &<< Int128(-scale))) &>> Int128(1 - scale)
        return found.magnitude <= UInt128(limit) ? Int64(found) : nil
    }

    /// Returns a finite value as significand × 2^scale.
    private static func parts(of value: Double) -> (significand: Int128, scale: Int) {
        let exponent = Int(value.exponentBitPattern)
        let bits = Int128(exponent == 0 ? value.significandBitPattern : value.significandBitPattern | 1 << 52)
        return (value.sign == .minus ? -bits : bits, max(exponent, 1) - 1075)
    }

    /// Returns what an amount that is spread evenly over a length has up to a moment in it, half up.
    ///
    /// - Parameters:
    ///   - elapsed: microseconds, 0 to `length`.
    ///   - length: microseconds, above 0 and below 2^60.
    package static func share(of amount: Int64, after elapsed: Int64, of length: Int64) -> Int64 {
        if elapsed == 0 { return 0 }
        if elapsed == length { return amount }
        let (product, isTooLarge) = amount.multipliedReportingOverflow(by: 2 * elapsed)
        let (sum, isOver) = product.addingReportingOverflow(length)
        guard isTooLarge || isOver else { return sum.dividedDown(by: 2 * length) }
        let wide = Int128(amount) * Int128(2 * elapsed) + Int128(length)
        return Int64(wide.dividedDown(by: Int128(2 * length)))
    }

    /// Returns the double that is nearest to a sum of whole numbers.
    package static func number(_ sum: Int128, digits: Int) -> Double {
        let power = power(digits)
        let magnitude = sum.magnitude, divisor = power.magnitude
        // Both are exact, so the division rounds once.
        if magnitude < 1 << 53 { return Double(Int64(sum)) / Double(Int64(power)) }
        // Of a larger one the quotient gets at least 55 bits, the lowest of which says if anything is below it.
        let shift: UInt128 = magnitude < 1 << 90 ? 32 : 0
        let (quotient, rest) = (magnitude << shift).quotientAndRemainder(dividingBy: divisor)
        let found = Double(quotient | (rest == 0 ? 0 : 1)) / (shift == 0 ? 1 : 4_294_967_296)
        return sum < 0 ? -found : found
    }

    /// Returns a number as the nearest whole number of the last decimal, ties to even, at most 10^27 in magnitude: what
    /// totals add.
    package static func nearest(_ number: Double, digits: Int) -> Int128 {
        guard number.magnitude < (digits == 9 ? 1e18 : 1e21) else { return number < 0 ? -totalLimit : totalLimit }
        let (significand, scale) = parts(of: number)
        let scaled = significand * power(digits)
        guard scale < 0 else { return scaled &<< Int128(scale) }
        guard scale > -120 else { return 0 }
        let whole = scaled &>> Int128(-scale)
        let rest = scaled - whole &<< Int128(-scale)
        let half = Int128(1) &<< Int128(-scale - 1)
        return rest > half || (rest == half && whole & 1 == 1) ? whole + 1 : whole
    }
}

extension FixedWidthInteger {
    /// Returns the quotient, rounded down, by a positive number.
    package func dividedDown(by divisor: Self) -> Self {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
