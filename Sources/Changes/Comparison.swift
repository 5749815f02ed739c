public import Archive

/// A type, or one window of its changes, before and after (`Spec/changes.md`, Comparison).
public struct Comparison: Sendable {
    /// The subject that is compared.
    public enum Subject: Sendable {
        case allTypes(labels: [WindowLabel: Int])
        /// A whole type: how many windows have which label, and what is known of it.
        case type(labels: [WindowLabel: Int], standing: Standing, reasons: [Reason])
        /// A stretch of time.
        case window(Window)
    }

    /// A stretch of time in which records of a type changed.
    public struct Window: Sendable {
        /// Unix seconds; without them, the changes that have no dates.
        public let start, end: Double?
        /// `true` if a bound lies inside; `nil` without dates.
        public let crossesBound: Bool?
        public let evidence: Evidence
        public let label: WindowLabel
        public let reasons: [Reason]
        public let signatures: Signatures?
        public let lookAlikes: [LookAlike]
    }

    /// Index into the types of the context; nil for all types, and for types without an identifier.
    public let type: Int?
    /// The kind of the type's values, and the method that makes them one, in the words of `Spec/measures.json`.
    public let measure, method: String
    public let subject: Subject
    public var before, after: Side
    public var appeared, disappeared, representationChanged: Int
    /// The pairs of the records that disappeared and appeared.
    public internal(set) var replacements = Replacements()
    /// Of a window, where it is asked for: the local days on which its records begin.
    public internal(set) var days = Days()
    /// Of a whole type, or all: relationships that changed.
    public internal(set) var links = LinkCounts()
    /// Sorted; empty for all types.
    public let sources: [SourceCount]
    /// Of all types, where it is asked for: the newest observations of the chain.
    public internal(set) var observations: [ObservationPoint] = []
    /// Of a whole type, where it is asked for: what became of its query at each of these.
    public internal(set) var statuses: [String] = []
    /// Of all types, where it is asked for: what the context log says of the observations of the chain.
    public internal(set) var context: [ContextEntry] = []
    /// Of all types, where it is asked for and the archive knows it: records that were rejected, and records that
    /// stayed visible since they could be one of these.
    public internal(set) var rejected: Int?
    public internal(set) var withheld: Int?
    /// Of a whole type, where it is asked for: its pairs by kind, as items spell it.
    public internal(set) var pairs: [String: Int] = [:]
    /// Of a whole type, where it is asked for: the first records that are no longer visible or changed.
    public internal(set) var examples: [Example] = []
    /// Of a whole type, where it is asked for: the months in which the sides are not the same.
    public internal(set) var strip: [StripMonth] = []
    /// Of a whole type, where it is asked for and something changed: all its months.
    var months: [StripMonth] = []
    /// When records of a whole type changed; nil where nobody asked, or where there is no room for it.
    public internal(set) var calendar: (bucketDays: Int, buckets: [ChangeCalendar.Bucket])?

    /// An observation, and how many records were visible at it.
    public struct ObservationPoint: Sendable {
        public let id: Int64
        /// Unix seconds.
        public let observedAt: Double?
        public let status: String?
        public let recordCount: Int
    }

    /// An entry of the context log.
    public struct ContextEntry: Sendable {
        /// Unix seconds.
        public let loggedAt: Double
        public let kind: String
        public let observationID: Int64
    }

    /// A record that is no longer visible or changed, as it was before.
    public struct Example: Sendable {
        /// `true` if the record is still visible, in another version.
        public let isChanged: Bool
        /// Unix seconds; of the version after, where there is one.
        public let start, end, startAfter, endAfter: Double?
        /// An amount in the canonical unit of the type, a category value or an activity; nil where there is none.
        public let valueBefore, valueAfter: Double?
    }

    /// A month of a type.
    public struct StripMonth: Sendable {
        /// Months of a type at most.
        public static let limit = 36
        /// Unix seconds.
        public let start: Double
        public let beforeCount: Int
        /// A sum or a mean in the canonical unit of the type, or hours; nil without values.
        public let before: Double?
        public let afterCount: Int
        public let after: Double?
        /// The least and the greatest value of a mean.
        let rangeBefore, rangeAfter: ClosedRange<Double>?
    }

    /// The figures of one side's records. Amounts are in the canonical unit of the type.
    public struct Side: Sendable {
        public var recordCount = 0
        public var valueCount = 0
        /// Values that cannot be brought into the canonical unit.
        public var otherUnitCount = 0
        /// Of a cumulative type.
        public var sum: Double?
        public var maximum: Double?
        /// Of a discrete type.
        public var mean, minimum: Double?
        /// The canonical unit, where there are values.
        public var unit: String?
        /// Of category values and activities, by value.
        public var parts: [Part] = []
        /// Those without a category value or an activity; nil if there are none.
        var unstated: Part?
        /// Unix seconds.
        public var earliestStart, latestEnd: Double?
        public var intervalSeconds, meanIntervalSeconds, recordsPerHour: Double?
    }

