/// The columns of a table (`Spec/columns.json`), written from the specification, apart from the writer's own list
/// on purpose.
struct TableColumns {
    enum Kind: UInt8 {
        case text, timestamp, integer, number, boolean, json
        /// A canonical object, or any other text.
        case metadata
        /// `{}` where an object is there without a member.
        case emptyObject

        /// The datatype of a column in a sidecar.
        func datatype(_ name: String) -> String {
            switch self {
            case .text: "string"
            case .timestamp: "dateTime"
            case .integer: name.hasSuffix("_id") ? "string" : "integer"
            case .number: "double"
            case .boolean: "boolean"
            case .json, .metadata, .emptyObject: "json"
            }
        }
    }

    struct Column {
        let name: String
        let kind: Kind
    }

    let columns: [Column]

    /// The columns of an item kind; nil where it has no table.
    init?(_ kind: ItemKind) {
        switch kind {
        case .record: self.init(Self.record)
        case .change: self.init(Self.change)
        case .comparison: self.init(Self.comparison)
        case .finding: self.init(Self.finding)
        case .pair: self.init(Self.pair)
        case .typeManifest: self.init(Self.typeManifest)
        case .version: self.init(Self.version)
        case .sample, .sharedRecord: return nil
        }
    }

    private init(_ groups: [(Kind, String)]) {
        columns =
            groups.flatMap { kind, names in names.split(separator: " ").map { Column(name: String($0), kind: kind) } }
            + [Column(name: "item_hash", kind: .text)]
    }

    /// The first row, with its CR LF.
    var firstRow: [UInt8] { Array((columns.map(\.name).joined(separator: ",") + "\r\n").utf8) }

    /// `tableSchema` of a sidecar.
    var schema: String {
        let entries = columns.map {
            "{\"datatype\":\"\($0.kind.datatype($0.name))\",\"name\":\"\($0.name)\",\"titles\":\"\($0.name)\"}"
        }
        return "{\"columns\":[" + entries.joined(separator: ",") + "]}"
    }

    /// Names with something before each.
    private static func each(_ prefix: String, _ names: String) -> String {
        names.split(separator: " ").map { prefix + $0 }.joined(separator: " ")
    }

    private static func payload(_ prefix: String = "") -> [(Kind, String)] {
        [
            (.timestamp, each(prefix, "start_date end_date")), (.text, each(prefix, "value_kind")),
            (.number, each(prefix, "numeric_value")), (.text, each(prefix, "unit")),
            (.integer, each(prefix, "category_value workout_activity_type")),
            (.number, each(prefix, "duration_seconds")),
        ]
    }

    private static func provenance(_ prefix: String = "") -> [(Kind, String)] {
        [
            (
                .text,
                each(
                    prefix + "source.",
                    "bundle_identifier product_type version operating_system_version source_name_hash")
            ), (.emptyObject, prefix + "source"),
            (
                .text,
                each(
                    prefix + "device.",
                    "model hardware_version firmware_version software_version device_hash "
                        + "local_identifier_hash manufacturer_hash udi_hash")
            ),
            (.emptyObject, prefix + "device"), (.metadata, prefix + "metadata"), (.text, prefix + "metadata_hash"),
            (.integer, prefix + "created_observation_id"), (.text, prefix + "payload_hash"),
        ]
    }

    private static let sample: [(Kind, String)] = [
        (.text, "sample_uuid_hash strict_fingerprint semantic_fingerprint fuzzy_key"), (.timestamp, "first_seen_at"),
        (.integer, "first_seen_observation_id"),
    ]

    private static var record: [(Kind, String)] {
        [(.text, "sample_type")] + payload() + provenance() + sample + [(.json, "visibility relationships defects")]
    }

    private static var version: [(Kind, String)] {
        [(.text, "sample_type")] + payload() + provenance() + sample + [(.json, "visibility events defects")]
    }

    private static var change: [(Kind, String)] {
        [(.text, "change"), (.json, "changed_fields"), (.text, "sample_type")] + payload("before.")
            + payload("after.") + provenance("before.")
            + provenance("after.") + sample + [
                (.text, "label"), (.json, "reasons"), (.text, "pair.kind"), (.json, "pair.keys"),
                (.text, "run_before run_after"), (.json, "relationship_before relationship_after events defects"),
            ]
    }

    private static func side(_ prefix: String) -> [(Kind, String)] {
        [
            (.integer, each(prefix, "record_count value_count other_unit_count")),
            (.number, each(prefix, "value_sum value_mean value_min value_max")),
            (.text, prefix + "unit"), (.json, prefix + "parts"),
            (.timestamp, each(prefix, "earliest_start_date latest_end_date")),
            (.number, each(prefix, "interval_seconds mean_interval_seconds records_per_hour")),
        ]
    }

    private static var comparison: [(Kind, String)] {
        [
            (.text, "sample_type measure method"), (.timestamp, "window_start window_end"),
            (.boolean, "crosses_bound"), (.text, "label"), (.json, "labels reasons against look_alikes"),
            (.text, "standing"), (.json, "standing_reasons"),
            (.integer, "appeared_count disappeared_count representation_changed_count"),
        ] + side("before.") + side("after.") + evidence + [(.json, "sources")]
    }

    private static var evidence: [(Kind, String)] {
        [
            (.integer, "evidence.record_count_delta"), (.number, "evidence.measure_delta"),
            (.boolean, each("evidence.", "measure_kept peaks_kept")),
            (
                .number,
                each(
                    "evidence.",
                    "coverage_overlap common_seconds covered_seconds_before covered_seconds_after instant_overlap")
            ),
            (.integer, each("evidence.", "instants_before instants_within")),
            (.boolean, each("evidence.", "sources_compatible metadata_compatible")),
            (.timestamp, each("evidence.", "visible_start visible_end")),
            (
                .boolean,
                each(
                    "signatures.",
                    "condensed_again equal_rate equal_value inside_workout older_than_90_days within_five_minutes")
            ),
        ]
    }

    private static var finding: [(Kind, String)] {
        [
            (.text, "sample_type finding"), (.timestamp, "start_date end_date first_seen_at"),
            (.integer, "first_seen_observation_id"), (.number, "delay_seconds"),
            (.integer, "record_count payload_count before_count after_count disappeared_count"),
            (.number, "disappeared_share elapsed_seconds"),
            (.timestamp, "baseline_start current_start current_end"),
            (.integer, "baseline_day_count current_day_count"),
            (.number, "baseline_mean current_mean baseline_standard_deviation current_standard_deviation"),
            (.text, "unit measure method"), (.number, "ratio"),
            (.text, "sample_uuid_hash strict_fingerprint semantic_fingerprint payload_hash"),
        ]
    }

    private static let pair: [(Kind, String)] = [
        (.text, "sample_type pair level law"), (.timestamp, "start_date end_date"), (.number, "residual"),
        (.text, "unit"), (.boolean, "tied"), (.json, "before after ambiguous_with"),
        (.text, "source.bundle_identifier source.product_type source.source_name_hash key"),
    ]

    private static let typeManifest: [(Kind, String)] = [
        (.text, "sample_type"), (.integer, "item_count defect_count"), (.text, "items_hash"),
    ]
}
