public import Archive
internal import Codes
internal import Files
internal import Pipeline
internal import SQLite
internal import Synchronization

/// Looks at a whole archive.
public enum ArchiveInspection {
    /// Makes the checks, two at a time.
    ///
    /// - Parameters:
    ///   - archive: opened as `.evidence`; its `LockWait` says what ends long statements.
    ///   - progress: told how many more rows were looked at, from any thread.
    /// - Throws: `ArchiveError` with the code `interrupted` or `memory`, or what connecting throws. What a check cannot
    ///   read is a finding.
    /// - Complexity: O(n log n) in time; memory does not grow with the rows.
    public static func run(
        _ archive: borrowing Archive, _ options: InspectionOptions = InspectionOptions(),
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws(ArchiveError) -> InspectionReport {
        let subject = Subject(
            identityRules: try archive.identityRules(), sample: options.sample, logFault: try archive.logFault,
            head: options.head)
        let work = Workload(options, progress: progress)
        let evidence = archive.evidence
        // The check of the file's pages takes as long as all others together: it goes first, on a thread of its own.
        sideBySide({ work.run(evidence, subject) }, { work.run(evidence, subject) })
        if let failure = work.failure { throw failure }
        if options.checks.contains(.exports) {
            var log = CheckLog(.exports, limit: options.findingLimit, progress: progress)
            try work.make(&log) { log throws(ArchiveError) in try ExportCheck.run(archive, subject, &log) }
        }
        var report = InspectionReport()
        report.checks = work.reports
        report.isChanged = !archive.isUnchanged()
        report.isPrivateCopy = archive.isPrivateCopy
        if options.head != nil { report.answerHead(isOurs: archive.hasWritableSchema()) }
        return report
    }
}

/// The checks that are to be made, and what came of those that were.
private final class Workload: Sendable {
    private let waiting: Mutex<[Check]>
    private let made = Mutex<[CheckReport]>([])
    private let firstFailure = Mutex<ArchiveError?>(nil)
    private let options: InspectionOptions
    private let progress: @Sendable (Int) -> Void

    init(_ options: InspectionOptions, progress: @escaping @Sendable (Int) -> Void) {
        waiting = Mutex(options.checks.subtracting([.exports]).sorted { $0.turn < $1.turn })
        self.options = options
        self.progress = progress
    }

    var failure: ArchiveError? { firstFailure.withLock { $0 } }

    var reports: [CheckReport] {
        let made = made.withLock { $0 }
        return Check.allCases.compactMap { check in made.first { $0.check == check } }
    }

    /// Makes checks until none is left.
    func run(_ evidence: EvidenceSource, _ subject: Subject) {
        do throws(ArchiveError) {
            while let check = next() {
                var log = CheckLog(check, limit: options.findingLimit, progress: progress)
                try make(&log) { log throws(ArchiveError) in
                    // A new connection for each: what one kept in memory is of no use to the next.
                    try check.run(try EvidenceReader.open(evidence), subject, &log)
                }
            }
        } catch {
            firstFailure.withLock { $0 = $0 ?? error }
        }
    }

    /// Makes one check. Where SQLite cannot read what it needs, that is a finding.
    func make(_ log: inout CheckLog, _ body: (inout CheckLog) throws(ArchiveError) -> Void) throws(ArchiveError) {
        do throws(ArchiveError) {
            try body(&log)
        } catch {
            // Want of memory says nothing of the archive.
            guard error.code != .interrupted, error.code != .memory else { throw error }
            log.withhold(error.description)
            log.add(
                .sqliteUnreadable,
                expected: "the rows that the check \(log.report.check.rawValue) reads", found: error.description)
        }
        log.flush()
        let report = log.report
        made.withLock { $0.append(report) }
    }

