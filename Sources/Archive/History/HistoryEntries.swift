internal import Manifest
internal import SQLite

/// The entries of a history, one after the other.
struct HistoryEntries: ~Copyable {
    /// An entry as it is stored, and what it states; `content` is `nil` if it does not have the form of an entry.
    struct Entry {
        let row: Int64
        let text: [UInt8]
        /// The hash of its text.
        let digest: Digest
        /// The stored link; `nil` if it is not one.
        let link: Digest?
        let content: HistoryPreimage?
    }

    private var rows: Statement
    private var hasher = ContentHasher()
    private var reader = HistoryEntryReader()

    /// - Parameter isDescending: whether the newest entry comes first.
    init(_ connection: borrowing Connection, isDescending: Bool = false) throws(ArchiveError) {
        rows = try connection.prepare(
            """
            SELECT sequence, observation_id, entry_json, link FROM history_links
            ORDER BY sequence \(isDescending ? "DESC" : "")
            """)
    }

    /// Returns the next entry; `nil` after the last.
    mutating func next() throws(ArchiveError) -> Entry? {
        guard try rows.step() else { return nil }
        // A table that lost its key may hold anything there: no entry has the sequence 0.
        let row = rows.exactInteger(0) ?? 0
        let (text, link) = (rows.bytes(2), rows.bytes(3))
        var content = rows.storageClass(2) == .text ? reader.content(of: text) : nil
        if let stated = content, stated.sequence != row || stated.observationID != rows.exactInteger(1) {
            content = nil
        }
        return Entry(
            row: row, text: text, digest: hasher.digest(of: text.span, in: .historyLink),
            link: rows.storageClass(3) == .text ? Digest(hex: link.span) : nil, content: content)
    }
}
