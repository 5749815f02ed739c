public import Timestamps

/// The facts that an observation states when it begins.
public struct ObservationFacts: Sendable {
    /// Unix seconds, whole microseconds.
    public var observedAt: Double
    public var triggerReason: [UInt8]
    public var appVersion: [UInt8]?
    public var operatingSystemVersion: [UInt8]?
    /// An IANA name, `Europe/Bucharest`.
    public var timeZoneIdentifier: [UInt8]?
    public var timeZoneSecondsFromGMT: Int64?
    /// The offsets from UTC, and when they changed; `nil` if the offset is always the same.
    public var zoneRules: TimeZoneRules?
    /// Type identifiers that the source was asked for; nil where it does not say.
    public var selectedTypes: [[UInt8]]?

    /// An observation; what is not given is absent.
    public init(observedAt: Double, triggerReason: [UInt8]) {
        self.observedAt = observedAt
        self.triggerReason = triggerReason
    }
}
