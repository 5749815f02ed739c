internal import Bytes

/// A SHA-256 value: 32 bytes, kept as four words so that it is hashable and lives in registers.
public struct Digest: Sendable, Hashable, Comparable {
    /// The bytes in order, eight to a word, the first byte the most significant.
    let words: (UInt64, UInt64, UInt64, UInt64)

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
        var faults = SIMD16<UInt16>(repeating: 0)
        func words(_ start: Int) -> SIMD2<UInt64> {
            let digits = unsafe hex.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: start, as: SIMD16<UInt16>.self)
            }
            return unsafe unsafeBitCast(Hexadecimal.bytes(of: digits, faults: &faults), to: SIMD2<UInt64>.self)
        }
        let (first, second) = (words(0), words(32))
        guard Hexadecimal.isZero(faults) else { return nil }
        self.words = (first.x.bigEndian, first.y.bigEndian, second.x.bigEndian, second.y.bigEndian)
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

    /// Returns `true` if a text is the digest's 64 lower-case hex digits.
    public func isWritten(as text: Span<UInt8>) -> Bool {
        guard text.count == 64 else { return false }
        return unsafe text.withUnsafeBytes {
            let first = unsafe $0.loadUnaligned(as: SIMD16<UInt16>.self) ^ Self.digits(words.0, words.1)
            let second =
                unsafe $0.loadUnaligned(fromByteOffset: 32, as: SIMD16<UInt16>.self) ^ Self.digits(words.2, words.3)
            return Hexadecimal.isZero(first | second)
        }
    }

    /// Appends the 64 lower-case hex digits.
    public func appendHex(to bytes: inout [UInt8]) {
        let text = digits
        let span = text.span
        unsafe span.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }

    /// Writes the 64 lower-case hex digits to a place of 64 bytes.
    @unsafe public func writeHex(to place: UnsafeMutableRawPointer) {
        unsafe place.storeBytes(of: Self.digits(words.0, words.1), as: SIMD16<UInt16>.self)
        unsafe (place + 32).storeBytes(of: Self.digits(words.2, words.3), as: SIMD16<UInt16>.self)
    }

    private static func digits(_ first: UInt64, _ second: UInt64) -> SIMD16<UInt16> {
        let bytes = SIMD2<UInt64>(first.bigEndian, second.bigEndian)
        return unsafe Hexadecimal.digits(of: unsafeBitCast(bytes, to: SIMD16<UInt8>.self))
    }

    public static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

    /// Compares in the order of the bytes, which is that of the hex digits.
    public static func < (left: Digest, right: Digest) -> Bool { left.words < right.words }

    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
