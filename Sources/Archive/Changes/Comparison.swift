/// How a type, or one window of its changes, looks before and after (`Spec/changes.md`, Comparison).
public struct Comparison: Sendable {
    /// What is compared.
    public enum Subject: Sendable {
        case allTypes(labels: [Label: Int])
        /// A whole type: how many windows have which label.
        case type(labels: [Label: Int])
        /// A stretch of time, in Unix seconds; without one, the changes that have no dates.
        case window(start: Double?, end: Double?, Evidence, Label, reasons: [Reason])
    }

    /// Index into the types of the context; nil for all types, and for types without an identifier.
    public let type: Int?
    public let subject: Subject
    public var before, after: Side
    public var appeared, disappeared, representationChanged: Int
    /// Sorted; empty for all types.
    public let sources: [SourceCount]

    /// What the records of one side come to.
    public struct Side: Sendable {
        public var recordCount = 0
        public var valueCount = 0
        /// Sum and maximum, where the values have one unit or none.
        public var sum, maximum: Double?
        /// The unit, in UTF-8, where all values have the same.
        public var unit: [UInt8]?
        /// Unix seconds.
        public var earliestStart, latestEnd: Double?
        public var intervalSeconds, meanIntervalSeconds, recordsPerHour: Double?
    }

    /// The records of one source revision.
    public struct SourceCount: Sendable {
        public let source: SourceRevision
        public var before = 0
        public var after = 0
    }

    /// What a label is given for.
    public struct Evidence: Sendable {
        /// Of the windows of coverage, how much both sides have.
        public let coverageOverlap: Double?
        public let recordCountDelta: Int
        public let areSourcesCompatible: Bool
        public let sumDelta: Double?
    }

    /// What the evidence of a window looks like. No cause is claimed.
    public enum Label: String, CaseIterable, Sendable {
        case aggregateChanged, appeared, consolidationLikely, disappeared, representationChanged, uncertain
    }

    /// Why a label is `uncertain`.
    public enum Reason: String, Sendable {
        case datesMissing = "dates_missing", fromNeverQueried = "from_never_queried", fromRunNotCompleted =
            "from_run_not_completed", fromStateUnknown = "from_state_unknown", toNeverQueried = "to_never_queried"
        case toRunNotCompleted = "to_run_not_completed", toStateUnknown = "to_state_unknown", unitsDiffer =
            "units_differ", valuesIncomplete =
            "values_incomplete", valuesMissing = "values_missing"
    }
}

/// A source revision by what it says; texts in UTF-8, absent where there is none or it has no canonical form.
public struct SourceRevision: Hashable, Sendable {
    public var bundleIdentifier, operatingSystemVersion, productType, version: [UInt8]?

    /// In the order of the four, by bytes, absent first.
    static func precedes(_ left: SourceRevision, _ right: SourceRevision) -> Bool {
        for path in [\SourceRevision.bundleIdentifier, \.operatingSystemVersion, \.productType, \.version] {
            let (one, other) = (left[keyPath: path], right[keyPath: path])
            guard one != other else { continue }
            guard let one, let other else { return one == nil }
            return one.lexicographicallyPrecedes(other)
        }
        return false
    }
}
