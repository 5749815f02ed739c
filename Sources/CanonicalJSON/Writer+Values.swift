internal import Bytes

extension Writer {
    /// Writes UTF-8 text as a string. Throws `utf8` with the offset in `text`, and has written nothing then.
    public mutating func string(_ text: Span<UInt8>) throws(JSONError) {
        let plain = PlainRun.end(in: text, from: 0)
        if plain == text.count { return string(plain: text) }
        try text.checkUTF8()
        escapedString(text)
    }

    /// Writes text that `isPlain` holds for as a string. It is not looked at again.
    public mutating func string(plain text: Span<UInt8>) { string(plain: text, first: text.count) }

    /// Writes the `count` first bytes of a text as a string, as `string(plain:)` does. Where 32 bytes or more stand
    /// there, up to 32 are copied in one step.
    public mutating func string(plain text: Span<UInt8>, first count: Int) {
        beginValue()
        buffer.append(UInt8(ascii: "\""))
        buffer.append(first: count, of: text)
        buffer.append(UInt8(ascii: "\""))
    }

    /// Returns `true` if a text is written as it is: ASCII without control characters, `"` and `\`. O(n).
    public static func isPlain(_ text: Span<UInt8>) -> Bool { PlainRun.end(in: text, from: 0) == text.count }

    /// Writes text as a string. A literal costs no allocation.
    public mutating func string(_ text: String) {
        escapedString(text.utf8Span.span)
    }

    /// Writes the lower-case hexadecimal digits of `data` as a string, two for each byte.
    public mutating func hex(_ data: Span<UInt8>) {
        beginValue()
        buffer.append(UInt8(ascii: "\""))
        buffer.append(digitsOf: data)
        buffer.append(UInt8(ascii: "\""))
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) {
        beginValue()
        let text = value ? "true" : "false"
        buffer.append(copying: text.utf8Span.span)
    }

    /// Writes `null`.
    public mutating func null() {
        beginValue()
        buffer.append(copying: "null".utf8Span.span)
    }

    /// Writes an integer of a magnitude of at most 2^53 − 1, beyond which a JSON number need not survive (RFC 7493,
    /// section 2.2).
    public mutating func integer(_ value: Int64) {
        precondition(value.magnitude < 1 << 53, "the integer is not exact as a double")
        beginValue()
        NumberText.append(value, to: &buffer)
    }

    /// Writes a finite double as ECMAScript does (RFC 8785, section 3.2.2.3). Negative zero becomes `0`.
    public mutating func number(_ value: Double) {
        precondition(value.isFinite, "the number is not finite")
        beginValue()
        NumberText.append(value, to: &buffer)
    }

    /// Writes one value whose bytes are canonical already. They are copied as they are and not looked at.
    public mutating func embed(canonical value: Span<UInt8>) {
        precondition(!value.isEmpty, "no value to embed")
        beginValue()
        buffer.append(copying: value)
    }

    private mutating func escapedString(_ text: Span<UInt8>) {
        beginValue()
        buffer.append(UInt8(ascii: "\""))
        _ = text.appendEscaped(to: &buffer)
        buffer.append(UInt8(ascii: "\""))
    }
}

extension Span<UInt8> {
    /// Throws `utf8` at the first byte of the first ill-formed sequence. O(n).
    func checkUTF8() throws(JSONError) {
        var at = PlainRun.end(in: self, from: 0)
        while at < count {
            let length = UTF8Sequence.length(in: self, at: at)
            if length == 0 { throw JSONError(.utf8, at: at) }
            at = PlainRun.end(in: self, from: at &+ length)
        }
    }
}
