public import Recording

/// What a capture is given, and what it gives back.
extension Capture {
    /// What a capture tells while it works, and what can stop it.
    public struct Hooks: Sendable {
        /// Told how many records are stored.
        public var progress: @Sendable (Int) -> Void
        /// Asked between two pages.
        public var shouldStop: @Sendable () -> Bool
        /// Unix seconds.
        public var now: @Sendable () -> Double
        /// Whether an observation that is dated in the future is captured.
        public var acceptsClock: Bool
        /// What is done only where somebody said so.
        public var guards = CaptureGuards()

        /// Hooks.
        public init(
            progress: @escaping @Sendable (Int) -> Void, shouldStop: @escaping @Sendable () -> Bool,
            acceptsClock: Bool = false,
            now: @escaping @Sendable () -> Double
        ) {
            self.progress = progress
            self.shouldStop = shouldStop
            self.acceptsClock = acceptsClock
            self.now = now
        }
    }

    /// What became of one observation.
    public struct Result: Sendable {
        public let observationID: Int64
        public let start: ObservationStart
        /// Its status; where it was compared, the one that it would have.
        public let status: String
        public let counts: CaptureCounts
        public let isNewChain: Bool
        /// Observations that were running and were ended for this one.
        public let endedBefore: [Int64]
        /// The observation of the same date that this one goes beyond.
        public let goesBeyond: Int64?
        /// Days of its aggregates that go by an offset, without a zone's name.
        public let daysByOffset: Int
    }

    /// A source of pages that makes up one observation.
    public struct Observation: Sendable {
        public var facts: ObservationFacts
        public var kind: SourceKind
        /// How types are asked for that no run is begun for.
        public var implicitMode: RunFacts.Mode?

        /// An observation.
        public init(facts: ObservationFacts, kind: SourceKind, implicitMode: RunFacts.Mode? = nil) {
            self.facts = facts
            self.kind = kind
            self.implicitMode = implicitMode
        }
    }
}
