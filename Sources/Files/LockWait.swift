/// The time to wait for a locked file or database, and the condition that ends all waiting and long statements.
public struct LockWait: Sendable {
    /// Seconds.
    public var seconds: Double
    /// Asked while waiting and during long statements.
    public var shouldStop: @Sendable () -> Bool
    /// Told once, when a wait has lasted a second.
    public var onWait: @Sendable () -> Void

    /// A wait of a minute, unless said otherwise.
    public init(
        seconds: Double = 60, shouldStop: @escaping @Sendable () -> Bool = { false },
        onWait: @escaping @Sendable () -> Void = {}
    ) {
        self.seconds = seconds
        self.shouldStop = shouldStop
        self.onWait = onWait
    }
}
