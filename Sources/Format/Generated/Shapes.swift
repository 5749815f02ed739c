// Made from Spec/schemas by Scripts/write-format.
// swift-format-ignore-file

extension Forms {
    public static let record = Forms(rawValue: 1 << 0)
    public static let sample = Forms(rawValue: 1 << 1)
    public static let version = Forms(rawValue: 1 << 2)
    public static let sharedRecord = Forms(rawValue: 1 << 3)
    public static let appeared = Forms(rawValue: 1 << 4)
    public static let disappeared = Forms(rawValue: 1 << 5)
    public static let representationChanged = Forms(rawValue: 1 << 6)
    public static let relationshipAppeared = Forms(rawValue: 1 << 7)
    public static let relationshipDisappeared = Forms(rawValue: 1 << 8)
    public static let relationshipChanged = Forms(rawValue: 1 << 9)
    public static let allTypes = Forms(rawValue: 1 << 10)
    public static let wholeType = Forms(rawValue: 1 << 11)
    public static let window = Forms(rawValue: 1 << 12)
    public static let disappearance = Forms(rawValue: 1 << 13)
    public static let divergence = Forms(rawValue: 1 << 14)
    public static let exactDuplicate = Forms(rawValue: 1 << 15)
    public static let lateArrival = Forms(rawValue: 1 << 16)
    public static let semanticDuplicate = Forms(rawValue: 1 << 17)
    public static let sourceAppeared = Forms(rawValue: 1 << 18)
    public static let sourceChanged = Forms(rawValue: 1 << 19)
    public static let sourceQuiet = Forms(rawValue: 1 << 20)
    public static let ambiguous = Forms(rawValue: 1 << 21)
    public static let condensedInto = Forms(rawValue: 1 << 22)
    public static let expandedInto = Forms(rawValue: 1 << 23)
    public static let reIdentified = Forms(rawValue: 1 << 24)
    public static let regrouped = Forms(rawValue: 1 << 25)
    public static let activitySummary = Forms(rawValue: 1 << 26)
    public static let category = Forms(rawValue: 1 << 27)
    public static let cumulative = Forms(rawValue: 1 << 28)
    public static let discrete = Forms(rawValue: 1 << 29)
    public static let event = Forms(rawValue: 1 << 30)
    public static let nap = Forms(rawValue: 1 << 31)
    public static let night = Forms(rawValue: 1 << 32)
    public static let workout = Forms(rawValue: 1 << 33)
    public static let typeManifest = Forms(rawValue: 1 << 34)
    public static let recoveryBundle = Forms(rawValue: 1 << 35)
    public static let observationManifest = Forms(rawValue: 1 << 36)
    public static let recordTable = Forms(rawValue: 1 << 37)
    public static let dayReport = Forms(rawValue: 1 << 38)
    public static let versionTable = Forms(rawValue: 1 << 39)
    public static let sharedBundle = Forms(rawValue: 1 << 40)
    public static let diffReport = Forms(rawValue: 1 << 41)
    public static let pairReport = Forms(rawValue: 1 << 42)
    public static let changeSet = Forms(rawValue: 1 << 43)
    public static let diffSummary = Forms(rawValue: 1 << 44)
    public static let pageReport = Forms(rawValue: 1 << 45)
    public static let findingReport = Forms(rawValue: 1 << 46)
}

extension ObjectFormat {
    /// `evidence.item`.
    public static var evidenceItem: ObjectFormat {
        ObjectFormat(
            "evidence.item", [
                MemberFormat("category_value", .integer, in: [.record, .version, .sharedRecord]),
                MemberFormat("created_observation_id", .integer, in: [.record, .version, .sharedRecord],
                    excusable: [.record, .version, .sharedRecord]),
                MemberFormat("defects", .array(.object(evidenceItemDefects), least: 1)),
                MemberFormat("device", .object(evidenceItemDevice), in: [.record, .version]),
                MemberFormat("duration_seconds", .number, in: [.record, .version, .sharedRecord]),
                MemberFormat("end_date", .timestamp, in: [.record, .version, .sharedRecord], excusable: [.record,
                    .version, .sharedRecord]),
                MemberFormat("events", .array(.object(evidenceItemEvents), least: 1), in: [.sample, .version]),
                MemberFormat("first_seen_at", .timestamp, excusable: .all),
                MemberFormat("first_seen_observation_id", .integer, excusable: .all),
                MemberFormat("fuzzy_key", .text, in: [.record, .sample, .version]),
                MemberFormat("item_kind", .text),
                MemberFormat("metadata", .metadata, in: [.record, .version, .sharedRecord]),
                MemberFormat("metadata_hash", .text, in: [.record, .version]),
                MemberFormat("numeric_value", .number, in: [.record, .version, .sharedRecord]),
                MemberFormat("payload_hash", .text, in: [.record, .version], excusable: [.record, .version]),
                MemberFormat("relationships", .array(.object(evidenceItemRelationships), least: 1), in: [.record,
                    .sample]),
                MemberFormat("sample_type", .text, excusable: .all),
                MemberFormat("sample_uuid_hash", .text),
                MemberFormat("semantic_fingerprint", .text, in: [.record, .sample, .version]),
                MemberFormat("source", .object(evidenceItemSource), in: [.record, .version, .sharedRecord]),
                MemberFormat("start_date", .timestamp, in: [.record, .version, .sharedRecord], excusable: [.record,
                    .version, .sharedRecord]),
                MemberFormat("strict_fingerprint", .text, excusable: .all),
                MemberFormat("unit", .text, in: [.record, .version, .sharedRecord]),
                MemberFormat("value_kind", .text, in: [.record, .version, .sharedRecord]),
                MemberFormat("visibility", .array(.object(evidenceItemVisibility), least: 1), required: [.record,
                    .sharedRecord]),
                MemberFormat("workout_activity_type", .integer, in: [.record, .version, .sharedRecord]),
            ], needs: [
                NeedFormat("metadata_hash", of: "metadata", isExcusable: true),
                NeedFormat("metadata", of: "metadata_hash", isExcusable: true),
            ])
    }

    /// `evidence.item.defects`.
    public static var evidenceItemDefects: ObjectFormat {
        ObjectFormat(
            "evidence.item.defects", [
                MemberFormat("pointer", .pointer, required: .all),
                MemberFormat("reason", .choice(["storage_class", "null", "integer_range", "not_finite",
                    "negative_zero", "utf8", "nul", "date_range", "date_precision", "missing_row", "no_version"]),
                    required: .all),
                MemberFormat("storage_class", .choice(["null", "integer", "real", "text", "blob"]), required: .all),
                MemberFormat("value", .text),
            ])
    }

    /// `evidence.item.device`.
    public static var evidenceItemDevice: ObjectFormat {
        ObjectFormat(
            "evidence.item.device", [
                MemberFormat("device_hash", .text),
                MemberFormat("firmware_version", .text),
                MemberFormat("hardware_version", .text),
                MemberFormat("local_identifier_hash", .text),
                MemberFormat("manufacturer_hash", .text),
                MemberFormat("model", .text),
                MemberFormat("software_version", .text),
                MemberFormat("udi_hash", .text),
            ])
    }

    /// `evidence.item.events`.
    public static var evidenceItemEvents: ObjectFormat {
        ObjectFormat(
            "evidence.item.events", [
                MemberFormat("event_kind", .text, excusable: .all),
                MemberFormat("evidence_kind", .text),
                MemberFormat("observation_id", .integer, excusable: .all),
                MemberFormat("observed_at", .timestamp, excusable: .all),
            ])
    }

    /// `evidence.item.relationships`.
    public static var evidenceItemRelationships: ObjectFormat {
        ObjectFormat(
            "evidence.item.relationships", [
                MemberFormat("end", .choice(["source", "target"]), required: .all),
                MemberFormat("end_identity_hash", .text, excusable: .all),
                MemberFormat("end_in_scope", .boolean, required: .all),
                MemberFormat("end_sample_type", .text, excusable: .all),
                MemberFormat("ended_observation_id", .integer),
                MemberFormat("metadata", .metadata),
                MemberFormat("metadata_hash", .text),
                MemberFormat("observation_id", .integer),
                MemberFormat("relationship_kind", .text, excusable: .all),
            ], needs: [
                NeedFormat("metadata_hash", of: "metadata", isExcusable: true),
                NeedFormat("metadata", of: "metadata_hash", isExcusable: true),
            ])
    }

    /// `evidence.item.source`.
    public static var evidenceItemSource: ObjectFormat {
        ObjectFormat(
            "evidence.item.source", [
                MemberFormat("bundle_identifier", .text),
                MemberFormat("operating_system_version", .text),
                MemberFormat("product_type", .text),
                MemberFormat("source_name_hash", .text),
                MemberFormat("version", .text),
            ])
    }

    /// `evidence.item.visibility`.
    public static var evidenceItemVisibility: ObjectFormat {
        ObjectFormat(
            "evidence.item.visibility", [
                MemberFormat("first_observation_id", .integer, excusable: .all),
                MemberFormat("first_seen_at", .timestamp, excusable: .all),
                MemberFormat("last_observation_id", .integer, in: [.sample, .version]),
                MemberFormat("last_seen_at", .timestamp, in: [.sample, .version]),
            ])
    }

    /// `evidence`.
    public static var evidence: ObjectFormat {
        ObjectFormat(
            "evidence", [
                MemberFormat("item", .object(evidenceItem), required: .all),
                MemberFormat("item_hash", .hash, required: .all),
            ])
    }

    /// `change.item`.
    public static var changeItem: ObjectFormat {
        ObjectFormat(
            "change.item", [
                MemberFormat("after", .object(changeItemAfter), in: [.appeared, .representationChanged],
                    required: [.appeared, .representationChanged]),
                MemberFormat("before", .object(changeItemBefore), in: [.disappeared, .representationChanged],
                    required: [.disappeared, .representationChanged]),
                MemberFormat("change", .choice(["appeared", "disappeared", "relationship_appeared",
                    "relationship_changed", "relationship_disappeared", "representation_changed"]), required: .all),
                MemberFormat("changed_fields", .array(.choice(["category_value", "device", "duration_seconds",
                    "end_date", "metadata", "numeric_value", "source", "start_date", "unit", "value_kind",
                    "workout_activity_type"]), least: 0), in: [.representationChanged]),
                MemberFormat("defects", .array(.object(changeItemDefects), least: 1)),
                MemberFormat("events", .array(.object(changeItemEvents), least: 1), in: [.appeared, .disappeared,
                    .representationChanged]),
                MemberFormat("first_seen_at", .timestamp, excusable: .all),
                MemberFormat("first_seen_observation_id", .integer, excusable: .all),
                MemberFormat("fuzzy_key", .text),
                MemberFormat("item_kind", .text),
                MemberFormat("label", .choice(["aggregateChanged", "appeared", "consolidationLikely",
                    "disappeared", "replacedNotProvable", "representationChanged", "uncertain"]), in: [.appeared,
                    .disappeared, .representationChanged]),
                MemberFormat("pair", .object(changeItemPair), in: [.appeared, .disappeared,
                    .representationChanged]),
                MemberFormat("reasons", .array(.choice(["dates_missing", "from_never_queried",
                    "from_run_not_completed", "from_state_unknown", "pairs_ambiguous", "rejected_records_differ",
                    "sources_differ", "to_never_queried", "to_run_not_completed", "to_state_unknown", "units_differ",
                    "values_incomplete", "values_missing"]), least: 1), in: [.appeared, .disappeared,
                    .representationChanged]),
                MemberFormat("relationship_after", .object(changeItemRelationshipAfter),
                    in: [.relationshipAppeared, .relationshipChanged], required: [.relationshipAppeared,
                    .relationshipChanged]),
                MemberFormat("relationship_before", .object(changeItemRelationshipBefore),
                    in: [.relationshipDisappeared, .relationshipChanged], required: [.relationshipDisappeared,
                    .relationshipChanged]),
                MemberFormat("run_after", .text),
                MemberFormat("run_before", .text),
                MemberFormat("sample_type", .text, excusable: .all),
                MemberFormat("sample_uuid_hash", .text),
                MemberFormat("semantic_fingerprint", .text),
                MemberFormat("strict_fingerprint", .text, excusable: .all),
            ])
    }

