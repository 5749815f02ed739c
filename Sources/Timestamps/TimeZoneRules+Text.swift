extension TimeZoneRules {
    /// The rules as an archive stores them (`Spec/capture.md`, "Local days"). They are a canonical array of the offset
    /// before the first change, and of each change its moment and the offset from then on.
    ///
    ///     [7200,1711846800,10800,1729990800,7200]
    public var text: [UInt8] {
        var text = "[\(periods[0].offset)"
        for period in periods.dropFirst() { text += ",\(period.start),\(period.offset)" }
        return Array((text + "]").utf8)
    }

    /// Reads the text of stored rules; `nil` for any other text.
    public init?(text: Span<UInt8>) {
        guard text.count >= 3, text[0] == UInt8(ascii: "["), text[text.count - 1] == UInt8(ascii: "]") else {
            return nil
        }
        var numbers: [Int64] = []
        var place = 1
        while place < text.count {
            guard let number = Self.number(in: text, at: &place) else { return nil }
            numbers.append(number)
            let end = text[place]
            place += 1
            guard end == (place == text.count ? UInt8(ascii: "]") : UInt8(ascii: ",")) else { return nil }
        }
        guard !numbers.count.isMultiple(of: 2) else { return nil }
        var periods = [Period(start: .min, offset: numbers[0])]
        for place in stride(from: 1, to: numbers.count, by: 2) {
            let period = Period(start: numbers[place], offset: numbers[place + 1])
            guard let last = periods.last, period.start > last.start, period.offset != last.offset else { return nil }
            periods.append(period)
        }
        guard periods.allSatisfy({ $0.offset.magnitude <= Self.greatestOffset.magnitude }) else { return nil }
        self.init(periods)
    }

    /// Reads a canonical integer of at most 2^53-1 in magnitude; leaves `place` at the byte after it, which exists.
    private static func number(in text: Span<UInt8>, at place: inout Int) -> Int64? {
        let isNegative = text[place] == UInt8(ascii: "-")
        if isNegative { place += 1 }
        let first = place
        var value: Int64 = 0
        while place < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[place]) {
            value = value * 10 + Int64(text[place] - UInt8(ascii: "0"))
            place += 1
            guard value <= greatestMoment else { return nil }
        }
        let hasLeadingZero = place > first + 1 && text[first] == UInt8(ascii: "0")
        guard place > first, place < text.count, !hasLeadingZero, !(isNegative && value == 0) else { return nil }
        return isNegative ? -value : value
    }
}
