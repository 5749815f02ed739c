/// The SQL of findings. Each statement about records speaks of one sample type, ?1.
///
/// What was gathered leads, and samples are looked up: `CROSS JOIN` keeps SQLite from reading all samples of a type
/// first, and what was gathered once for each of them.
extension RecordQuery {
    /// What is visible at an observation and selected by the filter, as `FROM … WHERE …`: `s` the sample, `v` the
    /// version. Numbered parameters stand before those of the filter.
    private func visible(at observation: Int64, and condition: String = "1") -> (sql: String, parameters: [Parameter]) {
        let (conditions, parameters) = selection()
        return (
            """
            FROM (SELECT DISTINCT r.sample_id, r.version_id FROM samples x CROSS JOIN sample_visibility_ranges r
                WHERE x.sample_type_id = ?1 AND r.sample_id = x.id \
            AND \(isVisible("r", at: observation))) p CROSS JOIN samples s ON s.id = p.sample_id
                LEFT JOIN sample_versions v ON v.id = p.version_id WHERE \(condition)\(conditions)
            """, parameters
        )
    }

    /// How many records of the type are visible.
    func visibleCount(at observation: Int64) -> (sql: String, parameters: [Parameter]) {
        let (visible, parameters) = visible(at: observation)
        return ("SELECT count(*) \(visible)", parameters)
    }

    /// Payload hashes that more than one visible sample has: dates, hash, count.
    func exactDuplicates() -> (sql: String, parameters: [Parameter]) {
        let (visible, parameters) = visible(at: scope.observationID)
        return (
            """
            SELECT w.start_date, w.end_date, d.payload_hash, d.records
                FROM (SELECT v.payload_hash, count(*) AS records, min(v.id) AS first \(visible)
                AND typeof(v.payload_hash) = 'text' \
            GROUP BY v.payload_hash HAVING count(DISTINCT s.id) > 1) d JOIN sample_versions w ON w.id = d.first
                ORDER BY hp_date(w.start_date), hp_text(d.payload_hash)
            """, parameters
        )
    }

    /// Semantic fingerprints that visible samples with several payloads share, of families that have a value:
    /// fingerprint, payloads, records.
    func semanticDuplicates() -> (sql: String, parameters: [Parameter]) {
        let (visible, parameters) = visible(at: scope.observationID)
        return (
            """
            SELECT s.semantic_fingerprint, count(DISTINCT v.payload_hash), count(*) \(visible)
                AND typeof(s.semantic_fingerprint) = 'text' AND typeof(v.payload_hash) = 'text'
                AND (typeof(v.numeric_value) IN ('integer', 'real') OR typeof(v.category_value) = 'integer'
                OR typeof(v.workout_activity_type) = 'integer') \
            GROUP BY s.semantic_fingerprint HAVING count(DISTINCT v.payload_hash) > 1
                ORDER BY hp_text(s.semantic_fingerprint)
            """, parameters
        )
    }

    /// Visible records with a number that start in a span of time (?2 to ?3), by start, as `compared` lists them.
    func values() -> (sql: String, parameters: [Parameter]) {
        let (visible, parameters) = visible(
            at: scope.observationID,
            and: "v.start_date >= ?2 AND v.start_date < ?3 AND typeof(v.numeric_value) IN ('real', 'integer')")
        return ("SELECT \(compared("v")) \(visible) ORDER BY v.start_date", parameters)
    }

    /// Samples that appeared and were first seen between the two observations, by type, start and identity.
    func lateArrivals() -> (sql: String, parameters: [Parameter]) {
        let observation = (
            min(scope.fromObservationID ?? 0, scope.observationID),
            max(scope.fromObservationID ?? 0, scope.observationID)
        )
        let (conditions, parameters) = selection()
        return (
            """
            SELECT s.sample_type_id, s.first_seen_at, v.start_date, v.end_date, s.first_seen_observation_id,
                v.payload_hash, s.sample_uuid_hash, s.strict_fingerprint \
            FROM temp.change_sides a CROSS JOIN samples s ON s.id = a.sample_id CROSS JOIN sample_versions v
                ON v.id = a.version_id \
            WHERE s.first_seen_at - v.start_date > ?1 AND a.is_after AND NOT EXISTS (SELECT 1
                FROM temp.change_sides b WHERE b.sample_id = a.sample_id AND b.is_before) \
            AND typeof(s.first_seen_observation_id) = 'integer' AND s.first_seen_observation_id > \(observation.0)
                AND \(isKnown("s.first_seen_observation_id", at: observation.1))\(conditions) \
            ORDER BY hp_order(s.sample_type_id, v.start_date), hp_text(s.sample_uuid_hash, s.strict_fingerprint),
                hp_text(v.payload_hash), s.id, v.id
            """, parameters
        )
    }

    /// How many records of each type disappeared.
    func disappearances() -> (sql: String, parameters: [Parameter]) {
        let (conditions, parameters) = selection()
        return (
            """
            SELECT s.sample_type_id, count(*) FROM temp.change_sides b CROSS JOIN samples s
                ON s.id = b.sample_id LEFT JOIN sample_versions v ON v.id = b.version_id \
            WHERE b.is_before AND NOT EXISTS (SELECT 1 FROM temp.change_sides a WHERE a.sample_id = b.sample_id
                AND a.is_after)\(conditions) GROUP BY 1
            """, parameters
        )
    }
}
