/// What stands in the items of reports (`Spec/changes.md`), and in the headers of exports that compare two
/// observations.
extension ShapeTables {
    static var changeKind: Shape { .choice(Forms.changes.map { Array($0.name.utf8) }) }

    /// All thresholds; each kind of export has its own.
    static var thresholds: Shape {
        func members(_ names: [String], _ form: Forms) -> [MemberShape] {
            names.map { member($0, .number, .always, in: form) }
        }
        return Shape.object(
            ObjectShape(
                members(
                    [
                        "count_ratio", "coverage_overlap", "measure_tolerance", "minimum_disappeared",
                        "window_bound_days", "window_gap_seconds",
                    ], .summaries)
                    + members(
                        ["baseline_days", "current_days", "divergence_ratio", "late_arrival_seconds", "minimum_days"],
                        .findingReport)))
    }

    /// A version inside a change.
    private static func version(start: Slot, end: Slot, payload: Slot, bundle: Slot, name: Slot) -> Shape {
        Shape.object(
            ObjectShape(
                [
                    member("category_value", .integer),
                    member("created_observation_id", .integer, .evidence),
                    member("device", device),
                    member("duration_seconds", .number),
                    member("end_date", .timestamp, .evidence, end),
                    member("metadata", .metadata),
                    member("metadata_hash", .text),
                    member("numeric_value", .number),
                    member("payload_hash", .text, .evidence, payload),
                    member("source", source(bundle: bundle, name: name)),
                    member("start_date", .timestamp, .evidence, start),
                    member("unit", .text),
                    member("value_kind", .text),
                    member("workout_activity_type", .integer),
                ], pairs: [("metadata", "metadata_hash")], isExcusable: true))
    }

    /// Members of a version that a change can name, sorted.
    static let changedFields = [
        "category_value", "device", "duration_seconds", "end_date", "metadata", "numeric_value", "source", "start_date",
        "unit", "value_kind", "workout_activity_type",
    ]

    /// A line of a change.
    static var changeLine: ObjectShape {
        line(
            of: .object(
                ObjectShape([
                    member(
                        "after",
                        version(
                            start: .afterStart, end: .afterEnd, payload: .afterPayload, bundle: .afterBundle,
                            name: .afterName),
                        .always, .after, in: [.appeared, .representationChanged]),
                    member(
                        "before",
                        version(
                            start: .beforeStart, end: .beforeEnd, payload: .beforePayload, bundle: .beforeBundle,
                            name: .beforeName),
                        .always, .before,
                        in: [.disappeared, .representationChanged]),
                    member("change", changeKind, .always, .change),
                    member(
                        "changed_fields",
                        .array(.choice(changedFields.map { Array($0.utf8) }), least: 0, slot: nil),
                        in: .representationChanged),
                    member("defects", .array(defect, least: 1, slot: .defects)),
                    member("events", .array(event, least: 1, slot: .events), in: .recordChange),
                    member("first_seen_at", .timestamp, .evidence),
                    member("first_seen_observation_id", .integer, .evidence),
                    member("fuzzy_key", .text),
                    member("item_kind", .text, .optional, .itemKind),
                    member("label", .choice(labels.map { Array($0.utf8) }), .optional, .label, in: .recordChange),
                    member(
                        "pair",
                        .object(
                            ObjectShape([
                                member("keys", .array(.text, least: 1, slot: nil), .always),
                                member("kind", pairKind, .always, .markKind),
                            ])), in: .recordChange),
                    member(
                        "reasons", .array(.choice(reasons.map { Array($0.utf8) }), least: 1, slot: nil),
                        in: .recordChange),
                    member(
                        "relationship_after", relationship(isChanged: true), .always,
                        in: [.relationshipAppeared, .relationshipChanged]),
                    member(
                        "relationship_before", relationship(isChanged: true), .always,
                        in: [.relationshipDisappeared, .relationshipChanged]),
                    member("run_after", .text),
                    member("run_before", .text),
                    member("sample_type", .text, .evidence, .sampleType),
                    member("sample_uuid_hash", .text, .optional, .sampleUUIDHash),
                    member("semantic_fingerprint", .text),
                    member("strict_fingerprint", .text, .evidence, .strictFingerprint),
                ])))
    }

