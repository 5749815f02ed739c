/// What is needed to begin an observation.
public struct ObservationBeginning {
    public var facts: ObservationFacts
    /// 64 hex digits.
    public var deviceChainHash: [UInt8]
    /// Whether the seed of the chain was there before.
    public var isSeedKnown: Bool
    /// SHA-256 of the selected types, 64 hex digits.
    public var selectedTypeSetHash: [UInt8]?
    /// The selected types as `selected_type_sets` has them: a canonical array.
    public var selectedTypesText: [UInt8]?
    /// How types are asked for that no run is begun for; nil where each needs one.
    public var implicitMode: RunFacts.Mode?
    /// Whether it may be dated before the newest observation of its chain: then its clock ran backwards.
    public var acceptsBackwards = false
    /// Whether it may be dated in the future.
    public var acceptsClock = false
    /// Whether all of the observation is one transaction, which `keep` ends.
    public var isWhole = false
    /// What is done only where somebody said so.
    public var guards = CaptureGuards()
    /// What the observations of a process that follow each other tell each other.
    public var memory = AggregateMemory()
    /// Unix seconds.
    public var now: Double
    /// What the context log calls the tool.
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
