internal import Archive
internal import Codes
internal import SQLite

/// Columns that say the same thing twice: what follows from events, runs and the context log, held beside what is
/// stored (`Spec/archive-verification.md`, "Evidence").
enum EvidenceCheck {
    static func run(_ reader: borrowing EvidenceReader, _ subject: Subject, _ log: inout CheckLog) throws(ArchiveError)
    {
        guard subject.statesIdentityRules else {
            return log.note("columns were not held beside each other: the archive does not state identity_rules")
        }
        let hasFacts = try reader.hasCaptureFacts()
        let hasLog = try ContextEntries.isThere(reader)
        let resumed = hasLog ? try ContextEntries.resumed(reader) : []
        try EventPass(reader, hasFacts: hasFacts, resumed: resumed).run(reader, &log)
        try checkRunCounts(reader, &log)
        try checkRuns(reader, &log)
        try checkUUIDs(reader, &log)
        try BeginningCheck.run(reader, &log)
        try StatusCheck.run(reader, hasFacts: hasFacts, &log)
        if hasLog { try ContextEntries.check(reader, &log) }
        if hasFacts {
            try checkFacts(reader, &log)
            try CaptureFactsCheck.run(reader, &log)
        }
    }

    /// What runs counted beside the events of their types, which `EventPass` counted.
    private static func checkRunCounts(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        var rows = try reader.prepare(
            """
            SELECT u.id, u.inserted_event_count, u.deleted_event_count, total(c.inserted), total(c.deleted)
            FROM observation_type_runs u NOT INDEXED JOIN observations o ON o.id = u.observation_id
            LEFT JOIN temp.event_counts c ON c.observation = u.observation_id AND c.type = u.sample_type_id
            WHERE o.status NOT IN ('running', 'started') GROUP BY u.id ORDER BY u.id
            """)
        while try rows.step() {
            log.countRow()
            for (place, column) in ["inserted_event_count", "deleted_event_count"].enumerated() {
                let counted = Int64(rows.real(Int32(place + 3)) ?? 0)
                // What is no count at all is for the check of values.
                guard let stored = rows.exactInteger(Int32(place + 1)), stored >= 0, stored != counted else { continue }
                log.add(
                    .evidenceRunCounts, "observation_type_runs", row: rows.exactInteger(0), column: column,
                    expected: "\(counted), the events of the run")
            }
        }
    }

    /// Events and summaries are of types that had a run.
    private static func checkRuns(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        var rows = try reader.prepare(
            """
            SELECT observation, type FROM (SELECT observation, type FROM temp.event_counts
                UNION SELECT observation_id, sample_type_id FROM observation_type_summaries)
            WHERE NOT EXISTS (SELECT 1 FROM observation_type_runs u
                WHERE u.observation_id = observation AND u.sample_type_id = type)
            AND EXISTS (SELECT 1 FROM observations o WHERE o.id = observation)
            AND EXISTS (SELECT 1 FROM sample_types t WHERE t.id = type) ORDER BY 1, 2
            """)
        while try rows.step() {
            guard let observation = rows.exactInteger(0), let type = rows.exactInteger(1) else { continue }
            log.add(
                .evidenceRunMissing, "observation_type_runs",
                expected: "a run of observation \(observation), type \(type)")
        }
    }

    /// What a health store deletes, or relates, it names by its UUID; an Apple Health export has none.
    private static func checkUUIDs(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        let exports = "SELECT id FROM observations WHERE trigger_reason = 'apple_health_export'"
        var rows = try reader.prepare(
            """
            SELECT s.id, 'none' FROM samples s NOT INDEXED
            WHERE s.sample_uuid_hash IS NOT NULL AND s.first_seen_observation_id IN (\(exports))
            UNION ALL
            SELECT s.id, 'the hash of a UUID' FROM samples s NOT INDEXED
            WHERE s.sample_uuid_hash IS NULL AND s.first_seen_observation_id NOT IN (\(exports))
            AND (NOT EXISTS (SELECT 1 FROM sample_versions v WHERE v.sample_id = s.id)
                OR EXISTS (SELECT 1 FROM sample_observation_events e WHERE e.sample_id = s.id
                    AND e.evidence_kind = 'deleted_object')
                OR EXISTS (SELECT 1 FROM sample_relationships r WHERE r.source_sample_id = s.id
                    AND r.observation_id NOT IN (\(exports)))
                OR EXISTS (SELECT 1 FROM sample_relationships r WHERE r.target_sample_id = s.id
                    AND r.observation_id NOT IN (\(exports))))
            """)
        while try rows.step() {
            log.add(
                .evidenceUuid, "samples", row: rows.exactInteger(0), column: "sample_uuid_hash", expected: rows.text(1))
        }
    }

    /// What is withdrawn is not there, and a set of types has the hash of its list.
    private static func checkFacts(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        var withdrawn = try reader.prepare(
            "SELECT w.rowid FROM withdrawn_observations w JOIN observations o ON o.id = w.observation_id ORDER BY 1")
        while try withdrawn.step() {
            log.add(
                .evidenceWithdrawn, "withdrawn_observations", row: withdrawn.exactInteger(0), column: "observation_id",
                expected: "an id that no observation has")
        }
        var sets = try reader.prepare(
            "SELECT rowid, selected_type_set_hash, types_json FROM selected_type_sets NOT INDEXED ORDER BY rowid")
        try TypeSetCheck.run(&sets, &log)
    }
}
