/// What an entry of the history hashes (`Spec/history.md`).
package enum HistoryParts {
    /// A table that only grows, in the order of its ids.
    package struct Grown: Sendable {
        package let table: String
        /// The first is `id`.
        let columns: String
    }

    /// In the order of their names.
    package static let grown = [
        Grown(
            table: "context_log", columns: "id, logged_at, event_kind, observation_id, tool_version, detail_json"),
        Grown(table: "device_chains", columns: "id, device_chain_hash, created_at, recovered_from_keychain"),
        Grown(
            table: "hk_devices",
            columns: "id, device_hash, manufacturer_hash, model, hardware_version, firmware_version, "
                + "software_version, local_identifier_hash, udi_hash"),
        Grown(table: "metadata_blobs", columns: "id, metadata_hash, metadata_json"),
        Grown(table: "observations", columns: "id, device_chain_id, observed_at, started_at, trigger_reason"),
        Grown(
            table: "sample_observation_events",
            columns: "id, observation_id, sample_id, version_id, event_kind, observed_at, evidence_kind"),
        Grown(
            table: "sample_relationships",
            columns: "id, observation_id, source_sample_id, target_sample_id, relationship_kind, metadata_id"),
        Grown(table: "sample_types", columns: "id, type_identifier"),
        Grown(
            table: "sample_versions",
            columns: "id, sample_id, payload_hash, start_date, end_date, value_kind, numeric_value, unit, "
                + "category_value, workout_activity_type, duration_seconds, source_revision_id, hk_device_id, "
                + "metadata_id, created_observation_id"),
        Grown(
            table: "samples",
            columns: "id, sample_type_id, sample_uuid_hash, strict_fingerprint, semantic_fingerprint, fuzzy_key, "
                + "first_seen_observation_id, first_seen_at"),
        Grown(table: "source_revisions", columns: "id, source_id, product_type, version, operating_system_version"),
        Grown(table: "sources", columns: "id, source_name_hash, bundle_identifier"),
    ]

    /// A part of the hash of an observation.
    struct OfObservation: Sendable {
        let name: String
        /// The table, where it is one of an extension.
        let extra: String?
        /// With one parameter: the observation's id.
        let query: String
    }

    /// What a later observation may add is none of them: the list behind a `selected_type_set_hash`, which is a hash of
    /// it, may come with the next one.
    static let ofObservation =
        [
            OfObservation(
                name: "observations", extra: nil,
                query: "SELECT id, device_chain_id, observed_at, started_at, ended_at, status, trigger_reason, "
                    + "app_version, os_version, time_zone_identifier, time_zone_seconds_from_gmt, schema_version, "
                    + "selected_type_set_hash, notes FROM observations WHERE id = ?1"),
            OfObservation(
                name: "observation_type_runs", extra: nil,
                query: "SELECT id, observation_id, sample_type_id, status, started_at, ended_at, anchor_before, "
                    + "anchor_after, inserted_event_count, deleted_event_count, verified_visible_count, error_kind, "
                    + "error_message_hash FROM observation_type_runs WHERE observation_id = ?1 ORDER BY id"),
            OfObservation(
                name: "type_run_facts", extra: "type_run_facts",
                query: "SELECT type_run_id, mode, state, last_verified_observation_id, stated_count, withheld_count, "
                    + "discontinuity FROM type_run_facts WHERE type_run_id IN "
                    + "(SELECT id FROM observation_type_runs WHERE observation_id = ?1) ORDER BY type_run_id"),
            OfObservation(
                name: "observation_facts", extra: "observation_facts",
                query: "SELECT observation_id, clock_code, clock_skew_seconds, person_hash FROM observation_facts "
                    + "WHERE observation_id = ?1"),
            OfObservation(
                name: "sample_type_origins", extra: "sample_type_origins",
                query: "SELECT sample_type_id, observation_id, is_new, display_name, category FROM "
                    + "sample_type_origins WHERE observation_id = ?1 ORDER BY sample_type_id"),
            OfObservation(
                name: "unknown_elements", extra: "unknown_elements",
                query: "SELECT observation_id, kind, name, occurrence_count FROM unknown_elements "
                    + "WHERE observation_id = ?1 ORDER BY CAST(kind AS BLOB), CAST(name AS BLOB)"),
            OfObservation(
                name: "relationship_ends", extra: "relationship_ends",
                query: "SELECT id, observation_id, source_sample_id, target_sample_id, relationship_kind "
                    + "FROM relationship_ends WHERE observation_id = ?1 ORDER BY id"),
        ]
        + ranges(
            "rejected_records",
            "device_chain_id, sample_type_id, content_hash, record_count, reason, place, start_date")
        + ranges("withheld_closures", "sample_id")
        + ranges("source_documents", "device_chain_id, kind, name, name_hash, size, content_hash")

    /// Tables of ranges of ours: those that begin are found in one pass, since no index has their beginnings.
    static let ranged = ["rejected_records", "withheld_closures", "source_documents"]

    private static func ranges(_ table: String, _ columns: String) -> [OfObservation] {
        [
            OfObservation(
                name: table, extra: table,
                query: "SELECT id, \(columns), first_observation_id FROM \(table) WHERE id IN "
                    + "(SELECT id FROM temp.history_\(table) WHERE first = ?1) ORDER BY id"),
            OfObservation(
                name: "\(table)_ended", extra: table,
                query: "SELECT id FROM \(table) WHERE last_observation_id = ?1 ORDER BY id"),
        ]
    }
}
