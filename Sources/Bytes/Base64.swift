/// Base64 of RFC 4648, section 4: padded, without white space, unused bits zero.
public enum Base64 {
    /// Returns the bytes of a text; `nil` if it is not such a text. O(n).
    public static func bytes(of text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        let padding = text.last != UInt8(ascii: "=") ? 0 : text[text.count - 2] == UInt8(ascii: "=") ? 2 : 1
        var word: UInt32 = 0
        for (index, character) in text.dropLast(padding).enumerated() {
            guard let value = value(character) else { return nil }
            word = word << 6 | UInt32(value)
            guard index & 3 == 3 else { continue }
            bytes.append(UInt8(truncatingIfNeeded: word >> 16))
            bytes.append(UInt8(truncatingIfNeeded: word >> 8))
            bytes.append(UInt8(truncatingIfNeeded: word))
        }
        switch padding {
        case 1:
            guard word & 3 == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: word >> 10))
            bytes.append(UInt8(truncatingIfNeeded: word >> 2))
        case 2:
            guard word & 15 == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: word >> 4))
        default: break
        }
        return bytes
    }

    /// Returns the text of some bytes, with its padding. O(n).
    public static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let word = part.reduce(0 as UInt32) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - part.count))
            for place in 0..<4 {
                text.append(place <= part.count ? character(word >> UInt32(18 - 6 * place) & 63) : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func character(_ value: UInt32) -> UInt8 {
        let value = UInt8(value)
        return switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + (value - 26)
        case 52..<62: UInt8(ascii: "0") + (value - 52)
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
