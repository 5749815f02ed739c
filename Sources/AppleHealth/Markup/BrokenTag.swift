internal import Bytes

/// The extent of markup that is not well-formed (`Spec/apple-health.md`, "What is not well-formed").
struct BrokenTag {
    /// Behind its last byte.
    var end: Int
    /// `true` if it ends with `/>`, or before other markup with `/`.
    var isEmpty: Bool
    /// The value of its attribute `type`, if that can be told.
    var type: Range<Int>?

    /// Finds the extent of the markup whose `<` is before `first`; `nil` if the text ends first.
    ///
    /// A quote counts behind a `=` only. The markup ends behind the first `>` that is not in quotes, or before an
    /// element that the specification names: outside of quotes anywhere, in quotes only behind a `>` and white space,
    /// because then a quote is missing.
    init?(_ text: Span<UInt8>, from first: Int, isLast: Bool) {
        var at = first
        var (quote, last, value) = (UInt8(0), UInt8(ascii: "<"), 0)
        type = nil
        while at < text.count {
            let byte = text[at]
            if byte == UInt8(ascii: "<"), quote == 0 || last == UInt8(ascii: ">") {
                guard let isMarkup = Self.isKnownMarkup(text, at: at, isLast: isLast) else { return nil }
                if isMarkup {
                    (end, isEmpty) = (at, last == UInt8(ascii: "/"))
                    return
                }
            } else if quote != 0 {
                if byte == quote {
                    quote = 0
                    if type == nil, Self.isTypeAttribute(text, before: value - 1), Self.isType(text, value..<at) {
                        type = value..<at
                    }
                }
            } else if byte == UInt8(ascii: ">") {
                (end, isEmpty) = (at + 1, last == UInt8(ascii: "/"))
                return
            } else if last == UInt8(ascii: "="), byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                (quote, value) = (byte, at + 1)
            }
            if !TagScanner.isSpace(byte) { last = byte }
            at += 1
        }
        return nil
    }

    /// Returns `true` if the `<` at a place begins a start or end tag of an element that the specification names; `nil`
    /// if more text is needed.
    static func isKnownMarkup(_ text: Span<UInt8>, at start: Int, isLast: Bool) -> Bool? {
        guard start + 1 < text.count else { return isLast ? false : nil }
        let first = text[start + 1] == UInt8(ascii: "/") ? start + 2 : start + 1
        var at = first
        while at < text.count, at - first <= 40, isLetter(text[at]) { at += 1 }
        guard at < text.count else { return isLast ? false : nil }
        guard text[at] == UInt8(ascii: ">") || text[at] == UInt8(ascii: "/") || TagScanner.isSpace(text[at]) else {
            return false
        }
        return ElementName.named(text.extracting(first..<at)) != .other
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

    /// Returns `true` if `type=` with white space before it stands before a quote.
    private static func isTypeAttribute(_ text: Span<UInt8>, before quote: Int) -> Bool {
        var at = quote - 1
        while at > 0, TagScanner.isSpace(text[at]) { at -= 1 }
        guard at > 0, text[at] == UInt8(ascii: "=") else { return false }
        at -= 1
        while at > 0, TagScanner.isSpace(text[at]) { at -= 1 }
        let name = Array("type".utf8)
        guard at >= name.count, TagScanner.isSpace(text[at - name.count]) else { return false }
        return text.extracting(at - name.count + 1..<at + 1).isEqual(to: name.span)
    }

    private static func isType(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
        ExportInterpreter.isType(text.extracting(range))
    }
}
