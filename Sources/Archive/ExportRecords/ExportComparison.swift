internal import SQLite

/// Holds the items of a bundle against the recorded items of an export, in both directions.
///
/// The bundle's items are staged in a temporary table of the connection; the archive itself is not written. Two
/// external sorts and one merge: memory grows only with the items that share one type, identity and version hash.
public struct ExportComparison: ~Copyable {
    /// How an item is found on both sides: sample type, identity hash and version hash; empty where there is none.
    public struct Identity: Sendable {
        public let type, identity, payload: [UInt8]
    }

    /// An item that is not alike on both sides.
    public enum Difference: Sendable {
        /// The bundle has it, the record does not. The line of the bundle.
        case unknown(line: Int64?, Identity)
        /// The record has it, the bundle does not. Row ids of the archive.
        case absent(sampleID: Int64, versionID: Int64?, Identity)
        /// Both have it, with different item hashes.
        case hash(line: Int64?, recorded: String, found: String, Identity)
    }

    private var insert: Statement

    /// Starts a comparison.
    public init(_ archive: borrowing Archive) throws(ArchiveError) {
        try archive.connection.execute(
            "CREATE TEMP TABLE IF NOT EXISTS bundle_items(sample_type BLOB, identity "
                + "BLOB, payload BLOB, hash BLOB, line INTEGER); DELETE FROM temp.bundle_items; BEGIN")
        insert = try archive.connection.prepare("INSERT INTO temp.bundle_items VALUES (?1, ?2, ?3, ?4, ?5)")
    }

    /// Adds an item of the bundle; what is absent is nil.
    public mutating func add(type: [UInt8]?, identity: [UInt8]?, payload: [UInt8]?, hash: [UInt8], line: Int64?)
        throws(ArchiveError)
    {
        try insert.run([
            .bytes(type ?? []), .bytes(identity ?? []), .bytes(payload ?? []), .bytes(hash), Parameter(line),
        ])
    }

    /// Compares with a recorded export.
    ///
    /// - Parameter ignoringRepeats: whether the same item more than once is one.
    public func differences(
        from record: ExportRecord, in archive: borrowing Archive, ignoringRepeats: Bool = false,
        _ report: (Difference) -> Void
    ) throws(ArchiveError) {
        var staged = try archive.connection.prepare(
            "SELECT sample_type, identity, payload, hash, \(ignoringRepeats ? "min(line)" : "line") "
                + "FROM temp.bundle_items \(ignoringRepeats ? "GROUP BY 1, 2, 3, 4" : "") ORDER BY 1, 2, 3, 4")
        var recorded = try archive.connection.prepare(
            """
            SELECT hp_text(t.type_identifier), hp_text(s.sample_uuid_hash, s.strict_fingerprint),
                hp_text(v.payload_hash), hp_text(i.item_hash), i.sample_id, i.version_id \
            FROM export_items i LEFT JOIN samples s ON s.id = i.sample_id LEFT JOIN sample_types t
                ON t.id = s.sample_type_id LEFT JOIN sample_versions v ON v.id = i.version_id \
            WHERE i.export_manifest_id = \(record.id) ORDER BY 1, 2, 3, 4
            """)
        var ours = try Self.group(&staged, after: nil)
        var theirs = try Self.group(&recorded, after: nil)
        while ours != nil || theirs != nil {
            let order = Self.compare(ours?.key, theirs?.key)
            if order <= 0, order >= 0 { Self.compare(ours!, theirs!, report) }
            if order < 0 { for entry in ours!.entries { report(.unknown(line: entry.first, ours!.identity)) } }
            if order > 0 {
                for entry in theirs!.entries {
                    report(.absent(sampleID: entry.first ?? 0, versionID: entry.second, theirs!.identity))
                }
            }
            if order <= 0 { ours = try Self.group(&staged, after: ours) }
            if order >= 0 { theirs = try Self.group(&recorded, after: theirs) }
        }
        try archive.connection.commit()
    }

    private struct Entry {
        let hash: [UInt8]
        let first, second: Int64?
    }

    /// Rows with the same type, identity and version hash: nearly always one.
    private struct Group {
        let key: [[UInt8]]
        var entries: [Entry]
        /// The first row of the next group.
        var next: (key: [[UInt8]], entry: Entry)?

        var identity: Identity { Identity(type: key[0], identity: key[1], payload: key[2]) }
    }

    private static func group(_ rows: inout Statement, after last: Group?) throws(ArchiveError) -> Group? {
        var first = last?.next
        if last == nil { first = try row(&rows) }
        guard let first else { return nil }
        var group = Group(key: first.key, entries: [first.entry])
        while let next = try row(&rows) {
            guard next.key == group.key else {
                group.next = next
                break
            }
            group.entries.append(next.entry)
        }
        return group
    }

    private static func row(_ rows: inout Statement) throws(ArchiveError) -> (key: [[UInt8]], entry: Entry)? {
        guard try rows.step() else { return nil }
        return (
            [rows.bytes(0), rows.bytes(1), rows.bytes(2)],
            Entry(hash: rows.bytes(3), first: rows.integer(4), second: rows.columnCount > 5 ? rows.integer(5) : nil)
        )
    }

    /// The end of a side sorts last.
    private static func compare(_ left: [[UInt8]]?, _ right: [[UInt8]]?) -> Int {
        guard let left else { return 1 }
        guard let right else { return -1 }
        for (left, right) in zip(left, right) where left != right {
            return left.lexicographicallyPrecedes(right) ? -1 : 1
        }
        return 0
    }

    private static func compare(_ ours: Group, _ theirs: Group, _ report: (Difference) -> Void) {
        var left = ours.entries, right = theirs.entries
        for entry in ours.entries {
            if let match = right.firstIndex(where: { $0.hash == entry.hash }),
                let own = left.firstIndex(where: { $0.hash == entry.hash })
            {
                right.remove(at: match)
                left.remove(at: own)
            }
        }
        for (one, other) in zip(left, right) {
            report(
                .hash(
                    line: one.first, recorded: String(decoding: other.hash, as: UTF8.self),
                    found: String(decoding: one.hash, as: UTF8.self), ours.identity))
        }
        for entry in left.dropFirst(right.count) { report(.unknown(line: entry.first, ours.identity)) }
        for entry in right.dropFirst(left.count) {
            report(.absent(sampleID: entry.first ?? 0, versionID: entry.second, theirs.identity))
        }
    }
}
