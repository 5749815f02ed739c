internal import Archive
internal import SQLite

/// Remembers rejected records, and which closures they withhold (`Spec/capture.md`, "Rejected records").
///
///     temp.rejected ──► of the observation, by the hash of what was read
///     temp.gone     ──► what a full scan did not see, before it is closed
///     temp.withheld ──► of that, what a rejected record could be
///     temp.stored_rejections, temp.stored_withheld ──► what was noted of what was sent before, as it was
struct RejectionRecorder: ~Copyable {
    private let observationID: Int64
    private let chainID: Int64
    private var insert: Statement
    /// `true` if a record was rejected in this observation.
    private(set) var hasAny = false
    /// `true` if the archive remembers earlier rejected records or withheld closures.
    private let hasMemory: Bool

    /// Opens it. The notes of an observation that is resumed are undone: all of it is sent again.
    static func open(_ connection: borrowing Connection, _ place: ObservationPlace) throws(ArchiveError)
        -> RejectionRecorder
    {
        let (observationID, chainID) = (place.id, place.chainID)
        try connection.execute(
            """
            DROP TABLE IF EXISTS temp.rejected; DROP TABLE IF EXISTS temp.withheld;
            CREATE TEMP TABLE rejected(content_hash TEXT PRIMARY KEY, sample_type_id INTEGER, start_date REAL,
                reason TEXT, place TEXT, record_count INTEGER);
            CREATE INDEX temp.rejected_places ON rejected(sample_type_id, start_date);
            CREATE TEMP TABLE withheld(range_id INTEGER PRIMARY KEY, sample_id INTEGER, sample_type_id INTEGER);
            DROP TABLE IF EXISTS temp.stored_rejections; DROP TABLE IF EXISTS temp.stored_withheld;
            CREATE TEMP TABLE stored_rejections AS SELECT sample_type_id, content_hash, record_count
                FROM rejected_records WHERE first_observation_id IN \(place.captured) AND last_observation_id IS NULL;
            CREATE TEMP TABLE stored_withheld AS SELECT sample_id FROM withheld_closures
                WHERE first_observation_id IN \(place.captured) AND last_observation_id IS NULL;
            """)
        if place.start == .resumed {
            try connection.execute("DELETE FROM relationship_ends WHERE observation_id = \(observationID)")
            for table in ["rejected_records", "withheld_closures"] {
                try connection.execute(
                    """
                    DELETE FROM \(table) WHERE first_observation_id = \(observationID);
                    UPDATE \(table) SET last_observation_id = NULL WHERE last_observation_id = \(observationID);
                    """)
            }
        }
        let hasMemory =
            try connection.integer(
                "SELECT EXISTS (SELECT 1 FROM rejected_records) OR EXISTS (SELECT 1 FROM withheld_closures)") == 1
        return RejectionRecorder(
            observationID: observationID, chainID: chainID,
            insert: try connection.prepare(
                """
                INSERT INTO temp.rejected VALUES (?1, ?2, ?3, ?4, ?5, 1) \
                ON CONFLICT(content_hash) DO UPDATE SET record_count = record_count + 1
                """), hasMemory: hasMemory)
    }

    private init(observationID: Int64, chainID: Int64, insert: consuming Statement, hasMemory: Bool) {
        self.observationID = observationID
        self.chainID = chainID
        self.insert = insert
        self.hasMemory = hasMemory
    }

    /// Notes a record that cannot be stored, in the caller's transaction.
    ///
    /// - Parameter type: nil where the type cannot be read.
    mutating func note(_ rejection: CapturePage.Rejection, type: Int64?) throws(ArchiveError) {
        hasAny = true
        insert.bind(1, hex: rejection.contentHash)
        insert.bind(2, optional: type)
        insert.bind(3, rejection.startDate)
        insert.bind(4, text: rejection.reason.utf8Span.span)
        // The name of a file says when it was made, or more.
        let place = rejection.place.hasPrefix("file ") ? "file" : rejection.place
        insert.bind(5, text: place.utf8Span.span)
        try insert.run()
    }

    /// Moves those samples in `temp.gone` that a rejected record could be to `temp.withheld`. All are moved except
    /// those that the archive knew to be another record when the sample was seen last.
    func withhold(_ connection: borrowing Connection) throws(ArchiveError) {
        try connection.execute("DELETE FROM temp.withheld")
        guard hasAny else { return }
        let couldBe = ["= g.sample_type_id", "IS NULL"].flatMap { type in
            ["= v.start_date", "IS NULL"].map { start in
                """
                EXISTS (SELECT 1 FROM temp.rejected r WHERE r.sample_type_id \(type) AND r.start_date \(start)
                    AND NOT EXISTS (SELECT 1 FROM rejected_records k WHERE k.device_chain_id = \(chainID)
                        AND k.content_hash = r.content_hash AND k.last_observation_id IS NULL
                        AND k.record_count >= r.record_count AND k.first_observation_id <= \(Self.lastSeen(chainID,
                            observationID))))
                """
            }
        }
        try connection.execute(
            """
            INSERT INTO temp.withheld SELECT g.range_id, g.sample_id, g.sample_type_id FROM temp.gone g
                LEFT JOIN sample_versions v ON v.id = g.version_id WHERE \(couldBe.joined(separator: " OR "));
            DELETE FROM temp.gone WHERE range_id IN (SELECT range_id FROM temp.withheld);
            """)
    }

