/// Verification: what the bytes of a bundle or a report say of themselves, and what an archive says of them.
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
///     Report ◄─ ArchiveComparison: sums over items, over the recorded export and over the rows of the evidence
///
/// The reading side only: the writing modules are not used, and the tables of what stands in a line (`ShapeTables`)
/// are its own. What verification promises is in `Spec/verifier.md`.

/// How a bundle is verified.
public struct VerificationOptions: Sendable {
    /// Largest text of a frame, in bytes.
    public var frameLimit = 66 << 20
    /// Longest line, in bytes.
    public var lineLimit = 64 << 20
    /// Whether of an archive only what it recorded is looked at, and not its evidence.
    public var isRecordedOnly = false
    /// Findings that are listed; the others are counted.
    public var findingLimit = 1000
    /// Bytes that are read at a time where the container has no frames; tests put borders everywhere.
    var pieceSize = 1 << 20

    /// The usual options.
    public init() {}
}
