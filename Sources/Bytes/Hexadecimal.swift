/// Lower-case hexadecimal digits, 32 at a time: two of them, the first in the low byte, in each of 16 lanes (little-endian, as all hosts of Swift are).
///
///     value of a digit     its low half, of a letter 9 more                bit 6 of a character tells letters apart
///     digit of a value     0x30 + value, of a value above 9 0x27 more      value + 6 carries into bit 4
@usableFromInline enum HexLanes {
    /// The digits of 16 bytes.
    @inlinable @inline(__always)
    static func digits(of bytes: SIMD16<UInt8>) -> SIMD16<UInt16> {
        let wide = SIMD16<UInt16>(truncatingIfNeeded: bytes)
        // The high half of each byte comes first.
        return characters(of: (wide &>> 4 | wide &<< 8) & 0x0F0F)
    }

    /// The 16 bytes of 32 digits; a lane of `faults` is not zero where a character is no lower-case digit.
    @inlinable @inline(__always)
    static func bytes(of digits: SIMD16<UInt16>, faults: inout SIMD16<UInt16>) -> SIMD16<UInt8> {
        let values = (digits & 0x0F0F) &+ (digits &>> 6 & 0x0101) &* 9
        // Going back gives the same character only where it was one of the sixteen.
        faults |= (characters(of: values) ^ digits) | (values & 0xF0F0)
        return SIMD16<UInt8>(truncatingIfNeeded: (values &<< 4 | values &>> 8) & 0x00FF)
    }

    @inlinable @inline(__always)
    static func characters(of values: SIMD16<UInt16>) -> SIMD16<UInt16> {
        values &+ 0x3030 &+ ((values &+ 0x0606) &>> 4 & 0x0101) &* 0x27
    }
}

extension ByteBuffer {
    /// Appends the lower-case hexadecimal digits of `data`, two for each byte.
    @inlinable
    public mutating func append(digitsOf data: Span<UInt8>) {
        var at = 0
        while data.count &- at >= 16 {
            append(bytesOf: HexLanes.digits(of: unsafe data.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: at, as: SIMD16<UInt8>.self) }))
            at &+= 16
        }
        while at < data.count {
            append(digit: data[at] >> 4)
            append(digit: data[at] & 0xF)
            at &+= 1
        }
    }

    /// Appends the 32 bytes that 64 lower-case hexadecimal digits stand for; false, and nothing appended, where `text` is anything else.
    @inlinable
    public mutating func append(digest text: Span<UInt8>) -> Bool {
        guard text.count == 64 else { return false }
        var faults = SIMD16<UInt16>(repeating: 0)
        for half in 0..<2 {
            append(bytesOf: HexLanes.bytes(of: unsafe text.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: 32 * half, as: SIMD16<UInt16>.self) }, faults: &faults))
        }
        if faults == SIMD16(repeating: 0) { return true }
        removeLast(32)
        return false
    }

    /// Appends the lower-case hexadecimal digit of a value below 16.
    @inlinable @inline(__always)
    public mutating func append(digit value: UInt8) { append(value &+ 0x30 &+ (value > 9 ? 0x27 : 0)) }
}
