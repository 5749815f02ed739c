internal import Bytes

/// Counts the line ends of a text that comes in stretches: LF, CR, and CR LF as one (XML 1.0, section 2.11).
struct LineEnds {
    /// The byte before the next stretch.
    private(set) var last: UInt8

    init(after last: UInt8 = 0) { self.last = last }

    /// Returns `true` if a byte ends a line that the byte before it did not end.
    static func isEnd(_ byte: UInt8, after last: UInt8) -> Bool {
        byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") && last != UInt8(ascii: "\r")
    }

    /// Returns how many lines end in the next stretch.
    mutating func count(_ text: Span<UInt8>) -> Int {
        var (lines, at) = (0, 0)
        while at < text.count {
            // Most bytes are in no line end: eight at a time.
            if text.count &- at >= 8 {
                let word = text.word(at: at)
                if word.marks(of: UInt8(ascii: "\n")) | word.marks(of: UInt8(ascii: "\r")) == 0 {
                    at &+= 8
                    last = text[at &- 1]
                    continue
                }
            }
            if Self.isEnd(text[at], after: last) { lines += 1 }
            last = text[at]
            at &+= 1
        }
        return lines
    }
}
