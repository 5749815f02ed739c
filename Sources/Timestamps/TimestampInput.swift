/// Reads the moments that people type: `2024-01-31T10:00:00Z`, `2024-01-31 10:00:00.5+02:00`.
public enum TimestampInput {
    /// Returns the Unix seconds of a timestamp; `nil` if the text is none. A date alone is a `CalendarSpan`.
    ///
    /// A time of day needs `Z` or an offset `±hh:mm` (or `±hhmm`): a local time without one would be a guess.
    public static func unixSeconds(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count > 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let days = Calendar.days(year: year, month: month, day: day)
        else { return nil }
        guard bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "),
            let (clock, rest) = timeOfDay(bytes[11...]),
            let offset = offset(rest)
        else { return nil }
        return Moment(seconds: days * 86_400 + clock.seconds - offset, nanoseconds: clock.nanoseconds).unixSeconds
    }

    /// Returns the Unix seconds of a timestamp, and the seconds that its offset is ahead of UTC; `nil` for a date alone
    /// and what is neither.
    public static func secondsWithOffset(_ text: String) -> (seconds: Double, offset: Int64)? {
        let bytes = Array(text.utf8)
        guard bytes.count > 11, let seconds = unixSeconds(text), let (_, rest) = timeOfDay(bytes[11...]),
            let offset = offset(rest)
        else { return nil }
        return (seconds, offset)
    }

    private static func timeOfDay(_ bytes: ArraySlice<UInt8>) -> (Moment, rest: ArraySlice<UInt8>)? {
        let start = bytes.startIndex
        guard bytes.count >= 5, bytes[start + 2] == UInt8(ascii: ":"), let hour = number(bytes[start..<start + 2]),
            let minute = number(bytes[start + 3..<start + 5]),
            hour < 24, minute < 60
        else { return nil }
        var second = 0
        var nanoseconds = 0
        var rest = bytes[(start + 5)...]
        if rest.first == UInt8(ascii: ":") {
            guard rest.count >= 3, let value = number(rest.dropFirst().prefix(2)), value < 60 else { return nil }
            second = value
            rest = rest.dropFirst(3)
            if rest.first == UInt8(ascii: ".") {
                let digits = rest.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                guard (1...9).contains(digits.count), var value = number(digits) else { return nil }
                for _ in digits.count..<9 { value *= 10 }
                nanoseconds = value
                rest = rest.dropFirst(1 + digits.count)
            }
        }
        return (Moment(seconds: Int64(hour * 3600 + minute * 60 + second), nanoseconds: UInt32(nanoseconds)), rest)
    }

    private static func offset(_ bytes: ArraySlice<UInt8>) -> Int64? {
        if bytes.elementsEqual([UInt8(ascii: "Z")]) { return 0 }
        guard let sign = bytes.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        let digits = bytes.dropFirst().filter { $0 != UInt8(ascii: ":") }
        guard digits.count == 4,
            bytes.count == 5 || (bytes.count == 6 && bytes[bytes.startIndex + 3] == UInt8(ascii: ":")),
            let hour = number(digits[0..<2]), let minute = number(digits[2..<4]), hour < 24, minute < 60
        else { return nil }
        return Int64(hour * 3600 + minute * 60) * (sign == UInt8(ascii: "+") ? 1 : -1)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return bytes.isEmpty ? nil : value
    }
}
