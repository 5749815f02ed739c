/// A table of an archive (`Spec/archive-schema.sql`, `Spec/archive-extensions.sql`).
public struct ArchiveTable: Sendable {
    /// The values of a column, unless they are NULL (`Spec/archive-verification.md`, "Values").
    public enum Values: Sendable {
        case text, blob, integer, real
        /// A whole number that is not negative.
        case count
        /// Unix seconds.
        case date
        /// In archives that state `identity_rules`: 64 lower-case hex digits; one canonical JSON object; one canonical
        /// JSON array; letters, digits and `_`.
        case hash, object, array, name
        /// One of a few words; the second only in archives that state `identity_rules`.
        case word, rulesWord
    }

    /// A column.
    public struct Column: Sendable {
        public let name: String
        public let values: Values
        /// `true` if the column cannot be NULL.
        public let isRequired: Bool
        /// The table whose `id` a value is, if any; the schema need not declare it.
        public let reference: String?
        /// Of a word: those that there are. One that ends with `*` stands for all that begin so.
        public let words: [String]

        init(
            _ name: String, _ values: Values, isRequired: Bool = false, reference: String? = nil, words: [String] = []
        ) {
            self.name = name
            self.values = values
            self.isRequired = isRequired
            self.reference = reference
            self.words = words
        }

        /// Returns `true` if a word is one of the column's.
        public func has(_ word: String) -> Bool {
            words.contains { $0.utf8.last == UInt8(ascii: "*") ? word.hasPrefix($0.dropLast()) : word == $0 }
        }
    }

    /// Two columns of dates of which the first is at or before the second.
    public struct Order: Sendable {
        public let first, second: String
        /// `true` if a source may state otherwise.
        public let isFromSource: Bool

        init(_ first: String, _ second: String, isFromSource: Bool = false) {
            self.first = first
            self.second = second
            self.isFromSource = isFromSource
        }
    }

    public let name: String
    /// In the order of the schema.
    public let columns: [Column]
    public let order: Order?

    init(_ name: String, _ columns: [Column], order: Order? = nil) {
        self.name = name
        self.columns = columns
        self.order = order
    }

    /// Returns the names of the columns, with commas between, without some.
    public func list(without left: Set<String> = []) -> String {
        columns.map(\.name).filter { !left.contains($0) }.joined(separator: ", ")
    }

    /// Returns a table of the schema or of an extension.
    public static func named(_ name: String) -> ArchiveTable {
        let all = [ofSchema, ofContextLog, ofCaptureFacts, ofHistory]
        guard let table = all.lazy.joined().first(where: { $0.name == name }) else {
            preconditionFailure("\(name) is no table of the specification")
        }
        return table
    }
}