    /// `change.item.after`.
    public static var changeItemAfter: ObjectFormat {
        ObjectFormat(
            "change.item.after", [
                MemberFormat("category_value", .integer),
                MemberFormat("created_observation_id", .integer, excusable: .all),
                MemberFormat("device", .object(changeItemAfterDevice)),
                MemberFormat("duration_seconds", .number),
                MemberFormat("end_date", .timestamp, excusable: .all),
                MemberFormat("metadata", .metadata),
                MemberFormat("metadata_hash", .text),
                MemberFormat("numeric_value", .number),
                MemberFormat("payload_hash", .text, excusable: .all),
                MemberFormat("source", .object(changeItemAfterSource)),
                MemberFormat("start_date", .timestamp, excusable: .all),
                MemberFormat("unit", .text),
                MemberFormat("value_kind", .text),
                MemberFormat("workout_activity_type", .integer),
            ], needs: [
                NeedFormat("metadata_hash", of: "metadata", isExcusable: true),
                NeedFormat("metadata", of: "metadata_hash", isExcusable: true),
            ])
    }

    /// `change.item.after.device`.
    public static var changeItemAfterDevice: ObjectFormat {
        ObjectFormat(
            "change.item.after.device", [
                MemberFormat("device_hash", .text),
                MemberFormat("firmware_version", .text),
                MemberFormat("hardware_version", .text),
                MemberFormat("local_identifier_hash", .text),
                MemberFormat("manufacturer_hash", .text),
                MemberFormat("model", .text),
                MemberFormat("software_version", .text),
                MemberFormat("udi_hash", .text),
            ])
    }

    /// `change.item.after.source`.
    public static var changeItemAfterSource: ObjectFormat {
        ObjectFormat(
            "change.item.after.source", [
                MemberFormat("bundle_identifier", .text),
                MemberFormat("operating_system_version", .text),
                MemberFormat("product_type", .text),
                MemberFormat("source_name_hash", .text),
                MemberFormat("version", .text),
            ])
    }

    /// `change.item.before`.
    public static var changeItemBefore: ObjectFormat {
        ObjectFormat(
            "change.item.before", [
                MemberFormat("category_value", .integer),
                MemberFormat("created_observation_id", .integer, excusable: .all),
                MemberFormat("device", .object(changeItemBeforeDevice)),
                MemberFormat("duration_seconds", .number),
                MemberFormat("end_date", .timestamp, excusable: .all),
                MemberFormat("metadata", .metadata),
                MemberFormat("metadata_hash", .text),
                MemberFormat("numeric_value", .number),
                MemberFormat("payload_hash", .text, excusable: .all),
                MemberFormat("source", .object(changeItemBeforeSource)),
                MemberFormat("start_date", .timestamp, excusable: .all),
                MemberFormat("unit", .text),
                MemberFormat("value_kind", .text),
                MemberFormat("workout_activity_type", .integer),
            ], needs: [
                NeedFormat("metadata_hash", of: "metadata", isExcusable: true),
                NeedFormat("metadata", of: "metadata_hash", isExcusable: true),
            ])
    }

    /// `change.item.before.device`.
    public static var changeItemBeforeDevice: ObjectFormat {
        ObjectFormat(
            "change.item.before.device", [
                MemberFormat("device_hash", .text),
                MemberFormat("firmware_version", .text),
                MemberFormat("hardware_version", .text),
                MemberFormat("local_identifier_hash", .text),
                MemberFormat("manufacturer_hash", .text),
                MemberFormat("model", .text),
                MemberFormat("software_version", .text),
                MemberFormat("udi_hash", .text),
            ])
    }

    /// `change.item.before.source`.
    public static var changeItemBeforeSource: ObjectFormat {
        ObjectFormat(
            "change.item.before.source", [
                MemberFormat("bundle_identifier", .text),
                MemberFormat("operating_system_version", .text),
                MemberFormat("product_type", .text),
                MemberFormat("source_name_hash", .text),
                MemberFormat("version", .text),
            ])
    }

    /// `change.item.defects`.
    public static var changeItemDefects: ObjectFormat {
        ObjectFormat(
            "change.item.defects", [
                MemberFormat("pointer", .pointer, required: .all),
                MemberFormat("reason", .choice(["storage_class", "null", "integer_range", "not_finite",
                    "negative_zero", "utf8", "nul", "date_range", "date_precision", "missing_row", "no_version"]),
                    required: .all),
                MemberFormat("storage_class", .choice(["null", "integer", "real", "text", "blob"]), required: .all),
                MemberFormat("value", .text),
            ])
    }

    /// `change.item.events`.
    public static var changeItemEvents: ObjectFormat {
        ObjectFormat(
            "change.item.events", [
                MemberFormat("event_kind", .text, excusable: .all),
                MemberFormat("evidence_kind", .text),
                MemberFormat("observation_id", .integer, excusable: .all),
                MemberFormat("observed_at", .timestamp, excusable: .all),
            ])
    }

    /// `change.item.pair`.
    public static var changeItemPair: ObjectFormat {
        ObjectFormat(
            "change.item.pair", [
                MemberFormat("keys", .array(.text, least: 1), required: .all),
                MemberFormat("kind", .choice(["ambiguous", "condensed_into", "expanded_into", "re_identified",
                    "regrouped"]), required: .all),
            ])
    }

    /// `change.item.relationship_after`.
    public static var changeItemRelationshipAfter: ObjectFormat {
        ObjectFormat(
            "change.item.relationship_after", [
                MemberFormat("end", .choice(["target"]), required: .all),
                MemberFormat("end_identity_hash", .text, excusable: .all),
                MemberFormat("end_in_scope", .boolean, required: .all),
                MemberFormat("end_sample_type", .text, excusable: .all),
                MemberFormat("metadata", .metadata),
                MemberFormat("metadata_hash", .text),
                MemberFormat("observation_id", .integer),
                MemberFormat("relationship_kind", .text, excusable: .all),
            ], needs: [
                NeedFormat("metadata_hash", of: "metadata", isExcusable: true),
                NeedFormat("metadata", of: "metadata_hash", isExcusable: true),
            ])
    }

    /// `change.item.relationship_before`.
    public static var changeItemRelationshipBefore: ObjectFormat {
        ObjectFormat(
            "change.item.relationship_before", [
                MemberFormat("end", .choice(["target"]), required: .all),
                MemberFormat("end_identity_hash", .text, excusable: .all),
                MemberFormat("end_in_scope", .boolean, required: .all),
                MemberFormat("end_sample_type", .text, excusable: .all),
                MemberFormat("metadata", .metadata),
                MemberFormat("metadata_hash", .text),
                MemberFormat("observation_id", .integer),
                MemberFormat("relationship_kind", .text, excusable: .all),
            ], needs: [
                NeedFormat("metadata_hash", of: "metadata", isExcusable: true),
                NeedFormat("metadata", of: "metadata_hash", isExcusable: true),
            ])
    }

    /// `change`.
    public static var change: ObjectFormat {
        ObjectFormat(
            "change", [
                MemberFormat("item", .object(changeItem), required: .all),
                MemberFormat("item_hash", .hash, required: .all),
            ])
    }

    /// `comparison.item`.
    public static var comparisonItem: ObjectFormat {
        ObjectFormat(
            "comparison.item", [
                MemberFormat("after", .object(comparisonItemAfter), required: .all),
                MemberFormat("answer", .object(comparisonItemAnswer), in: [.allTypes]),
                MemberFormat("appeared_count", .count(least: 0), required: .all),
                MemberFormat("before", .object(comparisonItemBefore), required: .all),
                MemberFormat("calendar", .object(comparisonItemCalendar), in: [.wholeType]),
                MemberFormat("context", .array(.object(comparisonItemContext), least: 1), in: [.allTypes]),
                MemberFormat("crosses_bound", .boolean, in: [.window]),
                MemberFormat("disappeared_count", .count(least: 0), required: .all),
                MemberFormat("evidence", .object(comparisonItemEvidence), in: [.window], required: [.window]),
                MemberFormat("examples", .array(.object(comparisonItemExamples), least: 1), in: [.wholeType]),
                MemberFormat("first_date", .text, in: [.allTypes]),
                MemberFormat("item_kind", .text),
                MemberFormat("label", .choice(["aggregateChanged", "appeared", "consolidationLikely",
                    "disappeared", "replacedNotProvable", "representationChanged", "uncertain"]), in: [.window],
                    required: [.window]),
                MemberFormat("labels", .object(comparisonItemLabels), in: [.allTypes, .wholeType],
                    required: [.allTypes, .wholeType]),
                MemberFormat("last_date", .text, in: [.allTypes]),
                MemberFormat("left_over", .object(comparisonItemLeftOver)),
                MemberFormat("look_alikes", .array(.choice(["daily_replacement", "narrowed_permission",
                    "truncated_export", "watch_week"]), least: 1), in: [.window]),
                MemberFormat("measure", .choice(["category", "cumulative", "discrete", "event", "workout"]),
                    in: [.wholeType, .window], required: [.wholeType, .window]),
                MemberFormat("method", .choice(["count", "duration", "equivalent_level", "mean", "sum",
                    "time_weighted_mean"]), in: [.wholeType, .window], required: [.wholeType, .window]),
                MemberFormat("nights", .array(.object(comparisonItemNights), least: 1), in: [.allTypes]),
                MemberFormat("observations", .array(.object(comparisonItemObservations), least: 1),
                    in: [.allTypes]),
                MemberFormat("pair_counts", .object(comparisonItemPairCounts), in: [.wholeType]),
                MemberFormat("reasons", .array(.choice(["dates_missing", "from_never_queried",
                    "from_run_not_completed", "from_state_unknown", "pairs_ambiguous", "rejected_records_differ",
                    "sources_differ", "to_never_queried", "to_run_not_completed", "to_state_unknown", "units_differ",
                    "values_incomplete", "values_missing"]), least: 1), in: [.window]),
                MemberFormat("rejected_count", .count(least: 0), in: [.allTypes]),
                MemberFormat("relationship_appeared_count", .count(least: 1), in: [.allTypes, .wholeType]),
                MemberFormat("relationship_changed_count", .count(least: 1), in: [.allTypes, .wholeType]),
                MemberFormat("relationship_disappeared_count", .count(least: 1), in: [.allTypes, .wholeType]),
                MemberFormat("replaced", .array(.object(comparisonItemReplaced), least: 1)),
                MemberFormat("representation_changed_count", .count(least: 0), required: .all),
                MemberFormat("sample_type", .text, in: [.wholeType, .window]),
                MemberFormat("signatures", .object(comparisonItemSignatures), in: [.window]),
                MemberFormat("sources", .array(.object(comparisonItemSources), least: 0), in: [.wholeType,
                    .window], required: [.wholeType, .window]),
                MemberFormat("standing", .choice(["changed", "continued", "unchanged", "unknown", "verified"]),
                    in: [.wholeType], required: [.wholeType]),
                MemberFormat("standing_reasons", .array(.choice(["from_never_queried", "from_run_not_completed",
                    "from_state_unknown", "rejected_records_differ", "to_never_queried", "to_run_not_completed",
                    "to_state_unknown"]), least: 1), in: [.wholeType]),
                MemberFormat("statuses", .array(.text, least: 1), in: [.wholeType]),
                MemberFormat("strip", .array(.object(comparisonItemStrip), least: 1), in: [.wholeType]),
                MemberFormat("window_end", .timestamp, in: [.window]),
                MemberFormat("window_start", .timestamp, in: [.window]),
                MemberFormat("withheld_count", .count(least: 0), in: [.allTypes]),
                MemberFormat("years", .array(.object(comparisonItemYears), least: 1), in: [.wholeType]),
            ], needs: comparisonItemNeeds)
    }

