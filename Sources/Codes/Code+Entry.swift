extension Code: Comparable {
    /// The layer or the check that it belongs to.
    public var group: String { String(rawValue.prefix { $0 != "." }) }

    /// The code's entry in the table, which has one for each code.
    public var entry: CodeEntry { Self.entries[self]! }

    /// Codes by their texts.
    public static func < (left: Code, right: Code) -> Bool { left.rawValue < right.rawValue }

    private static let entries = Dictionary(uniqueKeysWithValues: CodeEntry.all.map { ($0.code, $0) })
}
