internal import Archive
internal import Files
internal import SQLite

/// Takes the newest observation of an archive back, in the caller's transaction (`Spec/undo.md`).
///
///     its own rows      events, links, runs, summaries, buckets, facts        are removed
///     ranges            that it opened are removed, that it closed are open again
///     what it learned   samples, versions, and what only they name            is removed
///
/// An observation that the beginning of this one ended stays ended: it has its entry in the history. No older
/// observation names a sample or a version that this one was the first to see, or nothing is removed.
struct Withdrawal {
    private let id, chainID: Int64
    private let observedAt: Double
    /// `export_manifests.id` of the exports that go with it.
    private let exports: [Int64]

    static func open(_ id: Int64, exports: [Int64], _ connection: borrowing Connection) throws(ArchiveError)
        -> Withdrawal
    {
        var row = try connection.prepare("SELECT device_chain_id, observed_at FROM observations WHERE id = \(id)")
        guard try row.step(), let chainID = row.exactInteger(0) else {
            throw ArchiveError(.evidence, "\(connection.path.display): observation \(id) has no device chain")
        }
        return Withdrawal(id: id, chainID: chainID, observedAt: row.real(1) ?? 0, exports: exports)
    }

    /// Removes everything that the observation brought, and the records of exports that name it. The archive has the
    /// capture facts.
    func run(now: Double, _ history: HistoryWithdrawal, _ connection: borrowing Connection) throws(ArchiveError)
        -> UndoReport.Counts
    {
        var counts = UndoReport.Counts()
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
        try restoreTypes(history, connection)
        var note = try connection.prepare(
            "INSERT INTO withdrawn_observations(observation_id, observed_at, withdrawn_at) VALUES (?1, ?2, ?3)")
        try note.run([.integer(id), .real(observedAt), .real(now)], storing: 1)
        try connection.execute(
            """
            DELETE FROM observations WHERE id = \(id);
            DELETE FROM selected_type_sets WHERE selected_type_set_hash NOT IN
                (SELECT selected_type_set_hash FROM observations WHERE selected_type_set_hash IS NOT NULL);
            DELETE FROM zone_rules WHERE zone_rules_hash NOT IN
                (SELECT zone_rules_hash FROM observation_facts WHERE zone_rules_hash IS NOT NULL)
            """)
        var chain = try connection.prepare(
            "DELETE FROM device_chains WHERE id = \(chainID)\(Self.beyond(history, "device_chains")) AND NOT EXISTS "
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
        try checkFirst(connection)
        var remove = try connection.prepare("DELETE FROM sample_versions WHERE created_observation_id = \(id)")
        try remove.run()
        let versions = connection.changes
        var index = SemanticIndex(known: try connection.integer("SELECT max(id) FROM samples") ?? 0)
        try connection.execute(
            """
            DROP TABLE IF EXISTS temp.withdrawn;
            CREATE TEMP TABLE withdrawn(id INTEGER PRIMARY KEY);
            INSERT INTO temp.withdrawn SELECT id FROM samples WHERE first_seen_observation_id = \(id)
            """)
        let samples = connection.changes
        try index.note(changed: samples, connection)
        try SampleRemoval.run(count: samples, connection)
        // It is sorted in as much memory as the cache may have.
        try connection.execute("PRAGMA cache_size = -5000")
        try index.restore(connection)
        try connection.execute("DROP TABLE temp.withdrawn")
        return (samples, versions)
    }

    /// Throws if an event or a relationship that stays names a sample or a version that this observation was the first
    /// to see. No capture of these tools leaves such an archive.
    private func checkFirst(_ connection: borrowing Connection) throws(ArchiveError) {
        let first = "first_seen_observation_id = \(id)"
        let isNamed = try connection.integer(
            """
            SELECT EXISTS (SELECT 1 FROM samples s CROSS JOIN sample_observation_events e ON e.sample_id = s.id
                    WHERE \(first))
                OR EXISTS (SELECT 1 FROM samples s CROSS JOIN sample_relationships r ON r.source_sample_id = s.id
                    WHERE \(first))
                OR EXISTS (SELECT 1 FROM samples s CROSS JOIN sample_relationships r ON r.target_sample_id = s.id
                    WHERE \(first))
                OR EXISTS (SELECT 1 FROM sample_versions v CROSS JOIN sample_observation_events e
                    ON e.sample_id = v.sample_id AND e.version_id = v.id WHERE v.created_observation_id = \(id))
            """)
        guard isNamed == 1 else { return }
        throw ArchiveError(
            .evidence,
            "\(connection.path.display): observation \(id) is the first to have seen samples that older observations "
                + "name", hint: "hp-verify archive names the samples")
    }

    /// Returns the condition for rows of a table that no entry of the history which stays covers.
    private static func beyond(_ history: HistoryWithdrawal, _ table: String) -> String {
        history.floor(of: table).map { " AND id > \($0)" } ?? ""
    }

    /// Removes what nothing names any more: a record that is gone must not be told by its source or its metadata.
    /// What an entry of the history covers that stays is not touched.
    private func removeUnreferenced(_ history: HistoryWithdrawal, _ connection: borrowing Connection)
        throws(ArchiveError)
    {
        func rows(_ table: String) -> String {
            "\(table) WHERE true\(Self.beyond(history, table)) AND id"
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

    /// Restores sample types: they are without the names that the observation stated, and those that it brought are
    /// deleted.
    private func restoreTypes(_ history: HistoryWithdrawal, _ connection: borrowing Connection) throws(ArchiveError) {
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
                WHERE EXISTS (SELECT 1 \(origin) AND g.is_new = 1) AND NOT (\(isNamed))
                \(Self.beyond(history, "sample_types"));
            DELETE FROM sample_type_origins WHERE observation_id = \(id)
                OR sample_type_id IN (SELECT id FROM temp.withdrawn_types);
            DELETE FROM sample_types WHERE id IN (SELECT id FROM temp.withdrawn_types);
            DROP TABLE temp.withdrawn_types
            """)
    }
}

/// Removes the samples whose ids are in `temp.withdrawn`.
///
/// Rows stand in the order of their ids, their strict fingerprints in the order of a hash: of very many samples, each
/// takes its entry from another page of that index, which is read and written for it. So these are removed slice by
/// slice of the index: a slice stays in the cache, and its rows are removed in the order of their ids.
enum SampleRemoval {
    /// - Parameters:
    ///   - count: how many there are. The pages of a few stay in the cache as it is.
    ///   - slice: how many entries a slice has. With some 90 bytes each they take three quarters of the cache.
    static func run(count: Int, slice: Int = 200_000, _ connection: borrowing Connection) throws(ArchiveError) {
        var removed = 0
        if count >= 4 * slice {
            try connection.execute("DROP TABLE IF EXISTS temp.slice; CREATE TEMP TABLE slice(id INTEGER PRIMARY KEY)")
            for type in try types(connection) { removed += try removeSlices(of: type, slice, connection) }
            try connection.execute("DROP TABLE temp.slice")
        }
        // A sample whose type has no row is in no slice.
        if removed < count {
            try connection.execute("DELETE FROM samples WHERE id IN (SELECT id FROM temp.withdrawn)")
        }
    }

    private static func types(_ connection: borrowing Connection) throws(ArchiveError) -> [Int64] {
        var rows = try connection.prepare("SELECT id FROM sample_types ORDER BY id")
        var types: [Int64] = []
        while try rows.step() { if let id = rows.exactInteger(0) { types.append(id) } }
        return types
    }

    /// Removes samples of a type, and says how many.
    private static func removeSlices(of type: Int64, _ slice: Int, _ connection: borrowing Connection)
        throws(ArchiveError) -> Int
    {
        let ofType = "FROM samples WHERE sample_type_id = \(type) AND strict_fingerprint"
        var bound = try connection.prepare(
            "SELECT strict_fingerprint \(ofType) >= ?1 ORDER BY strict_fingerprint LIMIT 1 OFFSET \(slice)")
        // The unary plus keeps SQLite from a search by id (manual, "The SQLite Query Optimizer Overview", 2). Which of
        // them are to go is looked up afterwards, in the order of the ids.
        let ids = "+id BETWEEN (SELECT min(id) FROM temp.withdrawn) AND (SELECT max(id) FROM temp.withdrawn)"
        let find = "INSERT INTO temp.slice SELECT id \(ofType) >= ?1 AND \(ids)"
        var part = try connection.prepare("\(find) AND strict_fingerprint < ?2 ORDER BY id")
        var rest = try connection.prepare("\(find) ORDER BY id")
        var remove = try connection.prepare("DELETE FROM samples WHERE id IN (SELECT id FROM temp.slice)")
        var removed = 0
        var first: [UInt8]? = []
        while let start = first {
            bound.bind(1, text: start)
            first = try bound.step() && bound.storageClass(0) == .text ? bound.bytes(0) : nil
            bound.reset()
            // Bounds ascend, also where a text that is none is read as another: the rest is one slice then.
            if let next = first, !start.lexicographicallyPrecedes(next) { first = nil }
            if let end = first {
                part.bind(1, text: start)
                part.bind(2, text: end)
                try part.run()
            } else {
                rest.bind(1, text: start)
                try rest.run()
            }
            try connection.execute("DELETE FROM temp.slice WHERE id NOT IN (SELECT id FROM temp.withdrawn)")
            try remove.run()
            removed += remove.changes
            try connection.execute("DELETE FROM temp.slice")
        }
        return removed
    }
}
