internal import Bytes

/// The text of a number as `Number::toString` of ECMAScript gives it (RFC 8785, section 3.2.2.3).
///
/// `Double.description` has the right digits, the fewest that give the double back and the nearest of those; only
/// its layout differs. So the digits are taken from there and laid out anew. Most measured values have few decimals
/// and are found without it.
enum NumberText {
    /// Appends an integer in decimal, with zeros in front where it has fewer digits than `width`.
    static func append(_ value: Int64, to text: inout ByteBuffer, width: Int = 1) {
        if value >= 0, value < 10, width == 1 { return text.append(0x30 &+ UInt8(truncatingIfNeeded: value)) }
        if value < 0 { text.append(UInt8(ascii: "-")) }
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = digits.count
        var rest = value.magnitude
        repeat {
            first &-= 1
            digits[first] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0 || digits.count &- first < width
        text.append(copying: digits.span.extracting(first...))
    }

    /// Appends a finite double; negative zero as `0`.
    static func append(_ value: Double, to text: inout ByteBuffer) {
        if value.magnitude < 0x1p53, value == Double(Int64(value)) { return append(Int64(value), to: &text) }
        if value < 0 { text.append(UInt8(ascii: "-")) }
        if appendShort(value.magnitude, to: &text) { return }
        var digits = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
        let (count, point) = takeDigits(of: value.magnitude, into: &digits)
        layOut(digits, count: count, point: point, to: &text)
    }

    /// Appends a positive double that is a whole number of up to 15 digits over 10, 100, … or 10^6; false for any
    /// other.
    ///
    /// No two decimals of up to 15 digits have the same double, so that one that gives the double back is the
    /// shortest. The division is exact in its operands, and thus the nearest double; the least power that does
    /// leaves no zero at the end.
    private static func appendShort(_ value: Double, to text: inout ByteBuffer) -> Bool {
        guard value < 1e9 else { return false }
        var (scale, places) = (10.0, 1)
        while places <= 6 {
            // Rounded by hand, exactly, below 2^53: `rounded()` would ask for the library of mathematics, which a
            // program that imports no module of a platform does not link.
            let scaled = value * scale, floor = Double(Int64(scaled))
            let digits = scaled - floor < 0.5 ? floor : floor + 1
            if digits / scale == value {
                let (whole, fraction) = Int64(digits).quotientAndRemainder(dividingBy: Int64(scale))
                append(whole, to: &text)
                text.append(UInt8(ascii: "."))
                append(fraction, to: &text, width: places)
                return true
            }
            (scale, places) = (scale * 10, places + 1)
        }
        return false
    }

    /// Puts the significant digits of `value` into `digits`; returns their number and the `point` with value =
    /// 0.DIGITS × 10^point.
    private static func takeDigits(of value: Double, into digits: inout InlineArray<20, UInt8>) -> (
        count: Int, point: Int
    ) {
        let description = value.description
        let text = description.utf8Span.span
        var (at, count, significant, point, sawPoint) = (0, 0, 0, 0, false)
        while at < text.count, text[at] != UInt8(ascii: "e") {
            let byte = text[at]
            at &+= 1
            if byte == UInt8(ascii: ".") { sawPoint = true; continue }
            if !sawPoint { point &+= 1 }
            if count == 0 && byte == UInt8(ascii: "0") { point &-= 1; continue }
            if count < digits.count { digits[count] = byte }
            count &+= 1
            if byte != UInt8(ascii: "0") { significant = count }
        }
        return (significant, point &+ exponent(in: text, at: at))
    }

    /// Returns the number after the `e` at `start`, or 0 if the text ends there.
    private static func exponent(in text: Span<UInt8>, at start: Int) -> Int {
        guard start < text.count else { return 0 }
        var exponent = 0
        for at in start &+ 1..<text.count where text[at].isDigit {
            exponent = exponent &* 10 &+ Int(text[at] &- UInt8(ascii: "0"))
        }
        return text[start &+ 1] == UInt8(ascii: "-") ? -exponent : exponent
    }

    private static func layOut(_ digits: InlineArray<20, UInt8>, count: Int, point: Int, to text: inout ByteBuffer) {
        switch point {
        case -5...0:
            text.append(UInt8(ascii: "0"))
            text.append(UInt8(ascii: "."))
            for _ in point..<0 { text.append(UInt8(ascii: "0")) }
            for at in 0..<count { text.append(digits[at]) }
        case 1...21:
            for at in 0..<max(count, point) {
                if at == point { text.append(UInt8(ascii: ".")) }
                text.append(at < count ? digits[at] : UInt8(ascii: "0"))
            }
        default:
            for at in 0..<count {
                if at == 1 { text.append(UInt8(ascii: ".")) }
                text.append(digits[at])
            }
            text.append(UInt8(ascii: "e"))
            if point > 0 { text.append(UInt8(ascii: "+")) }
            append(Int64(point &- 1), to: &text)
        }
    }
}
