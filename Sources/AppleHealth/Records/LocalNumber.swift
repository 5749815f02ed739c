/// Numbers as people of some language write them: digits of any script, a decimal point or comma, marks of direction
/// (`Spec/apple-health.md`, "Numbers of other languages").
enum LocalNumber {
    /// Returns a text in which digits, decimal separators and minus signs are those of ASCII, and marks of direction
    /// are left out; `nil` if it is not UTF-8.
    static func normalized(_ text: some Collection<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var isASCII = true
        for byte in text {
            if byte >= 0x80 { isASCII = false }
            result.append(byte == UInt8(ascii: ",") ? UInt8(ascii: ".") : byte)
        }
        if isASCII { return result }
        guard let string = String(validating: text, as: UTF8.self) else { return nil }
        result.removeAll(keepingCapacity: true)
        for scalar in string.unicodeScalars { append(scalar, to: &result) }
        return result
    }

    private static func append(_ scalar: Unicode.Scalar, to result: inout [UInt8]) {
        switch scalar {
        // Arabic letter mark, marks, embeddings and isolates.
        case "\u{61C}", "\u{200E}", "\u{200F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": return
        // Arabic decimal separator, full-width full stop and comma.
        case ",", "\u{66B}", "\u{FF0E}", "\u{FF0C}": result.append(UInt8(ascii: "."))
        // Hyphen, minus sign, small and full-width hyphen-minus.
        case "\u{2010}", "\u{2012}", "\u{2212}", "\u{FE63}", "\u{FF0D}": result.append(UInt8(ascii: "-"))
        default:
            let properties = scalar.properties
            if scalar.value >= 0x80, properties.numericType == .decimal, let value = properties.numericValue {
                result.append(UInt8(ascii: "0") + UInt8(value))
            } else {
                result.append(contentsOf: scalar.utf8)
            }
        }
    }

    /// Returns the one number of a text that has no other digit before or behind it; `nil` if there is none, or more.
    ///
    /// - Parameter text: normalized.
    static func single(in text: [UInt8]) -> (number: [UInt8], rest: [UInt8])? {
        func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
        guard let first = text.firstIndex(where: isDigit), let last = text.lastIndex(where: isDigit) else { return nil }
        let number = Array(text[first...last])
        guard number.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }),
            number.count(where: { $0 == UInt8(ascii: ".") }) <= 1
        else { return nil }
        return (number, Array(text[..<first]) + Array(text[(last + 1)...]))
    }
}
