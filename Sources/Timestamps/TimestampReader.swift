/// Reads canonical timestamps (`Spec/timestamps.md`), strictly.
public enum TimestampReader {
    /// Returns the moment that a canonical timestamp names; `nil` if the bytes are no timestamp, or one that is not
    /// canonical.
    ///
    /// - Complexity: O(1).
    public static func moment(in text: Span<UInt8>) -> Moment? {
        guard let (moment, digits) = parsed(text), isShortest(moment, digits: digits) else { return nil }
        return moment
    }

    private static func parsed(_ text: Span<UInt8>) -> (Moment, digits: Int)? {
        let digits = text.count - 21
        guard (3...9).contains(digits), text[text.count - 1] == UInt8(ascii: "Z"), text[10] == UInt8(ascii: "T"),
            text[4] == UInt8(ascii: "-"),
            text[7] == UInt8(ascii: "-"),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"), text[19] == UInt8(ascii: "."),
            let century = pair(text, 0), let year = pair(text, 2),
            let month = pair(text, 5), let day = pair(text, 8),
            let hour = pair(text, 11), let minute = pair(text, 14), let second = pair(text, 17),
            let fraction = number(text, 20, digits),
            hour < 24, minute < 60, second < 60,
            let days = Calendar.days(year: 100 * century + year, month: month, day: day)
        else { return nil }
        var nanoseconds = fraction
        for _ in digits..<9 { nanoseconds *= 10 }
        return (
            Moment(
                seconds: days * 86_400 + Int64(hour * 3600 + minute * 60 + second), nanoseconds: UInt32(nanoseconds)),
            digits
        )
    }

    /// Returns two digits.
    @inline(__always)
    private static func pair(_ text: Span<UInt8>, _ start: Int) -> Int? {
        let tens = text[start] &- UInt8(ascii: "0"), ones = text[start &+ 1] &- UInt8(ascii: "0")
        return tens < 10 && ones < 10 ? Int(10 &* tens &+ ones) : nil
    }

    private static func number(_ text: Span<UInt8>, _ start: Int, _ count: Int) -> Int? {
        var value = 0
        for index in start..<(start + count) {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }

    /// Returns `true` if no text with fewer digits, and no nearer text with as many, gives the same double back.
    ///
    /// From 2^23 seconds on (97 days from 1970) a double's unit is at least 2^-29 s, so a text of nine digits
    /// always has a double of its own neighbourhood and integers decide; nearer to 1970 doubles are finer than
    /// nanoseconds, every text has a double of its own, and a shorter text is the same number without its trailing
    /// zero.
    private static func isShortest(_ moment: Moment, digits: Int) -> Bool {
        guard moment.nanoseconds != 0 else { return digits == 3 }
        let seconds = moment.unixSeconds
        guard seconds.magnitude >= 8_388_608 else {
            var power: UInt32 = 1
            for _ in digits..<9 { power *= 10 }
            return digits == 3 || moment.nanoseconds / power % 10 != 0
        }
        let floor = seconds.rounded(.down)
        // The distance of a decimal from the double, in nanoseconds times 2^unitBits; both stay below 2^62.
        let unitBits = 52 - Int(seconds.exponent)
        let exact = Int64((seconds - floor) * Double(sign: .plus, exponent: unitBits, significand: 1)) * 1_000_000_000
        let carried = Int64(moment.seconds - Int64(floor)) * 1_000_000_000 + Int64(moment.nanoseconds)
        let reach: Int64 = 500_000_000
        let even = seconds.significandBitPattern & 1 == 0
        var step: Int64 = 1
        for _ in digits..<9 { step *= 10 }
        let distance = abs((carried << unitBits) - exact)
        for nearer in [carried - step, carried + step] where nearer >= 0 {
            let other = abs((nearer << unitBits) - exact)
            if other < distance || (other == distance && carried / step & 1 == 1) { return false }
        }
        guard digits > 3 else { return true }
        let shorter = step * 10
        let below = carried - carried % shorter
        for candidate in [below, below + shorter] {
            let off = abs((candidate << unitBits) - exact)
            if off < reach || (off == reach && even) { return false }
        }
        return true
    }
}
