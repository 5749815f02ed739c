internal import Archive
internal import Derivation
internal import Files
internal import SQLite

/// Writes type runs, and closes what a completed full scan did not see.
///
///     temp.gone        ──► what a full scan did not see
///     temp.stored_runs ──► the runs of what was sent before, as they were
struct RunRecorder: ~Copyable {
    /// A type run of this observation.
    struct Run {
        let mode: RunFacts.Mode
        var isOpen = true
        var hasRejections = false
        /// `true` if the source could not do all that it should; rejections apart.
        var isIncomplete = false
        let anchorProblem: RunFacts.AnchorProblem?
    }

    /// The maximum number of sample types in an observation.
    static let typeLimit = 4096

    /// By type id.
    private(set) var runs: [Int64: Run] = [:]
    private let observationID: Int64
    private let chainID: Int64
    private let observedAt: Double
    private let chainClause: String
    private let lastKnownID: Int64
    /// `true` if it is compared with an observation of before rejected records had a memory. Those kept all records of
    /// their type from being closed.
    private let isOfBefore: Bool
    private var insert: Statement
    private var insertFacts: Statement
    private var end: Statement
    private var endFacts: Statement

    static func open(
        _ connection: borrowing Connection, _ place: ObservationPlace, observedAt: Double, lastKnownID: Int64
    ) throws(ArchiveError) -> RunRecorder {
        let (observationID, chainID) = (place.id, place.chainID)
        try connection.execute(
            """
            DROP TABLE IF EXISTS temp.gone; DROP TABLE IF EXISTS temp.stored_runs;
            CREATE TEMP TABLE gone(range_id INTEGER PRIMARY KEY, sample_id INTEGER, version_id INTEGER,
                sample_type_id INTEGER);
            CREATE TEMP TABLE stored_runs AS SELECT u.observation_id, u.sample_type_id, u.status, u.anchor_before,
                u.anchor_after, f.mode, f.stated_count FROM observation_type_runs u
                LEFT JOIN type_run_facts f ON f.type_run_id = u.id WHERE u.observation_id IN \(place.captured);
            """)
        // All runs of an observation that is sent again are begun again; else the archive stays as it is.
        if place.start != .new {
            let runs = "observation_type_runs WHERE observation_id = \(observationID)"
            try connection.execute(
                "DELETE FROM type_run_facts WHERE type_run_id IN (SELECT id FROM \(runs)); DELETE FROM \(runs)")
        }
        let facts = try connection.integer("SELECT 1 FROM observation_facts WHERE observation_id = \(observationID)")
        let chains = try connection.integer("SELECT count(*) FROM device_chains") ?? 0
        return RunRecorder(
            observationID: observationID, chainID: chainID, observedAt: observedAt,
            chainClause: chains > 1
                ? "AND (SELECT o.device_chain_id FROM observations o "
                    + "WHERE o.id = r.first_observation_id) = \(chainID)" : "",
            lastKnownID: lastKnownID,
            isOfBefore: place.start == .compared && facts == nil,
            insert: try connection.prepare(
                """
                INSERT INTO observation_type_runs(observation_id, sample_type_id, status, started_at,
                    anchor_before, error_kind) VALUES (\(observationID), ?1, 'started', ?2, ?3, ?4)
                """),
            insertFacts: try connection.prepare(
                """
                INSERT INTO type_run_facts(type_run_id, mode, state) SELECT id, ?2, 'unknown' \
                FROM observation_type_runs WHERE observation_id = \(observationID) AND sample_type_id = ?1
                """),
            end: try connection.prepare(
                """
                UPDATE observation_type_runs SET status = ?2, ended_at = ?3, anchor_after = ?4,
                    verified_visible_count = NULL, error_kind = ?5, error_message_hash = ?6 \
                WHERE observation_id = \(observationID) AND sample_type_id = ?1
                """),
            endFacts: try connection.prepare(
                """
                UPDATE type_run_facts SET stated_count = ?2, conflict_count = ?3, unread_count = ?4 \
                WHERE type_run_id = (SELECT id FROM observation_type_runs \
                WHERE observation_id = \(observationID) AND sample_type_id = ?1)
                """))
    }

    private init(
        observationID: Int64, chainID: Int64, observedAt: Double, chainClause: String, lastKnownID: Int64,
        isOfBefore: Bool,
        insert: consuming Statement,
        insertFacts: consuming Statement, end: consuming Statement, endFacts: consuming Statement
    ) {
        self.observationID = observationID
        self.chainID = chainID
        self.observedAt = observedAt
        self.chainClause = chainClause
        self.lastKnownID = lastKnownID
        self.isOfBefore = isOfBefore
        self.insert = insert
        self.insertFacts = insertFacts
        self.end = end
        self.endFacts = endFacts
    }

    /// Returns the mode of a type in this observation; `nil` if it has no run.
    func mode(of type: Int64) -> RunFacts.Mode? { runs[type]?.mode }

    mutating func begin(_ facts: RunFacts, type: Int64, now: Double) throws(ArchiveError) {
        guard runs.count < Self.typeLimit else {
            throw ArchiveError(
                .evidence,
                "\(insert.path.display): observation \(observationID): more than \(Self.typeLimit) sample types")
        }
        runs[type] = Run(mode: facts.mode, anchorProblem: facts.anchorProblem)
        insert.bind(1, type)
        insert.bind(2, now)
        insert.bind(3, blob: facts.anchorBefore)
        insert.bind(4, text: facts.anchorProblem.map { Array($0.rawValue.utf8) })
        try insert.run(storing: 1)
        insertFacts.bind(1, type)
        insertFacts.bind(2, text: (facts.mode == .fullScan ? "full_scan" : "anchored").utf8Span.span)
        try insertFacts.run(storing: 1)
    }

