/// The well-formed byte sequences of UTF-8 (RFC 3629, section 4).
enum UTF8Sequence {
    /// Returns the length in bytes, 1 to 4, of the sequence that begins at `offset`, or 0 if no well-formed sequence
    /// begins there.
    static func length(in bytes: Span<UInt8>, at offset: Int) -> Int {
        let lead = bytes[offset]
        switch lead {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: return tail(in: bytes, at: offset, count: 2, second: 0x80...0xBF)
        case 0xE0: return tail(in: bytes, at: offset, count: 3, second: 0xA0...0xBF)
        case 0xED: return tail(in: bytes, at: offset, count: 3, second: 0x80...0x9F)
        case 0xE1...0xEF: return tail(in: bytes, at: offset, count: 3, second: 0x80...0xBF)
        case 0xF0: return tail(in: bytes, at: offset, count: 4, second: 0x90...0xBF)
        case 0xF1...0xF3: return tail(in: bytes, at: offset, count: 4, second: 0x80...0xBF)
        case 0xF4: return tail(in: bytes, at: offset, count: 4, second: 0x80...0x8F)
        default: return 0
        }
    }

    /// Returns `count` if the bytes after the lead byte are right, else 0. Only the second byte depends on the lead
    /// byte.
    @inline(__always)
    private static func tail(in bytes: Span<UInt8>, at offset: Int, count: Int, second: ClosedRange<UInt8>) -> Int {
        guard bytes.count &- offset >= count, second.contains(bytes[offset &+ 1]) else { return 0 }
        var index = 2
        while index < count {
            guard bytes[offset &+ index] & 0xC0 == 0x80 else { return 0 }
            index &+= 1
        }
        return count
    }

    /// Returns the UTF-8 bytes of `scalar`, the first in the lowest byte, and their number.
    static func encode(_ scalar: UInt32) -> (bytes: UInt32, count: Int) {
        let low = 0x80 | (scalar & 0x3F)
        let middle = 0x80 | (scalar >> 6 & 0x3F)
        let high = 0x80 | (scalar >> 12 & 0x3F)
        switch scalar {
        case 0..<0x80: return (scalar, 1)
        case 0x80..<0x800: return (0xC0 | scalar >> 6 | low << 8, 2)
        case 0x800..<0x10000: return (0xE0 | scalar >> 12 | middle << 8 | low << 16, 3)
        default: return (0xF0 | scalar >> 18 | high << 8 | middle << 16 | low << 24, 4)
        }
    }
}
