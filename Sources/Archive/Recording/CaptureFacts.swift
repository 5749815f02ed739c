/// What an observation says of itself when it begins.
public struct ObservationFacts: Sendable {
    /// Unix seconds, whole microseconds.
    public var observedAt: Double
    public var triggerReason: [UInt8]
    public var appVersion: [UInt8]?
    public var operatingSystemVersion: [UInt8]?
    /// An IANA name, `Europe/Bucharest`.
    public var timeZoneIdentifier: [UInt8]?
    public var timeZoneSecondsFromGMT: Int64?
    /// Type identifiers that the source was asked for; nil where it does not say.
    public var selectedTypes: [[UInt8]]?

    /// An observation; what is not given is absent.
    public init(observedAt: Double, triggerReason: [UInt8]) {
        self.observedAt = observedAt
        self.triggerReason = triggerReason
    }
}

/// What a type run says of itself when it begins.
public struct RunFacts: Sendable {
    /// How a type is asked for.
    public enum Mode: String, Sendable {
        /// What changed since an anchor.
        case anchored = "anchored_query"
        /// Everything that is visible.
        case fullScan = "full_scan"
    }

    /// Why a run has no usable anchor.
    public enum AnchorProblem: String, Sendable {
        case missing = "anchor_missing"
        case corrupt = "anchor_corrupt"
        case rejected = "anchor_rejected"
    }

    public var sampleType: [UInt8]
    /// Such as `quantity`; stored with the type when that is new.
    public var category: [UInt8]?
    public var displayName: [UInt8]?
    public var mode: Mode
    public var anchorBefore: [UInt8]?
    public var anchorProblem: AnchorProblem?

    /// A run of a type.
    public init(sampleType: [UInt8], mode: Mode) {
        self.sampleType = sampleType
        self.mode = mode
    }
}

/// What a type run says of itself when it ends.
public struct RunEnd: Sendable {
    /// How a run ended.
    public enum Status: String, Sendable {
        case completed, failed, unauthorized
        case timedOut = "timed_out"
    }

    public var sampleType: [UInt8]
    public var status: Status
    public var anchorAfter: [UInt8]?
    /// How many samples the source says are visible.
    public var verifiedVisibleCount: Int64?
    public var errorKind: [UInt8]?
    /// HMAC of the source's message, 64 hex digits.
    public var errorMessageHash: [UInt8]?

    /// An end.
    public init(sampleType: [UInt8], status: Status) {
        self.sampleType = sampleType
        self.status = status
    }
}

/// How the source of an observation ended.
public enum SourceEnd: String, Sendable {
    /// It was read to its end.
    case complete
    /// It ended early.
    case truncated
    /// It could not be read to its end.
    case malformed
    /// It says that its capture failed.
    case failed
    /// It was stopped, by itself or by the user.
    case cancelled
}