    private func next() -> Check? {
        guard failure == nil else { return nil }
        return waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

extension Check {
    /// When it is begun: long ones first, but for `ranges`. It and `aggregates` need the most memory, and stand apart.
    fileprivate var turn: Int {
        switch self {
        case .sqlite: 0
        case .ranges: 1
        case .identities: 2
        case .evidence: 3
        case .aggregates: 4
        case .values: 5
        case .references: 6
        case .history: 7
        case .manifests: 8
        case .schema: 9
        case .exports: 10
        }
    }

    /// The tables whose rows are found by their ids, for each row of another: without a key that is not done.
    /// References and identities say themselves what they leave out.
    private var joined: [String] {
        switch self {
        case .manifests: ["export_manifests", "observations"]
        case .evidence: ["observations", "samples", "sample_versions", "observation_type_runs"]
        case .ranges: ["observations", "sample_versions"]
        case .aggregates: ["observations", "sample_versions", "samples"]
        case .history: ["observations"]
        default: []
        }
    }

    fileprivate func run(_ reader: borrowing EvidenceReader, _ subject: Subject, _ log: inout CheckLog)
        throws(ArchiveError)
    {
        for table in joined {
            guard let lack = try reader.lack(of: table, "id") else { continue }
            return log.withhold("not made: \(lack)")
        }
        switch self {
        case .sqlite: try SQLiteCheck.run(reader, subject, &log)
        case .schema: try SchemaCheck.run(reader, &log)
        case .references: try ReferenceCheck.run(reader, subject, &log)
        case .values: try ValueCheck.run(reader, subject, &log)
        case .manifests: try ManifestCheck.run(reader, subject, &log)
        case .evidence: try EvidenceCheck.run(reader, subject, &log)
        case .ranges: try RangeCheck.run(reader, &log)
        case .identities: try IdentityCheck.run(reader, subject, &log)
        case .aggregates:
            try AggregateCheck.run(reader, subject, &log)
            try StateCheck.run(reader, &log)
        case .history: try HistoryCheck.run(reader, subject, &log)
        case .exports: preconditionFailure("exports are recomputed with the archive itself")
        }
    }
}

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
        try checkObservations(reader, hasFacts: hasFacts, &log)
        if hasLog { try ContextEntries.check(reader, hasFacts: hasFacts, &log) }
        if hasFacts {
            try checkFacts(reader, &log)
            try CaptureFactsCheck.run(reader, &log)
        }
    }

    /// Checks the schema and the requested types that observations state, and when their runs were made.
    private static func checkObservations(
        _ reader: borrowing EvidenceReader, hasFacts: Bool, _ log: inout CheckLog
    ) throws(ArchiveError) {
        var observations = try reader.prepare(
            "SELECT id FROM observations NOT INDEXED WHERE schema_version <> 2 ORDER BY id")
        while try observations.step() {
            log.add(
                .evidenceSchemaVersion, "observations", row: observations.exactInteger(0), column: "schema_version",
                expected: "2, the version of the schema")
        }
        var runs = try reader.prepare(
            """
            SELECT u.id, CASE WHEN u.started_at < o.started_at - \(clockSlack)
                OR u.started_at > o.ended_at + \(clockSlack) THEN 'started_at' ELSE 'ended_at' END
            FROM observation_type_runs u NOT INDEXED JOIN observations o ON o.id = u.observation_id
            WHERE (min(u.started_at, ifnull(u.ended_at, u.started_at)) < o.started_at - \(clockSlack)
                OR max(u.started_at, ifnull(u.ended_at, u.started_at)) > o.ended_at + \(clockSlack))
                AND u.started_at BETWEEN -62135596800 AND 253402300799
                AND ifnull(u.ended_at, u.started_at) BETWEEN -62135596800 AND 253402300799 ORDER BY u.id
            """)
        while try runs.step() {
            log.add(
                .evidenceRunDates, "observation_type_runs", row: runs.exactInteger(0), column: runs.text(1),
                expected: "a date within its observation")
        }
        guard hasFacts else { return }
        var sets = try reader.prepare(
            """
            SELECT o.id FROM observations o NOT INDEXED WHERE o.selected_type_set_hash IS NOT NULL
                AND EXISTS (SELECT 1 FROM observation_facts f WHERE f.observation_id = o.id)
                AND NOT EXISTS (SELECT 1 FROM selected_type_sets t
                    WHERE t.selected_type_set_hash = o.selected_type_set_hash) ORDER BY o.id
            """)
        while try sets.step() {
            log.add(
                .evidenceTypeSetMissing, "observations", row: sets.exactInteger(0), column: "selected_type_set_hash",
                expected: "a list of types with this hash")
        }
    }

