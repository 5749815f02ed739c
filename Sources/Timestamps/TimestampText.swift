/// The canonical text of a moment: up to 30 ASCII bytes in place.
public struct TimestampText: Sendable {
    /// The bytes of the text; those from `count` on are zero.
    public var bytes: InlineArray<32, UInt8> = .init(repeating: 0)
    /// Length of the text in bytes: 24 to 30.
    public var count = 0

    /// The text of a stored moment, or why it has none.
    ///
    /// - Parameter seconds: Unix seconds, as the archive stores them.
    /// - Throws: `TimestampError.range` outside the years 1 to 9999 and for NaN, `.precision` where nine fraction digits do not give the double back.
    /// - Complexity: O(1).
    public init(_ seconds: Double) throws(TimestampError) {
        let (whole, fraction) = try DecimalSeconds.shortest(for: seconds)
        let days = whole >= 0 ? whole / 86_400 : (whole - 86_399) / 86_400
        let secondOfDay = Int(whole - days * 86_400)
        let date = Calendar.date(days: days)
        put(date.year, 4)
        put(ascii: 0x2D)
        put(date.month, 2)
        put(ascii: 0x2D)
        put(date.day, 2)
        put(ascii: 0x54)
        put(secondOfDay / 3600, 2)
        put(ascii: 0x3A)
        put(secondOfDay / 60 % 60, 2)
        put(ascii: 0x3A)
        put(secondOfDay % 60, 2)
        put(ascii: 0x2E)
        put(Int(fraction.value), fraction.digits)
        put(ascii: 0x5A)
    }

    /// The text as a `String`, for messages and small documents.
    public var string: String {
        String(decoding: (0..<count).map { bytes[$0] }, as: UTF8.self)
    }

    private mutating func put(ascii: UInt8) {
        bytes[count] = ascii
        count += 1
    }

    private mutating func put(_ value: Int, _ width: Int) {
        var rest = value
        var index = count + width
        while index > count {
            index -= 1
            bytes[index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count += width
    }
}

/// Why a stored double has no timestamp.
public enum TimestampError: Error, Sendable {
    /// Outside the years 1 to 9999, or not a number.
    case range
    /// Nine fraction digits do not give the double back.
    case precision
}
