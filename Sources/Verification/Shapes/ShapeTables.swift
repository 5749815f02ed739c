/// The tables of `Shape`: what stands in a header, an item and a manifest.
///
/// Written from the specification, apart from the writer's own tables on purpose. The tables are made anew for each
/// verifier: reading them counts references, and counters that two cores share would cost more than all the rest.
enum ShapeTables {
    static func member(
        _ name: String, _ shape: Shape, _ requirement: Requirement = .optional, _ slot: Slot? = nil,
        in forms: Forms = .all
    ) -> MemberShape {
        MemberShape(name: name, shape: shape, requirement: requirement, slot: slot, forms: forms)
    }

    static func choice(_ texts: String...) -> Shape { .choice(texts.map { Array($0.utf8) }) }

    /// What a shared bundle leaves out, by kind; sorted (`Spec/shared-bundles.md`).
    static let leftOut = [
        "device", "device_chain", "error_messages", "history", "metadata_of_apps", "notes", "other_fingerprints",
        "payload_hashes", "private_metadata", "relationships", "type_set",
    ]

    private static let reasons = [
        "storage_class", "null", "integer_range", "not_finite", "negative_zero", "utf8", "nul", "date_range",
        "date_precision", "missing_row", "no_version",
    ]

    static var defect: Shape {
        Shape.object(
            ObjectShape([
                member("pointer", .form(.pointer), .always, .defectPointer),
                member("reason", .choice(reasons.map { Array($0.utf8) }), .always, .defectReason),
                member("storage_class", choice("null", "integer", "real", "text", "blob"), .always, .defectClass),
                member("value", .text, .optional, .defectValue),
            ]))
    }

    static var generator: Shape {
        Shape.object(ObjectShape([member("name", .text, .always), member("version", .text, .always)]))
    }

    static var device: Shape {
        Shape.object(
            ObjectShape(
                comesAgain: true,
                [
                    member("device_hash", .text, .optional, .deviceIdentifier),
                    member("firmware_version", .text),
                    member("hardware_version", .text),
                    member("local_identifier_hash", .text, .optional, .deviceIdentifier),
                    member("manufacturer_hash", .text, .optional, .deviceIdentifier),
                    member("model", .text),
                    member("software_version", .text),
                    member("udi_hash", .text, .optional, .deviceIdentifier),
                ]))
    }

    private static var source: Shape { source(bundle: .sourceBundle, name: .sourceName) }

    static func source(bundle: Slot, name: Slot) -> Shape {
        Shape.object(
            ObjectShape(
                comesAgain: true,
                [
                    member("bundle_identifier", .text, .optional, bundle),
                    member("operating_system_version", .text, .optional, .sourceSystemVersion),
                    member("product_type", .text),
                    member("source_name_hash", .text, .optional, name),
                    member("version", .text, .optional, .sourceVersion),
                ]))
    }

    private static var range: Shape {
        Shape.object(
            ObjectShape([
                member("first_observation_id", .integer, .evidence, .rangeFirst),
                member("first_seen_at", .timestamp, .evidence, .rangeFirstSeen),
                member("last_observation_id", .integer, .optional, .rangeLast, in: [.sample, .version]),
                member("last_seen_at", .timestamp, .optional, .rangeLastSeen, in: [.sample, .version]),
            ]))
    }

    static var event: Shape {
        Shape.object(
            ObjectShape([
                member("event_kind", .text, .evidence, .eventKind),
                member("evidence_kind", .text),
                member("observation_id", .integer, .evidence, .eventObservation),
                member("observed_at", .timestamp, .evidence),
            ]))
    }

    /// A relationship: an entry of an item, or of a change that it is, seen from its source.
    static func relationship(isChanged: Bool) -> Shape {
        func slot(_ slot: Slot) -> Slot? { isChanged ? nil : slot }
        let ended = member("ended_observation_id", .integer, .optional, slot(.relationshipEnded))
        let members = [
            member(
                "end", isChanged ? choice("target") : choice("source", "target"), .always, slot(.relationshipEnd)),
            member("end_identity_hash", .text, .evidence, slot(.relationshipIdentity)),
            member("end_in_scope", .boolean, .always, slot(.relationshipInScope)),
            member("end_sample_type", .text, .evidence, slot(.relationshipType)),
            member("metadata", .metadata),
            member("metadata_hash", .text),
            member("observation_id", .integer, .optional, slot(.relationshipObservation)),
            member("relationship_kind", .text, .evidence, slot(.relationshipKind)),
        ]
        return .object(
            ObjectShape(
                isChanged ? members : members + [ended], pairs: [("metadata", "metadata_hash")], isExcusable: true))
    }

