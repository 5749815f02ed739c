internal import Archive

/// A number rounded to six significant decimal digits, half to even, from the digits of its canonical JSON number: so
/// many have exports of Apple Health (`Spec/pairs.md`).
struct SixDigits: Equatable {
    /// The digits, without zeros at the end: 0 for zero.
    let digits: Int64
    /// The power of ten that they count.
    let exponent: Int

    /// - Parameter value: finite.
    init(_ value: Double) {
        var (digits, exponent, count) = Self.shortest(value.magnitude)
        var rest = count - 6
        if rest > 0 {
            var unit: Int64 = 1
            while rest > 0 {
                unit *= 10
                rest -= 1
                exponent += 1
            }
            let below = digits % unit
            digits /= unit
            if below * 2 > unit || (below * 2 == unit && digits % 2 == 1) { digits += 1 }
            count = 6
        }
        while digits != 0, digits % 10 == 0 {
            digits /= 10
            exponent += 1
        }
        self.digits = value < 0 ? -digits : digits
        self.exponent = digits == 0 ? 0 : exponent
    }

    /// Returns the fewest digits that give a double back: as an integer, with the power of ten that it counts and their
    /// number. `Double.description` has them: at most 17, so that they fit.
    private static func shortest(_ value: Double) -> (digits: Int64, exponent: Int, count: Int) {
        var digits: Int64 = 0
        var (count, exponent, written) = (0, 0, 0)
        var (isFraction, isExponent, isNegative) = (false, false, false)
        for character in value.description.utf8 {
            switch character {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"): isExponent = true
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "+"): break
            default:
                let digit = Int64(character - UInt8(ascii: "0"))
                if isExponent {
                    written = written * 10 + Int(digit)
                } else {
                    digits = digits * 10 + digit
                    if digits != 0 { count += 1 }
                    if isFraction { exponent -= 1 }
                }
            }
        }
        return (digits, exponent + (isNegative ? -written : written), count)
    }
}
