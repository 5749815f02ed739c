internal import Bytes

extension Span<UInt8> {
    /// Appends UTF-8 text with the escapes of RFC 8785, section 3.2.2.2, without quotes; returns whether there were
    /// any.
    func appendEscaped(to text: inout ByteBuffer) -> Bool {
        var hasEscapes = false
        var start = 0
        for at in indices {
            let byte = self[at]
            guard byte < 0x20 || byte == 0x22 || byte == 0x5C else { continue }
            text.append(copying: extracting(start..<at))
            Self.appendEscape(of: byte, to: &text)
            hasEscapes = true
            start = at &+ 1
        }
        text.append(copying: extracting(start..<count))
        return hasEscapes
    }

    private static func appendEscape(of byte: UInt8, to text: inout ByteBuffer) {
        text.append(0x5C)
        switch byte {
        case 0x22, 0x5C: text.append(byte)
        case 0x08: text.append(0x62)
        case 0x09: text.append(0x74)
        case 0x0A: text.append(0x6E)
        case 0x0C: text.append(0x66)
        case 0x0D: text.append(0x72)
        default:
            text.append(0x75)
            text.append(0x30)
            text.append(0x30)
            text.append(0x30 &+ byte >> 4)
            text.append(digit: byte & 0xF)
        }
    }
}
