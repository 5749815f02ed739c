internal import Archive
internal import Manifest
internal import SQLite

/// The links that wait, one after the other.
struct DistantLinks: ~Copyable {
    struct Link {
        let source: (type: Int64, identifier: [UInt8], uuidHash: Digest)
        let target: (type: Int64, identifier: [UInt8], uuidHash: Digest)
        let kind: [UInt8]
        let metadata: Int64?
    }

    private var rows: Statement

    static func open(_ connection: borrowing Connection) throws(ArchiveError) -> DistantLinks {
        DistantLinks(
            rows: try connection.prepare(
                """
                SELECT l.source_type, s.type_identifier, l.source_uuid, l.target_type, t.type_identifier,
                    l.target_uuid, l.kind, l.metadata_id FROM temp.distant_links l \
                JOIN sample_types s ON s.id = l.source_type JOIN sample_types t ON t.id = l.target_type ORDER BY l.id
                """))
    }

    mutating func next() throws(ArchiveError) -> Link? {
        guard try rows.step() else { return nil }
        let (source, target) = (rows.bytes(2), rows.bytes(5))
        guard let sourceHash = Digest(hex: source.span), let targetHash = Digest(hex: target.span) else {
            preconditionFailure("a link keeps digests")
        }
        return Link(
            source: (rows.integer(0) ?? 0, rows.bytes(1), sourceHash),
            target: (rows.integer(3) ?? 0, rows.bytes(4), targetHash), kind: rows.bytes(6), metadata: rows.integer(7))
    }
}
