internal import SQLite

/// Compares recomputed items with the recorded ones of an export, by row ids.
///
/// What was made is staged in a temporary table of the connection; the archive itself is not written. One external
/// sort of both sides.
public struct ItemComparison: ~Copyable {
    /// An item that is not alike on both sides. Row ids of the archive.
    public enum Difference: Sendable {
        /// It was made, and is not recorded.
        case unknown(sampleID: Int64, versionID: Int64?)
        /// It is recorded, and was not made.
        case absent(sampleID: Int64, versionID: Int64?)
        /// Both, with different item hashes.
        case hash(sampleID: Int64, versionID: Int64?, recorded: String, made: String)
    }

    private var insert: Statement

    /// Starts a comparison, inside a transaction.
    public init(_ archive: borrowing Archive) throws(ArchiveError) {
        try archive.connection.execute(
            "CREATE TEMP TABLE IF NOT EXISTS made_items(sample_id INTEGER, version_id "
                + "INTEGER, item_hash TEXT); DELETE FROM temp.made_items")
        insert = try archive.connection.prepare("INSERT INTO temp.made_items VALUES (?1, ?2, ?3)")
    }

    /// Adds an item. `hash` is the text of its item hash.
    public mutating func add(sampleID: Int64, versionID: Int64?, hash: Span<UInt8>) throws(ArchiveError) {
        insert.bind(1, sampleID)
        insert.bind(2, optional: versionID)
        insert.bind(3, text: hash)
        try insert.run()
    }

    /// Compares with a recorded export. Items with equal row ids are matched by their hashes first.
    public func differences(from record: ExportRecord, in archive: borrowing Archive, _ report: (Difference) -> Void)
        throws(ArchiveError)
    {
        var rows = try archive.connection.prepare(
            """
            SELECT sample_id, version_id, item_hash, 0 FROM temp.made_items UNION ALL \
            SELECT sample_id, version_id, item_hash, 1 FROM export_items WHERE export_manifest_id = \(record.id)
                ORDER BY 1, 2, 3, 4
            """)
        var key: (sample: Int64?, version: Int64?)?
        var made: [[UInt8]] = []
        var recorded: [[UInt8]] = []
        func end() {
            guard let key else { return }
            let sample = key.sample ?? 0
            for (mine, theirs) in zip(made, recorded) {
                report(
                    .hash(
                        sampleID: sample, versionID: key.version, recorded: String(decoding: theirs, as: UTF8.self),
                        made: String(decoding: mine, as: UTF8.self)))
            }
            for _ in made.dropFirst(recorded.count) { report(.unknown(sampleID: sample, versionID: key.version)) }
            for _ in recorded.dropFirst(made.count) { report(.absent(sampleID: sample, versionID: key.version)) }
        }
        while try rows.step() {
            let next = (sample: rows.exactInteger(0), version: rows.exactInteger(1))
            if key.map({ $0 != next }) ?? true {
                end()
                key = next
                made.removeAll(keepingCapacity: true)
                recorded.removeAll(keepingCapacity: true)
            }
            // Equal hashes stand next to each other, what was made first: a recorded one takes its twin away.
            let hash = rows.bytes(2)
            if rows.integer(3) == 0 {
                made.append(hash)
            } else if made.last == hash {
                made.removeLast()
            } else {
                recorded.append(hash)
            }
        }
        end()
    }
}
