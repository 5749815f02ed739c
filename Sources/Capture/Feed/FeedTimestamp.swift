internal import Timestamps

/// A timestamp of a feed (`Spec/capture-feed.md`, "Values"): any offset, up to nine fraction digits.
///
/// Apart from the readers in Timestamps on purpose: those give doubles, and a capture rounds to microseconds from
/// the exact decimal.
enum FeedTimestamp: Equatable {
    /// The text has another form.
    case malformed
    /// The text has the form and names no moment of the years 1 to 9999 that the archive can hold.
    case outside
    /// Microseconds since 1970, rounded half to even.
    case moment(Int64)

    /// Reads a text. O(1).
    init(_ text: Span<UInt8>) {
        let isSigned = !text.isEmpty && (text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-"))
        var at = isSigned ? 1 : 0
        let yearStart = at
        while at < text.count, text[at] &- UInt8(ascii: "0") < 10, at - yearStart < 9 { at += 1 }
        let yearDigits = at - yearStart
        self = .malformed
        guard yearDigits >= 4, text.count - at >= 16, let year = Self.number(text, yearStart, yearDigits),
            text[at] == UInt8(ascii: "-"), let month = Self.number(text, at + 1, 2), text[at + 3] == UInt8(ascii: "-"),
            let day = Self.number(text, at + 4, 2),
            text[at + 6] == UInt8(ascii: "T"), let hour = Self.number(text, at + 7, 2),
            text[at + 9] == UInt8(ascii: ":"),
            let minute = Self.number(text, at + 10, 2),
            text[at + 12] == UInt8(ascii: ":"), let second = Self.number(text, at + 13, 2)
        else { return }
        at += 15
        guard let nanoseconds = Self.fraction(text, &at), let offset = Self.offset(text, at) else { return }
        self = .outside
        guard !isSigned, yearDigits == 4, hour < 24, minute < 60, second < 60, offset.isClock,
            let days = Calendar.days(year: year, month: month, day: day)
        else { return }
        let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second) - offset.seconds
        self = Self.rounded(seconds, nanoseconds: nanoseconds)
    }

    private static func rounded(_ seconds: Int64, nanoseconds: Int) -> FeedTimestamp {
        var microseconds = seconds * 1_000_000 + Int64(nanoseconds / 1000)
        let rest = nanoseconds % 1000
        if rest > 500 || (rest == 500 && microseconds & 1 != 0) { microseconds += 1 }
        // The doubles near the year 10000 are further apart than microseconds: what is stored decides.
        guard microseconds >= Calendar.range.lowerBound * 1_000_000,
            PageBuilder.seconds(microseconds) < Double(Calendar.range.upperBound)
        else { return .outside }
        return .moment(microseconds)
    }

    /// Nanoseconds of a fraction of one to nine digits, 0 where there is none; nil for another form.
    private static func fraction(_ text: Span<UInt8>, _ at: inout Int) -> Int? {
        guard text[at] == UInt8(ascii: ".") else { return 0 }
        at += 1
        var value = 0
        var digits = 0
        while at < text.count, text[at] &- UInt8(ascii: "0") < 10 {
            value = value * 10 + Int(text[at] &- UInt8(ascii: "0"))
            digits += 1
            at += 1
            if digits > 9 { return nil }
        }
        guard digits > 0 else { return nil }
        for _ in digits..<9 { value *= 10 }
        return value
    }

    /// The offset that ends a text; nil for another form.
    private static func offset(_ text: Span<UInt8>, _ at: Int) -> (seconds: Int64, isClock: Bool)? {
        guard at < text.count else { return nil }
        if text[at] == UInt8(ascii: "Z") { return at + 1 == text.count ? (0, true) : nil }
        guard text[at] == UInt8(ascii: "+") || text[at] == UInt8(ascii: "-"), text.count - at == 6,
            text[at + 3] == UInt8(ascii: ":"),
            let hour = number(text, at + 1, 2), let minute = number(text, at + 4, 2)
        else { return nil }
        return (Int64(hour * 3600 + minute * 60) * (text[at] == UInt8(ascii: "+") ? 1 : -1), hour < 24 && minute < 60)
    }

    private static func number(_ text: Span<UInt8>, _ start: Int, _ count: Int) -> Int? {
        var value = 0
        for index in start..<start + count {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }
}
