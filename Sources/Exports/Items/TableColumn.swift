/// A column of a table (`Spec/reports.md`, Table; `Spec/columns.json` has the same lists).
struct TableColumn: Sendable {
    /// What a cell holds.
    enum ValueType: String, Sendable {
        case text, hash, timestamp, integer, number, boolean, json
    }

    /// The path of the member, its keys separated by dots.
    let name: String
    let type: ValueType

    private init(_ name: String, _ type: ValueType) {
        self.name = name
        self.type = type
    }

    /// The datatype in the terms of CSV on the Web. An id is text: a spreadsheet would round a long one.
    var datatype: String {
        switch type {
        case .text, .hash: "string"
        case .timestamp: "dateTime"
        case .integer: name.hasSuffix("_id") ? "string" : "integer"
        case .number: "double"
        case .boolean: "boolean"
        case .json: "json"
        }
    }

    /// Columns of `record` items.
    static let record = columns(
        [("sample_type", .text)], version, sample,
        [("visibility", .json), ("relationships", .json), ("defects", .json)])

    /// Columns of `version` items.
    static let versionItem = columns(
        [("sample_type", .text)], version, sample, [("visibility", .json), ("events", .json), ("defects", .json)])

    /// Columns of `change` items: what people compare side by side first, where it comes from after that.
    static let change = columns(
        [("change", .text), ("changed_fields", .json), ("sample_type", .text)], inside("before", payload),
        inside("after", payload),
        inside("before", provenance), inside("after", provenance), sample,
        [
            ("label", .text), ("reasons", .json), ("pair.kind", .text), ("pair.keys", .json), ("run_before", .text),
            ("run_after", .text), ("relationship_before", .json), ("relationship_after", .json), ("events", .json),
            ("defects", .json),
        ])

    /// Columns of `comparison` items.
    static let comparison = columns(
        [
            ("sample_type", .text), ("measure", .text), ("method", .text), ("window_start", .timestamp),
            ("window_end", .timestamp), ("crosses_bound", .boolean), ("label", .text), ("labels", .json),
            ("reasons", .json), ("against", .json), ("look_alikes", .json), ("standing", .text),
            ("standing_reasons", .json), ("appeared_count", .integer), ("disappeared_count", .integer),
            ("representation_changed_count", .integer),
        ], inside("before", side), inside("after", side),
        inside(
            "evidence",
            [
                ("record_count_delta", .integer), ("measure_delta", .number), ("measure_kept", .boolean),
                ("peaks_kept", .boolean), ("coverage_overlap", .number), ("common_seconds", .number),
                ("covered_seconds_before", .number), ("covered_seconds_after", .number),
                ("instant_overlap", .number), ("instants_before", .integer), ("instants_within", .integer),
                ("sources_compatible", .boolean), ("metadata_compatible", .boolean), ("visible_start", .timestamp),
                ("visible_end", .timestamp),
            ]),
        inside(
            "signatures",
            [
                ("condensed_again", .boolean), ("equal_rate", .boolean), ("equal_value", .boolean),
                ("inside_workout", .boolean), ("older_than_90_days", .boolean), ("within_five_minutes", .boolean),
            ]), [("sources", .json)])

    /// Columns of `finding` items.
    static let finding = columns([
        ("sample_type", .text), ("finding", .text), ("start_date", .timestamp), ("end_date", .timestamp),
        ("first_seen_at", .timestamp), ("first_seen_observation_id", .integer),
        ("delay_seconds", .number), ("record_count", .integer), ("payload_count", .integer), ("before_count", .integer),
        ("after_count", .integer), ("disappeared_count", .integer),
        ("disappeared_share", .number), ("elapsed_seconds", .number), ("baseline_start", .timestamp),
        ("current_start", .timestamp), ("current_end", .timestamp),
        ("baseline_day_count", .integer), ("current_day_count", .integer), ("baseline_mean", .number),
        ("current_mean", .number), ("baseline_standard_deviation", .number),
        ("current_standard_deviation", .number), ("unit", .text), ("measure", .text), ("method", .text),
        ("ratio", .number),
        ("sample_uuid_hash", .hash), ("strict_fingerprint", .hash), ("semantic_fingerprint", .hash),
        ("payload_hash", .hash),
    ])

    /// Columns of `pair` items.
    static let pair = columns([
        ("sample_type", .text), ("pair", .text), ("level", .text), ("law", .text), ("start_date", .timestamp),
        ("end_date", .timestamp), ("residual", .number), ("unit", .text), ("tied", .boolean), ("before", .json),
        ("after", .json), ("ambiguous_with", .json), ("source.bundle_identifier", .text),
        ("source.product_type", .text), ("source.source_name_hash", .hash), ("key", .text),
    ])

    /// Columns of `type_manifest` items.
    static let typeManifest = columns([
        ("sample_type", .text), ("item_count", .integer), ("defect_count", .integer), ("items_hash", .hash),
    ])

    private typealias List = [(name: String, type: ValueType)]

    private static let payload: List = [
        ("start_date", .timestamp), ("end_date", .timestamp), ("value_kind", .text), ("numeric_value", .number),
        ("unit", .text), ("category_value", .integer),
        ("workout_activity_type", .integer), ("duration_seconds", .number),
    ]
    private static let provenance: List = [
        ("source.bundle_identifier", .text), ("source.product_type", .text), ("source.version", .text),
        ("source.operating_system_version", .text), ("source.source_name_hash", .hash),
        ("source", .json), ("device.model", .text), ("device.hardware_version", .text),
        ("device.firmware_version", .text), ("device.software_version", .text), ("device.device_hash", .hash),
        ("device.local_identifier_hash", .hash), ("device.manufacturer_hash", .hash), ("device.udi_hash", .hash),
        ("device", .json), ("metadata", .json), ("metadata_hash", .hash),
        ("created_observation_id", .integer), ("payload_hash", .hash),
    ]
    private static let version: List = payload + provenance
    private static let sample: List = [
        ("sample_uuid_hash", .hash), ("strict_fingerprint", .hash), ("semantic_fingerprint", .hash),
        ("fuzzy_key", .text), ("first_seen_at", .timestamp), ("first_seen_observation_id", .integer),
    ]
    private static let side: List = [
        ("record_count", .integer), ("value_count", .integer), ("other_unit_count", .integer),
        ("value_sum", .number), ("value_mean", .number), ("value_min", .number), ("value_max", .number),
        ("unit", .text), ("parts", .json), ("earliest_start_date", .timestamp),
        ("latest_end_date", .timestamp), ("interval_seconds", .number), ("mean_interval_seconds", .number),
        ("records_per_hour", .number),
    ]

    private static func inside(_ object: String, _ list: List) -> List {
        list.map { ("\(object).\($0.name)", $0.type) }
    }

    /// All lists, and the item hash.
    private static func columns(_ lists: List...) -> [TableColumn] {
        (lists.flatMap { $0 } + [("item_hash", .hash)]).map { TableColumn($0.name, $0.type) }
    }
}
