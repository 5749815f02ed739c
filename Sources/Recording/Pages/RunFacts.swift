/// The facts that a type run states when it begins.
public struct RunFacts: Sendable {
    /// The mode in which a type is asked for.
    public enum Mode: String, Sendable {
        /// The changes since an anchor.
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
