/// The tables and parts that entries of the history commit to (`Spec/history.md`, "Tables" and "Observation").
package enum HistoryParts {
    /// A table whose rows belong to entries.
    package struct Table: Sendable {
        package let name: String
        /// The first is `id`.
        let columns: String
        /// The place among the columns of the observation that a row belongs to; `nil` if ids decide.
        let owner: Int32?

        /// `true` if rows name the observation that they belong to.
        package var isOwned: Bool { owner != nil }
    }

    /// Rows of the context log belong to entries of any kind.
    package static let contextLog = Table(
        name: "context_log", columns: "id, logged_at, event_kind, observation_id, tool_version, detail_json", owner: nil
    )

    /// The tables whose rows belong to live entries, in the order of their names.
    package static let tables = [
        Table(
            name: "device_chains", columns: "id, device_chain_hash, created_at, recovered_from_keychain", owner: nil),
        Table(
            name: "hk_devices",
            columns: "id, device_hash, manufacturer_hash, model, hardware_version, firmware_version, "
                + "software_version, local_identifier_hash, udi_hash", owner: nil),
        Table(name: "metadata_blobs", columns: "id, metadata_hash, metadata_json", owner: nil),
        Table(
            name: "sample_observation_events",
            columns: "id, observation_id, sample_id, version_id, event_kind, observed_at, evidence_kind", owner: 1),
        Table(
            name: "sample_relationships",
            columns: "id, observation_id, source_sample_id, target_sample_id, relationship_kind, metadata_id", owner: 1
        ),
        Table(name: "sample_types", columns: "id, type_identifier", owner: nil),
        Table(
            name: "sample_versions",
            columns: "id, sample_id, payload_hash, start_date, end_date, value_kind, numeric_value, unit, "
                + "category_value, workout_activity_type, duration_seconds, source_revision_id, hk_device_id, "
                + "metadata_id, created_observation_id", owner: 14),
        Table(
            name: "samples",
            columns: "id, sample_type_id, sample_uuid_hash, strict_fingerprint, semantic_fingerprint, fuzzy_key, "
                + "first_seen_observation_id, first_seen_at", owner: 6),
        Table(
            name: "source_revisions", columns: "id, source_id, product_type, version, operating_system_version",
            owner: nil),
        Table(name: "sources", columns: "id, source_name_hash, bundle_identifier", owner: nil),
    ]

    /// The context log and the others, in the order of their names.
    package static let all = [contextLog] + tables

    /// A part of the hash of an observation.
    struct OfObservation: Sendable {
        let name: String
        /// The tables that the query reads.
        let tables: [String]
        /// ?1 is the observation's id, ?2 is 1 if the entry states that its list of types was there, ?3 and ?4 are
        /// the bounds of the ids of the types that belong to the entry: beyond ?3, up to ?4. ?5 is 1 if the entry
        /// states that the archive stated the capture facts.
        let query: String
    }

    static let ofObservation =
        [
            OfObservation(
                name: "archive_metadata", tables: ["archive_metadata"],
                query: "SELECT key, value FROM archive_metadata WHERE key IN ('identity_rules', 'private_metadata') "
                    + "OR ?5 = 1 AND key = 'extension:capture_facts' ORDER BY key"),
            OfObservation(
                name: "observations", tables: ["observations"],
                query: "SELECT id, device_chain_id, observed_at, started_at, ended_at, status, trigger_reason, "
                    + "app_version, os_version, time_zone_identifier, time_zone_seconds_from_gmt, schema_version, "
                    + "selected_type_set_hash, notes FROM observations WHERE id = ?1"),
            OfObservation(
                name: "observation_type_runs", tables: ["observation_type_runs"],
                query: "SELECT id, observation_id, sample_type_id, status, started_at, ended_at, anchor_before, "
                    + "anchor_after, inserted_event_count, deleted_event_count, verified_visible_count, error_kind, "
                    + "error_message_hash FROM observation_type_runs WHERE observation_id = ?1 ORDER BY id"),
            OfObservation(
                name: "type_run_facts", tables: ["type_run_facts"],
                query: "SELECT type_run_id, mode, state, last_verified_observation_id, stated_count, withheld_count, "
                    + "discontinuity FROM type_run_facts WHERE type_run_id IN "
                    + "(SELECT id FROM observation_type_runs WHERE observation_id = ?1) ORDER BY type_run_id"),
            OfObservation(
                name: "observation_facts", tables: ["observation_facts"],
                query: "SELECT observation_id, clock_code, clock_skew_seconds, person_hash FROM observation_facts "
                    + "WHERE observation_id = ?1"),
            OfObservation(
                name: "selected_type_sets", tables: ["selected_type_sets"],
                query: "SELECT selected_type_set_hash, types_json FROM selected_type_sets WHERE ?2 = 1 AND "
                    + "selected_type_set_hash = (SELECT selected_type_set_hash FROM observations WHERE id = ?1)"),
            OfObservation(
                name: "sample_type_origins", tables: ["sample_type_origins"],
                query: "SELECT g.sample_type_id, g.observation_id, g.is_new, g.display_name, g.category, "
                    + "CASE WHEN g.display_name IS NOT NULL THEN t.display_name END, "
                    + "CASE WHEN g.category IS NOT NULL THEN t.category END FROM sample_type_origins g "
                    + "LEFT JOIN sample_types t ON t.id = g.sample_type_id WHERE g.observation_id = ?1 "
                    + "ORDER BY g.sample_type_id"),
            OfObservation(
                name: "sample_type_names", tables: ["sample_type_origins"],
                query: "SELECT t.id, CASE WHEN NOT EXISTS (SELECT 1 FROM sample_type_origins g WHERE "
                    + "g.sample_type_id = t.id AND g.display_name IS NOT NULL) THEN t.display_name END, "
                    + "CASE WHEN NOT EXISTS (SELECT 1 FROM sample_type_origins g WHERE "
                    + "g.sample_type_id = t.id AND g.category IS NOT NULL) THEN t.category END "
                    + "FROM sample_types t WHERE t.id > ?3 AND t.id <= ?4 ORDER BY t.id"),
            OfObservation(
                name: "unknown_elements", tables: ["unknown_elements"],
                query: "SELECT observation_id, kind, name, occurrence_count FROM unknown_elements "
                    + "WHERE observation_id = ?1 ORDER BY CAST(kind AS BLOB), CAST(name AS BLOB)"),
            OfObservation(
                name: "relationship_ends", tables: ["relationship_ends"],
                query: "SELECT id, observation_id, source_sample_id, target_sample_id, relationship_kind "
                    + "FROM relationship_ends WHERE observation_id = ?1 ORDER BY id"),
        ]
        + ranges(
            "rejected_records",
            "device_chain_id, sample_type_id, content_hash, record_count, reason, place, start_date")
        + ranges("withheld_closures", "sample_id")
        + ranges("source_documents", "device_chain_id, kind, name, name_hash, size, content_hash")

    /// The part for an archive that has no origins of types.
    static let namesWithoutOrigins = OfObservation(
        name: "sample_type_names", tables: [],
        query: "SELECT id, display_name, category FROM sample_types WHERE id > ?3 AND id <= ?4 ORDER BY id")

    /// The one part of an observation that was withdrawn.
    static let ofWithdrawal = OfObservation(
        name: "withdrawn_observations", tables: ["withdrawn_observations"],
        query: "SELECT observation_id, observed_at, withdrawn_at FROM withdrawn_observations WHERE observation_id = ?1")

    /// Tables of ranges of ours: those that begin are found in one pass, since no index has their beginnings.
    static let ranged = ["rejected_records", "withheld_closures", "source_documents"]

    private static func ranges(_ table: String, _ columns: String) -> [OfObservation] {
        [
            OfObservation(
                name: table, tables: [table],
                query: "SELECT id, \(columns), first_observation_id FROM \(table) WHERE id IN "
                    + "(SELECT id FROM temp.history_\(table) WHERE first = ?1) ORDER BY id"),
            OfObservation(
                name: "\(table)_ended", tables: [table],
                query: "SELECT id FROM \(table) WHERE last_observation_id = ?1 ORDER BY id"),
        ]
    }
}