    private static var side: Shape {
        let details: Forms = [.wholeType, .window]
        return Shape.object(
            ObjectShape([
                member("earliest_start_date", .timestamp, in: details),
                member("interval_seconds", .number, in: details),
                member("latest_end_date", .timestamp, in: details),
                member("mean_interval_seconds", .number, in: details),
                member("other_unit_count", .count(least: 1), in: details),
                member("parts", .array(part, least: 1, slot: nil), in: details),
                member("record_count", .count(least: 0), .always),
                member("records_per_hour", .number, in: details),
                member("unit", .text, in: details),
                member("value_count", .count(least: 0), .always, in: details),
                member("value_max", .number, in: details),
                member("value_mean", .number, in: details),
                member("value_min", .number, in: details),
                member("value_sum", .number, in: details),
            ]))
    }

    private static var part: Shape {
        Shape.object(
            ObjectShape([
                member("distance", .number),
                member("distance_count", .count(least: 1)),
                member("energy", .number),
                member("energy_count", .count(least: 1)),
                member("record_count", .count(least: 1), .always),
                member("seconds", .number),
                member("value", .integer, .always),
            ]))
    }

    /// What a label of a window can be, sorted.
    static let labels = [
        "aggregateChanged", "appeared", "consolidationLikely", "disappeared", "representationChanged", "uncertain",
    ]

    private static let reasons = [
        "dates_missing", "from_never_queried", "from_run_not_completed", "from_state_unknown", "sources_differ",
        "to_never_queried", "to_run_not_completed", "to_state_unknown", "units_differ", "values_incomplete",
        "values_missing",
    ]

    private static var sourceCounts: Shape {
        Shape.object(
            ObjectShape([
                member("after_count", .count(least: 0), .always),
                member("before_count", .count(least: 0), .always),
                member("bundle_identifier", .text),
                member("operating_system_version", .text),
                member("product_type", .text),
                member("source_name_hash", .text),
                member("version", .text),
            ]))
    }

    private static var comparisonEvidence: Shape {
        Shape.object(
            ObjectShape([
                member("common_seconds", .number),
                member("coverage_overlap", .number),
                member("covered_seconds_after", .number),
                member("covered_seconds_before", .number),
                member("instant_overlap", .number),
                member("instants_before", .count(least: 0)),
                member("instants_within", .count(least: 0)),
                member("measure_delta", .number),
                member("measure_kept", .boolean),
                member("metadata_compatible", .boolean, .always),
                member("peaks_kept", .boolean),
                member("record_count_delta", .integer, .always),
                member("sources_compatible", .boolean, .always),
                member("visible_end", .timestamp),
                member("visible_start", .timestamp),
            ]))
    }

    private static var signatures: Shape {
        Shape.object(
            ObjectShape([
                member("condensed_again", .boolean),
                member("equal_rate", .boolean),
                member("equal_value", .boolean),
                member("inside_workout", .boolean),
                member("older_than_90_days", .boolean),
                member("within_five_minutes", .boolean, .always),
            ]))
    }

    private static func windowTexts(_ texts: [String]) -> Shape {
        .array(.choice(texts.map { Array($0.utf8) }), least: 1, slot: .windowPart)
    }

    /// Why it is unknown what is visible of a type.
    private static var runReasons: Shape {
        let reasons = reasons.filter { $0.hasPrefix("from_") || $0.hasPrefix("to_") }
        return .array(.choice(reasons.map { Array($0.utf8) }), least: 1, slot: nil)
    }

