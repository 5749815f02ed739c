/// The answer to "did I lose data?": what a comparison of two observations comes to, as plain values.
///
/// Every figure is a sum of windows and types of the comparison, so it equals those of `diff`. The text of `diff
/// --summary` is made of these values (`docs/what-changed.md`, `Spec/decisions/0048-…`).
public struct Answer: Sendable {
    /// The outcome for some records of one type.
    public enum Part: Hashable, Sendable {
        /// Records that are no longer visible, and in no pair.
        case gone
        /// Records that are no longer visible, in pairs of one kind and outcome, as `pair` items spell them.
        case replaced(pair: String, outcome: String?)
        /// Records that are visible in another version.
        case changed
    }

    /// A source as the answer tells sources apart: all versions and products of one name and bundle.
    public struct Source: Hashable, Sendable {
        public let bundle, nameHash: [UInt8]?

        public init(bundle: [UInt8]?, nameHash: [UInt8]?) { (self.bundle, self.nameHash) = (bundle, nameHash) }
    }

    /// Records of one type with one verdict, at most seven days apart, of sources that alternate: a week of a phone and
    /// a watch is one stretch, a week of one app and then a week of another one are two.
    public struct Stretch: Sendable {
        /// The place of the type in `types`.
        public let type: Int
        public let part: Part
        /// The label of its windows; `mixed` of changed records in windows with others.
        public let label: String
        public internal(set) var sources: Set<Source> = []
        /// Records before, and those after that replaced them.
        public var count = 0, became = 0
        /// Records that appeared in the windows of gone ones, at the same time.
        public var inPlace = 0
        /// Local days on which the records before begin, as days since 1970, with their records; while it is built.
        var days: [Int64: Int] = [:]
        /// The number of these local days, the first and the last; `nil` without dates.
        public var dayCount = 0
        public var span: ClosedRange<Int64>?
        /// The sum of the records before, in the unit of the type, if it is known of them alone.
        public var sum: Double?
        /// The part of the time of the records that two or more sources cover, from 0 to 1; `nil` if nobody looked.
        public var overlap: Double?
        /// `true` if these sources are phones and watches alone.
        public var isOverlapOfPhoneAndWatch = false
        /// `true` if a record of the type is visible at the later observation between the first and the last day; `nil`
        /// if nobody looked.
        public var hasOthersBetween: Bool?
        /// Records of the type around it; `nil` if nobody looked.
        public var chart: Chart?
        /// Moments, in Unix seconds; `nil` without dates.
        var start, end: Double?

        public init(type: Int, part: Part, label: String) { (self.type, self.part, self.label) = (type, part, label) }

        /// `true` if other records have the place of its records.
        var isReplaced: Bool { if case .replaced = part { true } else { false } }

        /// Returns the stretch with the days that its records begin on.
        func finished() -> Stretch {
            var stretch = self
            stretch.dayCount = days.count
            if let first = days.keys.min(), let last = days.keys.max() { stretch.span = first...last }
            return stretch
        }

        /// This stretch and another one of its kind.
        func joined(_ other: Stretch) -> Stretch {
            var both = self
            both.sources.formUnion(other.sources)
            both.count += other.count
            both.became += other.became
            both.inPlace += other.inPlace
            both.sum = sum.flatMap { one in other.sum.map { one + $0 } }
            both.days.merge(other.days, uniquingKeysWith: +)
            both.start = [start, other.start].compactMap { $0 }.min()
            both.end = [end, other.end].compactMap { $0 }.max()
            return both
        }
    }

    /// Records of a type around a stretch, at both observations.
    public struct Chart: Sendable {
        public struct Side: Sendable {
            public var count = 0
            /// A sum, a mean or hours, and of a mean its least and greatest value.
            public var value, low, high: Double?

            public init(count: Int = 0, value: Double? = nil, low: Double? = nil, high: Double? = nil) {
                (self.count, self.value, self.low, self.high) = (count, value, low, high)
            }
        }

        public struct Bar: Sendable {
            /// Its first local day.
            public let day: Int64
            public let before, after: Side

            public init(day: Int64, before: Side, after: Side) {
                (self.day, self.before, self.after) = (day, before, after)
            }
        }

        /// Bars of `barDays` days each, from 14 days before the stretch to 14 days after it.
        public let days: [Bar]
        public let barDays: Int
        /// Twelve months; the last one is after the stretch.
        public let months: [Bar]

        public init(days: [Bar], barDays: Int, months: [Bar]) {
            (self.days, self.barDays, self.months) = (days, barDays, months)
        }
    }

    /// All stretches of one kind: the largest by themselves, and what all come to.
    public struct Stretches: Sendable {
        /// By count, the largest first; at most `keptStretches`.
        public var largest: [Stretch] = []
        /// The number of all stretches, of their records before, and of those that replaced them.
        public var stretchCount = 0, count = 0, became = 0
        /// Records before of each type, by its place.
        public var types: [Int: Int] = [:]
        /// The number of all their local days, the first and the last; `nil` if one has no dates.
        public var dayCount = 0
        public var span: ClosedRange<Int64>?

        /// None.
        public init() {}

        /// The sum of stretches, which are sorted.
        init(_ stretches: [Stretch]) {
            largest = stretches.prefix(Answer.keptStretches).map { $0.finished() }
            stretchCount = stretches.count
            var days: Set<Int64> = []
            for stretch in stretches {
                count += stretch.count
                became += stretch.became
                types[stretch.type, default: 0] += stretch.count
                days.formUnion(stretch.days.keys)
            }
            dayCount = days.count
            if !stretches.contains(where: \.days.isEmpty), let first = days.min(), let last = days.max() {
                span = first...last
            }
        }

