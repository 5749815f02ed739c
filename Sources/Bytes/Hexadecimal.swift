/// Lower-case hexadecimal digits, two for each byte. All that the project writes and reads come from here.
public enum Hexadecimal {
    /// Returns the digit of a value below 16.
    @inlinable @inline(__always)
    public static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &- 10 &+ value
    }

    /// Returns the value of a digit of either case; `nil` of any other character.
    @inlinable @inline(__always)
    public static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit &- UInt8(ascii: "A") &+ 10
        default: nil
        }
    }

    /// Returns the digits of bytes. O(n).
    public static func digits(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return text
    }

    /// Returns the digits of bytes, as text. O(n).
    public static func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: digits(bytes), as: UTF8.self) }

    /// Returns the bytes that digits of either case stand for; `nil` if one is missing or another character. O(n).
    public static func bytes(_ digits: some Collection<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var rest = digits.makeIterator()
        while let first = rest.next(), let second = rest.next() {
            guard let high = value(of: first), let low = value(of: second) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

/// 32 digits at a time: two of them, the first in the low byte, in each of 16 lanes (little-endian, as all hosts of
/// Swift are).
///
///     value of a digit     its low half, of a letter 9 more                bit 6 of a character tells letters apart
///     digit of a value     0x30 + value, of a value above 9 0x27 more      value + 6 carries into bit 4
extension Hexadecimal {
    /// Returns the digits of 16 bytes.
    @inlinable @inline(__always)
    public static func digits(of bytes: SIMD16<UInt8>) -> SIMD16<UInt16> {
        let wide = SIMD16<UInt16>(truncatingIfNeeded: bytes)
        // The high half of each byte comes first.
        return characters(of: (wide &>> 4 | wide &<< 8) & 0x0F0F)
    }

    /// Returns the 16 bytes of 32 digits; a lane of `faults` is not zero where a character is no lower-case digit.
    @inlinable @inline(__always)
    public static func bytes(of digits: SIMD16<UInt16>, faults: inout SIMD16<UInt16>) -> SIMD16<UInt8> {
        let values = (digits & 0x0F0F) &+ (digits &>> 6 & 0x0101) &* 9
        // Going back gives the same character only where it was one of the sixteen.
        faults |= (characters(of: values) ^ digits) | (values & 0xF0F0)
        return SIMD16<UInt8>(truncatingIfNeeded: (values &<< 4 | values &>> 8) & 0x00FF)
    }

    /// Returns `true` if all lanes are zero. By words: comparing the vectors would go through their lanes one by one.
    @inlinable @inline(__always)
    public static func isZero(_ lanes: SIMD16<UInt16>) -> Bool {
        let words = unsafe unsafeBitCast(lanes, to: SIMD4<UInt64>.self)
        return words.x | words.y | words.z | words.w == 0
    }

    @inlinable @inline(__always)
    static func characters(of values: SIMD16<UInt16>) -> SIMD16<UInt16> {
        values &+ 0x3030 &+ ((values &+ 0x0606) &>> 4 & 0x0101) &* 0x27
    }
}

extension Span where Element == UInt8 {
    /// Returns `true` if 64 lower-case hexadecimal digits begin at an index.
    @inlinable
    public func hasDigest(at index: Int) -> Bool {
        guard index >= 0, count &- index >= 64 else { return false }
        var faults = SIMD16<UInt16>(repeating: 0)
        for half in 0..<2 {
            let digits = unsafe withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: index &+ 32 &* half, as: SIMD16<UInt16>.self)
            }
            _ = Hexadecimal.bytes(of: digits, faults: &faults)
        }
        return Hexadecimal.isZero(faults)
    }
}

extension ByteBuffer {
    /// Appends the lower-case hexadecimal digits of `data`, two for each byte.
    @inlinable
    public mutating func append(digitsOf data: Span<UInt8>) {
        var at = 0
        while data.count &- at >= 16 {
            let bytes = unsafe data.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: at, as: SIMD16<UInt8>.self)
            }
            append(bytesOf: Hexadecimal.digits(of: bytes))
            at &+= 16
        }
        while at < data.count {
            append(digit: data[at] >> 4)
            append(digit: data[at] & 0xF)
            at &+= 1
        }
    }

    /// Appends the 32 bytes that 64 lower-case hexadecimal digits stand for; false, and nothing appended, where
    /// `text` is anything else.
    @inlinable
    public mutating func append(digest text: Span<UInt8>) -> Bool {
        guard text.count == 64 else { return false }
        var faults = SIMD16<UInt16>(repeating: 0)
        for half in 0..<2 {
            let digits = unsafe text.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: 32 * half, as: SIMD16<UInt16>.self)
            }
            append(bytesOf: Hexadecimal.bytes(of: digits, faults: &faults))
        }
        if Hexadecimal.isZero(faults) { return true }
        removeLast(32)
        return false
    }

    /// Appends the lower-case hexadecimal digit of a value below 16.
    @inlinable @inline(__always)
    public mutating func append(digit value: UInt8) { append(Hexadecimal.digit(value)) }
}
