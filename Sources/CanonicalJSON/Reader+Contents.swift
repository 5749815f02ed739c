internal import Bytes

extension Reader {
    /// Appends the unescaped UTF-8 of a string or key to `text`. O(length).
    ///
    /// `contents` must come from a token that was read from `bytes`.
    public func unescape(_ contents: StringContents, in bytes: Span<UInt8>, into text: inout [UInt8]) {
        Self.unescape(contents, in: bytes, into: &text)
    }

    /// The same, without a reader.
    public static func unescape(_ contents: StringContents, in bytes: Span<UInt8>, into text: inout [UInt8]) {
        guard contents.hasEscapes else { return text.append(copying: bytes.extracting(contents.range)) }
        var cursor = ContentsCursor(contents.range)
        while let byte = cursor.next(in: bytes) { text.append(byte) }
    }

    /// Whether the unescaped string or key equals the UTF-8 in `text`. O(length), no allocation.
    public func matches(_ contents: StringContents, in bytes: Span<UInt8>, _ text: Span<UInt8>) -> Bool {
        var cursor = ContentsCursor(contents.range)
        var at = 0
        while let byte = cursor.next(in: bytes) {
            guard at < text.count, text[at] == byte else { return false }
            at &+= 1
        }
        return at == text.count
    }

    /// The value of a number whose text is an integer without fraction and exponent that fits; nil for any other.
    /// O(length).
    public func integer(_ number: Range<Int>, in bytes: Span<UInt8>) -> Int64? { Self.integer(number, in: bytes) }

    /// The same, without a reader.
    public static func integer(_ number: Range<Int>, in bytes: Span<UInt8>) -> Int64? {
        let isNegative = bytes[number.lowerBound] == UInt8(ascii: "-")
        var value: Int64 = 0
        for at in number.dropFirst(isNegative ? 1 : 0) {
            guard bytes[at].isDigit else { return nil }
            let digit = Int64(bytes[at] &- UInt8(ascii: "0"))
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) =
                isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
            if overflow || carry { return nil }
            value = sum
        }
        return value
    }

    /// The double nearest to a number, infinite where the reader accepts that. O(length).
    ///
    /// `number` must come from a token that was read from `bytes`.
    public func double(_ number: Range<Int>, in bytes: Span<UInt8>) -> Double { Self.double(number, in: bytes) }

    /// The same, without a reader.
    public static func double(_ number: Range<Int>, in bytes: Span<UInt8>) -> Double {
        if number.count <= 17, let value = short(number, in: bytes) { return value }
        guard let text = try? UTF8Span(validating: bytes.extracting(number)), let value = Double(String(copying: text))
        else {
            preconditionFailure("not a number that was read")
        }
        return value
    }

    /// A number of at most 15 digits without exponent; nil for any other.
    ///
    /// Its digits as a whole number, and the power of ten that they are divided by, are exact, so that the quotient is
    /// the nearest double.
    private static func short(_ number: Range<Int>, in bytes: Span<UInt8>) -> Double? {
        let isNegative = bytes[number.lowerBound] == UInt8(ascii: "-")
        var digits: Int64 = 0
        var count = 0, scale = 1.0, isBehindPoint = false
        for at in number.lowerBound + (isNegative ? 1 : 0)..<number.upperBound {
            let byte = bytes[at]
            if byte == UInt8(ascii: "."), !isBehindPoint {
                isBehindPoint = true
                continue
            }
            guard byte.isDigit else { return nil }
            digits = digits &* 10 &+ Int64(byte &- UInt8(ascii: "0"))
            count &+= 1
            if isBehindPoint { scale *= 10 }
        }
        guard count <= 15 else { return nil }
        let value = Double(digits) / scale
        return isNegative ? -value : value
    }
}
