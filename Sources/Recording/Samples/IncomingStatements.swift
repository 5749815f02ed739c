/// The SQL that writes what new samples have; ?1 is the moment of the observation.
struct IncomingStatements {
    /// `observations.id`.
    let observationID: Int64

    /// The versions.
    var versions: String {
        """
        INSERT INTO sample_versions(id, sample_id, payload_hash, start_date, end_date, value_kind, numeric_value, \
        unit, category_value, workout_activity_type, duration_seconds, \
        source_revision_id, hk_device_id, metadata_id, created_observation_id) \
        SELECT version, id, payload, start, "end", kind, value, unit, category, activity, duration, source, device, \
        metadata, \(observationID) FROM temp.hp_incoming
        """
    }

    /// That they appeared.
    var events: String {
        """
        INSERT INTO sample_observation_events(observation_id, sample_id, version_id, event_kind, observed_at, \
        evidence_kind) \
        SELECT \(observationID), id, version, 'appeared', ?1, evidence FROM temp.hp_incoming
        """
    }

    /// That they are visible from now on.
    var ranges: String {
        """
        INSERT INTO sample_visibility_ranges(sample_id, version_id, first_observation_id, last_observation_id, \
        first_seen_at, last_seen_at) \
        SELECT id, version, \(observationID), NULL, ?1, NULL FROM temp.hp_incoming
        """
    }
}
