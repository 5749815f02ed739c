/// The dialect `healthprobe-csv-1` (`Spec/reports.md`): texts that a spreadsheet would run, and the empty text, have a mark before them.
enum TableDialect {
    static let name = "healthprobe-csv-1"
    /// An apostrophe.
    static let mark: UInt8 = 0x27

    /// Whether a text gets the mark.
    static func needsMark(_ text: Span<UInt8>) -> Bool {
        guard !text.isEmpty else { return true }
        switch text[0] {
        case 0x3D, 0x2B, 0x2D, 0x40, 0x09, 0x0D, 0x0A, mark: return true
        // The full-width forms of = + - @ in UTF-8.
        case 0xEF: return text.count >= 3 && text[1] == 0xBC && [0x9D, 0x8B, 0x8D, 0xA0].contains(text[2])
        default: return false
        }
    }
}

/// Texts inside canonical JSON.
enum JSONText {
    /// Appends what the contents of a canonical string stand for.
    static func appendUnescaped(_ contents: Span<UInt8>, to text: inout [UInt8]) {
        var index = 0
        while index < contents.count {
            guard contents[index] == 0x5C else {
                text.append(contents[index])
                index += 1
                continue
            }
            switch contents[index + 1] {
            case 0x62: text.append(0x08)
            case 0x66: text.append(0x0C)
            case 0x6E: text.append(0x0A)
            case 0x72: text.append(0x0D)
            case 0x74: text.append(0x09)
            // Canonical text writes only control characters as \u00xx.
            case 0x75:
                text.append(digit(contents[index + 4]) << 4 | digit(contents[index + 5]))
                index += 4
            default: text.append(contents[index + 1])
            }
            index += 2
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8 { byte <= 0x39 ? byte - 0x30 : byte - 0x57 }
}
