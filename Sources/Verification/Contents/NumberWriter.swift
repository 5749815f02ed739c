/// Numbers as ECMAScript writes them (RFC 8785, section 3.2.2.3), for what verification puts together itself.
///
/// Written apart from `CanonicalJSON.Writer` on purpose: a verifier that used the writer would agree with its mistakes.
extension [UInt8] {
    /// Appends a finite double; negative zero as `0`.
    mutating func append(ecmaScript value: Double) {
        if value.magnitude < 0x1p53, let whole = Int64(exactly: value) { return append(contentsOf: String(whole).utf8) }
        // The standard library gives the fewest digits that mean the double, the nearest of those, in a layout of its
        // own: a fraction always, and an exponent below 10^-4 and from 2^54 on.
        var text = value.description.utf8[...]
        guard let mark = text.firstIndex(of: UInt8(ascii: "e")) else {
            if text.suffix(2).elementsEqual(".0".utf8) { text = text.dropLast(2) }
            return append(contentsOf: text)
        }
        if value < 0 { append(UInt8(ascii: "-")) }
        let digits = text[..<mark].filter { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard let exponent = Int(Substring(text[text.index(after: mark)...])) else {
            preconditionFailure("an exponent is an integer")
        }
        layOut(digits, exponent: exponent)
    }

    /// Appends d.ddd × 10^exponent, of an exponent for which ECMAScript and the library differ.
    private mutating func layOut(_ digits: [UInt8], exponent: Int) {
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: UInt8(ascii: "0"), count: count) }
        switch exponent {
        case 0..<21:
            precondition(digits.count <= exponent + 1, "a number from 2^53 on has no fraction")
            self += digits + zeros(exponent + 1 - digits.count)
        case -6..<0:
            self += Array("0.".utf8) + zeros(-exponent - 1) + digits
        default:
            append(digits[0])
            if digits.count > 1 { self += [UInt8(ascii: ".")] + digits.dropFirst() }
            append(contentsOf: (exponent < 0 ? "e" : "e+").utf8)
            append(contentsOf: String(exponent).utf8)
        }
    }
}