    private static var comparisonItemNeeds: [NeedFormat] {
        [
            NeedFormat("last_date", of: "first_date"),
            NeedFormat("first_date", of: "last_date"),
            NeedFormat("window_end", of: "window_start"),
            NeedFormat("window_start", of: "window_end"),
        ]
    }

    /// `comparison.item.after`.
    public static var comparisonItemAfter: ObjectFormat {
        ObjectFormat(
            "comparison.item.after", [
                MemberFormat("earliest_start_date", .timestamp, in: [.wholeType, .window]),
                MemberFormat("interval_seconds", .number, in: [.wholeType, .window]),
                MemberFormat("latest_end_date", .timestamp, in: [.wholeType, .window]),
                MemberFormat("mean_interval_seconds", .number, in: [.wholeType, .window]),
                MemberFormat("other_unit_count", .count(least: 1), in: [.wholeType, .window]),
                MemberFormat("parts", .array(.object(comparisonItemAfterParts), least: 1), in: [.wholeType,
                    .window]),
                MemberFormat("record_count", .count(least: 0), required: .all),
                MemberFormat("records_per_hour", .number, in: [.wholeType, .window]),
                MemberFormat("unit", .text, in: [.wholeType, .window]),
                MemberFormat("value_count", .count(least: 0), in: [.wholeType, .window], required: [.wholeType,
                    .window]),
                MemberFormat("value_max", .number, in: [.wholeType, .window]),
                MemberFormat("value_mean", .number, in: [.wholeType, .window]),
                MemberFormat("value_min", .number, in: [.wholeType, .window]),
                MemberFormat("value_sum", .number, in: [.wholeType, .window]),
            ])
    }

    /// `comparison.item.after.parts`.
    public static var comparisonItemAfterParts: ObjectFormat {
        ObjectFormat(
            "comparison.item.after.parts", [
                MemberFormat("distance", .number),
                MemberFormat("distance_count", .count(least: 1)),
                MemberFormat("energy", .number),
                MemberFormat("energy_count", .count(least: 1)),
                MemberFormat("record_count", .count(least: 1), required: .all),
                MemberFormat("seconds", .number),
                MemberFormat("value", .integer, required: .all),
            ])
    }

