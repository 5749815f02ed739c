internal import Archive
internal import Derivation
internal import Files
internal import SQLite
internal import Timestamps

/// Aggregates, rebuilt from ranges, versions and events (`Spec/capture.md`, "Aggregates").
///
/// What a capture would have written is written again, observation by observation, to temporary tables that stand
/// before the archive's under the same names. Archives of other engines may have rows by rules of their own: of
/// them, and of rows that nothing demands, only those that are there are computed (`RepairJudgement`).
enum RepairAggregates {
    private static let finished =
        "m.observation_id NOT IN (SELECT id FROM observations WHERE status IN ('running', 'started'))"

    /// Returns the two tables.
    ///
    /// - Parameter isExact: whether the archive states identity rules: then every row and every hash is demanded.
    static func tables(isExact: Bool) -> [RepairTable] {
        let numbers =
            isExact
            ? same(["value_sum", "value_max"])
            : "\(nearSum) AND (m.value_max IS NULL OR m.value_max IS t.value_max)"
        let hash = isExact ? " AND \(same(["aggregate_hash"]))" : ""
        let counts = ["visible_record_count", "appeared_count", "disappeared_count", "representation_changed_count"]
        let boundaries = ["earliest_start_date", "latest_end_date"]
        return [
            RepairTable(
                name: "daily_type_aggregates",
                key: ["observation_id", "sample_type_id", "bucket_start", "source_revision_id"],
                nullableKey: "source_revision_id", scope: finished,
                agreement: "\(same(["bucket_end", "visible_record_count"])) AND \(numbers)\(hash)",
                removesOthers: isExact),
            RepairTable(
                name: "observation_type_summaries", key: ["observation_id", "sample_type_id"], nullableKey: nil,
                scope: finished,
                agreement: "\(same(counts + boundaries)) AND \(numbers)\(hash)",
                removesOthers: isExact),
        ]
    }

    private static func same(_ columns: [String]) -> String {
        columns.map { "m.\($0) IS t.\($0)" }.joined(separator: " AND ")
    }

    /// Adding n numbers in any order is off by at most n roundings of the sum of their magnitudes
    /// (`Spec/archive-verification.md`).
    private static let nearSum = """
        CASE WHEN m.value_sum IS NULL OR t.value_sum IS NULL THEN coalesce(m.value_sum, 0) = 0 AND \
        coalesce(t.value_sum, 0) = 0 \
        ELSE abs(m.value_sum - t.value_sum) <= max(t.visible_record_count, 1) * t.magnitude * 2.220446049250313e-16 END
        """

    /// Fills the temporary tables.
    ///
    /// - Parameter rules: what the archive states; nil where it states none.
    static func rebuild(_ rules: IdentityRules?, _ connection: borrowing Connection) throws(ArchiveError) {
        let values = "visible_record_count INTEGER, value_sum REAL, value_max REAL, aggregate_hash TEXT"
        try RepairTable.create(
            "daily_type_aggregates",
            definitions: "observation_id INTEGER, sample_type_id INTEGER, bucket_start "
                + "REAL, bucket_end REAL, source_revision_id INTEGER, \(values)", connection)
        try RepairTable.create(
            "observation_type_summaries",
            definitions: """
                observation_id INTEGER, sample_type_id INTEGER, appeared_count INTEGER, disappeared_count INTEGER, \
                representation_changed_count INTEGER, earliest_start_date REAL, latest_end_date REAL, \(values)
                """, connection)
        try connection.execute(
            """
            CREATE UNIQUE INDEX temp.summary_key ON observation_type_summaries(observation_id, sample_type_id);
            CREATE INDEX temp.summary_type ON observation_type_summaries(sample_type_id, observation_id);
            CREATE UNIQUE INDEX temp.bucket_key ON daily_type_aggregates(observation_id, sample_type_id,
                bucket_start, source_revision_id);
            CREATE INDEX temp.bucket_day ON daily_type_aggregates(sample_type_id, bucket_start)
            """)
        if let rules {
            for observation in try observations(connection) { try observation.replay(rules, connection) }
        }
        try RepairJudgement.run(rules, connection)
    }

    private static func observations(_ connection: borrowing Connection) throws(ArchiveError) -> [Observation] {
        var rows = try connection.prepare(
            """
            SELECT id, device_chain_id FROM observations
            WHERE status NOT IN ('running', 'started') AND typeof(device_chain_id) = 'integer' ORDER BY id
            """)
        var zones = try ObservationZones(connection, looksAhead: true)
        var found: [Observation] = []
        while try rows.step() {
            guard let id = rows.integer(0), let chain = rows.integer(1), let zone = try zones.zone(of: id) else {
                continue
            }
            found.append(Observation(id: id, chain: chain, days: zone.days))
        }
        return found
    }

    private struct Observation {
        let id, chain: Int64
        let days: LocalDays

        func replay(_ rules: IdentityRules, _ connection: borrowing Connection) throws(ArchiveError) {
            var aggregation = Aggregation(
                observationID: id, chainID: chain, days: days, rules: rules, isReplay: true)
            try aggregation.write(connection)
        }
    }
}

/// Rows of aggregates that are there without being demanded: what each should say, by its own observation, type and
/// boundaries.
///
/// They are added to the temporary tables, marked as not demanded. A row whose observation, type or boundaries name
/// nothing that can be computed is not judged.
struct RepairJudgement: ~Copyable, AggregateRows {
    private var buckets: Statement
    private var summaries: Statement
    private var writer: AggregateWriter
    private var markBucket: Statement
    private var markSummary: Statement