    /// Seconds by which a clock may be set while a capture runs.
    private static let clockSlack = 3600

    /// Compares the counts of runs with the events of their types, which `EventPass` counted.
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

    /// Checks UUIDs: a health store names by its UUID each sample that it deletes or relates; an Apple Health export
    /// has none.
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

    /// Checks that withdrawn observations are absent, and that a set of types has the hash of its list.
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
        try ZoneCheck.run(reader, &log)
    }
}

/// Identities that occur twice, and rows that a key with NULL in it lets repeat. Where the archive states
/// `identity_rules`, its hashes are recomputed.
enum IdentityCheck {
    static func run(_ reader: borrowing EvidenceReader, _ subject: Subject, _ log: inout CheckLog) throws(ArchiveError)
    {
        try checkTwins(reader, &log)
        try checkDuplicates(reader, &log)
        for (table, column) in lookups {
            guard let lack = try reader.lack(of: table, column, isUnique: column == "id") else { continue }
            return log.withhold("samples were not compared and hashes not recomputed: \(lack)")
        }
        try checkSamples(.identitiesUuid, "sample_uuid_hash", by: "sample_uuid_hash", reader, &log)
        try checkSamples(
            .identitiesFingerprint, "strict_fingerprint", by: "sample_type_id, strict_fingerprint", reader, &log)
        if subject.statesIdentityRules {
            var hashes = try HashCheck(reader, subject)
            try hashes.run(reader, &log)
        } else {
            log.note("content hashes were not recomputed: the archive does not state identity_rules")
        }
    }

    /// By what a row is found for each of another table.
    private static let lookups = [
        ("samples", "id"), ("sample_types", "id"), ("metadata_blobs", "id"), ("source_revisions", "id"),
        ("sources", "id"), ("hk_devices", "id"), ("sample_versions", "sample_id"),
    ]

    /// Types whose identifiers are one text to a reader that normalizes.
    private static func checkTwins(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        var rows = try reader.prepare("SELECT id, type_identifier FROM sample_types NOT INDEXED ORDER BY id")
        // `String` compares by canonical equivalence.
        var known: Set<String> = []
        while try rows.step() {
            guard rows.storageClass(1) == .text, let text = rows.text(1) else { continue }
            guard !known.insert(text).inserted else { continue }
            log.add(
                .identitiesTypeTwin, "sample_types", row: rows.exactInteger(0), column: "type_identifier",
                expected: "an identifier that no other type has after normalization")
        }
    }

    /// Samples of one type with the same text in a column. An index gives the order where there is one; the check
    /// `sqlite` compares it with the table.
    ///
    /// - Parameter leading: the columns of that index up to this one.
    private static func checkSamples(
        _ code: Code, _ column: String, by leading: String, _ reader: borrowing EvidenceReader, _ log: inout CheckLog
    ) throws(ArchiveError) {
        var type = try reader.prepare("SELECT sample_type_id FROM samples WHERE id = ?1")
        var rows = try reader.prepare(
            "SELECT \(column), id FROM samples WHERE \(column) IS NOT NULL ORDER BY \(leading), id")
        var before: (text: [UInt8], row: Int64?) = ([], nil)
        var types: Set<Int64?> = []
        while try rows.step() {
            log.countRow()
            let row = rows.exactInteger(1)
            guard before.row != nil, rows.withBytes(0, { isSame($0, before.text) }) else {
                before = (rows.bytes(0), row)
                types.removeAll(keepingCapacity: true)
                continue
            }
            // Only where a text stands twice are the types looked at.
            if types.isEmpty { types.insert(try self.type(of: before.row, &type)) }
            if try !types.insert(self.type(of: row, &type)).inserted {
                log.add(
                    code, "samples", row: row, column: column, expected: "a value that no other sample of its type has")
            }
        }
    }

