internal import Archive
internal import Derivation
internal import Files
internal import SQLite

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

    /// Whether a bucket `m` has no rebuilt row.
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
