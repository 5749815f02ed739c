/// The canonical text of a moment: up to 30 ASCII bytes in place.
public struct TimestampText: Sendable {
    /// The bytes of the text; those from `count` on are zero.
    public var bytes: InlineArray<32, UInt8> = .init(repeating: 0)
    /// Length of the text in bytes: 24 to 30.
    public var count = 0

    /// The text of a stored moment, or why it has none.
    ///
    /// - Parameter seconds: Unix seconds, as the archive stores them.
    /// - Throws: `TimestampError.range` outside the years 1 to 9999 and for NaN, `.precision` where nine fraction
    ///   digits do not give the double back.
    /// - Complexity: O(1).
    public init(_ seconds: Double) throws(TimestampError) {
        let (whole, fraction) = try DecimalSeconds.shortest(for: seconds)
        let days = whole >= 0 ? whole / 86_400 : (whole - 86_399) / 86_400
        let secondOfDay = UInt32(whole - days * 86_400)
        let date = Calendar.date(days: days)
        put(UInt32(date.year) / 100, at: 0)
        put(UInt32(date.year) % 100, at: 2)
        bytes[4] = UInt8(ascii: "-")
        put(UInt32(date.month), at: 5)
        bytes[7] = UInt8(ascii: "-")
        put(UInt32(date.day), at: 8)
        bytes[10] = UInt8(ascii: "T")
        put(secondOfDay / 3600, at: 11)
        bytes[13] = UInt8(ascii: ":")
        put(secondOfDay / 60 % 60, at: 14)
        bytes[16] = UInt8(ascii: ":")
        put(secondOfDay % 60, at: 17)
        bytes[19] = UInt8(ascii: ".")
        put(fraction)
    }

    /// The text as a `String`, for messages and small documents.
    public var string: String {
        String(decoding: (0..<count).map { bytes[$0] }, as: UTF8.self)
    }

    /// Writes all nine digits, and the end over those that are too many.
    private mutating func put(_ fraction: (value: UInt64, digits: Int)) {
        let nanoseconds = UInt32(fraction.value * DecimalSeconds.powersOfTen[9 - fraction.digits])
        put(nanoseconds / 10_000_000, at: 20)
        put(nanoseconds / 100_000 % 100, at: 22)
        put(nanoseconds / 1000 % 100, at: 24)
        put(nanoseconds / 10 % 100, at: 26)
        bytes[28] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: nanoseconds % 10)
        count = 21 + fraction.digits
        bytes[count - 1] = UInt8(ascii: "Z")
        for index in count..<30 { bytes[index] = 0 }
    }

    /// Writes two digits.
    @inline(__always)
    private mutating func put(_ value: UInt32, at index: Int) {
        bytes[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10)
        bytes[index + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10)
    }
}

/// Why a stored double has no timestamp.
public enum TimestampError: Error, Sendable {
    /// Outside the years 1 to 9999, or not a number.
    case range
    /// Nine fraction digits do not give the double back.
    case precision
}

/// Finds the fewest decimal digits that give a double back.
///
/// A double is a whole number of units of 2^-n seconds, where n depends on its magnitude: 22 near today. With F the
/// units after the whole second, a decimal c / 10^k gives the double back when it is closer to F / 2^n than half a
/// unit:
///
///     |c · 2^n − F · 10^k|  <  10^k / 2          in integers: 2·|c · 2^n − F · 10^k| < 10^k
///
/// It is never exactly half a unit away: that would be 2^(n+1) · c = 10^k · (2F ± 1), where 2 divides the right side
/// k ≤ 9 times, and the left side more than n ≥ 15 times.
enum DecimalSeconds {
    static let powersOfTen: InlineArray<10, UInt64> = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    ]

    /// Returns whole seconds (floor) and the shortest fraction of 3 to 9 digits.
    static func shortest(for seconds: Double) throws(TimestampError) -> (
        whole: Int64, fraction: (value: UInt64, digits: Int)
    ) {
        // −0 would come back as +0.
        guard seconds != 0 || seconds.sign == .plus else { throw .precision }
        guard seconds >= Double(Calendar.range.lowerBound), seconds < Double(Calendar.range.upperBound) else {
            throw .range
        }
        let floor = seconds.rounded(.down)
        let whole = Int64(floor)
        guard seconds != floor else { return (whole, (0, 3)) }
        // Below 2^17 seconds (36 hours around 1970) a unit is finer than 2^-35 s; there only few doubles have nine
        // digits, and those are found by trial.
        guard seconds.magnitude >= 131_072 else { return try searched(seconds, floor: floor) }
        let unitBits = UInt64(1023 + 52) - UInt64(seconds.exponentBitPattern)
        // 2^unitBits, from its exponent.
        let units = UInt64((seconds - floor) * Double(bitPattern: (1023 + unitBits) << 52))
        /// Returns the nearest decimal of a length, if it gives the double back.
        func candidate(_ digits: Int) -> UInt64? {
            let scale = powersOfTen[digits]
            let (candidate, distance) = nearest(units.multipliedFullWidth(by: scale), shift: unitBits)
            let doubled = distance &<< 1
            return doubled < scale ? candidate : nil
        }
        // Where a length does, all longer ones do: one look from the middle leaves half of them.
        for digits in candidate(6) == nil ? 7...9 : 3...6 {
            guard let candidate = candidate(digits) else { continue }
            // Never 10^k: that is a whole unit away at least, since F < 2^n.
            return (whole, (candidate, digits))
        }
        throw .precision
    }

    /// Returns `product / 2^shift` rounded half to even, and its distance from the exact quotient in units of 2^-shift.
    private static func nearest(_ product: (high: UInt64, low: UInt64), shift: UInt64) -> (UInt64, UInt64) {
        let quotient = (product.high &<< (64 &- shift)) | (product.low &>> shift)
        let remainder = product.low & ((1 &<< shift) &- 1)
        let half: UInt64 = 1 &<< (shift &- 1)
        let up = remainder > half || (remainder == half && quotient & 1 == 1)
        return up ? (quotient + 1, (1 &<< shift) - remainder) : (quotient, remainder)
    }

    /// Searches for the shortest text. Near 1970 a double is finer than 2^-35 s, so at most one candidate of a length
    /// gives it back, and it is the nearest.
    private static func searched(_ seconds: Double, floor: Double) throws(TimestampError) -> (
        whole: Int64, fraction: (value: UInt64, digits: Int)
    ) {
        for digits in 3...9 {
            let scale = Int64(powersOfTen[digits])
            let guess = Int64(((seconds - floor) * Double(scale)).rounded())
            // The product may have been rounded: look at the neighbours too. Both operands of the division are
            // exact, so its result is the nearest double.
            for candidate in (guess - 1)...(guess + 1)
            where (0...scale).contains(candidate) && Double(Int64(floor) * scale + candidate) / Double(scale) == seconds
            {
                let carry = candidate == scale
                return (Int64(floor) + (carry ? 1 : 0), (carry ? 0 : UInt64(candidate), digits))
            }
        }
        throw .precision
    }
}
