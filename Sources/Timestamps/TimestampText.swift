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
