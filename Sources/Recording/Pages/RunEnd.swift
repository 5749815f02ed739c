/// The facts that a type run states when it ends.
public struct RunEnd: Sendable {
    /// The way in which a run ended.
    public enum Status: String, Sendable {
        case completed, failed, unauthorized
        case timedOut = "timed_out"
    }

    public var sampleType: [UInt8]
    public var status: Status
    public var anchorAfter: [UInt8]?
    /// The number of visible samples that the source states.
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
