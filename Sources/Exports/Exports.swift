/// Exports: how rows of an archive become items, items become a bundle or a report, and that becomes a recorded file.
///
///     RowBatch ─► ItemWriter ─► canonical item ─► ChunkBuilder: Packing ─► piece of the container, hashes, tally
///     Comparison, ChangeFinding ─► Document ──┘                             │
///     Export: one task reads and records, the others build pieces; they leave in order
///                                                                            │
///     Publication: temporary file ─► rows and intent, one transaction ─► final name
///
/// The writing side only: nothing here reads an export. `Verification` does, and shares no code with this module.
public enum Generator {
    /// The name in `export.generator`.
    public static let name = "hp-export"
    /// The version in `export.generator`, and of the tools.
    public static let version = "0.1.0"
}