        public var isEmpty: Bool { stretchCount == 0 }
        /// The type with the most records; of equal ones the first.
        public var most: (type: Int, count: Int)? { Answer.most(types) }
    }

    /// Returns the largest count; of equal ones that of the first place.
    static func most(_ counts: [Int: Int]) -> (type: Int, count: Int)? {
        counts.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { ($0.key, $0.value) }
    }

    /// A type as a whole.
    public struct TypeFacts: Sendable {
        /// The identifier; empty for types without one.
        public let identifier: String
        /// As `Spec/measures.json` spells it.
        public let measure: String
        public let unit: String?
        public let before, after, appeared, disappeared, changed: Int
        /// Why it is not known what became of the type; empty if it is.
        public let reasons: [String]
        /// `true` if notes of a capture at both observations state that the type was read completely, beside the status
        /// of its queries.
        public let isNoted: Bool

        public init(
            identifier: String, measure: String, unit: String?, before: Int, after: Int, appeared: Int,
            disappeared: Int, changed: Int, reasons: [String], isNoted: Bool
        ) {
            (self.identifier, self.measure, self.unit) = (identifier, measure, unit)
            (self.before, self.after) = (before, after)
            (self.appeared, self.disappeared, self.changed) = (appeared, disappeared, changed)
            (self.reasons, self.isNoted) = (reasons, isNoted)
        }

        /// `true` if the earlier observation had not asked for the type and has no record of it. Nothing of the type
        /// can be missing, and nothing is stated about it.
        public var isFirstRead: Bool {
            before == 0 && disappeared == 0 && changed == 0 && reasons == ["from_never_queried"]
        }

        /// `true` if the outcome for its records is not known.
        public var isUnknown: Bool { !reasons.isEmpty && !isFirstRead }
    }

    /// A source that appeared, changed or went quiet.
    public struct SourceFact: Sendable {
        /// As the findings spell it.
        public enum Kind: String, Sendable {
            case new = "source_appeared", quiet = "source_quiet", product = "source_changed"
        }

        public let kind: Kind
        public let source: Source
        /// Of `product`.
        public let product: [UInt8]?
        /// Records before and after, of all types.
        public let before, after: Int
        /// The local day of its first record now, or of its last one.
        public let day: Int64?

        public init(kind: Kind, source: Source, product: [UInt8]?, before: Int, after: Int, day: Int64?) {
            (self.kind, self.source, self.product) = (kind, source, product)
            (self.before, self.after, self.day) = (before, after, day)
        }
    }

    /// Records of one type that an earlier comparison no longer had, and that are still not visible.
    public struct Earlier: Sendable {
        public let identifier: String
        /// The local day of the observation that no longer had them.
        public let since: Int64?
        /// `true` if they were in a pair then; `nil` if nobody looked.
        public let wasReplaced: Bool?
        public let count: Int
        /// The local days of the first and the last.
        public let span: ClosedRange<Int64>?

        public init(identifier: String, since: Int64?, wasReplaced: Bool?, count: Int, span: ClosedRange<Int64>?) {
            (self.identifier, self.since, self.wasReplaced) = (identifier, since, wasReplaced)
            (self.count, self.span) = (count, span)
        }
    }

    /// Stretches of one kind that are shown at once, and those that are kept; the others are counted.
    public static let (shownStretches, keptStretches) = (5, 12)

    /// The local days of the two observations; `nil` without a moment.
    public var fromDay, toDay: Int64?
    /// All types with a record or a run, by identifier.
    public var types: [TypeFacts] = []
    public var gone = Stretches(), replaced = Stretches(), changed = Stretches()
    /// Records that appeared and replaced nothing, of known types: how many, of which types, and on which days.
    public var newCount = 0
    public var newTypes: [Int: Int] = [:]
    public var newDays: ClosedRange<Int64>?
    /// Of these, records that begin more than seven days before the earlier observation.
    public var lateCount = 0
    public var lateTypes: [Int: Int] = [:]
    public var lateDays: ClosedRange<Int64>?
    /// Relationships between records.
    public var linksAppeared = 0, linksChanged = 0, linksDisappeared = 0
    /// Records of the later observation that were rejected; `nil` if the archive does not say.
    public var rejected: Int?
    public var sources: [SourceFact] = []
    /// Versions of apps and systems of known sources that no record had before.
    public var newVersions = 0
    /// The newest observation first.
    public var earlier: [Earlier] = []
    /// `true` if more ranges had ended than were looked at, so that there may be more earlier losses.
    public var isEarlierPartial = false

    /// No comparison.
    public init() {}

    /// Records of the earlier observation, of all types.
    public var before: Int { types.reduce(0) { $0 + $1.before } }
    /// Types of which it is not known what became of their records.
    public var unknown: [TypeFacts] { types.filter(\.isUnknown) }
    /// Types that were read completely both times.
    public var known: [TypeFacts] { types.filter { $0.reasons.isEmpty } }
    /// Known types of which only the status of their queries states that they were read completely.
    public var withoutNotes: [TypeFacts] { known.filter { !$0.isNoted } }
    /// Records of known types that are visible as before.
    public var unchangedCount: Int { known.reduce(0) { $0 + max(0, $1.before - $1.disappeared - $1.changed) } }
    public var unchangedTypes: Int { known.count { $0.before - $0.disappeared - $0.changed > 0 } }
    public var hasLinkChanges: Bool { linksAppeared + linksChanged + linksDisappeared > 0 }
    /// `true` if no record of a known type is gone, replaced or changed, and no link.
    public var isUnchanged: Bool {
        gone.isEmpty && replaced.isEmpty && changed.isEmpty && linksChanged + linksDisappeared == 0
    }
}
