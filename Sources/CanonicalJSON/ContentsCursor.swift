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

    /// Returns the next byte of the unescaped string in UTF-8, or `nil` at its end.
    mutating func next(in bytes: Span<UInt8>) -> UInt8? {
        if pendingCount == 0 {
            guard at < end else { return nil }
            let byte = bytes[at]
            at &+= 1
            guard byte == UInt8(ascii: "\\") else { return byte }
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
        guard letter == UInt8(ascii: "u") else { return }
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
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "t"): UInt8(ascii: "\t")
        case UInt8(ascii: "n"): UInt8(ascii: "\n")
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "r"): UInt8(ascii: "\r")
        default: letter
        }
    }
}
