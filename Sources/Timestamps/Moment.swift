/// A moment read from text, as the exact decimal number of seconds that the text names.
///
/// Moments of canonical texts compare like the doubles they stand for.
public struct Moment: Sendable, Comparable {
    /// Whole seconds since 1970, rounded down.
    public let seconds: Int64
    /// Nanoseconds after the whole second: 0 to 999,999,999.
    public let nanoseconds: UInt32

    public static func < (left: Moment, right: Moment) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    /// The nearest double, ties to even: what the archive stores for this moment.
    ///
    /// Computed in integers from the decimal, apart from the writer's arithmetic on purpose.
    public var unixSeconds: Double {
        guard nanoseconds != 0 else { return Double(seconds) }
        let total = Int128(seconds) * 1_000_000_000 + Int128(nanoseconds)
        let magnitude = total.magnitude
        // Scale so that the quotient has 54 or 55 bits: 53 of significand and at least one to round by.
        let shift = 55 - (128 - magnitude.leadingZeroBitCount - 30)
        let (scaled, divisor): (UInt128, UInt128) =
            shift >= 0 ? (magnitude << shift, 1_000_000_000) : (magnitude, 1_000_000_000 << -shift)
        let (quotient, remainder) = scaled.quotientAndRemainder(dividingBy: divisor)
        let extra = 64 - UInt64(quotient).leadingZeroBitCount - 53
        var significand = UInt64(quotient) >> extra
        let dropped = UInt64(quotient) & ((1 << extra) - 1)
        let half: UInt64 = 1 << (extra - 1)
        if dropped > half || (dropped == half && (remainder != 0 || significand & 1 == 1)) { significand += 1 }
        let value = Double(sign: .plus, exponent: extra - shift, significand: Double(significand))
        return total < 0 ? -value : value
    }

    /// Creates a moment from its parts.
    public init(seconds: Int64, nanoseconds: UInt32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }
}
