/// Lower-case hexadecimal digits, eight at a time.
enum HexText {
    /// The digits of four bytes, the first in the lowest byte.
    @inline(__always)
    static func digits(of four: Span<UInt8>) -> UInt64 {
        let bytes = UInt64(four[0]) | UInt64(four[1]) << 16 | UInt64(four[2]) << 32 | UInt64(four[3]) << 48
        // The high half of each byte comes first; a value above 9 is a letter.
        let values = (bytes >> 4 | bytes << 8) & 0x0F0F_0F0F_0F0F_0F0F
        let isLetter = (values &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return values &+ 0x3030_3030_3030_3030 &+ isLetter &* 0x27
    }
}

extension MutableSpan<UInt8> {
    /// Stores eight bytes, the first in the lowest. The compiler makes one store of it.
    @inline(__always)
    mutating func put(_ word: UInt64, at start: Int) {
        precondition(start >= 0 && count &- start >= 8)
        self[start] = UInt8(truncatingIfNeeded: word)
        self[start &+ 1] = UInt8(truncatingIfNeeded: word >> 8)
        self[start &+ 2] = UInt8(truncatingIfNeeded: word >> 16)
        self[start &+ 3] = UInt8(truncatingIfNeeded: word >> 24)
        self[start &+ 4] = UInt8(truncatingIfNeeded: word >> 32)
        self[start &+ 5] = UInt8(truncatingIfNeeded: word >> 40)
        self[start &+ 6] = UInt8(truncatingIfNeeded: word >> 48)
        self[start &+ 7] = UInt8(truncatingIfNeeded: word >> 56)
    }
}