    /// A line of a comparison.
    static var comparisonLine: ObjectShape {
        let sums: Forms = [.allTypes, .wholeType]
        return line(
            of: .object(
                ObjectShape(
                    [
                        member("after", side, .always),
                        member(
                            "against",
                            windowTexts(["count", "coverage", "density", "measure", "metadata", "sources"]),
                            in: .window),
                        member("appeared_count", .count(least: 0), .always),
                        member("before", side, .always),
                        member("calendar", calendar, in: .wholeType),
                        member("context", context, in: .allTypes),
                        member("crosses_bound", .boolean, .optional, .windowPart, in: .window),
                        member("disappeared_count", .count(least: 0), .always),
                        member("evidence", comparisonEvidence, .always, .windowPart, in: .window),
                        member("examples", examples, in: .wholeType),
                        member("finding_counts", findingCounts, in: .wholeType),
                        member("item_kind", .text, .optional, .itemKind),
                        member("label", .choice(labels.map { Array($0.utf8) }), .always, .windowPart, in: .window),
                        member(
                            "labels", .object(ObjectShape(labels.map { member($0, .count(least: 1)) })), .always,
                            in: sums),
                        member(
                            "look_alikes",
                            windowTexts(["daily_replacement", "narrowed_permission", "truncated_export", "watch_week"]),
                            in: .window),
                        member(
                            "measure", choice("category", "cumulative", "discrete", "event", "workout"), .always,
                            in: [.wholeType, .window]),
                        member(
                            "method",
                            choice("count", "duration", "equivalent_level", "mean", "sum", "time_weighted_mean"),
                            .always, in: [.wholeType, .window]),
                        member("observations", timeline, in: .allTypes),
                        member("pair_counts", pairCounts, in: .wholeType),
                        member("reasons", windowTexts(reasons), in: .window),
                        member("rejected_count", .count(least: 0), in: .allTypes),
                        member("representation_changed_count", .count(least: 0), .always),
                        member("sample_type", .text, .optional, .sampleType, in: [.wholeType, .window]),
                        member("signatures", signatures, .optional, .windowPart, in: .window),
                        member(
                            "sources", .array(sourceCounts, least: 1, slot: .comparisonSources), .always,
                            in: [.wholeType, .window]),
                        member(
                            "standing", choice("changed", "continued", "unchanged", "unknown", "verified"), .always,
                            in: .wholeType),
                        member("standing_reasons", runReasons, in: .wholeType),
                        member("statuses", .array(.text, least: 1, slot: nil), in: .wholeType),
                        member("strip", strip, in: .wholeType),
                        member("window_end", .timestamp, .optional, .windowEnd, in: .window),
                        member("window_start", .timestamp, .optional, .windowStart, in: .window),
                        member("withheld_count", .count(least: 0), in: .allTypes),
                    ], pairs: [("window_end", "window_start")])))
    }

    /// A line of a finding.
    static var findingLine: ObjectShape {
        let dated: Forms = [.exactDuplicate, .lateArrival]
        return line(
            of: .object(
                ObjectShape([
                    member("after_count", .count(least: 0), .always, in: .disappearance),
                    member("baseline_day_count", .count(least: 1), .always, in: .divergence),
                    member("baseline_mean", .number, in: .divergence),
                    member("baseline_standard_deviation", .number, .always, in: .divergence),
                    member("baseline_start", .timestamp, .always, in: .divergence),
                    member("before_count", .count(least: 1), .always, in: .disappearance),
                    member("current_day_count", .count(least: 1), .always, in: .divergence),
                    member("current_end", .timestamp, .always, in: .divergence),
                    member("current_mean", .number, in: .divergence),
                    member("current_standard_deviation", .number, .always, in: .divergence),
                    member("current_start", .timestamp, .always, in: .divergence),
                    member("delay_seconds", .number, .always, in: .lateArrival),
                    member("disappeared_count", .count(least: 1), .always, in: .disappearance),
                    member("disappeared_share", .number, .always, in: .disappearance),
                    member("elapsed_seconds", .number, in: .disappearance),
                    member("end_date", .timestamp, .optional, .endDate, in: dated),
                    member(
                        "finding",
                        choice("disappearance", "divergence", "exact_duplicate", "late_arrival", "semantic_duplicate"),
                        .always, .finding),
                    member("first_seen_at", .timestamp, .always, in: .lateArrival),
                    member("first_seen_observation_id", .integer, in: .lateArrival),
                    member("item_kind", .text, .optional, .itemKind),
                    member("measure", choice("cumulative", "discrete"), in: .divergence),
                    member("method", choice("equivalent_level", "mean", "sum", "time_weighted_mean"), in: .divergence),
                    member("payload_count", .count(least: 2), .always, in: .semanticDuplicate),
                    member("payload_hash", .text, .optional, .payloadHash, in: dated),
                    member("ratio", .number, .always, in: .divergence),
                    member("record_count", .count(least: 2), .always, in: [.exactDuplicate, .semanticDuplicate]),
                    member("sample_type", .text, .optional, .sampleType),
                    member("sample_uuid_hash", .text, .optional, .sampleUUIDHash, in: .lateArrival),
                    member("semantic_fingerprint", .text, .always, .semanticFingerprint, in: .semanticDuplicate),
                    member("start_date", .timestamp, .optional, .startDate, in: dated),
                    member("strict_fingerprint", .text, .optional, .strictFingerprint, in: .lateArrival),
                    member("unit", .text, .optional, in: .divergence),
                ])))
    }

    /// A line of a type's manifest.
    static var typeManifestLine: ObjectShape {
        line(
            of: .object(
                ObjectShape([
                    member("defect_count", .count(least: 0), .always),
                    member("item_count", .count(least: 1), .always),
                    member("item_kind", .text, .optional, .itemKind),
                    member("items_hash", .form(.hash), .always),
                    member("sample_type", .text, .optional, .sampleType),
                ])))
    }
}
