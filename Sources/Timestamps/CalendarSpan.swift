/// A day, a month or a year as people write it, in no zone: `2024-01-31`, `2024-01`, `2024`.
public struct CalendarSpan: Sendable, Equatable {
    /// Its first and its last day, as days since 1970-01-01.
    public let days: ClosedRange<Int64>

    /// Reads a date, a month or a year of four digits; nil where the text is none.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard [4, 7, 10].contains(bytes.count), bytes.count < 7 || bytes[4] == UInt8(ascii: "-"),
            bytes.count < 10 || bytes[7] == UInt8(ascii: "-"), let year = Self.number(bytes[0..<4])
        else { return nil }
        let month = bytes.count < 7 ? nil : Self.number(bytes[5..<7])
        let day = bytes.count < 10 ? nil : Self.number(bytes[8..<10])
        guard bytes.count < 7 || month != nil, bytes.count < 10 || day != nil,
            let first = Calendar.days(year: year, month: month ?? 1, day: day ?? 1)
        else { return nil }
        let lengths: [Int64] = day != nil ? [1] : month != nil ? [31, 30, 29, 28] : [366, 365]
        // The longest that ends in the same year, or month.
        let last = lengths.map { first + $0 - 1 }.first {
            let date = Calendar.date(days: $0)
            return date.year == year && (month == nil || date.month == month)
        }
        guard let last else { return nil }
        days = first...last
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
