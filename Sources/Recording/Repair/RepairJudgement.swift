internal import Archive
internal import SQLite

/// Rows of aggregates that are there without being demanded: what each should say, by its own observation, type and
/// boundaries.
///
/// They are added to the temporary tables, marked as not demanded. A row whose observation, type or boundaries name
/// nothing that can be computed is not judged.
struct RepairJudgement: ~Copyable {
    private let observation: Int64
    private var writer: AggregateWriter
    private var amounts: Amounts

    /// Judges all rows that were not rebuilt.
    static func run(_ rules: IdentityRules?, _ connection: borrowing Connection) throws(ArchiveError) {
        try findRows(connection)
        var rows = try connection.prepare(
            """
            SELECT j.observation_id, o.device_chain_id FROM (SELECT observation_id FROM temp.judged_buckets UNION
                SELECT observation_id FROM temp.judged_summaries) j \
            JOIN observations o ON o.id = j.observation_id ORDER BY 1
            """)
        var observations: [(id: Int64, chain: Int64)] = []
        while try rows.step() { observations.append((rows.integer(0) ?? 0, rows.integer(1) ?? 0)) }
        for (id, chain) in observations {
            var judgement = try open(id, rules, connection)
            try judgement.judgeBuckets(chain, connection)
            try judgement.judgeSummaries(chain, connection)
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
            WHERE \(known) AND \(AggregateShape.isDay("m")) \
            AND NOT EXISTS (SELECT 1 FROM temp.daily_type_aggregates t WHERE t.observation_id = m.observation_id
                AND t.sample_type_id = m.sample_type_id AND t.bucket_start = m.bucket_start \
            AND t.source_revision_id IS m.source_revision_id)
                GROUP BY m.observation_id, m.sample_type_id, m.bucket_start, m.source_revision_id;
            CREATE TEMP TABLE judged_summaries AS SELECT m.observation_id AS observation_id, m.sample_type_id AS
                sample_type_id FROM main.observation_type_summaries m NOT INDEXED \
            WHERE \(known) AND NOT EXISTS (SELECT 1 FROM temp.observation_type_summaries t
                WHERE t.observation_id = m.observation_id AND t.sample_type_id = m.sample_type_id) GROUP BY 1, 2;
            CREATE INDEX temp.judged_bucket ON judged_buckets(observation_id);
            CREATE INDEX temp.judged_summary ON judged_summaries(observation_id)
            """)
    }

    private static func open(_ observation: Int64, _ rules: IdentityRules?, _ connection: borrowing Connection)
        throws(ArchiveError) -> RepairJudgement
    {
        RepairJudgement(
            observation: observation, amounts: Amounts(rules),
            writer: try AggregateWriter.open(connection, observationID: observation, schema: "temp"))
    }

    private init(observation: Int64, amounts: Amounts, writer: consuming AggregateWriter) {
        self.observation = observation
        self.amounts = amounts
        self.writer = writer
    }

    private func isVisible(_ chain: Int64) -> String {
        "\(Visibility.at(String(observation))) AND (SELECT o.device_chain_id FROM observations o "
            + "WHERE o.id = r.first_observation_id) = \(chain)"
    }

    // MARK: Daily buckets

    private mutating func judgeBuckets(_ chain: Int64, _ connection: borrowing Connection) throws(ArchiveError) {
        var rows = try connection.prepare(
            """
            SELECT j.sample_type_id, t.type_identifier, j.bucket_start, j.bucket_end, j.source_revision_id
                FROM temp.judged_buckets j JOIN sample_types t ON t.id = j.sample_type_id \
            WHERE j.observation_id = \(observation)
            """)
        var records = try connection.prepare(
            """
            SELECT v.numeric_value, \(amounts.unitColumn) FROM sample_versions v
                CROSS JOIN samples s ON s.id = v.sample_id AND s.sample_type_id = ?3
                CROSS JOIN sample_visibility_ranges r ON r.sample_id = v.sample_id AND r.version_id = v.id \
            WHERE v.start_date >= ?1 AND v.start_date < ?2 AND (?4 IS NULL OR v.source_revision_id = ?4)
                AND \(isVisible(chain))
            """)
        while try rows.step() {
            guard let type = rows.integer(0), let start = rows.real(2), let end = rows.real(3) else { continue }
            let revision = rows.integer(4)
            records.bind(1, start)
            records.bind(2, end)
            records.bind(3, type)
            records.bind(4, optional: revision)
            var group = JudgedGroup()
            amounts.begin(type: rows.bytes(1))
            while try records.step() {
                group.add(start: nil, end: nil, amount: amounts.amount(records, value: 0, unit: 1))
            }
            records.reset()
            try writer.write(
                group.records.values(areSummed: amounts.areSummed), type: type, identifier: rows.bytes(1),
                day: Int64(start)..<Int64(end),
                revision: revision)
            try connection.noteJudged("daily_type_aggregates", magnitude: group.magnitude)
        }
    }

    // MARK: Summaries

    private mutating func judgeSummaries(_ chain: Int64, _ connection: borrowing Connection) throws(ArchiveError) {
        var rows = try connection.prepare(
            "SELECT j.sample_type_id, t.type_identifier FROM temp.judged_summaries j JOIN sample_types t "
                + "ON t.id = j.sample_type_id WHERE j.observation_id = \(observation)")
        var records = try connection.prepare(
            """
            SELECT v.start_date, v.end_date, v.numeric_value, \(amounts.unitColumn) FROM samples s
                CROSS JOIN sample_visibility_ranges r ON r.sample_id = s.id
                CROSS JOIN sample_versions v ON v.id = r.version_id \
            WHERE s.sample_type_id = ?1 AND \(isVisible(chain))
            """)
        while try rows.step() {
            guard let type = rows.integer(0) else { continue }
            records.bind(1, type)
            var group = JudgedGroup()
            amounts.begin(type: rows.bytes(1))
            while try records.step() {
                let amount = amounts.amount(records, value: 2, unit: 3)
                group.add(start: records.real(0), end: records.real(1), amount: amount)
            }
            records.reset()
            try writer.write(
                group.records.values(areSummed: amounts.areSummed), type: type, identifier: rows.bytes(1),
                try events(of: type, connection))
            try connection.noteJudged("observation_type_summaries", magnitude: group.magnitude)
        }
    }

    private func events(of type: Int64, _ connection: borrowing Connection) throws(ArchiveError)
        -> AggregateWriter.EventCounts
    {
        var rows = try connection.prepare(
            """
            SELECT sum(e.event_kind = 'appeared'), sum(e.event_kind = 'disappeared'
                AND e.version_id IS NOT NULL), sum(e.event_kind = 'representation_changed') \
            FROM sample_observation_events e JOIN samples s ON s.id = e.sample_id
                WHERE e.observation_id = \(observation) AND s.sample_type_id = \(type)
            """)
        _ = try rows.step()
        return AggregateWriter.EventCounts(
            appeared: rows.integer(0) ?? 0, disappeared: rows.integer(1) ?? 0,
            representationChanged: rows.integer(2) ?? 0)
    }
}

/// A group, and the sum of the magnitudes of its values: how far a sum that was rounded at each step may be off.
private struct JudgedGroup {
    var records = AggregateGroup()
    var magnitude = 0.0

    mutating func add(start: Double?, end: Double?, amount: Amounts.Amount) {
        records.add(start: start, end: end, amount: amount)
        if case .value(let value) = amount { magnitude += abs(value) }
    }
}

extension Connection {
    /// Marks the row that was written last as one that nothing demands.
    fileprivate func noteJudged(_ table: String, magnitude: Double) throws(ArchiveError) {
        var update = try prepare("UPDATE temp.\(table) SET demanded = 0, magnitude = ?1 WHERE rowid = ?2")
        try update.run([.real(magnitude), .integer(lastInsertID)])
    }
}
