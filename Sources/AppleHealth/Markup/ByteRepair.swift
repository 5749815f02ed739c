internal import Bytes

/// Makes bytes into text that an XML parser takes (`Spec/apple-health.md`, "Reading"): the first of two filters.
///
///     bytes ──► ByteRepair ──► MarkupFilter ──► XMLParser
///
/// A control character that XML does not allow becomes U+FDD0 + its value, a noncharacter or a byte that is no
/// UTF-8 becomes U+FFFD; both take three bytes. All else is copied in bulk.
struct ByteRepair {
    /// The repairs so far.
    private(set) var counts = RepairCounts()
    /// From the repaired text to the file.
    private(set) var positions = PositionMap()
    /// Bytes of repaired text so far.
    private(set) var written: Int64 = 0
    /// The beginning of a character that a border cut.
    private var cut: [UInt8] = []

    /// Appends the next stretch, repaired, to `text`. A character that the end of the stretch cuts waits for the
    /// next one.
    mutating func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
        guard !cut.isEmpty else { return appendWhole(bytes, to: &text, isLast: false) }
        var joined = cut
        joined.append(copying: bytes)
        cut.removeAll()
        appendWhole(joined.span, to: &text, isLast: false)
    }

    /// Ends the text: what waits for more is no character.
    mutating func finish(into text: inout [UInt8]) {
        let rest = cut
        cut.removeAll()
        appendWhole(rest.span, to: &text, isLast: true)
    }

    /// Forgets places before one in the repaired text.
    mutating func forgetPositions(before byte: Int64) { positions.forget(before: byte) }

    private mutating func appendWhole(_ bytes: Span<UInt8>, to text: inout [UInt8], isLast: Bool) {
        var start = 0
        var at = PlainText.end(in: bytes, from: 0)
        while at < bytes.count {
            let character = Self.character(in: bytes, at: at)
            switch character {
            case .good(let length): at += length
            case .cut where !isLast:
                copy(bytes, start..<at, to: &text)
                cut.append(copying: bytes.extracting(at...))
                return
            case .control, .noncharacter, .invalid, .cut:
                copy(bytes, start..<at, to: &text)
                at += replace(character, bytes[at], in: &text)
                start = at
            }
            at = PlainText.end(in: bytes, from: at)
        }
        copy(bytes, start..<bytes.count, to: &text)
    }

    private mutating func copy(_ bytes: Span<UInt8>, _ range: Range<Int>, to text: inout [UInt8]) {
        text.append(copying: bytes.extracting(range))
        written += Int64(range.count)
    }

    /// Writes what stands for a character, and returns how many bytes it had.
    private mutating func replace(_ character: Character, _ byte: UInt8, in text: inout [UInt8]) -> Int {
        var length = 1
        text.append(0xEF)
        switch character {
        case .control:
            counts.controlCharacter += 1
            text.append(0xB7)
            text.append(0x90 + byte)
        case .noncharacter:
            counts.noncharacter += 1
            length = 3
            text.append(0xBF)
            text.append(0xBD)
        case .invalid, .cut, .good:
            counts.invalidUTF8 += 1
            text.append(0xBF)
            text.append(0xBD)
        }
        written += 3
        if length != 3 { positions.skip(bytes: Int64(length - 3), at: written) }
        return length
    }

    private enum Character {
        /// One that may stand, of this many bytes.
        case good(Int)
        case control
        /// U+FDD0 to U+FDEF, U+FFFE, U+FFFF.
        case noncharacter
        case invalid
        /// A beginning that may become a character.
        case cut
    }

    /// Returns the character at a place that is not plain (`PlainText`). Well-formed is what table 3-7 of the Unicode
    /// standard lists.
    private static func character(in bytes: Span<UInt8>, at start: Int) -> Character {
        let lead = bytes[start]
        var range: ClosedRange<UInt8> = 0x80...0xBF
        let length: Int
        switch lead {
        case 0x00..<UInt8(ascii: " "): return .control
        case UInt8(ascii: " ")..<0x80: return .good(1)
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, range) = (3, 0xA0...0xBF)
        case 0xED: (length, range) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, range) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, range) = (4, 0x80...0x8F)
        default: return .invalid
        }
        for offset in 1..<length {
            guard start + offset < bytes.count else { return .cut }
            guard range.contains(bytes[start + offset]) else { return .invalid }
            range = 0x80...0xBF
        }
        guard lead == 0xEF else { return .good(length) }
        let (second, third) = (bytes[start + 1], bytes[start + 2])
        let isNone = second == 0xB7 ? (0x90...0xAF).contains(third) : second == 0xBF && third >= 0xBE
        return isNone ? .noncharacter : .good(3)
    }
}

