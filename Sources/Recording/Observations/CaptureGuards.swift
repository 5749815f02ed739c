/// What a capture does to an archive only where somebody said so (`Spec/capture.md`, "Guards").
public struct CaptureGuards: Sendable {
    /// Whether a device chain may begin beside one of the same kind of source.
    public var acceptsNewChain = false
    /// Whether most of what is visible may be so no longer.
    public var acceptsDisappearances = false
    /// Whether the records may be another person's.
    public var acceptsPerson = false
    /// Whether the backup may be another phone's.
    public var acceptsPhone = false

    /// Guards that nobody overrules.
    public init() {}
}

/// A guard that would have refused a capture, and was overruled.
public struct GuardOverride: Sendable {
    /// The option that overruled it, without its dashes.
    public let option: String
    /// What the guard counted, by name.
    public let counts: [String: Int]

    /// An override.
    public init(option: String, counts: [String: Int] = [:]) {
        self.option = option
        self.counts = counts
    }
}