    /// Returns the observation that saw a missing sample `g` last. It is the last full scan before the one that missed
    /// it first, or the beginning of its range if that is later.
    private static func lastSeen(_ chainID: Int64, _ observationID: Int64) -> String {
        """
        max((SELECT first_observation_id FROM sample_visibility_ranges WHERE rowid = g.range_id), coalesce((
            SELECT u.observation_id FROM observation_type_runs u JOIN observations o ON o.id = u.observation_id
                JOIN type_run_facts f ON f.type_run_id = u.id
            WHERE u.sample_type_id = g.sample_type_id AND o.device_chain_id = \(chainID) AND u.status = 'completed'
                AND f.mode = 'full_scan' AND u.observation_id < coalesce((SELECT w.first_observation_id
                    FROM withheld_closures w JOIN observations p ON p.id = w.first_observation_id
                    WHERE w.sample_id = g.sample_id AND w.last_observation_id IS NULL
                        AND p.device_chain_id = \(chainID)), \(observationID))
            ORDER BY u.observation_id DESC LIMIT 1), 0))
        """
    }

    /// Writes what is remembered of the types whose runs end, in the caller's transaction, after closures were made.
    ///
    /// - Parameters:
    ///   - scanned: those that a full scan read to the end.
    ///   - all: whether the source was read to its end, so that rejected records without a type are all known.
    func remember(_ types: [Int64], scanned: [Int64], all: Bool, _ connection: borrowing Connection)
        throws(ArchiveError)
    {
        guard hasAny || hasMemory else { return }
        let list = { (ids: [Int64]) in ids.map(String.init).joined(separator: ",") }
        let ofTypes = "(r.sample_type_id IN (\(list(types))) OR r.sample_type_id IS NULL)"
        let isScanned = "(k.sample_type_id IN (\(list(scanned)))\(all ? " OR k.sample_type_id IS NULL" : ""))"
        let open = "k.device_chain_id = \(chainID) AND k.last_observation_id IS NULL"
        let same = "r.content_hash = k.content_hash"
        // One more is another record; one less says so only where all were read.
        try connection.execute(
            """
            UPDATE rejected_records AS k SET last_observation_id = \(observationID) WHERE \(open)
                AND (\(isScanned) AND NOT EXISTS (SELECT 1 FROM temp.rejected r
                    WHERE \(same) AND r.record_count = k.record_count)
                OR EXISTS (SELECT 1 FROM temp.rejected r
                    WHERE \(same) AND \(ofTypes) AND r.record_count > k.record_count));
            DELETE FROM rejected_records WHERE last_observation_id = first_observation_id;
            INSERT INTO rejected_records(device_chain_id, sample_type_id, content_hash, record_count, reason, place,
                start_date, first_observation_id)
            SELECT \(chainID), r.sample_type_id, r.content_hash, r.record_count, r.reason, r.place, r.start_date,
                \(observationID) FROM temp.rejected r WHERE \(ofTypes) AND NOT EXISTS (
                    SELECT 1 FROM rejected_records k WHERE \(open) AND \(same)) ORDER BY r.rowid;
            """)
        try rememberWithheld(types, connection)
    }

    private func rememberWithheld(_ types: [Int64], _ connection: borrowing Connection) throws(ArchiveError) {
        let ofChain = "(SELECT id FROM observations WHERE device_chain_id = \(chainID))"
        let list = types.map(String.init).joined(separator: ",")
        try connection.execute(
            """
            UPDATE withheld_closures AS w SET last_observation_id = \(observationID)
            WHERE w.last_observation_id IS NULL AND w.first_observation_id IN \(ofChain)
                AND (\(SeenSamples.isSeen("w.sample_id"))
                    OR NOT EXISTS (SELECT 1 FROM sample_visibility_ranges r WHERE r.sample_id = w.sample_id
                        AND r.last_observation_id IS NULL AND r.first_observation_id IN \(ofChain)));
            INSERT INTO withheld_closures(sample_id, first_observation_id)
            SELECT h.sample_id, \(observationID) FROM temp.withheld h WHERE NOT EXISTS (
                SELECT 1 FROM withheld_closures w WHERE w.sample_id = h.sample_id AND w.last_observation_id IS NULL
                    AND w.first_observation_id IN \(ofChain)) ORDER BY h.range_id;
            UPDATE type_run_facts SET withheld_count = (SELECT count(*) FROM temp.withheld h
                JOIN observation_type_runs u ON u.id = type_run_facts.type_run_id
                WHERE h.sample_type_id = u.sample_type_id)
            WHERE type_run_id IN (SELECT id FROM observation_type_runs WHERE observation_id = \(observationID)
                AND sample_type_id IN (\(list)));
            """)
    }
}
