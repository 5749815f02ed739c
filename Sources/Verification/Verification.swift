/// Verification: what a bundle's bytes say of themselves, and what an archive says of them.
///
///     RawFrame ─► FrameDecompressor ─► lines ─► ShapeReader ─► ItemFacts ─► LineEvent      FrameVerifier, several side by side
///                                                                             │
///     LineSequence: header first, items in order, manifest last, what they add up to       one, in order
///                                                                             │
///     Report ◄─ ArchiveComparison: the recorded export
///
/// The reading side only: the writing modules are not used, and the tables of what stands in a line (`ShapeTables`) are its own. What verification promises is in `Spec/bundle.md` and
/// `Spec/verification-consequences.md`.

/// How a bundle is verified.
public struct VerificationOptions: Sendable {
    /// Largest text of a frame, in bytes.
    public var frameLimit = 66 << 20
    /// Longest line, in bytes.
    public var lineLimit = 64 << 20
    /// Findings that are listed; the others are counted.
    public var findingLimit = 1000

    /// The usual options.
    public init() {}
}
