internal import Bytes

/// Names of elements and attributes, as the XML parser takes them.
enum NameSyntax {
    /// Returns `true` if a text is a name. One that is not ASCII is shown to the parser.
    static func isName(_ text: Span<UInt8>) -> Bool {
        guard !text.isEmpty else { return false }
        var isASCII = true
        for at in text.indices {
            switch text[at] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"),
                UInt8(ascii: ":"):
                continue
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                if at == 0 { return false }
            case 0x80...: isASCII = false
            default: return false
            }
        }
        return isASCII || XMLParser.accepts(name: text)
    }
}
