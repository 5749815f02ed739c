/// Comparing bytes as SQLite compares blobs, and texts in UTF-8.
extension Span where Element == UInt8 {
    /// Negative, 0 or positive, by the first byte that differs, then by length. O(n).
    public func compared(with other: Span<UInt8>) -> Int {
        let shared = Swift.min(count, other.count)
        var at = 0
        while shared &- at >= 8 {
            let (left, right) = (word(at: at), other.word(at: at))
            if left != right { return left.byteSwapped < right.byteSwapped ? -1 : 1 }
            at &+= 8
        }
        while at < shared {
            if self[at] != other[at] { return self[at] < other[at] ? -1 : 1 }
            at &+= 1
        }
        return count &- other.count
    }

    /// Whether two sequences of bytes are the same. O(n).
    public func isSame(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard count >= 8 else { return compared(with: other) == 0 }
        var at = 0
        while count &- at > 8 {
            if word(at: at) != other.word(at: at) { return false }
            at &+= 8
        }
        // The last word begins where it ends with the bytes, so that it may overlap the one before.
        return word(at: count &- 8) == other.word(at: count &- 8)
    }

    /// The index of the first byte of a value from `start` on; nil where there is none. O(n).
    public func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        precondition(start >= 0)
        // A byte of the exclusive or is zero where the byte is found; a subtraction borrows from its high bit.
        let ones: UInt64 = 0x0101_0101_0101_0101
        let (pattern, highs) = (ones &* UInt64(byte), ones &<< 7)
        var at = start
        while count &- at >= 32 {
            var marks: UInt64 = 0
            for step in 0..<4 {
                let other = word(at: at &+ 8 &* step) ^ pattern
                marks |= (other &- ones) & ~other & highs
            }
            if marks != 0 { break }
            at &+= 32
        }
        while count &- at >= 8 {
            let other = word(at: at) ^ pattern
            let marks = (other &- ones) & ~other & highs
            // The lowest mark is certain; one above it may come of a borrow.
            if marks != 0 { return at &+ marks.trailingZeroBitCount >> 3 }
            at &+= 8
        }
        while at < count {
            if self[at] == byte { return at }
            at &+= 1
        }
        return nil
    }

    /// Eight bytes from an index on, the first in the lowest; the caller has looked that they are there.
    @inline(__always)
    private func word(at index: Int) -> UInt64 {
        unsafe withUnsafeBytes { unsafe UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: index, as: UInt64.self)) }
    }
}
