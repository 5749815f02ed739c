/// The parts of a number's text: what the grammar of RFC 8259, section 6, and the layout of ECMAScript ask about.
struct NumberScan {
    /// From the sign or first digit to the last digit.
    private(set) var range: Range<Int>
    /// The number of digits from the first to the last one that is not zero.
    private(set) var significantCount = 0
    /// The power of ten with value = 0.DIGITS × 10^point; without meaning for zero.
    private(set) var point = 0
    /// Offset of the first digit that is not zero.
    private var firstSignificant = 0
    private var integerCount = 0
    private var fractionCount = 0
    private var endsInZeroFraction = false
    private var exponent: Int?
    /// `true` if the exponent has a small `e`, a sign and no zero in front.
    private var exponentIsPlain = true

    /// Reads the number that begins at `start`. Throws `syntax` at the byte that cannot be right.
    init(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) {
        range = start..<start
        var at = start
        if at < bytes.count, bytes[at] == UInt8(ascii: "-") { at &+= 1 }
        integerCount = try readDigits(in: bytes, at: &at, isInteger: true)
        if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
            at &+= 1
            fractionCount = try readDigits(in: bytes, at: &at, isInteger: false)
            endsInZeroFraction = bytes[at &- 1] == UInt8(ascii: "0")
        }
        if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") { try readExponent(in: bytes, at: &at) }
        point &+= exponent ?? 0
        range = start..<at
    }

    /// `true` if the text is laid out as ECMAScript does it, given that its digits are the fewest.
    var hasCanonicalLayout: Bool {
        if significantCount == 0 { return range.count == 1 }
        if endsInZeroFraction { return false }
        let isPlain = point > -6 && point <= 21
        guard exponent != nil else { return isPlain }
        return !isPlain && exponentIsPlain && integerCount == 1 && firstSignificantIsInteger
    }

    private var firstSignificantIsInteger: Bool {
        firstSignificant < range.lowerBound &+ 2
    }

    /// Returns `true` if the significant digits are those of `other`, a number in `text`.
    func hasDigits(of other: NumberScan, in text: Span<UInt8>, own bytes: Span<UInt8>) -> Bool {
        guard significantCount == other.significantCount else { return false }
        var (a, b) = (firstSignificant, other.firstSignificant)
        for _ in 0..<significantCount {
            if bytes[a] == UInt8(ascii: ".") { a &+= 1 }
            if text[b] == UInt8(ascii: ".") { b &+= 1 }
            guard bytes[a] == text[b] else { return false }
            a &+= 1
            b &+= 1
        }
        return true
    }

    /// Reads one or more digits; of an integer only one where the first is zero. Returns their number.
    private mutating func readDigits(in bytes: Span<UInt8>, at: inout Int, isInteger: Bool) throws(JSONError) -> Int {
        let start = at
        while at < bytes.count, bytes[at].isDigit {
            count(bytes[at], at: at, isInteger: isInteger)
            at &+= 1
            if isInteger, bytes[start] == UInt8(ascii: "0") { break }
        }
        guard at > start else { throw JSONError(.syntax, at: at) }
        return at &- start
    }

    private var digitsSinceFirst = 0

    private mutating func count(_ digit: UInt8, at offset: Int, isInteger: Bool) {
        if digit == UInt8(ascii: "0"), digitsSinceFirst == 0 {
            if !isInteger { point &-= 1 }
            return
        }
        if digitsSinceFirst == 0 { firstSignificant = offset }
        digitsSinceFirst &+= 1
        if isInteger { point &+= 1 }
        if digit != UInt8(ascii: "0") { significantCount = digitsSinceFirst }
    }

    private mutating func readExponent(in bytes: Span<UInt8>, at: inout Int) throws(JSONError) {
        exponentIsPlain = bytes[at] == UInt8(ascii: "e")
        at &+= 1
        let sign = at < bytes.count ? bytes[at] : 0
        if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { at &+= 1 } else { exponentIsPlain = false }
        guard at < bytes.count, bytes[at].isDigit else { throw JSONError(.syntax, at: at) }
        if bytes[at] == UInt8(ascii: "0") { exponentIsPlain = false }
        var magnitude = 0
        while at < bytes.count, bytes[at].isDigit {
            // Far beyond any double, and far from overflow: no text is long enough to bring the point back.
            if magnitude < 1 << 55 { magnitude = magnitude &* 10 &+ Int(bytes[at] &- UInt8(ascii: "0")) }
            at &+= 1
        }
        exponent = sign == UInt8(ascii: "-") ? -magnitude : magnitude
    }
}

extension UInt8 {
    /// `true` if the byte is an ASCII digit.
    var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
}
