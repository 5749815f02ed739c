internal import Archive

/// Records of two observations that are the same thing: an inference from what they say (`Spec/pairs.md`).
public struct Pair: Sendable {
    /// The kind of a pair.
    public enum Kind: UInt8, Sendable {
        case ambiguous, condensedInto, expandedInto, reIdentified, regrouped

        /// As items spell it.
        public var name: String {
            switch self {
            case .ambiguous: "ambiguous"
            case .condensedInto: "condensed_into"
            case .expandedInto: "expanded_into"
            case .reIdentified: "re_identified"
            case .regrouped: "regrouped"
            }
        }
    }

    /// The outcome for the measure of the records.
    public enum Outcome: UInt8, Sendable {
        case changed, daysChanged, kept, notProvable, sourceChanged

        /// As items spell it.
        public var name: String {
            switch self {
            case .changed: "changed"
            case .daysChanged: "days_changed"
            case .kept: "kept"
            case .notProvable: "not_provable"
            case .sourceChanged: "source_changed"
            }
        }
    }

    /// The figures of each side's records.
    public struct Figures: Sendable {
        /// In the unit of the residual.
        public let before, after: Double
    }

    /// A record of a pair; texts in UTF-8, dates in Unix seconds.
    public struct Member: Sendable {
        public let start, end: Double
        public let value, duration: Double?
        public let category, activity: Int64?
        public let valueKind, unit: [UInt8]?
        public let identity, payload: [UInt8]
    }

    /// Index into the types of the context.
    public let type: Int
    public let kind: Kind
    /// The values that the records have in common, or the law that holds.
    public let rule: String
    /// The outcome for the measure; `nil` of an ambiguous pair.
    public let outcome: Outcome?
    /// The same whichever observation is compared with the other.
    public let key: [UInt8]
    /// `true` if other records have the same in common.
    public let isTied: Bool
    /// Keys of the pairs that share a record with an ambiguous one, sorted.
    public let ambiguousWith: [[UInt8]]
    public let residual: Double?
    /// The figures that a law compares, on both sides.
    public let figures: Figures?
    /// The unit of the residual.
    public let unit: [UInt8]?
    /// The source, of a container and its parts.
    public let bundle, product, nameHash: [UInt8]?
    /// In order.
    public let before, after: [Member]

    /// `true` if one record replaces one.
    public var isReIdentified: Bool { kind == .reIdentified }
    /// The earliest start and the latest end.
    public var start: Double { (before + after).map(\.start).min() ?? 0 }
    public var end: Double { (before + after).map(\.end).max() ?? 0 }
}

extension Pair.Member {
    init(_ record: PairRecord) {
        self.init(
            start: record.start, end: record.end, value: record.value, duration: record.duration,
            category: record.category, activity: record.activity, valueKind: record.valueKind, unit: record.unit,
            identity: record.identity, payload: record.payload)
    }
}
