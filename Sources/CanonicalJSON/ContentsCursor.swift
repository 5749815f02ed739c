internal import Bytes

/// Steps through the contents of a string byte by byte as they are after unescaping, without copying them.
///
/// The contents must have been accepted by `Reader` before, or written by `Writer`.
struct ContentsCursor {
    private var at: Int
    private let end: Int
    /// Bytes of an escape that are still to come, the next one in the lowest byte.
    private var pending: UInt32 = 0
    private var pendingCount = 0

    init(_ range: Range<Int>) {
        at = range.lowerBound
        end = range.upperBound
    }

    /// The next byte of the unescaped string in UTF-8, or nil at its end.
    mutating func next(in bytes: Span<UInt8>) -> UInt8? {
        if pendingCount == 0 {
            guard at < end else { return nil }
            let byte = bytes[at]
            at &+= 1
            guard byte == 0x5C else { return byte }
            readEscape(in: bytes)
        }
        let byte = UInt8(truncatingIfNeeded: pending)
        pending >>= 8
        pendingCount &-= 1
        return byte
    }

    private mutating func readEscape(in bytes: Span<UInt8>) {
        let letter = bytes[at]
        at &+= 1
        (pending, pendingCount) = (UInt32(Self.shortEscape(letter)), 1)
        guard letter == 0x75 else { return }
        var scalar = readUnit(in: bytes)
        if scalar & 0xFC00 == 0xD800 {
            at &+= 2
            scalar = 0x10000 &+ (scalar & 0x3FF) << 10 | (readUnit(in: bytes) & 0x3FF)
        }
        (pending, pendingCount) = UTF8Sequence.encode(scalar)
    }

    private mutating func readUnit(in bytes: Span<UInt8>) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            unit = unit << 4 | UInt32(Hexadecimal.value(of: bytes[at]) ?? 0)
            at &+= 1
        }
        return unit
    }

    private static func shortEscape(_ letter: UInt8) -> UInt8 {
        switch letter {
        case 0x62: 0x08
        case 0x74: 0x09
        case 0x6E: 0x0A
        case 0x66: 0x0C
        case 0x72: 0x0D
        default: letter
        }
    }
}
