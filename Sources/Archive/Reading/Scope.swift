/// The evidence that an export is about (`Spec/README.md`, scope).
public struct Scope: Sendable, Equatable {
    /// One point in time, or everything up to it.
    public enum Mode: String, Sendable {
        /// The evidence that was visible at the observation.
        case pointInTime = "point_in_time"
        /// All samples, versions, events and ranges that were known at the observation.
        case history
        /// The differences between another observation and this one.
        case changes
    }

    /// The mode.
    public let mode: Mode
    /// The observation, by row id.
    public let observationID: Int64
    /// The part of it that is selected.
    public let filter: Filter
    /// The observation that `observationID` is compared with; in `changes` and nowhere else.
    public let fromObservationID: Int64?
    /// The changes that are selected, in the order of their names; `nil` selects all.
    public let changes: [ChangeSelection]?
    /// The labels whose changes are selected, in the order of their names; nil selects all.
    public let labels: [WindowLabel]?
    /// `true` if a history has only its versions, without their samples: a table of versions is made of them.
    public let isOfVersions: Bool

    /// A scope of one observation.
    ///
    /// - Parameter isOfVersions: in `history` alone.
    public init(mode: Mode, observationID: Int64, filter: Filter = Filter(), isOfVersions: Bool = false) {
        precondition(mode != .changes, "changes are between two observations")
        precondition(mode == .history || !isOfVersions, "a point in time has records")
        precondition(mode == .pointInTime || !filter.isWithRelated, "links are followed at a point in time")
        self.mode = mode
        self.observationID = observationID
        self.filter = filter
        self.isOfVersions = isOfVersions
        fromObservationID = nil
        changes = nil
        labels = nil
    }

    /// The changes from one observation to another; `to` may be the older one.
    public init(
        changesFrom from: Int64, to observationID: Int64, kinds: [ChangeSelection]? = nil,
        labels: [WindowLabel]? = nil, filter: Filter = Filter()
    ) {
        mode = .changes
        isOfVersions = false
        self.observationID = observationID
        self.filter = filter
        fromObservationID = from
        changes = kinds.map { kinds in ChangeSelection.allCases.filter { kinds.contains($0) } }
        self.labels = labels.map { labels in WindowLabel.allCases.filter { labels.contains($0) } }
    }
}

/// The kind of a difference between two observations of a sample (`Spec/changes.md`), in the order of the names.
public enum ChangeKind: String, CaseIterable, Sendable {
    case appeared, disappeared
    case representationChanged = "representation_changed"
}

/// The changes that a change set has, in the order of the names: a kind, or those that are in a pair of this kind.
public enum ChangeSelection: String, CaseIterable, Sendable {
    case appeared, disappeared
    case reIdentified = "re_identified"
    case relationshipAppeared = "relationship_appeared"
    case relationshipChanged = "relationship_changed"
    case relationshipDisappeared = "relationship_disappeared"
    case representationChanged = "representation_changed"

    /// The kind that is selected as a whole; nil where the pair decides, and for relationships.
    package var kind: ChangeKind? { ChangeKind(rawValue: rawValue) }
}

/// The look of a window's evidence (`Spec/labels.md`). No cause is claimed.
public enum WindowLabel: String, CaseIterable, Sendable {
    case aggregateChanged, appeared, consolidationLikely, disappeared, replacedNotProvable, representationChanged
    case uncertain
}

/// The selected part of a scope. Everything that is absent selects all.
public struct Filter: Sendable, Equatable {
    /// Type identifiers, sorted by UTF-8 bytes, each once.
    public let sampleTypes: [String]?
    /// `true` if `since` and `until` select items that have any part between them; `false` if they select those that
    /// start there.
    public let isOverlapping: Bool
    /// `true` if samples are also selected that the others are linked to, over any number of links; only at a point in
    /// time.
    public let isWithRelated: Bool
    /// Earliest `start_date`, inclusive, Unix seconds.
    public let since: Double?
    /// Hashes of names of sources, sorted, each once.
    public let sourceNames: [String]?
    /// Bundle identifiers of sources, sorted by UTF-8 bytes, each once.
    public let sources: [String]?
    /// Latest `start_date`, exclusive, Unix seconds.
    public let until: Double?

    /// Creates a filter; lists are sorted and repetitions removed.
    ///
    /// - Parameter isOverlapping: needs `since` or `until`.
    public init(
        sampleTypes: [String]? = nil, since: Double? = nil, sources: [String]? = nil, until: Double? = nil,
        isOverlapping: Bool = false, sourceNames: [String]? = nil, isWithRelated: Bool = false
    ) {
        precondition(!isOverlapping || since != nil || until != nil, "nothing overlaps without dates")
        self.sampleTypes = sampleTypes.map(Self.sorted)
        self.isOverlapping = isOverlapping
        self.isWithRelated = isWithRelated
        self.since = since
        self.sourceNames = sourceNames.map(Self.sorted)
        self.sources = sources.map(Self.sorted)
        self.until = until
    }

    /// `true` if versions are filtered by their own values, so that a sample without a version is never selected.
    package var isByVersion: Bool { since != nil || until != nil || sources != nil || sourceNames != nil }

    /// Compares by bytes, because `String` compares by canonical equivalence.
    public static func == (left: Filter, right: Filter) -> Bool {
        func isSame(_ left: [String]?, _ right: [String]?) -> Bool {
            guard let left, let right else { return left == nil && right == nil }
            return left.elementsEqual(right) { $0.utf8.elementsEqual($1.utf8) }
        }
        return isSame(left.sampleTypes, right.sampleTypes) && isSame(left.sources, right.sources)
            && isSame(left.sourceNames, right.sourceNames) && left.since == right.since && left.until == right.until
            && left.isOverlapping == right.isOverlapping
            && left.isWithRelated == right.isWithRelated
    }

    /// Sorts by bytes, as evidence does; `String` sorts and compares by canonical equivalence.
    private static func sorted(_ texts: [String]) -> [String] {
        let sorted = texts.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        var unique: [[UInt8]] = []
        for text in sorted where unique.last != text { unique.append(text) }
        return unique.map { String(decoding: $0, as: UTF8.self) }
    }
}
