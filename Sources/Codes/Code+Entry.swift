extension Code: Comparable {
    /// The layer or the check that it belongs to.
    public var group: String { String(rawValue.prefix { $0 != "." }) }

    /// What the table says of it: it has an entry for each code.
    public var entry: CodeEntry { Self.entries[self]! }

    /// Codes by their texts.
    public static func < (left: Code, right: Code) -> Bool { left.rawValue < right.rawValue }

    private static let entries = Dictionary(uniqueKeysWithValues: CodeEntry.all.map { ($0.code, $0) })
}
