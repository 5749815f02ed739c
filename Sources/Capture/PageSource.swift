public import Recording

/// A source of an observation's pages. An actor, so that the next page is made while the last one is stored.
public protocol PageSource: Actor {
    /// Returns the next page; `nil` after the last.
    func next() async throws(CaptureError) -> CapturePage?
}

/// One step of a capture feed (`Spec/capture-feed.md`), in the order of the feed.
public enum CaptureStep: Sendable {
    case beginObservation(ObservationFacts)
    case beginRun(RunFacts)
    /// A page, with its number in the observation and the SHA-256 of its lines in hex.
    case page(CapturePage, number: Int, digest: [UInt8])
    case endRun(RunEnd)
    case endObservation(SourceEnd)
}

/// A source of a feed's steps.
public protocol StepSource: Actor {
    /// Returns the next step; `nil` at the end of the feed, which may be early.
    func next() throws(CaptureError) -> CaptureStep?
}