    /// The records of one category value, or of one activity.
    public struct Part: Sendable {
        public let value: Int64
        public let recordCount: Int
        /// nil where the sum is beyond the doubles.
        public let seconds: Double?
        /// In metres and in kilocalories, of workouts that state them; nil where none does.
        public var distance, energy: Stated?
    }

    /// A statement that some of the records make.
    public struct Stated: Sendable {
        /// The number of records.
        public let count: Int
        /// nil where the sum is beyond the doubles.
        public let sum: Double?
    }

    /// The records of one source revision.
    public struct SourceCount: Sendable {
        public let source: SourceRevision
        public var before = 0
        public var after = 0
        /// When its records begin: the latest one before, and the earliest and the latest after. Unix seconds.
        public internal(set) var latestBefore, earliestAfter, latestAfter: Double?
    }

    /// The evidence for a label.
    public struct Evidence: Sendable {
        public var recordCountDelta = 0
        /// The difference of the measure, and `true` if it is within tolerance; `nil` if it cannot be compared.
        public var measureDelta: Double?
        public var isMeasureKept: Bool?
        /// `true` if the least and the greatest value of a discrete measure are the same before and after.
        public var arePeaksKept: Bool?
        public var areSourcesCompatible = false
        public var isMetadataCompatible = false
        /// Nil without dates.
        public var coverage: Coverage?
        /// The span in which the type is visible at the observation, in Unix seconds.
        public var visibleStart, visibleEnd: Double?
    }

    /// The time that the records of a window cover. An instant has no length, and is counted apart.
    public struct Coverage: Sendable {
        /// Nil where a sum is beyond the doubles.
        public let secondsBefore, secondsAfter, commonSeconds: Double?
        public let instantsBefore, instantsWithin: Int

        /// The share of the time before that is covered after.
        public var overlap: Double? {
            guard let secondsBefore, let commonSeconds, secondsBefore > 0 else { return nil }
            return commonSeconds / secondsBefore
        }

        /// The share of the instants before that is covered after.
        public var instantOverlap: Double? {
            instantsBefore > 0 ? Double(instantsWithin) / Double(instantsBefore) : nil
        }
    }

    /// The state of a whole type, as far as it is known.
    public enum Standing: String, Sendable {
        case changed
        /// Nothing changed, and a run verified that, or continued what one had verified, or says nothing of it.
        case verified, continued, unchanged
        /// Nothing that is seen changed, and what is seen need not be all.
        case unknown
    }

    /// Why a label or a standing is `uncertain` or `unknown`.
    public enum Reason: String, Sendable {
        case datesMissing = "dates_missing"
        case fromNeverQueried = "from_never_queried"
        case fromRunNotCompleted = "from_run_not_completed"
        case fromStateUnknown = "from_state_unknown"
        case pairsAmbiguous = "pairs_ambiguous"
        case rejectedRecordsDiffer = "rejected_records_differ"
        case sourcesDiffer = "sources_differ"
        case toNeverQueried = "to_never_queried"
        case toRunNotCompleted = "to_run_not_completed"
        case toStateUnknown = "to_state_unknown"
        case unitsDiffer = "units_differ"
        case valuesIncomplete = "values_incomplete"
        case valuesMissing = "values_missing"
    }

    /// The signs that Apple documents of condensed samples: `true` if one holds; `nil` if it cannot be looked at.
    public struct Signatures: Sendable {
        public var isCondensedAgain: Bool?
        public var isEqualRate, isEqualValue: Bool?
        public var isInsideWorkout: Bool?
        public var isOld: Bool?
        public var isShort = false
    }

    /// The changes that look like a loss and are none, in the order of the names.
    public enum LookAlike: String, CaseIterable, Sendable {
        case dailyReplacement = "daily_replacement"
        case narrowedPermission = "narrowed_permission"
        case truncatedExport = "truncated_export"
        case watchWeek = "watch_week"
    }
}

/// A source revision by what it says; texts in UTF-8, absent where there is none or it has no canonical form.
public struct SourceRevision: Hashable, Sendable {
    public var bundleIdentifier, operatingSystemVersion, productType, sourceNameHash, version: [UInt8]?

    /// Returns `true` if one revision comes before another: in the order of the five, by bytes, absent first.
    static func precedes(_ left: SourceRevision, _ right: SourceRevision) -> Bool {
        for path in [
            \SourceRevision.bundleIdentifier, \.operatingSystemVersion, \.productType, \.sourceNameHash, \.version,
        ] {
            let (one, other) = (left[keyPath: path], right[keyPath: path])
            guard one != other else { continue }
            guard let one, let other else { return one == nil }
            return one.lexicographicallyPrecedes(other)
        }
        return false
    }

    /// Returns `true` if records of the other one can be of this app: the same app, and no other product.
    func isCompatible(with other: SourceRevision) -> Bool {
        let isSameApp =
            bundleIdentifier == other.bundleIdentifier
            && (bundleIdentifier != nil || sourceNameHash == other.sourceNameHash)
        return isSameApp && (productType == nil || other.productType == nil || productType == other.productType)
    }
}
