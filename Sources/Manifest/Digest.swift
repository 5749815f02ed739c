/// A SHA-256 value: 32 bytes, kept as four words so that it is hashable and lives in registers.
public struct Digest: Sendable, Hashable, Comparable {
    /// The bytes in order, eight to a word, the first byte the most significant.
    let words: (UInt64, UInt64, UInt64, UInt64)

    init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// Reads 32 bytes; nil for any other count.
    public init?(bytes: Span<UInt8>) {
        guard bytes.count == 32 else { return nil }
        func word(_ start: Int) -> UInt64 {
            var value: UInt64 = 0
            for index in start..<start + 8 { value = value << 8 | UInt64(bytes[index]) }
            return value
        }
        words = (word(0), word(8), word(16), word(24))
    }

    /// Reads 64 lower-case hex digits; nil for anything else.
    public init?(hex: Span<UInt8>) {
        guard hex.count == 64 else { return nil }
        func word(_ start: Int) -> UInt64? {
            var value: UInt64 = 0
            for index in start..<start + 16 {
                let digit = hex[index]
                switch digit {
                case 0x30...0x39: value = value << 4 | UInt64(digit - 0x30)
                case 0x61...0x66: value = value << 4 | UInt64(digit - 0x57)
                default: return nil
                }
            }
            return value
        }
        guard let first = word(0), let second = word(16), let third = word(32), let fourth = word(48) else { return nil }
        words = (first, second, third, fourth)
    }

    /// The byte at an index from 0 to 31.
    public subscript(index: Int) -> UInt8 {
        let word =
            switch index >> 3 {
            case 0: words.0
            case 1: words.1
            case 2: words.2
            default: words.3
            }
        return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index & 7)))
    }

    /// 64 lower-case hex digits.
    public var hex: String {
        var bytes: [UInt8] = []
        appendHex(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// 64 lower-case hex digits in place.
    public var digits: InlineArray<64, UInt8> {
        var text = InlineArray<64, UInt8>(repeating: 0)
        var span = text.mutableSpan
        unsafe span.withUnsafeMutableBytes { unsafe writeHex(to: $0.baseAddress!) }
        return text
    }

    /// Appends the 64 lower-case hex digits.
    public func appendHex(to bytes: inout [UInt8]) {
        let text = digits
        let span = text.span
        unsafe span.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }

    /// Writes the 64 lower-case hex digits to a place of 64 bytes.
    @unsafe public func writeHex(to place: UnsafeMutableRawPointer) {
        unsafe Self.write(words.0, to: place)
        unsafe Self.write(words.1, to: place + 16)
        unsafe Self.write(words.2, to: place + 32)
        unsafe Self.write(words.3, to: place + 48)
    }

    private static func write(_ word: UInt64, to place: UnsafeMutableRawPointer) {
        unsafe place.storeBytes(of: digits(word >> 32), as: UInt64.self)
        unsafe (place + 8).storeBytes(of: digits(word), as: UInt64.self)
    }

    /// The eight hex digits of the lower half of a word, in the order of the text.
    private static func digits(_ word: UInt64) -> UInt64 {
        // Halves of bytes apart: 16 bits to a unit, then 8, then 4, each in a byte of its own.
        var values = word & 0xFFFF_FFFF
        values = (values | values << 16) & 0x0000_FFFF_0000_FFFF
        values = (values | values << 8) & 0x00FF_00FF_00FF_00FF
        values = (values | values << 4) & 0x0F0F_0F0F_0F0F_0F0F
        let isLetter = (values &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return (values &+ 0x3030_3030_3030_3030 &+ isLetter &* 0x27).bigEndian
    }

    public static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

    /// The order of the bytes, which is that of the hex digits.
    public static func < (left: Digest, right: Digest) -> Bool { left.words < right.words }

    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
