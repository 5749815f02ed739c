/// The values that are needed to begin an observation.
public struct ObservationBeginning {
    public var facts: ObservationFacts
    /// 64 hex digits.
    public var deviceChainHash: [UInt8]
    /// `true` if the seed of the chain was there before.
    public var isSeedKnown: Bool
    /// SHA-256 of the selected types, 64 hex digits.
    public var selectedTypeSetHash: [UInt8]?
    /// The selected types as `selected_type_sets` has them: a canonical array.
    public var selectedTypesText: [UInt8]?
    /// The mode of types for which no run is begun; `nil` if each needs one.
    public var implicitMode: RunFacts.Mode?
    /// `true` if it may be dated before the newest observation of its chain: then its clock ran backwards.
    public var acceptsBackwards = false
    /// `true` if it may be dated in the future.
    public var acceptsClock = false
    /// `true` if all of the observation is one transaction, which `keep` ends.
    public var isWhole = false
    /// The changes that are made only if somebody accepted them.
    public var guards = CaptureGuards()
    /// The memory that the consecutive observations of a process share.
    public var memory = AggregateMemory()
    /// Unix seconds.
    public var now: Double
    /// The name of the tool in the context log.
    public var program: String

    /// `true` if its source is an iPhone backup.
    var isBackup: Bool { facts.triggerReason == Array("iphone_backup".utf8) }

    /// A beginning.
    public init(facts: ObservationFacts, deviceChainHash: [UInt8], isSeedKnown: Bool, program: String, now: Double) {
        self.facts = facts
        self.deviceChainHash = deviceChainHash
        self.isSeedKnown = isSeedKnown
        self.program = program
        self.now = now
    }
}
