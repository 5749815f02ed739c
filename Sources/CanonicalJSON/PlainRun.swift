internal import Bytes

/// Finds, eight bytes at a time, where a string stops being plain.
///
/// Plain are the ASCII characters that stand for themselves in a JSON string: from U+0020 to U+007F without `"` and
/// `\`.
enum PlainRun {
    @inline(__always) private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    @inline(__always) private static var highs: UInt64 { 0x8080_8080_8080_8080 }

    /// Returns the offset of the first byte at or after `start` that is not plain, or `bytes.count`.
    @inline(__always)
    static func end(in bytes: Span<UInt8>, from start: Int) -> Int {
        var at = start
        while bytes.count &- at >= 8 {
            let marks = marks(bytes.word(at: at))
            if marks != 0 { return at &+ marks.trailingZeroBitCount >> 3 }
            at &+= 8
        }
        while at < bytes.count, isPlain(bytes[at]) { at &+= 1 }
        return at
    }

    @inline(__always)
    static func isPlain(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: " ") && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Returns the high bit of every byte that is not plain, and perhaps of some above the lowest of those, which are
    /// not to be looked at.
    ///
    /// Below the lowest such byte all are ASCII, so a subtraction sets a high bit only where it goes below zero.
    @inline(__always)
    static func marks(_ word: UInt64) -> UInt64 {
        let control = word &- ones &* 0x20
        let quote = (word ^ ones &* 0x22) &- ones
        let backslash = (word ^ ones &* 0x5C) &- ones
        return (control | quote | backslash | word) & highs
    }
}