    private static let payload: Forms = [.record, .version, .sharedRecord]
    /// Of these a shared record says nothing.
    private static let wholePayload: Forms = [.record, .version]

    private static var item: Shape {
        Shape.object(
            ObjectShape(
                isItem: true,
                [
                    member("category_value", .integer, in: payload),
                    member("created_observation_id", .integer, .evidence, in: payload),
                    member("defects", .array(defect, least: 1, slot: .defects)),
                    member("device", device, .optional, .device, in: wholePayload),
                    member("duration_seconds", .number, in: payload),
                    member("end_date", .timestamp, .evidence, .endDate, in: payload),
                    member("events", .array(event, least: 1, slot: .events), in: [.sample, .version]),
                    member("first_seen_at", .timestamp, .evidence),
                    member("first_seen_observation_id", .integer, .evidence),
                    member("fuzzy_key", .text, in: .evidence),
                    member("item_kind", .text, .optional, .itemKind),
                    member("metadata", .metadata, .optional, .metadata, in: payload),
                    member("metadata_hash", .text, in: wholePayload),
                    member("numeric_value", .number, in: payload),
                    member("payload_hash", .text, .evidence, .payloadHash, in: wholePayload),
                    member(
                        "relationships", .array(relationship(isChanged: false), least: 1, slot: .relationships),
                        in: [.record, .sample]),
                    member("sample_type", .text, .evidence, .sampleType),
                    member("sample_uuid_hash", .text, .optional, .sampleUUIDHash),
                    member("semantic_fingerprint", .text, in: .evidence),
                    member("source", source, .optional, .source, in: payload),
                    member("start_date", .timestamp, .evidence, .startDate, in: payload),
                    member("strict_fingerprint", .text, .evidence, .strictFingerprint),
                    member("unit", .text, in: payload),
                    member("value_kind", .text, in: payload),
                    member("visibility", .array(range, least: 1, slot: .visibility)),
                    member("workout_activity_type", .integer, in: payload),
                ], pairs: [("metadata", "metadata_hash")], isExcusable: true))
    }

    /// Members of `samples`: a defect that says that the row is not there stands for all of them.
    static let sampleMembers: Set<String> = [
        "first_seen_at", "first_seen_observation_id", "fuzzy_key", "sample_type", "sample_uuid_hash",
        "semantic_fingerprint", "strict_fingerprint",
    ]

    /// Members of `sample_versions`, likewise.
    static let versionMembers: Set<String> = [
        "category_value", "created_observation_id", "device", "duration_seconds", "end_date", "metadata",
        "metadata_hash", "numeric_value", "payload_hash", "source",
        "start_date", "unit", "value_kind", "workout_activity_type",
    ]

    /// A line of an item that bundles have.
    static var itemLine: ObjectShape { line(of: item) }

    /// A line of an item of some shape.
    static func line(of item: Shape) -> ObjectShape {
        ObjectShape([
            member("item", item, .always, .item),
            member("item_hash", .form(.hash), .always, .itemHash),
        ])
    }

    static var coverage: Shape {
        Shape.object(
            ObjectShape(
                [
                    member("category", .text),
                    member("deleted_event_count", .integer),
                    member("discontinuity", .text),
                    member("display_name", .text),
                    member("ended_at", .timestamp),
                    member("error_kind", .text),
                    member("error_message_hash", .text, in: .whole),
                    member("inserted_event_count", .integer),
                    member("last_verified_observation_id", .integer),
                    member("mode", .text),
                    member("observation_id", .integer, .optional, .coverageObservation),
                    member("sample_type", .text, .evidence, .coverageType),
                    member("started_at", .timestamp),
                    member("state", .text),
                    member("stated_count", .integer),
                    member("status", .text, .evidence),
                    member("verified_visible_count", .integer),
                    member("withheld_count", .integer),
                ],
                unless: (
                    "status", "never_queried", ["deleted_event_count", "inserted_event_count", "observation_id"]
                ), isExcusable: true))
    }

    private static var observation: Shape {
        Shape.object(
            ObjectShape([
                member("app_version", .text),
                member("ended_at", .timestamp),
                member("id", .integer, .evidence, .observation),
                member("notes", .text, in: .whole),
                member("observed_at", .timestamp, .evidence),
                member("os_version", .text),
                member("schema_version", .integer, .evidence),
                member("selected_type_set_hash", .text, in: .whole),
                member("started_at", .timestamp),
                member("status", .text, .evidence),
                member("time_zone_identifier", .text),
                member("time_zone_seconds_from_gmt", .integer),
                member("trigger_reason", .text, .evidence),
            ]))
    }

