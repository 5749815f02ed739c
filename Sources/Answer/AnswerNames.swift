internal import Measures

/// The names of types, sources and measures in an answer: on the screen and on the page alike.
public struct AnswerNames: Sendable {
    /// Makes a text from outside safe to show within a sentence.
    public let stored: @Sendable (String) -> String
    /// Names of sources by the hash of their names.
    private let labels: [String: String]

    public init(labels: [String: String] = [:], stored: @escaping @Sendable (String) -> String) {
        (self.labels, self.stored) = (labels, stored)
    }

    /// Names a type as people do, in the middle of a sentence.
    public func type(_ identifier: String) -> String {
        guard !identifier.isEmpty else { return "types without a name" }
        guard let name = SampleTypeNames.name(of: identifier) else {
            return stored(SampleTypeNames.shortName(of: identifier) ?? identifier)
        }
        // An abbreviation, such as "VO2 max", stays.
        let first = name.prefix { $0 != " " }
        let isWord = first.dropFirst().allSatisfy { $0.isLowercase || $0 == "-" }
        return isWord && first.count > 1 ? first.lowercased() + name.dropFirst(first.count) : name
    }

    /// Names a type as people do, at the beginning of a sentence. An identifier stays as it is.
    public func title(_ identifier: String) -> String {
        if identifier.isEmpty { return Self.capitalized(type(identifier)) }
        return SampleTypeNames.name(of: identifier) ?? type(identifier)
    }

    /// Returns a text with its first letter as a capital.
    public static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    /// Returns `true` if a source has a label or a bundle identifier.
    func hasName(_ source: Answer.Source) -> Bool {
        source.bundle != nil || source.nameHash.map { labels[String(decoding: $0, as: UTF8.self)] != nil } ?? true
    }

    /// Names a source as people do: its label, else its bundle identifier, else the beginning of the hash of its name.
    public func source(_ source: Answer.Source) -> String {
        let hash = source.nameHash.map { String(decoding: $0, as: UTF8.self) }
        if let hash, let label = labels[hash] { return label }
        if let bundle = source.bundle { return stored(String(decoding: bundle, as: UTF8.self)) }
        return hash.map { "source " + stored(String($0.prefix(12))) } ?? "a source without a name"
    }

    /// Returns a product, as a source states it.
    func product(_ product: [UInt8]?) -> String { stored(String(decoding: product ?? [], as: UTF8.self)) }

    /// Returns a unit, as it is stored.
    func unit(_ unit: String) -> String { stored(unit) }

    /// Names a measure.
    static func measure(_ measure: String) -> String {
        switch measure {
        case "cumulative": "total"
        case "discrete": "mean"
        case "category", "workout": "duration"
        default: "number"
        }
    }

    /// Says what became of records that were replaced.
    static func outcome(_ pair: String, _ outcome: String?, _ measure: String) -> String {
        let measure = Self.measure(measure)
        switch (pair, outcome) {
        case ("ambiguous", _): return "which of them replaced which is not clear"
        case (_, "changed"): return "same time, another \(measure)"
        case (_, "days_changed"): return "same \(measure) over all, other \(measure)s of single days"
        case (_, "source_changed"): return "the same from another source"
        case (_, "not_provable"): return "same source and time; that the value is theirs cannot be proved"
        case ("re_identified", _): return "the same time and value under another identity"
        case ("condensed_into", _): return "same source, time and \(measure); the single values are gone"
        default: return "same source, time and \(measure)"
        }
    }

    /// Says what became of records that changed.
    static func change(_ label: String) -> String {
        switch label {
        case "aggregateChanged": "with other values or dates"
        case "consolidationLikely", "representationChanged": "with the same values and dates, in another form"
        default: "in another version"
        }
    }
}
