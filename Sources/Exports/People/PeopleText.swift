/// Texts of a view for people as no spreadsheet takes them for formulas, whatever it splits the file at
/// (`Spec/people-view.md`, Dialects).
enum PeopleText {
    /// The text with a `'` before each part that begins like a formula.
    static func guarded(_ text: [UInt8]) -> [UInt8] {
        var guarded: [UInt8] = []
        for at in text.indices {
            let isFirst = at == 0
            if isFirst || isSeparator(text[at - 1]) {
                if beginsFormula(text[at...]) || isFirst && TableDialect.needsMark(text.span) {
                    guarded.append(TableDialect.mark)
                }
            }
            guarded.append(text[at])
        }
        return guarded
    }

    /// `true` for what some program ends a cell or a row at.
    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: "\t"), UInt8(ascii: "\r"),
            UInt8(ascii: "\n"):
            true
        default: false
        }
    }

    /// `true` if a program that drops quotes and blanks sees a formula.
    private static func beginsFormula(_ part: ArraySlice<UInt8>) -> Bool {
        let rest = part.drop { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: " ") }
        switch rest.first {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"): return true
        // The full-width forms of = + - @ in UTF-8.
        case 0xEF:
            let form = Array(rest.prefix(3))
            return form.count == 3 && form[1] == 0xBC && [0x9D, 0x8B, 0x8D, 0xA0].contains(form[2])
        default: return false
        }
    }
}
