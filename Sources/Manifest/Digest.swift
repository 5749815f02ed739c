/// A SHA-256 value: 32 bytes, kept as four words so that it is hashable and lives in registers.
public struct Digest: Sendable, Hashable {
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
        let word = switch index >> 3 {
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

    /// Appends the 64 lower-case hex digits.
    public func appendHex(to bytes: inout [UInt8]) {
        appendHex(of: words.0, to: &bytes)
        appendHex(of: words.1, to: &bytes)
        appendHex(of: words.2, to: &bytes)
        appendHex(of: words.3, to: &bytes)
    }

    private func appendHex(of word: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: UInt64(60), through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: word >> shift) & 15
            bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
        }
    }

    public static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
