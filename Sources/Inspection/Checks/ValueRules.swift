/// What the values of a column may be.
struct ColumnRule {
    /// What a value is, beyond its storage class.
    enum Form: Equatable {
        case text, blob, integer, real
        /// A whole number that is not negative.
        case count
        /// A date, as Unix seconds.
        case moment
        /// 64 lower-case hex digits, in archives that state `identity_rules`.
        case hash
        /// One of a few words. `isOurs`: only in archives that state `identity_rules`.
        case word(Vocabulary, isOurs: Bool)
        /// Metadata: in archives that state `identity_rules`, one canonical JSON object.
        case metadata
        /// As `metadata`, an array.
        case list
    }

    /// The row id: where the table lost its primary key, it may be anything.
    static let id = ColumnRule("id", .integer, required: true)

    let name: String
    let form: Form
    let isRequired: Bool

    init(_ name: String, _ form: Form, required: Bool = false) {
        self.name = name
        self.form = form
        isRequired = required
    }
}

/// Words that a column may hold.
enum Vocabulary {
    case observationStatus, runStatus, eventKind, evidenceKind, valueKind, runMode, typeState, clockCode

    /// Whether a word belongs to it.
    func contains(_ word: String) -> Bool {
        switch self {
        case .observationStatus: Self.statuses.contains(word) || word.hasPrefix("partial_")
        case .runStatus:
            Self.statuses.contains(word) || word.hasPrefix("partial_") || ["unauthorized", "timed_out"].contains(word)
        case .eventKind: ["appeared", "representation_changed", "disappeared"].contains(word)
        case .evidenceKind: ["anchored_query", "full_scan", "deleted_object"].contains(word)
        case .runMode: ["anchored", "full_scan"].contains(word)
        case .typeState: ["verified", "continued", "unknown"].contains(word)
        case .clockCode: ["clock_backwards", "clock_ahead"].contains(word)
        case .valueKind:
            !word.isEmpty
                && word.utf8.allSatisfy {
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "_")
                }
        }
    }

    /// Those of both lists of the design, and `cancelled`.
    private static let statuses: Set<String> = [
        "running", "started", "completed", "partial", "needs_review", "failed", "cancelled",
    ]
}

/// The columns of a table, and what its rows must be beside that.
struct TableRules {
    let name: String
    let columns: [ColumnRule]
    /// Two columns of which the first is at or before the second, and whether a source may say otherwise.
    var ordered: (first: String, second: String, isFromSource: Bool)?
}

extension TableRules {
    /// What tools note beside the evidence (`Spec/capture.md`, "Extensions and migrations"); not every archive has it.
    static let contextLog = TableRules(
        name: "context_log",
        columns: [
            .id, ColumnRule("logged_at", .moment, required: true), ColumnRule("event_kind", .text, required: true),
            ColumnRule("observation_id", .integer),
            ColumnRule("tool_version", .text, required: true), ColumnRule("detail_json", .metadata, required: true),
        ])

