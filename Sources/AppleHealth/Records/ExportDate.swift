internal import Bytes
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

    /// Reads `±HHMM` or `Z` to the text's end.
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

/// The clock time of a heartbeat, in whatever language the phone has: `4:30:06.01 p.m.`, `16:30:06,01`, `下午4:30:06.01`.
enum BeatTime {
    /// Returns the seconds after a second of the day; `nil` if the text is not a time.
    ///
    /// Texts of all languages have hours, minutes and seconds in this order. The half of the day does not count, nor
    /// does the hour: the clocks that may have shown the time differ by multiples of the period, which an hour is too.
    ///
    /// - Parameter period: a part of an hour.
    static func seconds(_ text: Span<UInt8>, after start: Int, modulo period: Int) -> Double? {
        guard text.count <= textLimit, let text = LocalNumber.normalized(text.array) else { return nil }
        let groups = groups(of: text)
        guard groups.count == 3 || groups.count == 4, groups.prefix(3).allSatisfy({ $0.count <= 2 }) else { return nil }
        let numbers = groups.prefix(3).map { text[$0].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
        guard numbers[0] <= 24, numbers[1] < 60, numbers[2] < 60 else { return nil }
        var nanoseconds = 0
        if groups.count == 4 {
            // A fraction is behind its separator, and nothing else is between.
            guard groups[3].lowerBound == groups[2].upperBound + 1, text[groups[2].upperBound] == UInt8(ascii: "."),
                groups[3].count <= 9
            else { return nil }
            nanoseconds = text[groups[3]].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            for _ in groups[3].count..<9 { nanoseconds *= 10 }
        }
        let clock = numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
        let distance = ((clock - start) % period + period) % period
        // Both are exact, so the quotient is the nearest double.
        return Double(distance * 1_000_000_000 + nanoseconds) / 1_000_000_000
    }

    /// Bytes that a time may have.
    private static let textLimit = 96

    /// Returns the places of digits next to each other, at most five.
    private static func groups(of text: [UInt8]) -> [Range<Int>] {
        var groups: [Range<Int>] = []
        for at in text.indices where text[at] &- UInt8(ascii: "0") < 10 && groups.count <= 4 {
            if let last = groups.last, last.upperBound == at {
                groups[groups.count - 1] = last.lowerBound..<at + 1
            } else {
                groups.append(at..<at + 1)
            }
        }
        return groups
    }
}
