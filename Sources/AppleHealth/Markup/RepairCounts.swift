/// The numbers of repairs of an export's text, by kind (`Spec/apple-health.md`, "Reading").
public struct RepairCounts: Sendable, Hashable {
    /// A control character that XML does not allow.
    public var controlCharacter = 0
    /// A character that is none, or stands for something else while the text is read.
    public var noncharacter = 0
    /// A byte that is no UTF-8.
    public var invalidUTF8 = 0
    /// Half a surrogate pair, or half a unit, in UTF-16.
    public var invalidUTF16 = 0
    /// An attribute that its element has already.
    public var duplicateAttribute = 0

    /// No repairs.
    public init() {}

    /// Adds other counts.
    mutating func add(_ other: RepairCounts) {
        controlCharacter += other.controlCharacter
        noncharacter += other.noncharacter
        invalidUTF8 += other.invalidUTF8
        invalidUTF16 += other.invalidUTF16
        duplicateAttribute += other.duplicateAttribute
    }

    /// The counts that are not zero, by name.
    public var named: [(name: String, count: Int)] {
        [
            ("control_character", controlCharacter), ("noncharacter", noncharacter), ("invalid_utf8", invalidUTF8),
            ("invalid_utf16", invalidUTF16), ("duplicate_attribute", duplicateAttribute),
        ].filter { $0.count > 0 }
    }
}
