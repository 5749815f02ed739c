/// The order of keys: by UTF-16 code units (RFC 8785, section 3.2.3), found on UTF-8 bytes.
///
/// UTF-8 bytes and UTF-16 code units order two strings alike except where a character from U+E000 to U+FFFF (lead
/// byte 0xEE or 0xEF) meets one above U+FFFF (lead byte 0xF0 to 0xF4), whose first code unit is a surrogate and
/// thus the smaller one.
enum KeyOrder {
    /// The place of a key that was read or written: between its quotes.
    typealias Place = StringContents

    /// Returns a number below, equal to or above 0 if the first key sorts before, is equal to, or sorts after the
    /// second one.
    static func compare(_ first: Span<UInt8>, _ a: Place, _ second: Span<UInt8>, _ b: Place) -> Int {
        if a.hasEscapes || b.hasEscapes { return compareUnescaped(first, a, second, b) }
        return compare(first.extracting(a.range), second.extracting(b.range))
    }

    /// Compares keys without escapes in the same way.
    @inline(__always)
    static func compare(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Int {
        var at = 0
        while at < first.count, at < second.count {
            if first[at] != second[at] { return rank(first[at]) &- rank(second[at]) }
            at &+= 1
        }
        return first.count &- second.count
    }

    private static func compareUnescaped(_ first: Span<UInt8>, _ a: Place, _ second: Span<UInt8>, _ b: Place) -> Int {
        var left = ContentsCursor(a.range)
        var right = ContentsCursor(b.range)
        while true {
            let x = left.next(in: first)
            let y = right.next(in: second)
            guard let x, let y else { return (x == nil ? 0 : 1) &- (y == nil ? 0 : 1) }
            if x != y { return rank(x) &- rank(y) }
        }
    }

    /// Returns the byte itself, except that 0xEE and 0xEF come after 0xF0 to 0xF4.
    @inline(__always)
    private static func rank(_ byte: UInt8) -> Int {
        byte == 0xEE || byte == 0xEF ? Int(byte) &+ 0x10 : Int(byte)
    }
}

extension KeyOrder.Place {
    /// Returns the same contents in a text in which they are `distance` bytes later.
    @inline(__always)
    func moved(by distance: Int) -> Self {
        Self(range: range.lowerBound &+ distance..<range.upperBound &+ distance, hasEscapes: hasEscapes)
    }
}
