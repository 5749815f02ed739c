internal import Archive
internal import Files
internal import SQLite

/// Takes the newest observation of an archive back, in the caller's transaction (`Spec/undo.md`).
///
///     its own rows      events, links, runs, summaries, buckets, facts        are removed
///     ranges            that it opened are removed, that it closed are open again
///     what it learned   samples, versions, and what only they name            is removed
///     what it ended     an observation that was cut off                       is running again
///
/// An older observation that was gone on with after this one may name samples and versions that this one was the
/// first to see: they stay, and were first seen by the oldest that names them.
struct Withdrawal {
    private let id, chainID: Int64
    private let observedAt: Double
    /// An observation that the beginning of this one ended.
    let reopened: Int64?
    /// `export_manifests.id` of the exports that go with it.
    private let exports: [Int64]

    static func open(_ id: Int64, exports: [Int64], _ connection: borrowing Connection) throws(ArchiveError)
        -> Withdrawal
    {
        var row = try connection.prepare("SELECT device_chain_id, observed_at FROM observations WHERE id = \(id)")
        guard try row.step(), let chainID = row.exactInteger(0) else {
            throw ArchiveError(.evidence, "\(connection.path.display): observation \(id) has no device chain")
        }
        // It was ended in the transaction in which this one began, and by the same clock.
        let reopened = try connection.integer(
            """
            SELECT b.id FROM observations b JOIN observations n ON n.id = \(id) AND b.ended_at = n.started_at \
            WHERE b.status = 'partial_interrupted' AND b.id = (SELECT max(id) FROM observations
                WHERE id < \(id) AND device_chain_id = \(chainID))
            """)
        return Withdrawal(
            id: id, chainID: chainID, observedAt: row.real(1) ?? 0, reopened: reopened, exports: exports)
    }

    /// Removes everything that the observation brought, and the records of exports that name it. The archive has the
    /// capture facts.
    func run(now: Double, _ history: HistoryWithdrawal, _ connection: borrowing Connection) throws(ArchiveError)
        -> UndoReport.Counts
    {
        var counts = UndoReport.Counts()
        counts.reopened = reopened
        try removeExports(connection)
        try restoreRanges("sample_visibility_ranges", also: ", last_seen_at = NULL", connection)
        for table in ["rejected_records", "withheld_closures", "source_documents"] {
            try restoreRanges(table, connection)
        }
        counts.events = try remove("sample_observation_events", connection)
        counts.relationships = try remove("sample_relationships", connection)
        let others = [
            "relationship_ends", "unknown_elements", "observation_facts", "observation_type_summaries",
            "daily_type_aggregates",
        ]
        for table in others { _ = try remove(table, connection) }
        try connection.execute(
            "DELETE FROM type_run_facts WHERE type_run_id IN (SELECT id FROM observation_type_runs "
                + "WHERE observation_id = \(id))")
        _ = try remove("observation_type_runs", connection)
        (counts.samples, counts.versions) = try removeSamples(connection)
        try removeUnreferenced(history, connection)
        try restoreTypes(connection)
        if let reopened { try reopen(reopened, connection) }
        var note = try connection.prepare(
            "INSERT INTO withdrawn_observations(observation_id, observed_at, withdrawn_at) VALUES (?1, ?2, ?3)")
        try note.run([.integer(id), .real(observedAt), .real(now)], storing: 1)
        try connection.execute(
            """
            DELETE FROM observations WHERE id = \(id);
            DELETE FROM selected_type_sets WHERE selected_type_set_hash NOT IN
                (SELECT selected_type_set_hash FROM observations WHERE selected_type_set_hash IS NOT NULL)
            """)
        var chain = try connection.prepare(
            "DELETE FROM device_chains WHERE id = \(chainID) AND NOT EXISTS "
                + "(SELECT 1 FROM observations WHERE device_chain_id = \(chainID))")
        try chain.run()
        counts.hasRemovedChain = connection.changes > 0
        return counts
    }

    // MARK: Its own rows

    private func remove(_ table: String, _ connection: borrowing Connection) throws(ArchiveError) -> Int {
        var delete = try connection.prepare("DELETE FROM \(table) WHERE observation_id = \(id)")
        try delete.run()
        return connection.changes
    }

    private func removeExports(_ connection: borrowing Connection) throws(ArchiveError) {
        let list = exports.map(String.init).joined(separator: ",")
        try connection.execute(
            """
            DELETE FROM export_items WHERE export_manifest_id IN (\(list));
            DELETE FROM export_manifests WHERE id IN (\(list))
            """)
    }

    /// Ranges that the observation opened never were, and those that it closed are open.
    private func restoreRanges(_ table: String, also: String = "", _ connection: borrowing Connection)
        throws(ArchiveError)
    {
        try connection.execute(
            """
            DELETE FROM \(table) WHERE first_observation_id = \(id);
            UPDATE \(table) SET last_observation_id = NULL\(also) WHERE last_observation_id = \(id)
            """)
    }

    // MARK: What it learned