    /// Judges all rows that were not rebuilt.
    static func run(_ rules: IdentityRules?, _ connection: borrowing Connection) throws(ArchiveError) {
        try findRows(connection)
        let isNeeded =
            "SELECT EXISTS (SELECT 1 FROM temp.judged_buckets) OR EXISTS (SELECT 1 FROM temp.judged_summaries)"
        guard try connection.integer(isNeeded) == 1 else { return }
        while true {
            guard let observations = try ObservationTable(connection) else {
                throw ArchiveError(
                    .evidence,
                    "\(connection.path.display): more than \(ObservationTable.limit) observations; "
                        + "aggregates were not repaired")
            }
            var judgement = try RepairJudgement(connection)
            // What was left out has no row yet and comes in the next pass.
            guard try AggregateWalk.run(&judgement, observations, rules, connection) > 0 else { return }
        }
    }

    private static func findRows(_ connection: borrowing Connection) throws(ArchiveError) {
        let known = """
            m.observation_id IN (SELECT id FROM observations WHERE status NOT IN ('running', 'started')
                AND typeof(device_chain_id) = 'integer') \
            AND m.sample_type_id IN (SELECT id FROM sample_types)
            """
        try connection.execute(
            """
            CREATE TEMP TABLE judged_buckets AS SELECT min(m.rowid) AS id, m.observation_id AS observation_id,
                m.sample_type_id AS sample_type_id, m.bucket_start AS bucket_start, \
            m.bucket_end AS bucket_end, m.source_revision_id AS source_revision_id
                FROM main.daily_type_aggregates m NOT INDEXED \
            WHERE \(known) AND \(AggregateShape.isDay("m")) AND \(notRebuilt)
                GROUP BY m.observation_id, m.sample_type_id, m.bucket_start, m.source_revision_id;
            CREATE TEMP TABLE judged_summaries AS SELECT m.observation_id AS observation_id, m.sample_type_id AS
                sample_type_id FROM main.observation_type_summaries m NOT INDEXED \
            WHERE \(known) AND NOT EXISTS (SELECT 1 FROM temp.observation_type_summaries t
                WHERE t.observation_id = m.observation_id AND t.sample_type_id = m.sample_type_id) GROUP BY 1, 2
            """)
    }

    /// A condition that is true if a bucket `m` has no rebuilt row.
    private static let notRebuilt = """
        NOT EXISTS (SELECT 1 FROM temp.daily_type_aggregates t WHERE t.observation_id = m.observation_id
            AND t.sample_type_id = m.sample_type_id AND t.bucket_start = m.bucket_start
            AND t.source_revision_id IS m.source_revision_id)
        """

    private init(_ connection: borrowing Connection) throws(ArchiveError) {
        let buckets = try connection.prepare(
            """
            SELECT m.sample_type_id, m.observation_id, m.bucket_start, m.bucket_end, m.source_revision_id
                FROM temp.judged_buckets m WHERE \(Self.notRebuilt) ORDER BY 1, 3, 2
            """)
        let summaries = try connection.prepare(
            "SELECT m.sample_type_id, m.observation_id FROM temp.judged_summaries m ORDER BY 1, 2")
        let mark = "SET demanded = 0, magnitude = ?1 WHERE rowid = last_insert_rowid()"
        let markBucket = try connection.prepare("UPDATE temp.daily_type_aggregates \(mark)")
        let markSummary = try connection.prepare("UPDATE temp.observation_type_summaries \(mark)")
        writer = try AggregateWriter(connection, observationID: 0, schema: "temp")
        self.buckets = buckets
        self.summaries = summaries
        self.markBucket = markBucket
        self.markSummary = markSummary
    }

    mutating func nextBucket() throws(ArchiveError) -> BucketSweep.Row? {
        guard try buckets.step(), let type = buckets.integer(0), let observation = buckets.integer(1),
            let start = buckets.real(2), let end = buckets.real(3)
        else { return nil }
        return BucketSweep.Row(
            id: nil, type: type, observation: observation, start: start, end: end, revision: buckets.integer(4),
            stored: AggregateValues())
    }

    mutating func nextSummary() throws(ArchiveError) -> AggregateWalk.Summary? {
        guard try summaries.step(), let type = summaries.integer(0), let observation = summaries.integer(1) else {
            return nil
        }
        return AggregateWalk.Summary(
            id: nil, type: type, observation: observation, stored: AggregateValues(), events: EventCounts())
    }

    mutating func end(_ row: BucketSweep.Row, _ derived: AggregateWalk.Derived) throws(ArchiveError) {
        writer.observationID = row.observation
        try writer.write(
            derived.values, type: row.type, identifier: derived.type.identifier ?? [], start: row.start, end: row.end,
            revision: row.revision)
        try markBucket.run([.real(derived.magnitude)])
    }

    mutating func end(_ row: AggregateWalk.Summary?, of observation: Int64, _ derived: AggregateWalk.Derived)
        throws(ArchiveError)
    {
        guard let row else { return }
        writer.observationID = observation
        try writer.write(
            derived.values, type: row.type, identifier: derived.type.identifier ?? [], derived.events ?? EventCounts())
        try markSummary.run([.real(derived.magnitude)])
    }

    // Every demanded row was rebuilt already.
    func require(observation: Int64, type: Int64, start: Double, revision: Int64?, isThere: Bool) {}
    func begin(_ row: BucketSweep.Row, _ type: AggregateWalk.TypeName) {}
    func begin(_ row: AggregateWalk.Summary, _ type: AggregateWalk.TypeName) {}
    func countRow() {}
}