    private static func deviceChain(_ hash: Slot) -> Shape {
        .object(
            ObjectShape([
                member("created_at", .timestamp, .evidence), member("device_chain_hash", .text, .evidence, hash),
                member("recovered_from_keychain", .integer, .evidence),
            ]))
    }

    static var export: Shape {
        Shape.object(
            ObjectShape([
                member("archive_schema_version", .integer, .always),
                member("coverage", .array(coverage, least: 0, slot: .coverage), .always),
                member("defects", .array(defect, least: 1, slot: .defects)),
                member("device_chain", deviceChain(.chainHash), .evidence, .chain, in: .whole),
                member("export_id", .form(.uuid8), .always, .exportID),
                member(
                    "export_kind", .choice(ExportKind.allCases.map { Array($0.rawValue.utf8) }), .always, .exportKind),
                member(
                    "filter",
                    .object(
                        ObjectShape([
                            member("overlapping", .boolean, .optional, .overlapping),
                            member("sample_types", .array(.text, least: 0, slot: .filterTypes)),
                            member("since", .timestamp, .optional, .since),
                            member("source_names", .array(.form(.hash), least: 0, slot: .filterNames)),
                            member("sources", .array(.text, least: 0, slot: .filterSources)),
                            member("until", .timestamp, .optional, .until),
                            member("with_related", .boolean, .optional, .withRelated),
                        ])), .always),
                member("format", .text, .always, .format),
                member("format_version", .integer, .always, .formatVersion),
                member("from_coverage", .array(coverage, least: 0, slot: .fromCoverage), .always, in: .ofChanges),
                member("from_device_chain", deviceChain(.fromChainHash), .optional, .fromChain, in: .pairReport),
                member("generator", generator, .always),
                member(
                    "history",
                    .object(
                        ObjectShape([
                            member("archive", .form(.hash), .always, .historyArchive),
                            member("link", .form(.hash), .always, .historyLink),
                            member("sequence", .count(least: 1), .always, .historySequence),
                        ])), in: .whole),
                member("identity_rules", .within(2...2), .optional, .identityRules),
                member(
                    "left_out", .array(.choice(leftOut.map { Array($0.utf8) }), least: 1, slot: .leftOut), .always,
                    in: .sharedBundle),
                member("observations", .array(observation, least: 1, slot: .observations), .always),
                member(
                    "scope",
                    .object(
                        ObjectShape([
                            member(
                                "changes",
                                .array(
                                    .choice((Forms.changes.map(\.name) + ["re_identified"]).map { Array($0.utf8) }),
                                    least: 1, slot: .changes), .always, in: .changeSet),
                            member("from_observation_id", .integer, .always, .fromObservationID, in: .ofChanges),
                            member(
                                "labels", .array(.choice(labels.map { Array($0.utf8) }), least: 1, slot: .labels),
                                in: .changeSet),
                            member("mode", choice("point_in_time", "history", "changes"), .always, .mode),
                            member("observation_id", .integer, .always, .observationID),
                            member("thresholds", thresholds, .always, in: [.summaries, .findingReport]),
                        ])), .always),
            ]))
    }

    /// A header's line.
    static var headerLine: ObjectShape {
        ObjectShape([member("export", export, .always, .export)])
    }

    /// Codes of provenance loss, sorted.
    static let losses = [
        "device_absent", "device_identifiers_hashed", "metadata_as_text", "operating_system_version_absent",
        "payload_absent", "relationship_end_not_in_scope",
        "sample_uuid_absent", "source_absent", "source_name_hashed", "source_version_absent",
    ]

    static var totals: Shape {
        Shape.object(
            ObjectShape([
                member("defect_count", .count(least: 0), .always, .totalDefects),
                member("item_count", .count(least: 0), .always, .totalItems),
                member("page_sha256", .form(.hash), .optional, .pageHash),
                member("renderer", .count(least: 1), .optional, .renderer),
                member(
                    "types",
                    .array(
                        .object(
                            ObjectShape([
                                member("defect_count", .count(least: 0), .always, .typeDefects),
                                member("item_count", .count(least: 1), .always, .typeItems),
                                member(
                                    "provenance_loss",
                                    .object(ObjectShape(losses.map { member($0, .count(least: 1), .optional, .loss) })),
                                    .always),
                                member("sample_type", .text, .optional, .typeName),
                            ])), least: 0, slot: .totalTypes), .always),
            ]))
    }

    /// A manifest's line.
    static var manifestLine: ObjectShape {
        ObjectShape([
            member("manifest_hash", .form(.hash), .always, .manifestHash),
            member("totals", totals, .always, .totals),
        ])
    }
}
