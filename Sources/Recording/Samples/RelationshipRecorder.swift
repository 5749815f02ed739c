internal import Archive
internal import SQLite

/// Writes relationships: a row when a link is new, returns, or has other metadata; and a row when it ends.
///
///     temp.distant_links ──► links whose ends may still come, until the observation ends
///     temp.seen_links    ──► the newest rows of links that this observation saw
struct RelationshipRecorder: ~Copyable {
    private var insert: Statement
    private var find: Statement
    private var see: Statement
    private var keepLink: Statement
    private let observationID: Int64
    private let chainID: Int64

    static func open(_ connection: borrowing Connection, _ place: ObservationPlace) throws(ArchiveError)
        -> RelationshipRecorder
    {
        let (observationID, chainID) = (place.id, place.chainID)
        // What an observation that is resumed learned before stands; what is sent again is held against it.
        let stands = place.start == .resumed ? "r.observation_id IS \(observationID) OR " : ""
        try connection.execute(
            """
            DROP TABLE IF EXISTS temp.distant_links; DROP TABLE IF EXISTS temp.seen_links;
            CREATE TEMP TABLE distant_links(id INTEGER PRIMARY KEY, source_type INTEGER, source_uuid TEXT,
                target_type INTEGER, target_uuid TEXT, kind TEXT, metadata_id INTEGER);
            CREATE TEMP TABLE seen_links(id INTEGER PRIMARY KEY);
            """)
        return RelationshipRecorder(
            insert: try connection.prepare(
                """
                INSERT INTO sample_relationships(observation_id, source_sample_id, target_sample_id,
                    relationship_kind, metadata_id) VALUES (\(observationID), ?1, ?2, ?3, ?4) RETURNING id
                """),
            // A row without an observation, or of no known one, is of every chain.
            find: try connection.prepare(
                """
                SELECT r.id, r.metadata_id IS ?4, \(stands)EXISTS (SELECT 1 FROM temp.seen_links l WHERE l.id = r.id),
                    EXISTS (SELECT 1 FROM relationship_ends e WHERE e.source_sample_id = ?1 AND e.target_sample_id = ?2
                        AND e.relationship_kind = ?3 AND e.observation_id > r.observation_id)
                FROM sample_relationships r WHERE r.source_sample_id = ?1 AND r.relationship_kind = ?3
                    AND r.target_sample_id = ?2 AND coalesce((SELECT o.device_chain_id FROM observations o
                        WHERE o.id = r.observation_id), \(chainID)) = \(chainID)
                ORDER BY r.observation_id DESC, r.id DESC LIMIT 1
                """),
            see: try connection.prepare("INSERT OR IGNORE INTO temp.seen_links VALUES (?1)"),
            keepLink: try connection.prepare(
                "INSERT INTO temp.distant_links(source_type, source_uuid, "
                    + "target_type, target_uuid, kind, metadata_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"),
            observationID: observationID, chainID: chainID)
    }

    private init(
        insert: consuming Statement, find: consuming Statement, see: consuming Statement,
        keepLink: consuming Statement, observationID: Int64, chainID: Int64
    ) {
        self.insert = insert
        self.find = find
        self.see = see
        self.keepLink = keepLink
        self.observationID = observationID
        self.chainID = chainID
    }

    /// Adds a relationship; false where the newest row of it says the same. Of two in one observation that differ in
    /// their metadata, the first one stands.
    mutating func add(_ source: Int64, _ target: Int64, kind: [UInt8], metadata: Int64?) throws(ArchiveError) -> Bool {
        find.bind(1, source)
        find.bind(2, target)
        find.bind(3, text: kind.span)
        find.bind(4, optional: metadata)
        let isKnown = try find.step()
        let id = isKnown ? find.integer(0) : nil
        let isSame = isKnown && find.integer(3) == 0 && (find.integer(1) == 1 || find.integer(2) == 1)
        find.reset()
        if let id, isSame {
            see.bind(1, id)
            try see.run()
            return false
        }
        insert.bind(1, source)
        insert.bind(2, target)
        insert.bind(3, text: kind.span)
        insert.bind(4, optional: metadata)
        see.bind(1, try insert.insertedID())
        try see.run()
        return true
    }

    /// Ends the links that a full scan of both their types did not see, although it saw both samples; returns how
    /// many.
    func end(_ connection: borrowing Connection) throws(ArchiveError) -> Int {
        let (observation, chain) = (observationID, chainID)
        func isScanned(_ sample: String) -> String {
            """
            EXISTS (SELECT 1 FROM samples s JOIN observation_type_runs u ON u.sample_type_id = s.sample_type_id
                JOIN type_run_facts f ON f.type_run_id = u.id
                JOIN sample_visibility_ranges v ON v.sample_id = s.id AND v.last_observation_id IS NULL
                JOIN observations p ON p.id = v.first_observation_id AND p.device_chain_id = \(chain)
                WHERE s.id = \(sample) AND u.observation_id = \(observation) AND u.status = 'completed'
                AND f.mode = 'full_scan' AND NOT EXISTS (SELECT 1 FROM withheld_closures w
                    JOIN observations q ON q.id = w.first_observation_id AND q.device_chain_id = \(chain)
                    WHERE w.sample_id = s.id AND w.last_observation_id IS NULL))
            """
        }
        let same =
            "n.source_sample_id = r.source_sample_id AND n.target_sample_id = r.target_sample_id "
            + "AND n.relationship_kind = r.relationship_kind"
        try connection.execute(
            """
            INSERT INTO relationship_ends(observation_id, source_sample_id, target_sample_id, relationship_kind)
            SELECT \(observationID), r.source_sample_id, r.target_sample_id, r.relationship_kind
            FROM sample_relationships r JOIN observations o ON o.id = r.observation_id
            WHERE r.observation_id < \(observationID) AND o.device_chain_id = \(chainID)
                AND NOT EXISTS (SELECT 1 FROM temp.seen_links l WHERE l.id = r.id)
                AND NOT EXISTS (SELECT 1 FROM sample_relationships n JOIN observations q ON q.id = n.observation_id
                    AND q.device_chain_id = \(chainID) WHERE \(same)
                    AND (n.observation_id, n.id) > (r.observation_id, r.id))
                AND NOT EXISTS (SELECT 1 FROM relationship_ends n WHERE \(same)
                    AND n.observation_id > r.observation_id)
                AND \(isScanned("r.source_sample_id")) AND \(isScanned("r.target_sample_id")) ORDER BY r.id
            """)
        return connection.changes
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
