internal import Bytes

extension Span<UInt8> {
    /// Appends UTF-8 text with the escapes of RFC 8785, section 3.2.2.2, without quotes; returns whether there were
    /// any.
    func appendEscaped(to text: inout ByteBuffer) -> Bool {
        var hasEscapes = false
        var start = 0
        for at in indices {
            let byte = self[at]
            guard byte < UInt8(ascii: " ") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            text.append(copying: extracting(start..<at))
            Self.appendEscape(of: byte, to: &text)
            hasEscapes = true
            start = at &+ 1
        }
        text.append(copying: extracting(start..<count))
        return hasEscapes
    }

    private static func appendEscape(of byte: UInt8, to text: inout ByteBuffer) {
        text.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): text.append(byte)
        case 0x08: text.append(UInt8(ascii: "b"))
        case UInt8(ascii: "\t"): text.append(UInt8(ascii: "t"))
        case UInt8(ascii: "\n"): text.append(UInt8(ascii: "n"))
        case 0x0C: text.append(UInt8(ascii: "f"))
        case UInt8(ascii: "\r"): text.append(UInt8(ascii: "r"))
        default:
            text.append(UInt8(ascii: "u"))
            text.append(UInt8(ascii: "0"))
            text.append(UInt8(ascii: "0"))
            text.append(0x30 &+ byte >> 4)
            text.append(digit: byte & 0xF)
        }
    }
}
