/// Verification: what the bytes of a bundle or a report say of themselves. `Matching` compares them with an archive.
///
///     bundle    FrameReader ────────────────┐ pieces
///     lines     LinesReader    ─ TextCutter ┤
///     envelope  EnvelopeReader ─ ByteFeed   ┤
///     table     TableReader ─ SidecarReader ┘
///                                           │
///     RawFrame ─► FrameDecompressor ────────┤
///     rows ─► RowReader ─► ItemRebuild ─────┴► lines ─► ShapeReader ─► ItemFacts ─► LineEvent
///                                                                             │    FrameVerifier, several at a time
///     LineSequence: header first, items in order, manifest last, what they add up to       one, in order
///                                                                             │
///     Report ◄────────────────────────────────────────────────────────────────────┴─► ItemSink: who compares them
///
/// The reading side only: the writing modules are not used. What stands in a line is told by the tables of `Format`.
/// What verification promises is in `Spec/verifier.md`.

/// The options of a verification.
public struct VerificationOptions: Sendable {
    /// Largest text of a frame, in bytes.
    public var frameLimit = 66 << 20
    /// Longest line, in bytes.
    public var lineLimit = 64 << 20
    /// Findings that are listed; the others are counted.
    public var findingLimit = 1000
    /// Bytes that are read at a time where the container has no frames; tests put borders everywhere.
    var pieceSize = 1 << 20

    /// The usual options.
    public init() {}
}
