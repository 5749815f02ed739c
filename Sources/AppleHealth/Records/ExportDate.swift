internal import Timestamps

/// A moment as an export writes it: `yyyy-MM-dd HH:mm:ss ±HHMM`, on iOS 8 `yyyyMMddHHmmss±HHMM`.
public struct ExportDate: Sendable, Hashable {
    /// Seconds since 1970.
    public let seconds: Int64
    /// Seconds that local time was ahead of UTC.
    public let offset: Int

    /// Microseconds since 1970.
    var microseconds: Int64 { seconds * 1_000_000 }
    /// Seconds since local midnight.
    var secondOfDay: Int { Int((seconds + Int64(offset) + Self.shift) % 86_400) }

    /// Whole days that make every moment positive.
    private static let shift: Int64 = 86_400 * 800_000

    /// A moment; nil outside the years 1 to 9999.
    public init?(seconds: Int64, offset: Int) {
        guard Calendar.range.contains(seconds), abs(offset) < 86_400 else { return nil }
        self.seconds = seconds
        self.offset = offset
    }

    /// Reads a text; nil where it has another form, or is no moment of the years 1 to 9999.
    ///
    /// - Parameter allowsCompact: whether the form of iOS 8 is read, too.
    init?(_ text: Span<UInt8>, allowsCompact: Bool) {
        if text.count == 25, text[10] == UInt8(ascii: " "), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"), text[19] == UInt8(ascii: " "), text[4] == UInt8(ascii: "-"),
            text[7] == UInt8(ascii: "-")
        {
            self.init(text, month: 5, day: 8, hour: 11, minute: 14, second: 17, zone: 20)
        } else if allowsCompact, text.count == 19 || text.count == 15 {
            self.init(text, month: 4, day: 6, hour: 8, minute: 10, second: 12, zone: 14)
        } else {
            return nil
        }
    }

    @inline(__always)
    private init?(_ text: Span<UInt8>, month: Int, day: Int, hour: Int, minute: Int, second: Int, zone: Int) {
        guard let year = Self.number(text, 0, 4), let month = Self.number(text, month, 2),
            let day = Self.number(text, day, 2), let days = Calendar.days(year: year, month: month, day: day),
            let hour = Self.number(text, hour, 2), let minute = Self.number(text, minute, 2),
            let second = Self.number(text, second, 2), hour < 24, minute < 60, second < 60,
            let offset = Self.offset(text, zone)
        else { return nil }
        self.offset = offset
        seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
        guard Calendar.range.contains(seconds) else { return nil }
    }

    /// `±HHMM` or `Z` to the text's end.
    @inline(__always)
    private static func offset(_ text: Span<UInt8>, _ start: Int) -> Int? {
        if text.count == start + 1 { return text[start] == UInt8(ascii: "Z") ? 0 : nil }
        guard text.count == start + 5, text[start] == UInt8(ascii: "+") || text[start] == UInt8(ascii: "-"),
            let hours = number(text, start + 1, 2), let minutes = number(text, start + 3, 2), hours < 24, minutes < 60
        else { return nil }
        let distance = hours * 3600 + minutes * 60
        return text[start] == UInt8(ascii: "+") ? distance : -distance
    }

    /// Days from 1970-01-01 to `yyyy-MM-dd`; nil where it has another form or is no day.
    static func day(_ text: Span<UInt8>) -> Int64? {
        guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            let year = number(text, 0, 4),
            let month = number(text, 5, 2), let day = number(text, 8, 2)
        else { return nil }
        return Calendar.days(year: year, month: month, day: day)
    }

    @inline(__always)
    private static func number(_ text: Span<UInt8>, _ start: Int, _ count: Int) -> Int? {
        var value = 0
        for at in start..<start + count {
            let digit = text[at] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value &* 10 &+ Int(digit)
        }
        return value
    }
}

/// The time of a heartbeat: `h:mm:ss,ff AM` or `HH:mm:ss.ff`.
enum BeatTime {
    /// Seconds after a second of the day; nil where the text is no time.
    ///
    /// - Parameter period: that of the clocks that may have shown the time: they differ by multiples of it.
    static func seconds(_ text: Span<UInt8>, after start: Int, modulo period: Int) -> Double? {
        var at = 0
        guard let hour = number(text, &at, 1...2), skip(UInt8(ascii: ":"), text, &at),
            let minute = number(text, &at, 2...2),
            skip(UInt8(ascii: ":"), text, &at), let second = number(text, &at, 2...2),
            minute < 60, second < 60
        else { return nil }
        var nanoseconds = 0
        if at < text.count, text[at] == UInt8(ascii: ",") || text[at] == UInt8(ascii: ".") {
            at += 1
            let first = at
            guard var fraction = number(text, &at, 1...9) else { return nil }
            for _ in at - first..<9 { fraction *= 10 }
            nanoseconds = fraction
        }
        guard let day = hourOfDay(hour, text.extracting(at...)) else { return nil }
        let distance = ((day * 3600 + minute * 60 + second - start) % period + period) % period
        // Both are exact, so the quotient is the nearest double.
        return Double(distance * 1_000_000_000 + nanoseconds) / 1_000_000_000
    }

    /// The hour of the day, after what stands behind the time: nothing, or a space of some kind and `AM` or `PM`.
    private static func hourOfDay(_ hour: Int, _ rest: Span<UInt8>) -> Int? {
        if rest.isEmpty { return hour < 24 ? hour : nil }
        for space in [[UInt8(ascii: " ")], [0xC2, 0xA0], [0xE2, 0x80, 0xAF], []] as [[UInt8]]
        where rest.hasPrefix(space.span) {
            let half = rest.extracting(space.count...)
            guard half.count == 2, half[1] | 0x20 == UInt8(ascii: "m"), (1...12).contains(hour) else { return nil }
            switch half[0] | 0x20 {
            case UInt8(ascii: "a"): return hour % 12
            case UInt8(ascii: "p"): return hour % 12 + 12
            default: return nil
            }
        }
        return nil
    }

    private static func skip(_ byte: UInt8, _ text: Span<UInt8>, _ at: inout Int) -> Bool {
        guard at < text.count, text[at] == byte else { return false }
        at += 1
        return true
    }

    private static func number(_ text: Span<UInt8>, _ at: inout Int, _ counts: ClosedRange<Int>) -> Int? {
        let start = at
        var value = 0
        while at < text.count, at - start < counts.upperBound,
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[at])
        {
            value = value * 10 + Int(text[at] - UInt8(ascii: "0"))
            at += 1
        }
        return at - start >= counts.lowerBound ? value : nil
    }
}
