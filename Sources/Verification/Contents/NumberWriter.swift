internal import Bytes
internal import Preimages

/// Numbers as ECMAScript writes them (RFC 8785, section 3.2.2.3), for what verification puts together itself.
///
/// Written apart from `CanonicalJSON.Writer` on purpose: a verifier that used the writer would agree with its mistakes.
extension ByteBuffer {
    /// Appends a finite double; negative zero as `0`.
    mutating func append(ecmaScript value: Double) {
        if value.magnitude < 0x1p53, let whole = Int64(exactly: value) { return append(decimal: whole) }
        // The standard library gives the fewest digits that mean the double, the nearest of those, in a layout of its
        // own: a fraction always, and an exponent below 10^-4 and from 2^54 on.
        let description = value.description
        let text = description.utf8Span.span
        guard let mark = text.firstIndex(of: UInt8(ascii: "e"), from: 0) else {
            let isWhole = text[text.count - 1] == UInt8(ascii: "0") && text[text.count - 2] == UInt8(ascii: ".")
            return append(copying: text.extracting(droppingLast: isWhole ? 2 : 0))
        }
        if value < 0 { append(UInt8(ascii: "-")) }
        let digits = description.utf8.prefix(mark).filter { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard let exponent = Int(Substring(description.utf8.dropFirst(mark + 1))) else {
            preconditionFailure("an exponent is an integer")
        }
        layOut(digits, exponent: exponent)
    }

    /// Appends d.ddd × 10^exponent, of an exponent for which ECMAScript and the library differ.
    private mutating func layOut(_ digits: [UInt8], exponent: Int) {
        switch exponent {
        case 0..<21:
            precondition(digits.count <= exponent + 1, "a number from 2^53 on has no fraction")
            append(copying: digits.span)
            append(zeros: exponent + 1 - digits.count)
        case -6..<0:
            append(copying: "0.".utf8Span.span)
            append(zeros: -exponent - 1)
            append(copying: digits.span)
        default:
            append(digits[0])
            if digits.count > 1 {
                append(UInt8(ascii: "."))
                append(copying: digits.span.extracting(1...))
            }
            append(copying: (exponent < 0 ? "e" : "e+").utf8Span.span)
            append(decimal: Int64(exponent))
        }
    }

    private mutating func append(zeros count: Int) {
        for _ in 0..<count { append(UInt8(ascii: "0")) }
    }
}
