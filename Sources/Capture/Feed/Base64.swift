/// Base64 of RFC 4648, section 4: padded, without white space, unused bits zero.
enum Base64 {
    /// The bytes of a text; nil where it is not such a text. O(n).
    static func bytes(of text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        let padding = text.last != 0x3D ? 0 : text[text.count - 2] == 0x3D ? 2 : 1
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

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case 0x41...0x5A: character - 0x41
        case 0x61...0x7A: character - 0x61 + 26
        case 0x30...0x39: character - 0x30 + 52
        case 0x2B: 62
        case 0x2F: 63
        default: nil
        }
    }
}
