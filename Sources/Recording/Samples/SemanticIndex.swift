internal import Archive
internal import SQLite

/// The index of semantic fingerprints. A transaction that adds or removes very many samples puts it aside.
///
/// Neither capture nor undo reads it, and each hash changes another page of it. Where these are more than the cache
/// holds, a page is written, and read again for its next hash. Beside so many samples it costs less to make the index
/// anew. Other processes see the index all the time; it is away within the transaction only.
struct SemanticIndex {
    private static let name = "idx_samples_type_semantic"
    /// An index of fewer samples stays in the cache.
    static let leastKnown: Int64 = 500_000
    /// By how many times there may be more known samples than changed ones. An entry that is sorted anew costs about an
    /// eighth of one at a random place: so many were written before, at most, for nothing.
    private static let factor: Int64 = 8

    /// The number of samples that were there before.
    private let known: Int64
    private var isAside = false

    init(known: Int64) { self.known = known }

    /// Puts the index aside if enough samples are new, or are to be removed, and it is the one of the schema.
    mutating func note(changed: Int, _ connection: borrowing Connection) throws(ArchiveError) {
        guard !isAside, known >= Self.leastKnown, Int64(changed) >= known / Self.factor else { return }
        let stored = try connection.text("SELECT sql FROM main.sqlite_schema WHERE name = '\(Self.name)'")
        guard let stored, stored == Self.statement else { return }
        try connection.execute("DROP INDEX main.\(Self.name)")
        isAside = true
    }

    /// Makes the index again if it was put aside.
    mutating func restore(_ connection: borrowing Connection) throws(ArchiveError) {
        guard isAside else { return }
        try connection.execute(Self.statement)
        isAside = false
    }

    /// The statement of the schema, as SQLite stores it.
    private static let statement = String(
        SchemaText.statements.first { $0.contains(name) }!.drop { $0.isWhitespace })
}
