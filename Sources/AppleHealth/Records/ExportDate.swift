internal import Timestamps

/// A moment as an export writes it: `yyyy-MM-dd HH:mm:ss ±HHMM`.
struct ExportDate {
    /// Seconds since 1970.
    let seconds: Int64
    /// Seconds that local time was ahead of UTC.
    let offset: Int

    /// Microseconds since 1970.
    var microseconds: Int64 { seconds * 1_000_000 }
    /// Seconds since local midnight.
    var secondOfDay: Int { Int((seconds + Int64(offset) + Self.shift) % 86_400) }

    /// Whole days that make every moment positive.
    private static let shift: Int64 = 86_400 * 800_000

    /// Reads a text; nil where it has another form, or is no moment of the years 1 to 9999.
    init?(_ text: Span<UInt8>) {
        guard text.count == 25, text[10] == UInt8(ascii: " "), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"), text[19] == UInt8(ascii: " "),
            let days = Self.day(text.extracting(0..<10)),
            let hour = Self.number(text, 11, 2), let minute = Self.number(text, 14, 2),
            let second = Self.number(text, 17, 2), hour < 24, minute < 60, second < 60,
            text[20] == UInt8(ascii: "+") || text[20] == UInt8(ascii: "-"), let offsetHours = Self.number(text, 21, 2),
            let offsetMinutes = Self.number(text, 23, 2), offsetHours < 24, offsetMinutes < 60
        else { return nil }
        let distance = offsetHours * 3600 + offsetMinutes * 60
        offset = text[20] == UInt8(ascii: "+") ? distance : -distance
        seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
        guard Calendar.range.contains(seconds) else { return nil }
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
    /// Seconds after a second of the day, modulo a day; nil where the text is no time.
    static func seconds(_ text: Span<UInt8>, after start: Int) -> Double? {
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
        let distance = ((day * 3600 + minute * 60 + second - start) % 86_400 + 86_400) % 86_400
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