    /// `comparison.item.answer`.
    public static var comparisonItemAnswer: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer", [
                MemberFormat("after_date", .text),
                MemberFormat("before_date", .text),
                MemberFormat("changed", .object(comparisonItemAnswerChanged)),
                MemberFormat("earlier", .array(.object(comparisonItemAnswerEarlier), least: 1, most: 27)),
                MemberFormat("earlier_partial", .boolean),
                MemberFormat("gone", .object(comparisonItemAnswerGone)),
                MemberFormat("late", .object(comparisonItemAnswerLate)),
                MemberFormat("new", .object(comparisonItemAnswerNew)),
                MemberFormat("new_version_count", .count(least: 1)),
                MemberFormat("replaced", .object(comparisonItemAnswerReplaced)),
                MemberFormat("sources", .array(.object(comparisonItemAnswerSources), least: 1)),
            ])
    }

    /// `comparison.item.answer.changed`.
    public static var comparisonItemAnswerChanged: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.changed", [
                MemberFormat("after_count", .count(least: 0), required: .all),
                MemberFormat("day_count", .count(least: 0), required: .all),
                MemberFormat("first_date", .text),
                MemberFormat("largest", .array(.object(comparisonItemAnswerChangedLargest), least: 1, most: 12),
                    required: .all),
                MemberFormat("last_date", .text),
                MemberFormat("record_count", .count(least: 0), required: .all),
                MemberFormat("stretch_count", .count(least: 1), required: .all),
                MemberFormat("types", .array(.object(comparisonItemAnswerChangedTypes), least: 1), required: .all),
            ], needs: [
                NeedFormat("last_date", of: "first_date"),
                NeedFormat("first_date", of: "last_date"),
            ])
    }

    /// `comparison.item.answer.changed.largest`.
    public static var comparisonItemAnswerChangedLargest: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.changed.largest", [
                MemberFormat("after_count", .count(least: 0), required: .all),
                MemberFormat("chart", .object(comparisonItemAnswerChangedLargestChart)),
                MemberFormat("day_count", .count(least: 0), required: .all),
                MemberFormat("first_date", .text),
                MemberFormat("has_others", .boolean),
                MemberFormat("in_place_count", .count(least: 1)),
                MemberFormat("label", .text, required: .all),
                MemberFormat("last_date", .text),
                MemberFormat("outcome", .choice(["changed", "days_changed", "kept", "not_provable",
                    "source_changed"])),
                MemberFormat("overlap", .number),
                MemberFormat("overlap_of", .choice(["phone_and_watch", "sources"])),
                MemberFormat("pair", .choice(["ambiguous", "condensed_into", "expanded_into", "re_identified",
                    "regrouped"])),
                MemberFormat("record_count", .count(least: 0), required: .all),
                MemberFormat("sample_type", .text),
                MemberFormat("value_sum", .number),
            ], needs: [
                NeedFormat("last_date", of: "first_date"),
                NeedFormat("first_date", of: "last_date"),
                NeedFormat("pair", of: "outcome"),
                NeedFormat("overlap_of", of: "overlap"),
                NeedFormat("overlap", of: "overlap_of"),
            ])
    }

    /// `comparison.item.answer.changed.largest.chart`.
    public static var comparisonItemAnswerChangedLargestChart: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.changed.largest.chart", [
                MemberFormat("bar_days", .count(least: 1), required: .all),
                MemberFormat("days", .array(.object(comparisonItemAnswerChangedLargestChartDays), least: 1,
                    most: 36), required: .all),
                MemberFormat("months", .array(.object(comparisonItemAnswerChangedLargestChartMonths), least: 1,
                    most: 36), required: .all),
            ])
    }

    /// `comparison.item.answer.changed.largest.chart.days`.
    public static var comparisonItemAnswerChangedLargestChartDays: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.changed.largest.chart.days", [
                MemberFormat("after_count", .count(least: 0), required: .all),
                MemberFormat("after_high", .number),
                MemberFormat("after_low", .number),
                MemberFormat("after_value", .number),
                MemberFormat("before_count", .count(least: 0), required: .all),
                MemberFormat("before_high", .number),
                MemberFormat("before_low", .number),
                MemberFormat("before_value", .number),
                MemberFormat("date", .text, required: .all),
            ])
    }

    /// `comparison.item.answer.changed.largest.chart.months`.
    public static var comparisonItemAnswerChangedLargestChartMonths: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.changed.largest.chart.months", [
                MemberFormat("after_count", .count(least: 0), required: .all),
                MemberFormat("after_high", .number),
                MemberFormat("after_low", .number),
                MemberFormat("after_value", .number),
                MemberFormat("before_count", .count(least: 0), required: .all),
                MemberFormat("before_high", .number),
                MemberFormat("before_low", .number),
                MemberFormat("before_value", .number),
                MemberFormat("date", .text, required: .all),
            ])
    }

    /// `comparison.item.answer.changed.types`.
    public static var comparisonItemAnswerChangedTypes: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.changed.types", [
                MemberFormat("record_count", .count(least: 0), required: .all),
                MemberFormat("sample_type", .text),
            ])
    }

    /// `comparison.item.answer.earlier`.
    public static var comparisonItemAnswerEarlier: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.earlier", [
                MemberFormat("first_date", .text),
                MemberFormat("last_date", .text),
                MemberFormat("record_count", .count(least: 1), required: .all),
                MemberFormat("sample_type", .text),
                MemberFormat("since_date", .text),
                MemberFormat("was_replaced", .boolean),
            ], needs: [
                NeedFormat("last_date", of: "first_date"),
                NeedFormat("first_date", of: "last_date"),
            ])
    }

    /// `comparison.item.answer.gone`.
    public static var comparisonItemAnswerGone: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.gone", [
                MemberFormat("after_count", .count(least: 0), required: .all),
                MemberFormat("day_count", .count(least: 0), required: .all),
                MemberFormat("first_date", .text),
                MemberFormat("largest", .array(.object(comparisonItemAnswerGoneLargest), least: 1, most: 12),
                    required: .all),
                MemberFormat("last_date", .text),
                MemberFormat("record_count", .count(least: 0), required: .all),
                MemberFormat("stretch_count", .count(least: 1), required: .all),
                MemberFormat("types", .array(.object(comparisonItemAnswerGoneTypes), least: 1), required: .all),
            ], needs: [
                NeedFormat("last_date", of: "first_date"),
                NeedFormat("first_date", of: "last_date"),
            ])
    }

    /// `comparison.item.answer.gone.largest`.
    public static var comparisonItemAnswerGoneLargest: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.gone.largest", [
                MemberFormat("after_count", .count(least: 0), required: .all),
                MemberFormat("chart", .object(comparisonItemAnswerGoneLargestChart)),
                MemberFormat("day_count", .count(least: 0), required: .all),
                MemberFormat("first_date", .text),
                MemberFormat("has_others", .boolean),
                MemberFormat("in_place_count", .count(least: 1)),
                MemberFormat("label", .text, required: .all),
                MemberFormat("last_date", .text),
                MemberFormat("outcome", .choice(["changed", "days_changed", "kept", "not_provable",
                    "source_changed"])),
                MemberFormat("overlap", .number),
                MemberFormat("overlap_of", .choice(["phone_and_watch", "sources"])),
                MemberFormat("pair", .choice(["ambiguous", "condensed_into", "expanded_into", "re_identified",
                    "regrouped"])),
                MemberFormat("record_count", .count(least: 0), required: .all),
                MemberFormat("sample_type", .text),
                MemberFormat("value_sum", .number),
            ], needs: [
                NeedFormat("last_date", of: "first_date"),
                NeedFormat("first_date", of: "last_date"),
                NeedFormat("pair", of: "outcome"),
                NeedFormat("overlap_of", of: "overlap"),
                NeedFormat("overlap", of: "overlap_of"),
            ])
    }

    /// `comparison.item.answer.gone.largest.chart`.
    public static var comparisonItemAnswerGoneLargestChart: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.gone.largest.chart", [
                MemberFormat("bar_days", .count(least: 1), required: .all),
                MemberFormat("days", .array(.object(comparisonItemAnswerGoneLargestChartDays), least: 1, most: 36),
                    required: .all),
                MemberFormat("months", .array(.object(comparisonItemAnswerGoneLargestChartMonths), least: 1,
                    most: 36), required: .all),
            ])
    }

    /// `comparison.item.answer.gone.largest.chart.days`.
    public static var comparisonItemAnswerGoneLargestChartDays: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.gone.largest.chart.days", [
                MemberFormat("after_count", .count(least: 0), required: .all),
                MemberFormat("after_high", .number),
                MemberFormat("after_low", .number),
                MemberFormat("after_value", .number),
                MemberFormat("before_count", .count(least: 0), required: .all),
                MemberFormat("before_high", .number),
                MemberFormat("before_low", .number),
                MemberFormat("before_value", .number),
                MemberFormat("date", .text, required: .all),
            ])
    }

    /// `comparison.item.answer.gone.largest.chart.months`.
    public static var comparisonItemAnswerGoneLargestChartMonths: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.gone.largest.chart.months", [
                MemberFormat("after_count", .count(least: 0), required: .all),
                MemberFormat("after_high", .number),
                MemberFormat("after_low", .number),
                MemberFormat("after_value", .number),
                MemberFormat("before_count", .count(least: 0), required: .all),
                MemberFormat("before_high", .number),
                MemberFormat("before_low", .number),
                MemberFormat("before_value", .number),
                MemberFormat("date", .text, required: .all),
            ])
    }

    /// `comparison.item.answer.gone.types`.
    public static var comparisonItemAnswerGoneTypes: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.gone.types", [
                MemberFormat("record_count", .count(least: 0), required: .all),
                MemberFormat("sample_type", .text),
            ])
    }

    /// `comparison.item.answer.late`.
    public static var comparisonItemAnswerLate: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.late", [
                MemberFormat("first_date", .text),
                MemberFormat("last_date", .text),
                MemberFormat("record_count", .count(least: 1), required: .all),
                MemberFormat("types", .array(.object(comparisonItemAnswerLateTypes), least: 1), required: .all),
            ], needs: [
                NeedFormat("last_date", of: "first_date"),
                NeedFormat("first_date", of: "last_date"),
            ])
    }

    /// `comparison.item.answer.late.types`.
    public static var comparisonItemAnswerLateTypes: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.late.types", [
                MemberFormat("record_count", .count(least: 1), required: .all),
                MemberFormat("sample_type", .text),
            ])
    }

    /// `comparison.item.answer.new`.
    public static var comparisonItemAnswerNew: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.new", [
                MemberFormat("first_date", .text),
                MemberFormat("last_date", .text),
                MemberFormat("record_count", .count(least: 1), required: .all),
                MemberFormat("types", .array(.object(comparisonItemAnswerNewTypes), least: 1), required: .all),
            ], needs: [
                NeedFormat("last_date", of: "first_date"),
                NeedFormat("first_date", of: "last_date"),
            ])
    }

    /// `comparison.item.answer.new.types`.
    public static var comparisonItemAnswerNewTypes: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.new.types", [
                MemberFormat("record_count", .count(least: 1), required: .all),
                MemberFormat("sample_type", .text),
            ])
    }

    /// `comparison.item.answer.replaced`.
    public static var comparisonItemAnswerReplaced: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.replaced", [
                MemberFormat("after_count", .count(least: 0), required: .all),
                MemberFormat("day_count", .count(least: 0), required: .all),
                MemberFormat("first_date", .text),
                MemberFormat("largest", .array(.object(comparisonItemAnswerReplacedLargest), least: 1, most: 12),
                    required: .all),
                MemberFormat("last_date", .text),
                MemberFormat("record_count", .count(least: 0), required: .all),
                MemberFormat("stretch_count", .count(least: 1), required: .all),
                MemberFormat("types", .array(.object(comparisonItemAnswerReplacedTypes), least: 1), required: .all),
            ], needs: [
                NeedFormat("last_date", of: "first_date"),
                NeedFormat("first_date", of: "last_date"),
            ])
    }

    /// `comparison.item.answer.replaced.largest`.
    public static var comparisonItemAnswerReplacedLargest: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.replaced.largest", [
                MemberFormat("after_count", .count(least: 0), required: .all),
                MemberFormat("chart", .object(comparisonItemAnswerReplacedLargestChart)),
                MemberFormat("day_count", .count(least: 0), required: .all),
                MemberFormat("first_date", .text),
                MemberFormat("has_others", .boolean),
                MemberFormat("in_place_count", .count(least: 1)),
                MemberFormat("label", .text, required: .all),
                MemberFormat("last_date", .text),
                MemberFormat("outcome", .choice(["changed", "days_changed", "kept", "not_provable",
                    "source_changed"])),
                MemberFormat("overlap", .number),
                MemberFormat("overlap_of", .choice(["phone_and_watch", "sources"])),
                MemberFormat("pair", .choice(["ambiguous", "condensed_into", "expanded_into", "re_identified",
                    "regrouped"])),
                MemberFormat("record_count", .count(least: 0), required: .all),
                MemberFormat("sample_type", .text),
                MemberFormat("value_sum", .number),
            ], needs: [
                NeedFormat("last_date", of: "first_date"),
                NeedFormat("first_date", of: "last_date"),
                NeedFormat("pair", of: "outcome"),
                NeedFormat("overlap_of", of: "overlap"),
                NeedFormat("overlap", of: "overlap_of"),
            ])
    }

    /// `comparison.item.answer.replaced.largest.chart`.
    public static var comparisonItemAnswerReplacedLargestChart: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.replaced.largest.chart", [
                MemberFormat("bar_days", .count(least: 1), required: .all),
                MemberFormat("days", .array(.object(comparisonItemAnswerReplacedLargestChartDays), least: 1,
                    most: 36), required: .all),
                MemberFormat("months", .array(.object(comparisonItemAnswerReplacedLargestChartMonths), least: 1,
                    most: 36), required: .all),
            ])
    }

    /// `comparison.item.answer.replaced.largest.chart.days`.
    public static var comparisonItemAnswerReplacedLargestChartDays: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.replaced.largest.chart.days", [
                MemberFormat("after_count", .count(least: 0), required: .all),
                MemberFormat("after_high", .number),
                MemberFormat("after_low", .number),
                MemberFormat("after_value", .number),
                MemberFormat("before_count", .count(least: 0), required: .all),
                MemberFormat("before_high", .number),
                MemberFormat("before_low", .number),
                MemberFormat("before_value", .number),
                MemberFormat("date", .text, required: .all),
            ])
    }

    /// `comparison.item.answer.replaced.largest.chart.months`.
    public static var comparisonItemAnswerReplacedLargestChartMonths: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.replaced.largest.chart.months", [
                MemberFormat("after_count", .count(least: 0), required: .all),
                MemberFormat("after_high", .number),
                MemberFormat("after_low", .number),
                MemberFormat("after_value", .number),
                MemberFormat("before_count", .count(least: 0), required: .all),
                MemberFormat("before_high", .number),
                MemberFormat("before_low", .number),
                MemberFormat("before_value", .number),
                MemberFormat("date", .text, required: .all),
            ])
    }

    /// `comparison.item.answer.replaced.types`.
    public static var comparisonItemAnswerReplacedTypes: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.replaced.types", [
                MemberFormat("record_count", .count(least: 0), required: .all),
                MemberFormat("sample_type", .text),
            ])
    }

    /// `comparison.item.answer.sources`.
    public static var comparisonItemAnswerSources: ObjectFormat {
        ObjectFormat(
            "comparison.item.answer.sources", [
                MemberFormat("after_count", .count(least: 0), required: .all),
                MemberFormat("before_count", .count(least: 0), required: .all),
                MemberFormat("bundle_identifier", .text),
                MemberFormat("date", .text),
                MemberFormat("finding", .choice(["source_appeared", "source_changed", "source_quiet"]),
                    required: .all),
                MemberFormat("product_type", .text),
                MemberFormat("source_name_hash", .text),
            ])
    }

    /// `comparison.item.before`.
    public static var comparisonItemBefore: ObjectFormat {
        ObjectFormat(
            "comparison.item.before", [
                MemberFormat("earliest_start_date", .timestamp, in: [.wholeType, .window]),
                MemberFormat("interval_seconds", .number, in: [.wholeType, .window]),
                MemberFormat("latest_end_date", .timestamp, in: [.wholeType, .window]),
                MemberFormat("mean_interval_seconds", .number, in: [.wholeType, .window]),
                MemberFormat("other_unit_count", .count(least: 1), in: [.wholeType, .window]),
                MemberFormat("parts", .array(.object(comparisonItemBeforeParts), least: 1), in: [.wholeType,
                    .window]),
                MemberFormat("record_count", .count(least: 0), required: .all),
                MemberFormat("records_per_hour", .number, in: [.wholeType, .window]),
                MemberFormat("unit", .text, in: [.wholeType, .window]),
                MemberFormat("value_count", .count(least: 0), in: [.wholeType, .window], required: [.wholeType,
                    .window]),
                MemberFormat("value_max", .number, in: [.wholeType, .window]),
                MemberFormat("value_mean", .number, in: [.wholeType, .window]),
                MemberFormat("value_min", .number, in: [.wholeType, .window]),
                MemberFormat("value_sum", .number, in: [.wholeType, .window]),
            ])
    }

    /// `comparison.item.before.parts`.
    public static var comparisonItemBeforeParts: ObjectFormat {
        ObjectFormat(
            "comparison.item.before.parts", [
                MemberFormat("distance", .number),
                MemberFormat("distance_count", .count(least: 1)),
                MemberFormat("energy", .number),
                MemberFormat("energy_count", .count(least: 1)),
                MemberFormat("record_count", .count(least: 1), required: .all),
                MemberFormat("seconds", .number),
                MemberFormat("value", .integer, required: .all),
            ])
    }

    /// `comparison.item.calendar`.
    public static var comparisonItemCalendar: ObjectFormat {
        ObjectFormat(
            "comparison.item.calendar", [
                MemberFormat("bucket_days", .count(least: 1), required: .all),
                MemberFormat("buckets", .array(.object(comparisonItemCalendarBuckets), least: 1), required: .all),
            ])
    }

    /// `comparison.item.calendar.buckets`.
    public static var comparisonItemCalendarBuckets: ObjectFormat {
        ObjectFormat(
            "comparison.item.calendar.buckets", [
                MemberFormat("appeared_count", .count(least: 0), required: .all),
                MemberFormat("condensed_count", .count(least: 1)),
                MemberFormat("disappeared_count", .count(least: 0), required: .all),
                MemberFormat("re_identified_count", .count(least: 1)),
                MemberFormat("representation_changed_count", .count(least: 0), required: .all),
                MemberFormat("start", .timestamp, required: .all),
            ])
    }

    /// `comparison.item.context`.
    public static var comparisonItemContext: ObjectFormat {
        ObjectFormat(
            "comparison.item.context", [
                MemberFormat("event_kind", .text, required: .all),
                MemberFormat("logged_at", .timestamp),
                MemberFormat("observation_id", .integer, required: .all),
            ])
    }

    /// `comparison.item.evidence`.
    public static var comparisonItemEvidence: ObjectFormat {
        ObjectFormat(
            "comparison.item.evidence", [
                MemberFormat("common_seconds", .number),
                MemberFormat("coverage_overlap", .number),
                MemberFormat("covered_seconds_after", .number),
                MemberFormat("covered_seconds_before", .number),
                MemberFormat("instant_overlap", .number),
                MemberFormat("instants_before", .count(least: 0)),
                MemberFormat("instants_within", .count(least: 0)),
                MemberFormat("measure_delta", .number),
                MemberFormat("measure_kept", .boolean),
                MemberFormat("metadata_compatible", .boolean, required: .all),
                MemberFormat("peaks_kept", .boolean),
                MemberFormat("record_count_delta", .integer, required: .all),
                MemberFormat("sources_compatible", .boolean, required: .all),
                MemberFormat("visible_end", .timestamp),
                MemberFormat("visible_start", .timestamp),
            ])
    }

    /// `comparison.item.examples`.
    public static var comparisonItemExamples: ObjectFormat {
        ObjectFormat(
            "comparison.item.examples", [
                MemberFormat("change", .choice(["disappeared", "representation_changed"]), required: .all),
                MemberFormat("end_after", .timestamp),
                MemberFormat("end_date", .timestamp),
                MemberFormat("start_after", .timestamp),
                MemberFormat("start_date", .timestamp),
                MemberFormat("value_after", .number),
                MemberFormat("value_before", .number),
            ])
    }

    /// `comparison.item.labels`.
    public static var comparisonItemLabels: ObjectFormat {
        ObjectFormat(
            "comparison.item.labels", [
                MemberFormat("aggregateChanged", .count(least: 1)),
                MemberFormat("appeared", .count(least: 1)),
                MemberFormat("consolidationLikely", .count(least: 1)),
                MemberFormat("disappeared", .count(least: 1)),
                MemberFormat("replacedNotProvable", .count(least: 1)),
                MemberFormat("representationChanged", .count(least: 1)),
                MemberFormat("uncertain", .count(least: 1)),
            ])
    }

    /// `comparison.item.left_over`.
    public static var comparisonItemLeftOver: ObjectFormat {
        ObjectFormat(
            "comparison.item.left_over", [
                MemberFormat("after_count", .count(least: 0), required: .all),
                MemberFormat("before_count", .count(least: 0), required: .all),
            ])
    }

    /// `comparison.item.nights`.
    public static var comparisonItemNights: ObjectFormat {
        ObjectFormat(
            "comparison.item.nights", [
                MemberFormat("asleep_day_count", .count(least: 0), required: .all),
                MemberFormat("asleep_seconds", .number),
                MemberFormat("date", .text, required: .all),
                MemberFormat("nap_count", .count(least: 0), required: .all),
                MemberFormat("night_count", .count(least: 0), required: .all),
            ])
    }

    /// `comparison.item.observations`.
    public static var comparisonItemObservations: ObjectFormat {
        ObjectFormat(
            "comparison.item.observations", [
                MemberFormat("observation_id", .integer, required: .all),
                MemberFormat("observed_at", .timestamp),
                MemberFormat("record_count", .count(least: 0), required: .all),
                MemberFormat("status", .text),
            ])
    }

    /// `comparison.item.pair_counts`.
    public static var comparisonItemPairCounts: ObjectFormat {
        ObjectFormat(
            "comparison.item.pair_counts", [
                MemberFormat("ambiguous", .count(least: 1)),
                MemberFormat("condensed_into", .count(least: 1)),
                MemberFormat("expanded_into", .count(least: 1)),
                MemberFormat("re_identified", .count(least: 1)),
                MemberFormat("regrouped", .count(least: 1)),
            ])
    }

    /// `comparison.item.replaced`.
    public static var comparisonItemReplaced: ObjectFormat {
        ObjectFormat(
            "comparison.item.replaced", [
                MemberFormat("after_count", .count(least: 0), required: .all),
                MemberFormat("before_count", .count(least: 0), required: .all),
                MemberFormat("outcome", .choice(["changed", "days_changed", "kept", "not_provable",
                    "source_changed"])),
                MemberFormat("pair", .choice(["ambiguous", "condensed_into", "expanded_into", "re_identified",
                    "regrouped"]), required: .all),
            ])
    }

    /// `comparison.item.signatures`.
    public static var comparisonItemSignatures: ObjectFormat {
        ObjectFormat(
            "comparison.item.signatures", [
                MemberFormat("condensed_again", .boolean),
                MemberFormat("equal_rate", .boolean),
                MemberFormat("equal_value", .boolean),
                MemberFormat("inside_workout", .boolean),
                MemberFormat("older_than_90_days", .boolean),
                MemberFormat("within_five_minutes", .boolean, required: .all),
            ])
    }

    /// `comparison.item.sources`.
    public static var comparisonItemSources: ObjectFormat {
        ObjectFormat(
            "comparison.item.sources", [
                MemberFormat("after_count", .count(least: 0), required: .all),
                MemberFormat("before_count", .count(least: 0), required: .all),
                MemberFormat("bundle_identifier", .text),
                MemberFormat("operating_system_version", .text),
                MemberFormat("product_type", .text),
                MemberFormat("source_name_hash", .text),
                MemberFormat("version", .text),
            ])
    }

    /// `comparison.item.strip`.
    public static var comparisonItemStrip: ObjectFormat {
        ObjectFormat(
            "comparison.item.strip", [
                MemberFormat("after_count", .count(least: 0), required: .all),
                MemberFormat("after_value", .number),
                MemberFormat("before_count", .count(least: 0), required: .all),
                MemberFormat("before_value", .number),
                MemberFormat("start", .timestamp, required: .all),
            ])
    }

    /// `comparison.item.years`.
    public static var comparisonItemYears: ObjectFormat {
        ObjectFormat(
            "comparison.item.years", [
                MemberFormat("day_count", .count(least: 1), required: .all),
                MemberFormat("days", .text, required: .all),
                MemberFormat("record_count", .count(least: 1), required: .all),
                MemberFormat("year", .text, required: .all),
            ])
    }

    /// `comparison`.
    public static var comparison: ObjectFormat {
        ObjectFormat(
            "comparison", [
                MemberFormat("item", .object(comparisonItem), required: .all),
                MemberFormat("item_hash", .hash, required: .all),
            ])
    }

    /// `finding.item`.
    public static var findingItem: ObjectFormat {
        ObjectFormat(
            "finding.item", [
                MemberFormat("after_count", .count(least: 0), in: [.disappearance, .sourceAppeared, .sourceChanged,
                    .sourceQuiet], required: [.disappearance, .sourceAppeared, .sourceChanged, .sourceQuiet]),
                MemberFormat("baseline_day_count", .count(least: 1), in: [.divergence], required: [.divergence]),
                MemberFormat("baseline_mean", .number, in: [.divergence]),
                MemberFormat("baseline_standard_deviation", .number, in: [.divergence], required: [.divergence]),
                MemberFormat("baseline_start", .timestamp, in: [.divergence], required: [.divergence]),
                MemberFormat("before_count", .count(least: 1), in: [.disappearance, .sourceAppeared,
                    .sourceChanged, .sourceQuiet], required: [.disappearance]),
                MemberFormat("current_day_count", .count(least: 1), in: [.divergence], required: [.divergence]),
                MemberFormat("current_end", .timestamp, in: [.divergence], required: [.divergence]),
                MemberFormat("current_mean", .number, in: [.divergence]),
                MemberFormat("current_standard_deviation", .number, in: [.divergence], required: [.divergence]),
                MemberFormat("current_start", .timestamp, in: [.divergence], required: [.divergence]),
                MemberFormat("delay_seconds", .number, in: [.lateArrival], required: [.lateArrival]),
                MemberFormat("disappeared_count", .count(least: 1), in: [.disappearance],
                    required: [.disappearance]),
                MemberFormat("disappeared_share", .number, in: [.disappearance], required: [.disappearance]),
                MemberFormat("elapsed_seconds", .number, in: [.disappearance]),
                MemberFormat("end_date", .timestamp, in: [.exactDuplicate, .lateArrival, .sourceAppeared,
                    .sourceChanged, .sourceQuiet]),
                MemberFormat("finding", .choice(["disappearance", "divergence", "exact_duplicate", "late_arrival",
                    "semantic_duplicate", "source_appeared", "source_changed", "source_quiet"]), required: .all),
                MemberFormat("first_seen_at", .timestamp, in: [.lateArrival], required: [.lateArrival]),
                MemberFormat("first_seen_observation_id", .integer, in: [.lateArrival]),
                MemberFormat("item_kind", .text),
                MemberFormat("measure", .choice(["cumulative", "discrete"]), in: [.divergence]),
                MemberFormat("method", .choice(["equivalent_level", "mean", "sum", "time_weighted_mean"]),
                    in: [.divergence]),
                MemberFormat("payload_count", .count(least: 2), in: [.semanticDuplicate],
                    required: [.semanticDuplicate]),
                MemberFormat("payload_hash", .text, in: [.exactDuplicate, .lateArrival],
                    required: [.exactDuplicate]),
                MemberFormat("ratio", .number, in: [.divergence], required: [.divergence]),
                MemberFormat("record_count", .count(least: 2), in: [.exactDuplicate, .semanticDuplicate],
                    required: [.exactDuplicate, .semanticDuplicate]),
                MemberFormat("sample_type", .text),
                MemberFormat("sample_uuid_hash", .text, in: [.lateArrival]),
                MemberFormat("semantic_fingerprint", .text, in: [.semanticDuplicate],
                    required: [.semanticDuplicate]),
                MemberFormat("source", .object(findingItemSource), in: [.sourceAppeared, .sourceChanged,
                    .sourceQuiet], required: [.sourceAppeared, .sourceChanged, .sourceQuiet]),
                MemberFormat("start_date", .timestamp, in: [.exactDuplicate, .lateArrival, .sourceAppeared,
                    .sourceChanged, .sourceQuiet], required: [.lateArrival]),
                MemberFormat("strict_fingerprint", .text, in: [.lateArrival]),
                MemberFormat("unit", .text, in: [.divergence]),
            ])
    }

    /// `finding.item.source`.
    public static var findingItemSource: ObjectFormat {
        ObjectFormat(
            "finding.item.source", [
                MemberFormat("bundle_identifier", .text),
                MemberFormat("product_type", .text),
                MemberFormat("source_name_hash", .text),
            ])
    }

    /// `finding`.
    public static var finding: ObjectFormat {
        ObjectFormat(
            "finding", [
                MemberFormat("item", .object(findingItem), required: .all),
                MemberFormat("item_hash", .hash, required: .all),
            ])
    }

    /// `pair.item`.
    public static var pairItem: ObjectFormat {
        ObjectFormat(
            "pair.item", [
                MemberFormat("after", .array(.object(pairItemAfter), least: 1), required: .all),
                MemberFormat("ambiguous_with", .array(.text, least: 1), in: [.ambiguous], required: [.ambiguous]),
                MemberFormat("before", .array(.object(pairItemBefore), least: 1), required: .all),
                MemberFormat("end_date", .timestamp, required: .all),
                MemberFormat("item_kind", .text),
                MemberFormat("key", .text, required: .all),
                MemberFormat("law", .choice(["duration", "mean", "range", "series", "sum", "time_weighted_mean",
                    "value"]), in: [.ambiguous, .condensedInto, .expandedInto, .regrouped], required: [.ambiguous,
                    .condensedInto, .expandedInto, .regrouped]),
                MemberFormat("level", .choice(["fuzzy", "payload", "semantic", "strict"]), in: [.reIdentified],
                    required: [.reIdentified]),
                MemberFormat("measure_after", .number, in: [.ambiguous, .condensedInto, .expandedInto, .regrouped]),
                MemberFormat("measure_before", .number, in: [.ambiguous, .condensedInto, .expandedInto,
                    .regrouped]),
                MemberFormat("outcome", .choice(["changed", "days_changed", "kept", "not_provable",
                    "source_changed"]), in: [.condensedInto, .expandedInto, .reIdentified, .regrouped],
                    required: [.condensedInto, .expandedInto, .reIdentified, .regrouped]),
                MemberFormat("pair", .choice(["ambiguous", "condensed_into", "expanded_into", "re_identified",
                    "regrouped"]), required: .all),
                MemberFormat("residual", .number),
                MemberFormat("sample_type", .text, required: .all),
                MemberFormat("source", .object(pairItemSource), in: [.ambiguous, .condensedInto, .expandedInto,
                    .regrouped]),
                MemberFormat("start_date", .timestamp, required: .all),
                MemberFormat("tied", .boolean, in: [.reIdentified], required: [.reIdentified]),
                MemberFormat("unit", .text),
            ])
    }

    /// `pair.item.after`.
    public static var pairItemAfter: ObjectFormat {
        ObjectFormat(
            "pair.item.after", [
                MemberFormat("category_value", .integer),
                MemberFormat("duration_seconds", .number),
                MemberFormat("end_date", .timestamp, required: .all),
                MemberFormat("identity_hash", .text, required: .all),
                MemberFormat("numeric_value", .number),
                MemberFormat("payload_hash", .text, required: .all),
                MemberFormat("start_date", .timestamp, required: .all),
                MemberFormat("unit", .text),
                MemberFormat("value_kind", .text),
                MemberFormat("workout_activity_type", .integer),
            ])
    }

    /// `pair.item.before`.
    public static var pairItemBefore: ObjectFormat {
        ObjectFormat(
            "pair.item.before", [
                MemberFormat("category_value", .integer),
                MemberFormat("duration_seconds", .number),
                MemberFormat("end_date", .timestamp, required: .all),
                MemberFormat("identity_hash", .text, required: .all),
                MemberFormat("numeric_value", .number),
                MemberFormat("payload_hash", .text, required: .all),
                MemberFormat("start_date", .timestamp, required: .all),
                MemberFormat("unit", .text),
                MemberFormat("value_kind", .text),
                MemberFormat("workout_activity_type", .integer),
            ])
    }

    /// `pair.item.source`.
    public static var pairItemSource: ObjectFormat {
        ObjectFormat(
            "pair.item.source", [
                MemberFormat("bundle_identifier", .text),
                MemberFormat("product_type", .text),
                MemberFormat("source_name_hash", .text),
            ])
    }

    /// `pair`.
    public static var pair: ObjectFormat {
        ObjectFormat(
            "pair", [
                MemberFormat("item", .object(pairItem), required: .all),
                MemberFormat("item_hash", .hash, required: .all),
            ])
    }

    /// `day.item`.
    public static var dayItem: ObjectFormat {
        ObjectFormat(
            "day.item", [
                MemberFormat("active_energy", .number, in: [.activitySummary]),
                MemberFormat("active_energy_goal", .number, in: [.activitySummary]),
                MemberFormat("asleep_day_count", .count(least: 0), in: [.nap, .night]),
                MemberFormat("asleep_seconds", .number, in: [.nap, .night]),
                MemberFormat("awake_seconds", .number, in: [.nap, .night]),
                MemberFormat("category_value", .integer, in: [.category]),
                MemberFormat("completeness", .choice(["complete", "partial", "unknown"])),
                MemberFormat("core_seconds", .number, in: [.nap, .night]),
                MemberFormat("date", .text),
                MemberFormat("day_count", .count(least: 1)),
                MemberFormat("day_seconds", .count(least: 1)),
                MemberFormat("day_start", .timestamp),
                MemberFormat("deep_seconds", .number, in: [.nap, .night]),
                MemberFormat("distance", .number, in: [.workout]),
                MemberFormat("dropped_sum", .number, in: [.cumulative]),
                MemberFormat("end_date", .timestamp, in: [.nap, .night]),
                MemberFormat("energy", .number, in: [.workout]),
                MemberFormat("exercise_minutes", .number, in: [.activitySummary]),
                MemberFormat("exercise_minutes_goal", .number, in: [.activitySummary]),
                MemberFormat("in_bed_seconds", .number, in: [.nap, .night]),
                MemberFormat("item_kind", .text),
                MemberFormat("long_session_count", .count(least: 1), in: [.nap, .night]),
                MemberFormat("measure", .choice(["activity_summary", "category", "cumulative", "discrete", "event",
                    "nap", "night", "workout"]), required: .all),
                MemberFormat("move_minutes", .number, in: [.activitySummary]),
                MemberFormat("move_minutes_goal", .number, in: [.activitySummary]),
                MemberFormat("not_summed_count", .count(least: 0), in: [.activitySummary, .category, .cumulative,
                    .discrete], required: [.activitySummary, .category, .cumulative, .discrete]),
                MemberFormat("other_zone_count", .count(least: 1)),
                MemberFormat("overlap_seconds", .number, in: [.cumulative, .nap, .night], required: [.cumulative,
                    .nap, .night]),
                MemberFormat("record_count", .count(least: 0), required: .all),
                MemberFormat("rem_seconds", .number, in: [.nap, .night]),
                MemberFormat("sample_type", .text),
                MemberFormat("seconds", .number, in: [.category, .workout], required: [.category]),
                MemberFormat("session_count", .count(least: 1), in: [.nap, .night], required: [.nap, .night]),
                MemberFormat("session_seconds", .number, in: [.nap, .night], required: [.nap, .night]),
                MemberFormat("shared_seconds", .number, in: [.cumulative], required: [.cumulative]),
                MemberFormat("source", .object(dayItemSource)),
                MemberFormat("source_count", .count(least: 1), required: .all),
                MemberFormat("sources", .array(.object(dayItemSources), least: 2), in: [.cumulative, .nap, .night]),
                MemberFormat("stage_day_count", .count(least: 0), in: [.nap, .night]),
                MemberFormat("stand_hours", .number, in: [.activitySummary]),
                MemberFormat("stand_hours_goal", .number, in: [.activitySummary]),
                MemberFormat("start_date", .timestamp, in: [.nap, .night]),
                MemberFormat("unit", .text, in: [.cumulative, .discrete]),
                MemberFormat("unspecified_seconds", .number, in: [.nap, .night]),
                MemberFormat("value_max", .number, in: [.discrete]),
                MemberFormat("value_mean", .number, in: [.discrete]),
                MemberFormat("value_min", .number, in: [.discrete]),
                MemberFormat("value_sum", .number, in: [.cumulative]),
                MemberFormat("workout_activity_type", .integer, in: [.workout]),
            ], needs: dayItemNeeds)
    }

    private static var dayItemNeeds: [NeedFormat] {
        [
            NeedFormat("date", of: "completeness"),
            NeedFormat("day_seconds", of: "completeness"),
            NeedFormat("day_start", of: "completeness"),
            NeedFormat("completeness", of: "date"),
            NeedFormat("day_seconds", of: "date"),
            NeedFormat("day_start", of: "date"),
            NeedFormat("completeness", of: "day_seconds"),
            NeedFormat("date", of: "day_seconds"),
            NeedFormat("day_start", of: "day_seconds"),
            NeedFormat("completeness", of: "day_start"),
            NeedFormat("date", of: "day_start"),
            NeedFormat("day_seconds", of: "day_start"),
            NeedFormat("unit", of: "dropped_sum"),
            NeedFormat("value_sum", of: "dropped_sum"),
            NeedFormat("dropped_sum", of: "unit"),
            NeedFormat("value_sum", of: "unit"),
            NeedFormat("dropped_sum", of: "value_sum"),
            NeedFormat("unit", of: "value_sum"),
            NeedFormat("value_max", of: "unit"),
            NeedFormat("value_mean", of: "unit"),
            NeedFormat("value_min", of: "unit"),
            NeedFormat("unit", of: "value_max"),
            NeedFormat("value_mean", of: "value_max"),
            NeedFormat("value_min", of: "value_max"),
            NeedFormat("unit", of: "value_mean"),
            NeedFormat("value_max", of: "value_mean"),
            NeedFormat("value_min", of: "value_mean"),
            NeedFormat("unit", of: "value_min"),
            NeedFormat("value_max", of: "value_min"),
            NeedFormat("value_mean", of: "value_min"),
            NeedFormat("deep_seconds", of: "core_seconds"),
            NeedFormat("rem_seconds", of: "core_seconds"),
            NeedFormat("unspecified_seconds", of: "core_seconds"),
            NeedFormat("core_seconds", of: "deep_seconds"),
            NeedFormat("rem_seconds", of: "deep_seconds"),
            NeedFormat("unspecified_seconds", of: "deep_seconds"),
            NeedFormat("core_seconds", of: "rem_seconds"),
            NeedFormat("deep_seconds", of: "rem_seconds"),
            NeedFormat("unspecified_seconds", of: "rem_seconds"),
            NeedFormat("core_seconds", of: "unspecified_seconds"),
            NeedFormat("deep_seconds", of: "unspecified_seconds"),
            NeedFormat("rem_seconds", of: "unspecified_seconds"),
            NeedFormat("end_date", of: "start_date"),
            NeedFormat("start_date", of: "end_date"),
            NeedFormat("stage_day_count", of: "asleep_day_count"),
            NeedFormat("asleep_day_count", of: "stage_day_count"),
        ]
    }

    /// `day.item.source`.
    public static var dayItemSource: ObjectFormat {
        ObjectFormat(
            "day.item.source", [
                MemberFormat("bundle_identifier", .text),
                MemberFormat("source_name_hash", .text),
            ])
    }

    /// `day.item.sources`.
    public static var dayItemSources: ObjectFormat {
        ObjectFormat(
            "day.item.sources", [
                MemberFormat("asleep_seconds", .number, in: [.nap, .night]),
                MemberFormat("bundle_identifier", .text),
                MemberFormat("class", .choice(["phone", "unknown", "user_entered", "watch"])),
                MemberFormat("covered_seconds", .number, in: [.cumulative], required: [.cumulative]),
                MemberFormat("dropped_sum", .number, in: [.cumulative]),
                MemberFormat("in_bed_seconds", .number, in: [.nap, .night]),
                MemberFormat("rank", .count(least: 1)),
                MemberFormat("record_count", .count(least: 0), required: .all),
                MemberFormat("session_count", .count(least: 1), in: [.nap, .night], required: [.nap, .night]),
                MemberFormat("session_seconds", .number, in: [.nap, .night], required: [.nap, .night]),
                MemberFormat("source_name_hash", .text),
                MemberFormat("value_sum", .number, in: [.cumulative]),
            ], needs: [
                NeedFormat("rank", of: "class"),
                NeedFormat("class", of: "rank"),
                NeedFormat("value_sum", of: "dropped_sum"),
                NeedFormat("dropped_sum", of: "value_sum"),
            ])
    }

    /// `day`.
    public static var day: ObjectFormat {
        ObjectFormat(
            "day", [
                MemberFormat("item", .object(dayItem), required: .all),
                MemberFormat("item_hash", .hash, required: .all),
            ])
    }

    /// `type_manifest.item`.
    public static var typeManifestItem: ObjectFormat {
        ObjectFormat(
            "type_manifest.item", [
                MemberFormat("defect_count", .count(least: 0), required: .all),
                MemberFormat("item_count", .count(least: 1), required: .all),
                MemberFormat("item_kind", .text),
                MemberFormat("items_hash", .hash, required: .all),
                MemberFormat("sample_type", .text),
            ])
    }

    /// `type_manifest`.
    public static var typeManifest: ObjectFormat {
        ObjectFormat(
            "type_manifest", [
                MemberFormat("item", .object(typeManifestItem), required: .all),
                MemberFormat("item_hash", .hash, required: .all),
            ])
    }

    /// `header.export`.
    public static var headerExport: ObjectFormat {
        ObjectFormat(
            "header.export", [
                MemberFormat("archive_schema_version", .integer, required: .all),
                MemberFormat("coverage", .array(.object(headerExportCoverage), least: 0), required: .all),
                MemberFormat("defects", .array(.object(headerExportDefects), least: 1)),
                MemberFormat("device_chain", .object(headerExportDeviceChain), in: [.recoveryBundle,
                    .observationManifest, .recordTable, .dayReport, .versionTable, .diffReport, .pairReport,
                    .changeSet, .diffSummary, .pageReport, .findingReport], excusable: [.recoveryBundle,
                    .observationManifest, .recordTable, .dayReport, .versionTable, .diffReport, .pairReport,
                    .changeSet, .diffSummary, .pageReport, .findingReport]),
                MemberFormat("export_id", .uuid, required: .all),
                MemberFormat("export_kind", .choice(["change_set", "day_report", "diff_report", "diff_summary",
                    "finding_report", "observation_manifest", "page_report", "pair_report", "record_table",
                    "recovery_bundle", "shared_bundle", "version_table"]), required: .all),
                MemberFormat("filter", .object(headerExportFilter), required: .all),
                MemberFormat("format", .text, required: .all),
                MemberFormat("format_version", .integer, required: .all),
                MemberFormat("from_coverage", .array(.object(headerExportFromCoverage), least: 0),
                    in: [.diffReport, .pairReport, .changeSet, .diffSummary, .pageReport, .findingReport],
                    required: [.diffReport, .pairReport, .changeSet, .diffSummary, .pageReport, .findingReport]),
                MemberFormat("from_device_chain", .object(headerExportFromDeviceChain), in: [.pairReport]),
                MemberFormat("generator", .object(headerExportGenerator), required: .all),
                MemberFormat("history", .object(headerExportHistory), in: [.recoveryBundle, .observationManifest,
                    .recordTable, .dayReport, .versionTable, .diffReport, .pairReport, .changeSet, .diffSummary,
                    .pageReport, .findingReport]),
                MemberFormat("identity_rules", .exactly(2)),
                MemberFormat("left_out", .array(.choice(["device", "device_chain", "error_messages", "history",
                    "metadata_of_apps", "notes", "other_fingerprints", "payload_hashes", "private_metadata",
                    "relationships", "type_set"]), least: 1), in: [.sharedBundle], required: [.sharedBundle]),
                MemberFormat("observations", .array(.object(headerExportObservations), least: 1), required: .all),
                MemberFormat("scope", .object(headerExportScope), required: .all),
            ])
    }

    /// `header.export.coverage`.
    public static var headerExportCoverage: ObjectFormat {
        ObjectFormat(
            "header.export.coverage", [
                MemberFormat("category", .text),
                MemberFormat("conflict_count", .integer),
                MemberFormat("deleted_event_count", .integer),
                MemberFormat("discontinuity", .text),
                MemberFormat("display_name", .text),
                MemberFormat("ended_at", .timestamp),
                MemberFormat("error_kind", .text),
                MemberFormat("error_message_hash", .text, in: [.recoveryBundle, .observationManifest, .recordTable,
                    .dayReport, .versionTable, .diffReport, .pairReport, .changeSet, .diffSummary, .pageReport,
                    .findingReport]),
                MemberFormat("inserted_event_count", .integer),
                MemberFormat("last_verified_observation_id", .integer),
                MemberFormat("mode", .text),
                MemberFormat("observation_id", .integer),
                MemberFormat("rejected_count", .integer),
                MemberFormat("sample_type", .text, excusable: .all),
                MemberFormat("started_at", .timestamp),
                MemberFormat("state", .text),
                MemberFormat("stated_count", .integer),
                MemberFormat("status", .text, excusable: .all),
                MemberFormat("unread_count", .integer),
                MemberFormat("verified_visible_count", .integer),
                MemberFormat("withheld_count", .integer),
            ], needs: [
                NeedFormat("deleted_event_count", of: "status", unless: "never_queried", isExcusable: true),
                NeedFormat("inserted_event_count", of: "status", unless: "never_queried", isExcusable: true),
                NeedFormat("observation_id", of: "status", unless: "never_queried", isExcusable: true),
            ])
    }

    /// `header.export.defects`.
    public static var headerExportDefects: ObjectFormat {
        ObjectFormat(
            "header.export.defects", [
                MemberFormat("pointer", .pointer, required: .all),
                MemberFormat("reason", .choice(["storage_class", "null", "integer_range", "not_finite",
                    "negative_zero", "utf8", "nul", "date_range", "date_precision", "missing_row", "no_version"]),
                    required: .all),
                MemberFormat("storage_class", .choice(["null", "integer", "real", "text", "blob"]), required: .all),
                MemberFormat("value", .text),
            ])
    }

    /// `header.export.device_chain`.
    public static var headerExportDeviceChain: ObjectFormat {
        ObjectFormat(
            "header.export.device_chain", [
                MemberFormat("created_at", .timestamp, excusable: .all),
                MemberFormat("device_chain_hash", .text, excusable: .all),
                MemberFormat("recovered_from_keychain", .integer, excusable: .all),
            ])
    }

    /// `header.export.filter`.
    public static var headerExportFilter: ObjectFormat {
        ObjectFormat(
            "header.export.filter", [
                MemberFormat("overlapping", .boolean, in: [.recoveryBundle, .observationManifest, .recordTable,
                    .versionTable, .sharedBundle, .diffReport, .pairReport, .changeSet, .diffSummary, .pageReport,
                    .findingReport]),
                MemberFormat("sample_types", .array(.text, least: 0)),
                MemberFormat("since", .timestamp),
                MemberFormat("source_names", .array(.hash, least: 0)),
                MemberFormat("sources", .array(.text, least: 0)),
                MemberFormat("until", .timestamp),
                MemberFormat("with_related", .boolean, in: [.recoveryBundle, .observationManifest, .recordTable,
                    .versionTable, .sharedBundle, .diffReport, .pairReport, .changeSet, .diffSummary, .pageReport,
                    .findingReport]),
            ])
    }

    /// `header.export.from_coverage`.
    public static var headerExportFromCoverage: ObjectFormat {
        ObjectFormat(
            "header.export.from_coverage", [
                MemberFormat("category", .text),
                MemberFormat("conflict_count", .integer),
                MemberFormat("deleted_event_count", .integer),
                MemberFormat("discontinuity", .text),
                MemberFormat("display_name", .text),
                MemberFormat("ended_at", .timestamp),
                MemberFormat("error_kind", .text),
                MemberFormat("error_message_hash", .text),
                MemberFormat("inserted_event_count", .integer),
                MemberFormat("last_verified_observation_id", .integer),
                MemberFormat("mode", .text),
                MemberFormat("observation_id", .integer),
                MemberFormat("rejected_count", .integer),
                MemberFormat("sample_type", .text, excusable: .all),
                MemberFormat("started_at", .timestamp),
                MemberFormat("state", .text),
                MemberFormat("stated_count", .integer),
                MemberFormat("status", .text, excusable: .all),
                MemberFormat("unread_count", .integer),
                MemberFormat("verified_visible_count", .integer),
                MemberFormat("withheld_count", .integer),
            ], needs: [
                NeedFormat("deleted_event_count", of: "status", unless: "never_queried", isExcusable: true),
                NeedFormat("inserted_event_count", of: "status", unless: "never_queried", isExcusable: true),
                NeedFormat("observation_id", of: "status", unless: "never_queried", isExcusable: true),
            ])
    }

    /// `header.export.from_device_chain`.
    public static var headerExportFromDeviceChain: ObjectFormat {
        ObjectFormat(
            "header.export.from_device_chain", [
                MemberFormat("created_at", .timestamp, excusable: .all),
                MemberFormat("device_chain_hash", .text, excusable: .all),
                MemberFormat("recovered_from_keychain", .integer, excusable: .all),
            ])
    }

    /// `header.export.generator`.
    public static var headerExportGenerator: ObjectFormat {
        ObjectFormat(
            "header.export.generator", [
                MemberFormat("name", .text, required: .all),
                MemberFormat("version", .text, required: .all),
            ])
    }

    /// `header.export.history`.
    public static var headerExportHistory: ObjectFormat {
        ObjectFormat(
            "header.export.history", [
                MemberFormat("archive", .hash, required: .all),
                MemberFormat("link", .hash, required: .all),
                MemberFormat("sequence", .count(least: 1), required: .all),
            ])
    }

    /// `header.export.observations`.
    public static var headerExportObservations: ObjectFormat {
        ObjectFormat(
            "header.export.observations", [
                MemberFormat("app_version", .text),
                MemberFormat("ended_at", .timestamp),
                MemberFormat("id", .integer, excusable: .all),
                MemberFormat("notes", .text, in: [.recoveryBundle, .observationManifest, .recordTable, .dayReport,
                    .versionTable, .diffReport, .pairReport, .changeSet, .diffSummary, .pageReport, .findingReport]),
                MemberFormat("observed_at", .timestamp, excusable: .all),
                MemberFormat("os_version", .text),
                MemberFormat("schema_version", .integer, excusable: .all),
                MemberFormat("selected_type_set_hash", .text, in: [.recoveryBundle, .observationManifest,
                    .recordTable, .dayReport, .versionTable, .diffReport, .pairReport, .changeSet, .diffSummary,
                    .pageReport, .findingReport]),
                MemberFormat("started_at", .timestamp),
                MemberFormat("status", .text, excusable: .all),
                MemberFormat("time_zone_identifier", .text),
                MemberFormat("time_zone_seconds_from_gmt", .integer),
                MemberFormat("trigger_reason", .text, excusable: .all),
            ])
    }

    /// `header.export.scope`.
    public static var headerExportScope: ObjectFormat {
        ObjectFormat(
            "header.export.scope", [
                MemberFormat("changes", .array(.choice(["appeared", "disappeared", "re_identified",
                    "relationship_appeared", "relationship_changed", "relationship_disappeared",
                    "representation_changed"]), least: 1), in: [.changeSet], required: [.changeSet]),
                MemberFormat("from_observation_id", .integer, in: [.diffReport, .pairReport, .changeSet,
                    .diffSummary, .pageReport, .findingReport], required: [.diffReport, .pairReport, .changeSet,
                    .diffSummary, .pageReport, .findingReport]),
                MemberFormat("labels", .array(.choice(["aggregateChanged", "appeared", "consolidationLikely",
                    "disappeared", "replacedNotProvable", "representationChanged", "uncertain"]), least: 1),
                    in: [.changeSet]),
                MemberFormat("method", .choice(["cover", "greatest", "sources"]), in: [.dayReport],
                    required: [.dayReport]),
                MemberFormat("mode", .choice(["point_in_time", "history", "changes"]), required: .all),
                MemberFormat("observation_id", .integer, required: .all),
                MemberFormat("period", .choice(["day", "month"]), in: [.dayReport], required: [.dayReport]),
                MemberFormat("preferred", .array(.text, least: 1), in: [.dayReport]),
                MemberFormat("thresholds", .object(headerExportScopeThresholds), in: [.diffSummary, .pageReport,
                    .findingReport], required: [.diffSummary, .pageReport, .findingReport]),
                MemberFormat("zone", .object(headerExportScopeZone), in: [.dayReport], required: [.dayReport]),
            ])
    }

    /// `header.export.scope.thresholds`.
    public static var headerExportScopeThresholds: ObjectFormat {
        ObjectFormat(
            "header.export.scope.thresholds", [
                MemberFormat("baseline_days", .number, in: [.findingReport], required: [.findingReport]),
                MemberFormat("current_days", .number, in: [.findingReport], required: [.findingReport]),
                MemberFormat("divergence_ratio", .number, in: [.findingReport], required: [.findingReport]),
                MemberFormat("late_arrival_seconds", .number, in: [.findingReport], required: [.findingReport]),
                MemberFormat("minimum_days", .number, in: [.findingReport], required: [.findingReport]),
                MemberFormat("window_bound_days", .number, in: [.diffSummary, .pageReport],
                    required: [.diffSummary, .pageReport]),
                MemberFormat("window_gap_seconds", .number, in: [.diffSummary, .pageReport],
                    required: [.diffSummary, .pageReport]),
            ])
    }

    /// `header.export.scope.zone`.
    public static var headerExportScopeZone: ObjectFormat {
        ObjectFormat(
            "header.export.scope.zone", [
                MemberFormat("basis", .choice(["buckets", "offset", "rules"]), required: .all),
                MemberFormat("offset_seconds", .count(least: -93600)),
                MemberFormat("rules_hash", .text),
            ])
    }

    /// `header`.
    public static var header: ObjectFormat {
        ObjectFormat(
            "header", [
                MemberFormat("export", .object(headerExport), required: .all),
            ])
    }

    /// `manifest`.
    public static var manifest: ObjectFormat {
        ObjectFormat(
            "manifest", [
                MemberFormat("manifest_hash", .hash, required: .all),
                MemberFormat("totals", .object(manifestTotals), required: .all),
            ])
    }

    /// `manifest.totals`.
    public static var manifestTotals: ObjectFormat {
        ObjectFormat(
            "manifest.totals", [
                MemberFormat("defect_count", .count(least: 0), required: .all),
                MemberFormat("item_count", .count(least: 0), required: .all),
                MemberFormat("page_sha256", .hash),
                MemberFormat("renderer", .count(least: 1)),
                MemberFormat("types", .array(.object(manifestTotalsTypes), least: 0), required: .all),
            ])
    }

    /// `manifest.totals.types`.
    public static var manifestTotalsTypes: ObjectFormat {
        ObjectFormat(
            "manifest.totals.types", [
                MemberFormat("defect_count", .count(least: 0), required: .all),
                MemberFormat("dropped_sum", .number),
                MemberFormat("item_count", .count(least: 1), required: .all),
                MemberFormat("provenance_loss", .object(manifestTotalsTypesProvenanceLoss), required: .all),
                MemberFormat("record_count", .count(least: 0)),
                MemberFormat("sample_type", .text),
                MemberFormat("unit", .text),
                MemberFormat("value_sum", .number),
            ], needs: [
                NeedFormat("unit", of: "dropped_sum"),
                NeedFormat("value_sum", of: "dropped_sum"),
                NeedFormat("dropped_sum", of: "unit"),
                NeedFormat("value_sum", of: "unit"),
                NeedFormat("dropped_sum", of: "value_sum"),
                NeedFormat("unit", of: "value_sum"),
            ])
    }

    /// `manifest.totals.types.provenance_loss`.
    public static var manifestTotalsTypesProvenanceLoss: ObjectFormat {
        ObjectFormat(
            "manifest.totals.types.provenance_loss", [
                MemberFormat("device_absent", .count(least: 1)),
                MemberFormat("device_identifiers_hashed", .count(least: 1)),
                MemberFormat("metadata_as_text", .count(least: 1)),
                MemberFormat("operating_system_version_absent", .count(least: 1)),
                MemberFormat("payload_absent", .count(least: 1)),
                MemberFormat("relationship_end_not_in_scope", .count(least: 1)),
                MemberFormat("sample_uuid_absent", .count(least: 1)),
                MemberFormat("source_absent", .count(least: 1)),
                MemberFormat("source_name_hashed", .count(least: 1)),
                MemberFormat("source_version_absent", .count(least: 1)),
            ])
    }

    /// `salvage`.
    public static var salvage: ObjectFormat {
        ObjectFormat(
            "salvage", [
                MemberFormat("salvage", .object(salvageSalvage), required: .all),
            ])
    }

    /// `salvage.salvage`.
    public static var salvageSalvage: ObjectFormat {
        ObjectFormat(
            "salvage.salvage", [
                MemberFormat("account", .array(.object(salvageSalvageAccount), least: 0, most: 1000),
                    required: .all),
                MemberFormat("account_count", .count(least: 0), required: .all),
                MemberFormat("export", .object(headerExport)),
                MemberFormat("format", .text, required: .all),
                MemberFormat("format_version", .integer, required: .all),
                MemberFormat("generator", .object(salvageSalvageGenerator), required: .all),
                MemberFormat("manifest", .object(manifest)),
                MemberFormat("missing", .object(salvageSalvageMissing)),
                MemberFormat("other_sources", .array(.object(salvageSalvageOtherSources), least: 1)),
                MemberFormat("source", .object(salvageSalvageSource), required: .all),
            ], needs: [
                NeedFormat("missing", of: "manifest"),
                NeedFormat("manifest", of: "missing"),
            ])
    }

    /// `salvage.salvage.account`.
    public static var salvageSalvageAccount: ObjectFormat {
        ObjectFormat(
            "salvage.salvage.account", [
                MemberFormat("after_items", .count(least: 0), required: .all),
                MemberFormat("byte", .count(least: 0)),
                MemberFormat("byte_end", .count(least: 0)),
                MemberFormat("code", .choice(["container.empty", "container.not_zstd", "container.frame_header",
                    "container.dictionary", "container.window", "container.frame_limit", "container.frame_corrupt",
                    "container.checksum", "container.checksum_missing", "container.content_size_missing",
                    "container.content_size", "container.frame_empty", "container.frame_line_end",
                    "container.truncated", "container.skippable", "container.trailing", "container.seek_table_missing",
                    "container.seek_table", "container.seek_table_mismatch", "container.envelope", "container.page",
                    "container.page_hash", "container.page_policy", "container.sidecar_missing", "container.sidecar",
                    "container.file_hash", "container.columns", "line.limit", "line.damaged_limit", "line.blank",
                    "line.unterminated", "line.header_missing", "line.header_repeated", "line.manifest_missing",
                    "line.after_manifest", "line.kind", "line.cells", "line.cell", "canonical.syntax",
                    "canonical.byte_order_mark", "canonical.utf8", "canonical.surrogate", "canonical.duplicate_key",
                    "canonical.number_range", "canonical.depth", "canonical.white_space", "canonical.key_order",
                    "canonical.escape", "canonical.number", "shape.format_version", "shape.member_missing",
                    "shape.member_unknown", "shape.type", "shape.value", "item.hash", "item.metadata_hash",
                    "item.payload_hash", "item.strict_fingerprint", "item.alike_limit", "item.semantic_fingerprint",
                    "item.private_metadata", "item.shared", "order.items", "order.repeated", "order.coverage",
                    "manifest.export_id", "manifest.totals", "manifest.hash", "manifest.scope",
                    "manifest.relationships"]), required: .all),
                MemberFormat("frame", .count(least: 1)),
                MemberFormat("frame_end", .count(least: 1)),
                MemberFormat("frame_line", .count(least: 1)),
                MemberFormat("line_count", .count(least: 1)),
                MemberFormat("source", .count(least: 1)),
            ], needs: [
                NeedFormat("byte_end", of: "byte"),
                NeedFormat("byte", of: "byte_end"),
                NeedFormat("frame_end", of: "frame"),
                NeedFormat("frame", of: "frame_end"),
                NeedFormat("frame", of: "frame_line"),
            ])
    }

    /// `salvage.salvage.generator`.
    public static var salvageSalvageGenerator: ObjectFormat {
        ObjectFormat(
            "salvage.salvage.generator", [
                MemberFormat("name", .text, required: .all),
                MemberFormat("version", .text, required: .all),
            ])
    }

    /// `salvage.salvage.missing`.
    public static var salvageSalvageMissing: ObjectFormat {
        ObjectFormat(
            "salvage.salvage.missing", [
                MemberFormat("item_count", .count(least: 0), required: .all),
                MemberFormat("types", .array(.object(salvageSalvageMissingTypes), least: 0), required: .all),
            ])
    }

    /// `salvage.salvage.missing.types`.
    public static var salvageSalvageMissingTypes: ObjectFormat {
        ObjectFormat(
            "salvage.salvage.missing.types", [
                MemberFormat("item_count", .count(least: 1), required: .all),
                MemberFormat("sample_type", .text),
            ])
    }

    /// `salvage.salvage.other_sources`.
    public static var salvageSalvageOtherSources: ObjectFormat {
        ObjectFormat(
            "salvage.salvage.other_sources", [
                MemberFormat("sha256", .hash, required: .all),
                MemberFormat("size", .count(least: 0), required: .all),
            ])
    }

    /// `salvage.salvage.source`.
    public static var salvageSalvageSource: ObjectFormat {
        ObjectFormat(
            "salvage.salvage.source", [
                MemberFormat("sha256", .hash, required: .all),
                MemberFormat("size", .count(least: 0), required: .all),
            ])
    }

    /// `salvage_end`.
    public static var salvageEnd: ObjectFormat {
        ObjectFormat(
            "salvage_end", [
                MemberFormat("salvage_hash", .hash, required: .all),
                MemberFormat("totals", .object(manifestTotals), required: .all),
            ])
    }
}

/// The members that items of samples can have, in the order in which they stand in them.
public enum ItemMember: Int, CaseIterable, Sendable {
    case categoryValue, createdObservationID, defects, device, durationSeconds, endDate, events, firstSeenAt,
        firstSeenObservationID, fuzzyKey, itemKind, metadata, metadataHash, numericValue, payloadHash, relationships,
        sampleType, sampleUUIDHash, semanticFingerprint, source, startDate, strictFingerprint, unit, valueKind,
        visibility, workoutActivityType

    /// The member's name.
    public var name: String { Self.names[rawValue] }

    private static let names = [
        "category_value", "created_observation_id", "defects", "device", "duration_seconds", "end_date", "events",
        "first_seen_at", "first_seen_observation_id", "fuzzy_key", "item_kind", "metadata", "metadata_hash",
        "numeric_value", "payload_hash", "relationships", "sample_type", "sample_uuid_hash", "semantic_fingerprint",
        "source", "start_date", "strict_fingerprint", "unit", "value_kind", "visibility", "workout_activity_type",
    ]
}
