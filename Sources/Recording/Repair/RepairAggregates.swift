internal import Archive
internal import Derivation
internal import SQLite

/// Aggregates, rebuilt from ranges, versions and events (`Spec/capture.md`, "Aggregates").
///
/// What a capture would have written is written again, observation by observation, to temporary tables that stand
/// before the archive's under the same names. Archives of other engines may have rows by rules of their own: of
/// them, and of rows that nothing demands, only those that are there are computed (`RepairJudgement`).
enum RepairAggregates {
    private static let finished =
        "m.observation_id NOT IN (SELECT id FROM observations WHERE status IN ('running', 'started'))"

    /// The two tables.
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
            SELECT id, device_chain_id, time_zone_identifier, time_zone_seconds_from_gmt FROM observations
                WHERE status NOT IN ('running', 'started') AND typeof(device_chain_id) = 'integer' ORDER BY id
            """)
        var found: [Observation] = []
        while try rows.step() {
            guard let id = rows.integer(0), let chain = rows.integer(1) else { continue }
            found.append(
                Observation(
                    id: id, chain: chain, zone: rows.isNull(2) ? nil : rows.bytes(2), seconds: rows.exactInteger(3)))
        }
        return found
    }

    private struct Observation {
        let id, chain: Int64
        let zone: [UInt8]?
        let seconds: Int64?

        func replay(_ rules: IdentityRules, _ connection: borrowing Connection) throws(ArchiveError) {
            var aggregation = Aggregation(
                observationID: id, chainID: chain, days: LocalDay.days(zone: zone, secondsFromGMT: seconds),
                rules: rules, isReplay: true)
            try aggregation.write(connection)
        }
    }
}
