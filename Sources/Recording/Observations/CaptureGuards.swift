/// The changes that a capture makes to an archive only if somebody accepted them (`Spec/capture.md`, "Guards").
public struct CaptureGuards: Sendable {
    /// `true` if a device chain may begin beside one of the same kind of source.
    public var acceptsNewChain = false
    /// `true` if most of the visible records may be no longer visible.
    public var acceptsDisappearances = false
    /// `true` if the records may be another person's.
    public var acceptsPerson = false
    /// `true` if the backup may be another phone's.
    public var acceptsPhone = false

    /// Guards that nobody overrules.
    public init() {}
}

/// A guard that would have refused a capture, and was overruled.
public struct GuardOverride: Sendable {
    /// The option that overruled it, without its dashes.
    public let option: String
    /// The counts of the guard, by name.
    public let counts: [String: Int]

    /// An override.
    public init(option: String, counts: [String: Int] = [:]) {
        self.option = option
        self.counts = counts
    }
}
