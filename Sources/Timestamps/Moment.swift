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
        if seconds >= 1 << 23, seconds < 1 << 52 { return late }
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

    /// From 2^23 seconds on the unit of the double is at least 2^-29 s, so that the fraction counts fewer than 2^59
    /// billionths of it.
    private var late: Double {
        let unitBits = 52 - (63 - seconds.leadingZeroBitCount)
        let (units, rest) = (UInt64(nanoseconds) << UInt64(unitBits)).quotientAndRemainder(dividingBy: 1_000_000_000)
        var count = UInt64(seconds) << UInt64(unitBits) + units
        if rest > 500_000_000 || (rest == 500_000_000 && count & 1 == 1) { count += 1 }
        return Double(count) * Double(sign: .plus, exponent: -unitBits, significand: 1)
    }

    /// Creates a moment from its parts.
    public init(seconds: Int64, nanoseconds: UInt32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }
}
