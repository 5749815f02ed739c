/// The numbers behind names of category values and of workout activities (`Spec/apple-health-names.json`).
struct KnownNames: Sendable {
    /// Category values.
    static let categories = KnownNames(categoryText)
    /// Workout activity types.
    static let activities = KnownNames(activityText)

    /// The names with their numbers.
    let pairs: [(name: String, number: Int64)]
    private let index: NameIndex

    /// Reads a list of names, each with a number behind it.
    private init(_ text: String) {
        let words = text.split { $0 == " " || $0 == "\n" }
        pairs = stride(from: 0, to: words.count - 1, by: 2).map { (String(words[$0]), Int64(words[$0 + 1]) ?? 0) }
        index = NameIndex(pairs.map(\.name))
    }

    /// Returns the number of a name; `nil` if the name is not known.
    func number(of name: Span<UInt8>) -> Int64? { index.index(of: name).map { pairs[$0].number } }
}

/// A few attribute names.
struct AttributeSet {
    private var bits: UInt64 = 0

    /// A set.
    init(_ names: AttributeName...) { for name in names { insert(name) } }

    /// Adds a name.
    mutating func insert(_ name: AttributeName) { bits |= 1 << UInt64(name.rawValue) }

    /// Returns `true` if a name is in the set.
    func contains(_ name: AttributeName) -> Bool { bits >> UInt64(name.rawValue) & 1 == 1 }
}
