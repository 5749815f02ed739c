internal import Archive
internal import SQLite

/// Writes relationships: append-only, one row for each pair of samples and kind.
///
/// A link whose ends may still come waits in a temporary table until the observation ends.
struct RelationshipRecorder: ~Copyable {
    private var insert: Statement
    private var keepLink: Statement

    static func open(_ connection: borrowing Connection, observationID: Int64) throws(ArchiveError)
        -> RelationshipRecorder
    {
        try connection.execute(
            """
            DROP TABLE IF EXISTS temp.distant_links;
            CREATE TEMP TABLE distant_links(id INTEGER PRIMARY KEY, source_type INTEGER, source_uuid TEXT,
                target_type INTEGER, target_uuid TEXT, kind TEXT, metadata_id INTEGER);
            """)
        return RelationshipRecorder(
            insert: try connection.prepare(
                """
                INSERT INTO sample_relationships(observation_id, source_sample_id, target_sample_id,
                    relationship_kind, metadata_id) SELECT \(observationID), ?1, ?2, ?3, ?4 \
                WHERE NOT EXISTS (SELECT 1 FROM sample_relationships WHERE source_sample_id = ?1
                    AND relationship_kind = ?3 AND target_sample_id = ?2) RETURNING 1
                """),
            keepLink: try connection.prepare(
                "INSERT INTO temp.distant_links(source_type, source_uuid, "
                    + "target_type, target_uuid, kind, metadata_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"))
    }

    /// Adds a relationship; false where it is known.
    mutating func add(_ source: Int64, _ target: Int64, kind: [UInt8], metadata: Int64?) throws(ArchiveError) -> Bool {
        insert.bind(1, source)
        insert.bind(2, target)
        insert.bind(3, text: kind.span)
        insert.bind(4, optional: metadata)
        return try insert.firstInteger() != nil
    }

    /// Keeps a link until `DistantLinks` are resolved.
    mutating func keep(_ link: CapturePage.DistantLink, of page: borrowing CapturePage, _ rows: RowIDs)
        throws(ArchiveError)
    {
        keepLink.bind(1, rows.types[link.source.type])
        keepLink.bind(2, hex: link.source.uuidHash)
        keepLink.bind(3, rows.types[link.target.type])
        keepLink.bind(4, hex: link.target.uuidHash)
        keepLink.bind(5, text: page.texts[link.kind])
        keepLink.bind(6, optional: link.metadata >= 0 ? rows.metadata[link.metadata] : nil)
        try keepLink.run()
    }
}