    private static func isSame(_ text: Span<UInt8>, _ other: [UInt8]) -> Bool {
        guard text.count == other.count else { return false }
        for index in text.indices where text[index] != other[index] { return false }
        return true
    }

    private static func type(of sample: Int64?, _ statement: inout Statement) throws(ArchiveError) -> Int64? {
        statement.bind(1, sample ?? 0)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : nil
    }

    /// Keys of the schema, and the columns of them that may be NULL.
    private static let keys: [(table: String, columns: [String], optional: [String])] = [
        ("sample_visibility_ranges", ["sample_id", "version_id", "first_observation_id"], ["version_id"]),
        ("export_items", ["export_manifest_id", "sample_id", "version_id"], ["version_id"]),
        (
            "source_revisions", ["source_id", "product_type", "version", "operating_system_version"],
            ["product_type", "version", "operating_system_version"]
        ),
        (
            "daily_type_aggregates", ["observation_id", "sample_type_id", "bucket_start", "source_revision_id"],
            ["source_revision_id"]
        ),
        (
            "sample_relationships", ["observation_id", "source_sample_id", "target_sample_id", "relationship_kind"],
            ["observation_id"]
        ),
        ("sample_versions", ["sample_id", "payload_hash"], []),
        ("sample_observation_events", ["observation_id", "sample_id", "event_kind"], []),
        ("observation_type_runs", ["observation_id", "sample_type_id"], []),
        ("observation_type_summaries", ["observation_id", "sample_type_id"], []),
        ("sample_types", ["type_identifier"], []),
        ("metadata_blobs", ["metadata_hash"], []),
        ("device_chains", ["device_chain_hash"], []),
        ("export_manifests", ["export_id"], []),
        ("archive_metadata", ["key"], []),
    ]

    /// Tables whose key is their row id, which a table that lost it no longer keeps apart.
    private static let rowKeys = [
        "device_chains", "observations", "sample_types", "observation_type_runs", "sources", "source_revisions",
        "hk_devices", "metadata_blobs", "samples", "sample_versions", "sample_observation_events",
        "sample_relationships", "export_manifests",
    ]

    private static func checkDuplicates(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError)
    {
        for key in keys + rowKeys.map({ ($0, ["id"], []) }) {
            // SQLite lets no other rows repeat where the key is there (manual, "NULL Handling").
            let isKept = try hasKey(key.table, key.columns, reader)
            guard !isKept || !key.optional.isEmpty else { continue }
            let columns = key.columns.joined(separator: ", ")
            let absent = isKept ? "WHERE " + key.optional.map { "\($0) IS NULL" }.joined(separator: " OR ") : ""
            // An export has an item for each relationship of a sample that changed, and none has a version.
            let item = key.table == "export_items" ? ", CASE WHEN version_id IS NULL THEN item_hash END" : ""
            var rows = try reader.prepare(
                "SELECT max(rowid) FROM \(key.table) \(absent) GROUP BY \(columns)\(item) "
                    + "HAVING count(*) > 1 ORDER BY 1")
            while try rows.step() {
                log.add(
                    .identitiesDuplicateRow, key.table, row: rows.exactInteger(0), column: columns,
                    expected: "one row with these values")
            }
        }
    }

    private static func hasKey(_ table: String, _ columns: [String], _ reader: borrowing EvidenceReader)
        throws(ArchiveError) -> Bool
    {
        if columns.count == 1 {
            let key = "name = '\(columns[0])' AND pk = 1 AND upper(type) = 'INTEGER'"
            if try reader.integer("SELECT 1 FROM temp.pragma_table_info('\(table)') WHERE \(key)") == 1 { return true }
        }
        var rows = try reader.prepare(
            """
            SELECT l.seq, x.name FROM temp.pragma_index_list('\(table)') l, temp.pragma_index_xinfo(l.name) x \
            WHERE x.key AND l."unique" AND NOT l.partial ORDER BY 1, x.seqno
            """)
        var found: [Int64: Set<String>] = [:]
        while try rows.step() { found[rows.integer(0) ?? 0, default: []].insert(rows.text(1) ?? "") }
        return found.values.contains(Set(columns))
    }
}
