public import Archive

/// Where the pages of an observation come from. An actor, so that the next page is made while the last one is stored.
public protocol PageSource: Actor {
    /// The next page; nil after the last.
    func next() throws(CaptureError) -> CapturePage?
}