    private func removeSamples(_ connection: borrowing Connection) throws(ArchiveError) -> (samples: Int, versions: Int)
    {
        try connection.execute(
            """
            DROP TABLE IF EXISTS temp.withdrawn;
            CREATE TEMP TABLE withdrawn(id INTEGER PRIMARY KEY);
            INSERT INTO temp.withdrawn SELECT v.id FROM sample_versions v WHERE v.created_observation_id = \(id) \
            AND NOT EXISTS (SELECT 1 FROM sample_observation_events e
                WHERE e.sample_id = v.sample_id AND e.version_id = v.id);
            DELETE FROM sample_versions WHERE id IN (SELECT id FROM temp.withdrawn)
            """)
        let versions = connection.changes
        let events = "FROM sample_observation_events e WHERE e.sample_id = "
        try connection.execute(
            """
            UPDATE sample_versions SET created_observation_id = (SELECT min(e.observation_id)
                \(events) sample_versions.sample_id AND e.version_id = sample_versions.id) \
            WHERE created_observation_id = \(id);
            DELETE FROM temp.withdrawn;
            INSERT INTO temp.withdrawn SELECT s.id FROM samples s WHERE s.first_seen_observation_id = \(id) \
            AND NOT EXISTS (SELECT 1 \(events) s.id) \
            AND NOT EXISTS (SELECT 1 FROM sample_relationships r WHERE r.source_sample_id = s.id) \
            AND NOT EXISTS (SELECT 1 FROM sample_relationships r WHERE r.target_sample_id = s.id)
            """)
        var index = SemanticIndex(known: try connection.integer("SELECT max(id) FROM samples") ?? 0)
        let samples = connection.changes
        try index.note(changed: samples, connection)
        try SampleRemoval.run(count: samples, connection)
        // It is sorted in as much memory as the cache may have.
        try connection.execute("PRAGMA cache_size = -5000")
        try index.restore(connection)
        try connection.execute(
            """
            DROP TABLE temp.withdrawn;
            UPDATE samples SET first_seen_observation_id = o.id, first_seen_at = o.observed_at FROM observations o
            WHERE first_seen_observation_id = \(id) AND o.id = (SELECT min(named) FROM
                (SELECT e.observation_id AS named \(events) samples.id UNION ALL
                 SELECT r.observation_id FROM sample_relationships r WHERE r.source_sample_id = samples.id UNION ALL
                 SELECT r.observation_id FROM sample_relationships r WHERE r.target_sample_id = samples.id))
            """)
        return (samples, versions)
    }

    /// Removes what nothing names any more: a record that is gone must not be told by its source or its metadata.
    /// What an entry of the history covers that stays is not touched.
    private func removeUnreferenced(_ history: HistoryWithdrawal, _ connection: borrowing Connection)
        throws(ArchiveError)
    {
        func rows(_ table: String) -> String {
            "\(table) WHERE \(history.floor(of: table).map { "id > \($0) AND " } ?? "")id"
        }
        func names(_ column: String, of tables: String...) -> String {
            tables.map { "SELECT \(column) FROM \($0) WHERE \(column) IS NOT NULL" }.joined(separator: " UNION ALL ")
        }
        let revisions = names("source_revision_id", of: "sample_versions", "daily_type_aggregates")
        let metadata = names("metadata_id", of: "sample_versions", "sample_relationships")
        try connection.execute(
            """
            DELETE FROM \(rows("source_revisions")) NOT IN (\(revisions));
            DELETE FROM \(rows("sources")) NOT IN (\(names("source_id", of: "source_revisions")));
            DELETE FROM \(rows("hk_devices")) NOT IN (\(names("hk_device_id", of: "sample_versions")));
            DELETE FROM \(rows("metadata_blobs")) NOT IN (\(metadata))
            """)
    }

    /// Sample types are without the names that the observation stated, and those that it brought are gone.
    private func restoreTypes(_ connection: borrowing Connection) throws(ArchiveError) {
        let origin = "FROM sample_type_origins g WHERE g.observation_id = \(id) AND g.sample_type_id = sample_types.id"
        let tables = [
            "samples", "observation_type_runs", "observation_type_summaries", "daily_type_aggregates",
            "rejected_records",
        ]
        let isNamed = tables.map {
            "EXISTS (SELECT 1 FROM \($0) r WHERE r.sample_type_id = sample_types.id)"
        }.joined(separator: " OR ")
        try connection.execute(
            """
            UPDATE sample_types SET display_name = NULL
                WHERE EXISTS (SELECT 1 \(origin) AND g.display_name IS NOT NULL);
            UPDATE sample_types SET category = NULL WHERE EXISTS (SELECT 1 \(origin) AND g.category IS NOT NULL);
            DROP TABLE IF EXISTS temp.withdrawn_types;
            CREATE TEMP TABLE withdrawn_types AS SELECT id FROM sample_types
                WHERE EXISTS (SELECT 1 \(origin) AND g.is_new = 1) AND NOT (\(isNamed));
            DELETE FROM sample_type_origins WHERE observation_id = \(id)
                OR sample_type_id IN (SELECT id FROM temp.withdrawn_types);
            DELETE FROM sample_types WHERE id IN (SELECT id FROM temp.withdrawn_types);
            DROP TABLE temp.withdrawn_types
            """)
    }

    // MARK: What it ended

    /// The observation that was cut off may be gone on with, as before this one began.
    private func reopen(_ other: Int64, _ connection: borrowing Connection) throws(ArchiveError) {
        try connection.execute(
            """
            DELETE FROM observation_type_summaries WHERE observation_id = \(other);
            DELETE FROM daily_type_aggregates WHERE observation_id = \(other);
            UPDATE observation_type_runs SET status = 'started', error_kind = NULL
                WHERE observation_id = \(other) AND status = 'failed' AND error_kind = 'not_ended';
            UPDATE observation_type_runs SET inserted_event_count = 0, deleted_event_count = 0,
                verified_visible_count = NULL WHERE observation_id = \(other);
            UPDATE type_run_facts SET state = 'unknown', last_verified_observation_id = NULL, discontinuity = NULL
                WHERE type_run_id IN (SELECT id FROM observation_type_runs WHERE observation_id = \(other));
            UPDATE observations SET status = 'running', ended_at = NULL WHERE id = \(other)
            """)
    }
}
