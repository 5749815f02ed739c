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
