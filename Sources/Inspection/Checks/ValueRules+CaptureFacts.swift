extension TableRules {
    /// The table of the extension history.
    static let history = TableRules(
        name: "history_links",
        columns: [
            ColumnRule("sequence", .integer, required: true), ColumnRule("observation_id", .integer, required: true),
            ColumnRule("entry_json", .metadata, required: true), ColumnRule("link", .hash, required: true),
        ])

    /// The tables of the extension capture_facts (`Spec/archive-extensions.sql`); not every archive has them.
    static let captureFacts: [TableRules] = [
        TableRules(
            name: "type_run_facts",
            columns: [
                ColumnRule("type_run_id", .integer, required: true),
                ColumnRule("mode", .word(.runMode, isOurs: false), required: true),
                ColumnRule("state", .word(.typeState, isOurs: false), required: true),
                ColumnRule("last_verified_observation_id", .integer), ColumnRule("stated_count", .count),
                ColumnRule("withheld_count", .count, required: true), ColumnRule("discontinuity", .text),
            ]),
        TableRules(
            name: "observation_facts",
            columns: [
                ColumnRule("observation_id", .integer, required: true),
                ColumnRule("clock_code", .word(.clockCode, isOurs: false)), ColumnRule("clock_skew_seconds", .real),
                ColumnRule("person_hash", .hash),
            ]),
        TableRules(
            name: "selected_type_sets",
            columns: [
                ColumnRule("selected_type_set_hash", .hash, required: true),
                ColumnRule("types_json", .list, required: true),
            ]),
        TableRules(
            name: "rejected_records",
            columns: [
                .id,
                ColumnRule("device_chain_id", .integer, required: true), ColumnRule("sample_type_id", .integer),
                ColumnRule("content_hash", .hash, required: true), ColumnRule("record_count", .count, required: true),
                ColumnRule("reason", .text, required: true), ColumnRule("place", .text, required: true),
                ColumnRule("start_date", .moment), ColumnRule("first_observation_id", .integer, required: true),
                ColumnRule("last_observation_id", .integer),
            ]),
        TableRules(
            name: "withheld_closures",
            columns: [
                .id,
                ColumnRule("sample_id", .integer, required: true),
                ColumnRule("first_observation_id", .integer, required: true),
                ColumnRule("last_observation_id", .integer),
            ]),
        TableRules(
            name: "relationship_ends",
            columns: [
                .id,
                ColumnRule("observation_id", .integer, required: true),
                ColumnRule("source_sample_id", .integer, required: true),
                ColumnRule("target_sample_id", .integer, required: true),
                ColumnRule("relationship_kind", .text, required: true),
            ]),
        TableRules(
            name: "source_documents",
            columns: [
                .id,
                ColumnRule("device_chain_id", .integer, required: true), ColumnRule("kind", .text, required: true),
                ColumnRule("name", .text), ColumnRule("name_hash", .hash, required: true),
                ColumnRule("size", .count, required: true), ColumnRule("content_hash", .hash, required: true),
                ColumnRule("first_observation_id", .integer, required: true),
                ColumnRule("last_observation_id", .integer),
            ]),
        TableRules(
            name: "unknown_elements",
            columns: [
                ColumnRule("observation_id", .integer, required: true), ColumnRule("kind", .text, required: true),
                ColumnRule("name", .text, required: true), ColumnRule("occurrence_count", .count, required: true),
            ]),
        TableRules(
            name: "sample_type_origins",
            columns: [
                ColumnRule("sample_type_id", .integer, required: true),
                ColumnRule("observation_id", .integer, required: true), ColumnRule("is_new", .count, required: true),
                ColumnRule("display_name", .text), ColumnRule("category", .text),
            ]),
        TableRules(
            name: "withdrawn_observations",
            columns: [
                ColumnRule("observation_id", .integer, required: true),
                ColumnRule("observed_at", .moment, required: true),
                ColumnRule("withdrawn_at", .moment, required: true),
            ]),
    ]
}