/// Finds where text stops being ASCII without control characters other than tab, LF and CR, eight bytes at a time.
enum PlainText {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Returns the first byte at or after `start` that is not plain, or the end.
    @inline(__always)
    static func end(in bytes: Span<UInt8>, from start: Int) -> Int {
        var at = start
        while true {
            while bytes.count &- at >= 8 {
                let word = bytes.word(at: at)
                let marks = (word | (word &- ones &* 0x20)) & highs
                if marks != 0 {
                    at &+= marks.trailingZeroBitCount >> 3
                    break
                }
                at &+= 8
            }
            while at < bytes.count, isPlain(bytes[at]) {
                at &+= 1
                // Back to words after the line's end, which is what most often stopped them.
                if at & 7 == 0 { break }
            }
            if at >= bytes.count || !isPlain(bytes[at]) { return at }
        }
    }

    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        (byte >= UInt8(ascii: " ") && byte < 0x80) || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
            || byte == UInt8(ascii: "\r")
    }

    /// Returns the first byte at or after `start` that ends a value in double quotes or asks for a closer look: `"`,
    /// `&`, `<`, a control character; or the end.
    @inline(__always)
    static func valueEnd(in bytes: Span<UInt8>, from start: Int) -> Int {
        var at = start
        while bytes.count &- at >= 8 {
            let word = bytes.word(at: at)
            let (a, b, c) = (word ^ ones &* 0x22, word ^ ones &* 0x26, word ^ ones &* 0x3C)
            let marks =
                (((a &- ones) & ~a) | ((b &- ones) & ~b) | ((c &- ones) & ~c) | ((word &- ones &* 0x20) & ~word))
                & highs
            if marks != 0 { return at &+ marks.trailingZeroBitCount >> 3 }
            at &+= 8
        }
        while at < bytes.count, bytes[at] >= UInt8(ascii: " "), bytes[at] != UInt8(ascii: "\""),
            bytes[at] != UInt8(ascii: "&"), bytes[at] != UInt8(ascii: "<")
        { at &+= 1 }
        return at
    }

    /// Returns the first byte at or after `start` that is one of three, or the end.
    @inline(__always)
    static func first(_ one: UInt8, or other: UInt8, _ third: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int {
        let (ones1, ones2, ones3) = (ones &* UInt64(one), ones &* UInt64(other), ones &* UInt64(third))
        var at = start
        while bytes.count &- at >= 8 {
            let word = bytes.word(at: at)
            let (a, b, c) = (word ^ ones1, word ^ ones2, word ^ ones3)
            let marks = (((a &- ones) & ~a) | ((b &- ones) & ~b) | ((c &- ones) & ~c)) & highs
            if marks != 0 { return at &+ marks.trailingZeroBitCount >> 3 }
            at &+= 8
        }
        while at < bytes.count, bytes[at] != one, bytes[at] != other, bytes[at] != third { at &+= 1 }
        return at
    }

    /// Returns the first byte at or after `start` that is one of two, or the end.
    @inline(__always)
    static func first(_ one: UInt8, or other: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int {
        let (ones1, ones2) = (ones &* UInt64(one), ones &* UInt64(other))
        var at = start
        while bytes.count &- at >= 8 {
            let word = bytes.word(at: at)
            let (a, b) = (word ^ ones1, word ^ ones2)
            let marks = (((a &- ones) & ~a) | ((b &- ones) & ~b)) & highs
            if marks != 0 { return at &+ marks.trailingZeroBitCount >> 3 }
            at &+= 8
        }
        while at < bytes.count, bytes[at] != one, bytes[at] != other { at &+= 1 }
        return at
    }
}
