/// Comparing and searching bytes, eight at a time.
extension Span where Element == UInt8 {
    /// Eight bytes, the first in the highest place, so that words compare like their bytes. The compiler makes one load of it.
    @inline(__always)
    private func word(at index: Int) -> UInt64 {
        let eight = extracting(index..<index &+ 8)
        let high = UInt64(eight[0]) << 56 | UInt64(eight[1]) << 48 | UInt64(eight[2]) << 40 | UInt64(eight[3]) << 32
        return high | UInt64(eight[4]) << 24 | UInt64(eight[5]) << 16 | UInt64(eight[6]) << 8 | UInt64(eight[7])
    }

    /// −1, 0 or 1, by the first byte that differs, then by length.
    func compared(with other: Span<UInt8>) -> Int {
        let shorter = Swift.min(count, other.count)
        var index = 0
        while shorter &- index >= 8 {
            let left = word(at: index), right = other.word(at: index)
            if left != right { return left < right ? -1 : 1 }
            index &+= 8
        }
        while index < shorter {
            if self[index] != other[index] { return self[index] < other[index] ? -1 : 1 }
            index &+= 1
        }
        return (count > other.count ? 1 : 0) - (count < other.count ? 1 : 0)
    }

    /// Whether two sequences of bytes are the same.
    func isSame(as other: Span<UInt8>) -> Bool { count == other.count && compared(with: other) == 0 }

    /// Whether the bytes are those of a text.
    func isText(_ text: String) -> Bool {
        guard count == text.utf8.count else { return false }
        var index = 0
        for byte in text.utf8 {
            if self[index] != byte { return false }
            index &+= 1
        }
        return true
    }

    /// Whether these bytes begin with others.
    func begins(with other: [UInt8]) -> Bool { count >= other.count && extracting(first: other.count).isSame(as: other.span) }

    /// The index of the first LF from `start` on.
    package func firstLineEnd(from start: Int) -> Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var index = start
        while count &- index >= 8 {
            // A byte of `rest` is 0 where the text has an LF; subtracting 1 then sets the high bit, which it has not by itself.
            let rest = word(at: index) ^ (ones &* 0x0A)
            if (rest &- ones) & ~rest & (ones &* 0x80) != 0 { break }
            index &+= 8
        }
        while index < count {
            if self[index] == 0x0A { return index }
            index &+= 1
        }
        return nil
    }
}