    mutating func noteRejection(of type: Int64) { runs[type]?.hasRejections = true }

    mutating func noteRejectionOfAll() {
        for type in runs.keys { runs[type]?.hasRejections = true }
    }

    /// Ends runs, in the caller's transaction; returns how many samples are no longer visible.
    ///
    /// - Parameters:
    ///   - counts: records that contradict others, and records with an unread part, by type.
    ///   - isLast: whether the source was read to its end, and these are all runs that were still open.
    mutating func finish(
        _ ends: [(type: Int64, end: RunEnd)], _ counts: (conflicts: [Int64: Int64], unread: [Int64: Int64]),
        isLast: Bool, now: Double, _ rejections: borrowing RejectionRecorder,
        _ connection: borrowing Connection
    ) throws(ArchiveError) -> Int {
        var complete: [Int64] = []
        for (type, facts) in ends {
            guard var run = runs[type] else { preconditionFailure("a run ends that did not begin") }
            let isRejecting = run.hasRejections && facts.status == .completed
            run.isOpen = false
            run.isIncomplete = facts.status != .completed
            runs[type] = run
            let isKept = isOfBefore && isRejecting
            if !run.isIncomplete, run.mode == .fullScan, !isKept { complete.append(type) }
            let kind =
                isRejecting
                ? Array("rejected_records".utf8) : facts.errorKind ?? run.anchorProblem.map { Array($0.rawValue.utf8) }
            self.end.bind(1, type)
            self.end.bind(2, text: facts.status.rawValue.utf8Span.span)
            self.end.bind(3, now)
            self.end.bind(4, blob: facts.anchorAfter)
            self.end.bind(5, text: kind)
            self.end.bind(6, text: facts.errorMessageHash)
            try self.end.run(storing: 1)
            endFacts.bind(1, type)
            endFacts.bind(2, optional: facts.verifiedVisibleCount)
            endFacts.bind(3, counts.conflicts[type] ?? 0)
            endFacts.bind(4, counts.unread[type] ?? 0)
            try endFacts.run(storing: 1)
        }
        let closed = try close(complete, rejections, connection)
        try rejections.remember(ends.map(\.type), scanned: complete, all: isLast, connection)
        return closed
    }

    /// Closes the open ranges of types that a full scan did not see.
    private func close(
        _ types: [Int64], _ rejections: borrowing RejectionRecorder, _ connection: borrowing Connection
    ) throws(ArchiveError) -> Int {
        guard !types.isEmpty else {
            try connection.execute("DELETE FROM temp.withheld")
            return 0
        }
        let list = types.map(String.init).joined(separator: ",")
        // One type is looked up by its samples; many are found in one pass over the open ranges.
        let tables =
            types.count == 1
            ? "samples s CROSS JOIN sample_visibility_ranges r ON r.sample_id = s.id"
            : "sample_visibility_ranges r CROSS JOIN samples s ON s.id = r.sample_id"
        try connection.execute(
            """
            DELETE FROM temp.gone;
            INSERT INTO temp.gone SELECT r.rowid, r.sample_id, r.version_id, s.sample_type_id FROM \(tables) \
            WHERE r.last_observation_id IS NULL AND r.sample_id <= \(lastKnownID) \
            AND NOT \(SeenSamples.isSeen("r.sample_id")) AND s.sample_type_id IN (\(list)) \(chainClause);
            """)
        try rejections.withhold(connection)
        var events = try connection.prepare(
            """
            INSERT OR IGNORE INTO sample_observation_events(observation_id, sample_id, version_id, event_kind,
                observed_at, evidence_kind) \
            SELECT \(observationID), sample_id, version_id, 'disappeared', ?1, 'full_scan' FROM temp.gone
                ORDER BY range_id
            """)
        events.bind(1, observedAt)
        try events.run()
        let count = connection.changes
        let gone = Int(try connection.integer("SELECT count(*) FROM temp.gone") ?? 0)
        if count != gone { try checkEvents(connection) }
        var ranges = try connection.prepare(
            RangeEnd.update(observationID, chainID: chainID) + " WHERE rowid IN (SELECT range_id FROM temp.gone)")
        try ranges.run(storing: gone)
        return count
    }

    /// Checks that an event that was not written was there before: of a sample that is gone twice, or was deleted.
    private func checkEvents(_ connection: borrowing Connection) throws(ArchiveError) {
        let missing = try connection.integer(
            """
            SELECT count(*) FROM temp.gone g WHERE NOT EXISTS (SELECT 1 FROM sample_observation_events e \
            WHERE e.observation_id = \(observationID) AND e.sample_id = g.sample_id AND e.event_kind = 'disappeared')
            """)
        guard missing == 0 else {
            let place = "\(connection.path.display): sample_observation_events"
            throw ArchiveError(
                .evidence, "\(place): \(missing ?? 0) rows were not stored; nothing is kept",
                hint: ArchiveError.damageHint)
        }
    }

    /// Writes what the runs of an observation counted: its events by type.
    static func writeCounts(
        _ events: [Int64: EventCounts], of observationID: Int64, _ connection: borrowing Connection
    ) throws(ArchiveError) {
        try connection.execute(
            """
            UPDATE observation_type_runs SET inserted_event_count = 0, deleted_event_count = 0 \
            WHERE observation_id = \(observationID)
            """)
        var update = try connection.prepare(
            "UPDATE observation_type_runs SET inserted_event_count = ?2, deleted_event_count = ?3 "
                + "WHERE observation_id = \(observationID) AND sample_type_id = ?1")
        for (type, counts) in events.sorted(by: { $0.key < $1.key }) {
            update.bind(1, type)
            update.bind(2, counts.insertions)
            update.bind(3, counts.deletions)
            try update.run()
        }
    }
}