    /// All tables (`Spec/archive-schema.sql`).
    static let all: [TableRules] = [
        TableRules(
            name: "schema_migrations",
            columns: [
                ColumnRule("version", .integer, required: true), ColumnRule("applied_at", .moment, required: true),
                ColumnRule("description", .text, required: true),
            ]),
        TableRules(
            name: "archive_metadata",
            columns: [ColumnRule("key", .text, required: true), ColumnRule("value", .text, required: true)]),
        TableRules(
            name: "device_chains",
            columns: [
                .id,
                ColumnRule("device_chain_hash", .hash, required: true),
                ColumnRule("created_at", .moment, required: true),
                ColumnRule("recovered_from_keychain", .count, required: true),
            ]),
        TableRules(
            name: "observations",
            columns: [
                .id,
                ColumnRule("device_chain_id", .integer, required: true),
                ColumnRule("observed_at", .moment, required: true), ColumnRule("started_at", .moment),
                ColumnRule("ended_at", .moment),
                ColumnRule("status", .word(.observationStatus, isOurs: false), required: true),
                ColumnRule("trigger_reason", .text, required: true), ColumnRule("app_version", .text),
                ColumnRule("os_version", .text), ColumnRule("time_zone_identifier", .text),
                ColumnRule("time_zone_seconds_from_gmt", .integer),
                ColumnRule("schema_version", .integer, required: true),
                ColumnRule("selected_type_set_hash", .hash), ColumnRule("notes", .text),
            ], ordered: ("started_at", "ended_at", false)),
        TableRules(
            name: "sample_types",
            columns: [
                .id,
                ColumnRule("type_identifier", .text, required: true), ColumnRule("display_name", .text),
                ColumnRule("category", .text),
            ]),
        TableRules(
            name: "observation_type_runs",
            columns: [
                .id,
                ColumnRule("observation_id", .integer, required: true),
                ColumnRule("sample_type_id", .integer, required: true),
                ColumnRule("status", .word(.runStatus, isOurs: false), required: true),
                ColumnRule("started_at", .moment), ColumnRule("ended_at", .moment), ColumnRule("anchor_before", .blob),
                ColumnRule("anchor_after", .blob),
                ColumnRule("inserted_event_count", .count, required: true),
                ColumnRule("deleted_event_count", .count, required: true), ColumnRule("verified_visible_count", .count),
                ColumnRule("error_kind", .text), ColumnRule("error_message_hash", .hash),
            ], ordered: ("started_at", "ended_at", false)),
        TableRules(
            name: "sources",
            columns: [
                .id,
                ColumnRule("source_name_hash", .hash), ColumnRule("bundle_identifier", .text),
            ]),
        TableRules(
            name: "source_revisions",
            columns: [
                .id,
                ColumnRule("source_id", .integer, required: true), ColumnRule("product_type", .text),
                ColumnRule("version", .text), ColumnRule("operating_system_version", .text),
            ]),
        TableRules(
            name: "hk_devices",
            columns: [
                .id,
                ColumnRule("device_hash", .hash), ColumnRule("manufacturer_hash", .hash), ColumnRule("model", .text),
                ColumnRule("hardware_version", .text), ColumnRule("firmware_version", .text),
                ColumnRule("software_version", .text), ColumnRule("local_identifier_hash", .hash),
                ColumnRule("udi_hash", .hash),
            ]),
        TableRules(
            name: "metadata_blobs",
            columns: [
                .id,
                ColumnRule("metadata_hash", .hash, required: true),
                ColumnRule("metadata_json", .metadata, required: true),
            ]),
        TableRules(
            name: "samples",
            columns: [
                .id,
                ColumnRule("sample_type_id", .integer, required: true), ColumnRule("sample_uuid_hash", .hash),
                ColumnRule("strict_fingerprint", .hash, required: true),
                ColumnRule("semantic_fingerprint", .hash), ColumnRule("fuzzy_key", .text),
                ColumnRule("first_seen_observation_id", .integer, required: true),
                ColumnRule("first_seen_at", .moment, required: true),
            ]),
        TableRules(
            name: "sample_versions",
            columns: [
                .id,
                ColumnRule("sample_id", .integer, required: true), ColumnRule("payload_hash", .hash, required: true),
                ColumnRule("start_date", .moment, required: true),
                ColumnRule("end_date", .moment, required: true),
                ColumnRule("value_kind", .word(.valueKind, isOurs: true)), ColumnRule("numeric_value", .real),
                ColumnRule("unit", .text),
                ColumnRule("category_value", .integer), ColumnRule("workout_activity_type", .integer),
                ColumnRule("duration_seconds", .real), ColumnRule("source_revision_id", .integer),
                ColumnRule("hk_device_id", .integer), ColumnRule("metadata_id", .integer),
                ColumnRule("created_observation_id", .integer, required: true),
            ], ordered: ("start_date", "end_date", true)),
        TableRules(
            name: "sample_observation_events",
            columns: [
                .id,
                ColumnRule("observation_id", .integer, required: true),
                ColumnRule("sample_id", .integer, required: true), ColumnRule("version_id", .integer),
                ColumnRule("event_kind", .word(.eventKind, isOurs: true), required: true),
                ColumnRule("observed_at", .moment, required: true),
                ColumnRule("evidence_kind", .word(.evidenceKind, isOurs: true)),
            ]),
        TableRules(
            name: "sample_visibility_ranges",
            columns: [
                ColumnRule("sample_id", .integer, required: true), ColumnRule("version_id", .integer),
                ColumnRule("first_observation_id", .integer, required: true),
                ColumnRule("last_observation_id", .integer), ColumnRule("first_seen_at", .moment, required: true),
                ColumnRule("last_seen_at", .moment),
            ]),
        TableRules(
            name: "sample_relationships",
            columns: [
                .id,
                ColumnRule("observation_id", .integer), ColumnRule("source_sample_id", .integer, required: true),
                ColumnRule("target_sample_id", .integer, required: true),
                ColumnRule("relationship_kind", .text, required: true), ColumnRule("metadata_id", .integer),
            ]),
        TableRules(
            name: "observation_type_summaries",
            columns: [
                ColumnRule("observation_id", .integer, required: true),
                ColumnRule("sample_type_id", .integer, required: true),
                ColumnRule("visible_record_count", .count, required: true),
                ColumnRule("appeared_count", .count, required: true),
                ColumnRule("disappeared_count", .count, required: true),
                ColumnRule("representation_changed_count", .count, required: true),
                ColumnRule("earliest_start_date", .moment), ColumnRule("latest_end_date", .moment),
                ColumnRule("value_sum", .real), ColumnRule("value_max", .real), ColumnRule("aggregate_hash", .hash),
            ]),
        TableRules(
            name: "daily_type_aggregates",
            columns: [
                ColumnRule("observation_id", .integer, required: true),
                ColumnRule("sample_type_id", .integer, required: true),
                ColumnRule("bucket_start", .moment, required: true),
                ColumnRule("bucket_end", .moment, required: true),
                ColumnRule("visible_record_count", .count, required: true), ColumnRule("value_sum", .real),
                ColumnRule("value_max", .real),
                ColumnRule("source_revision_id", .integer), ColumnRule("aggregate_hash", .hash),
            ], ordered: ("bucket_start", "bucket_end", false)),
        TableRules(
            name: "export_manifests",
            columns: [
                .id,
                ColumnRule("export_id", .text, required: true), ColumnRule("created_at", .moment, required: true),
                ColumnRule("export_kind", .text, required: true),
                ColumnRule("from_observation_id", .integer), ColumnRule("to_observation_id", .integer),
                ColumnRule("filter_json", .text), ColumnRule("manifest_hash", .text, required: true),
                ColumnRule("record_count", .count, required: true),
            ]),
        TableRules(
            name: "export_items",
            columns: [
                ColumnRule("export_manifest_id", .integer, required: true),
                ColumnRule("sample_id", .integer, required: true), ColumnRule("version_id", .integer),
                ColumnRule("item_hash", .text, required: true),
            ]),
    ]
}
