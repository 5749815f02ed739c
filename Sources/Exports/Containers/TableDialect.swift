/// The dialect `healthprobe-csv-1` (`Spec/reports.md`): texts that a spreadsheet would run, and the empty text,
/// have a mark before them.
enum TableDialect {
    static let name = "healthprobe-csv-1"
    /// An apostrophe.
    static let mark: UInt8 = UInt8(ascii: "'")

    /// Returns `true` if a text gets the mark.
    static func needsMark(_ text: Span<UInt8>) -> Bool {
        guard !text.isEmpty else { return true }
        switch text[0] {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), UInt8(ascii: "\t"),
            UInt8(ascii: "\r"), UInt8(ascii: "\n"), mark:
            return true
        // The full-width forms of = + - @ in UTF-8.
        case 0xEF: return text.count >= 3 && text[1] == 0xBC && [0x9D, 0x8B, 0x8D, 0xA0].contains(text[2])
        default: return false
        }
    }
}
