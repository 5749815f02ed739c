internal import Format

/// Values that later checks look at.
enum Slot: Int, CaseIterable, Sendable {
    // Of an item.
    case itemKind, sampleType, sampleUUIDHash, strictFingerprint, payloadHash, startDate, endDate, metadata
    case semanticFingerprint, device, deviceIdentifier, source, sourceName, sourceVersion, sourceSystemVersion,
        sourceBundle
    case itemHash, item
    // Of a change, a comparison or a finding.
    case change, before, beforeStart, beforeEnd, beforePayload, beforeBundle, beforeName, after, afterStart, afterEnd,
        afterPayload, afterBundle, afterName
    // Of a day.
    case measure, date, dayStart, categoryValue, activity, recordCount, valueSum, droppedSum, unit, sourceCount
    case daySources, daySourceName, daySourceBundle
    case comparisonSources, windowPart, windowStart, windowEnd, finding, pairKind, pairKey, label, markKind
    // Entries of arrays.
    case defects, defectPointer, defectReason, defectClass, defectValue
    case visibility, rangeFirst, rangeFirstSeen, rangeLast, rangeLastSeen
    case events, eventKind, eventObservation
    case relationships, relationshipEnd, relationshipIdentity, relationshipInScope, relationshipType,
        relationshipObservation, relationshipKind, relationshipEnded
    // Of a header.
    case export, exportID, format, formatVersion, identityRules, mode, observationID, filterTypes, filterNames,
        filterSources, since, until, overlapping, withRelated
    case coverage, fromCoverage, coverageType, coverageObservation, observations, observation, exportKind,
        fromObservationID, changes, labels, chain, fromChain, chainHash, fromChainHash, leftOut,
        historyArchive, historyLink, historySequence, preferred
    // Of a manifest.
    case manifestHash, totals, totalDefects, totalItems, pageHash, renderer, totalTypes, typeDefects, typeItems
    case typeName, loss, typeRecords, typeValueSum, typeDroppedSum, typeUnit
    // Of a salvage; too many to be kept with the others.
    case salvageFormat, salvageFormatVersion
}

/// The places of values that later checks look at, by the names that lead to them from their lines.
enum SlotPlaces {
    /// Returns the slot of a member; `nil` if no check looks at it. An array's entries are at the slot of the array.
    static func slot(at path: String) -> Slot? { places[path] }

    /// Objects that are likely to come again in many lines.
    static let comingAgain: Set = [
        "evidence.item.device", "evidence.item.source", "change.item.before.device", "change.item.before.source",
        "change.item.after.device", "change.item.after.source",
    ]

    private typealias Members = [(String, Slot)]

    private static let places: [String: Slot] = {
        let lines: [[(String, Members)]] = [
            ["evidence", "change", "comparison", "finding", "pair", "day", "type_manifest"].flatMap { items($0) },
            ["evidence.item", "change.item", "header.export"].map { ($0, defects) },
            ["evidence.item", "change.item"].map { ($0, events) },
            evidence,
            [side("before", .beforeStart, .beforeEnd, .beforePayload, .beforeBundle, .beforeName)],
            [side("after", .afterStart, .afterEnd, .afterPayload, .afterBundle, .afterName)],
            reports,
            days,
            header,
            ends,
        ]
        var places: [String: Slot] = [:]
        for (holder, members) in lines.joined() {
            for (member, slot) in members { places[holder + "." + member] = slot }
        }
        return places
    }()

    private static func items(_ line: String) -> [(String, Members)] {
        [
            (line, [("item", .item), ("item_hash", .itemHash)]),
            (line + ".item", [("item_kind", .itemKind), ("sample_type", .sampleType)]),
        ]
    }

    private static let defects: Members = [
        ("defects", .defects), ("defects.pointer", .defectPointer), ("defects.reason", .defectReason),
        ("defects.storage_class", .defectClass), ("defects.value", .defectValue),
    ]

    private static let events: Members = [
        ("events", .events), ("events.event_kind", .eventKind), ("events.observation_id", .eventObservation),
    ]

    private static let evidence: [(String, Members)] = [
        (
            "evidence.item",
            [
                ("device", .device), ("end_date", .endDate), ("metadata", .metadata), ("payload_hash", .payloadHash),
                ("relationships", .relationships), ("sample_uuid_hash", .sampleUUIDHash), ("source", .source),
                ("start_date", .startDate), ("strict_fingerprint", .strictFingerprint), ("visibility", .visibility),
            ]
        ),
        (
            "evidence.item.device",
            ["device_hash", "local_identifier_hash", "manufacturer_hash", "udi_hash"].map {
                ($0, Slot.deviceIdentifier)
            }
        ),
        (
            "evidence.item.source",
            [
                ("bundle_identifier", .sourceBundle), ("operating_system_version", .sourceSystemVersion),
                ("source_name_hash", .sourceName), ("version", .sourceVersion),
            ]
        ),
        (
            "evidence.item.relationships",
            [
                ("end", .relationshipEnd), ("end_identity_hash", .relationshipIdentity),
                ("end_in_scope", .relationshipInScope), ("end_sample_type", .relationshipType),
                ("ended_observation_id", .relationshipEnded), ("observation_id", .relationshipObservation),
                ("relationship_kind", .relationshipKind),
            ]
        ),
        (
            "evidence.item.visibility",
            [
                ("first_observation_id", .rangeFirst), ("first_seen_at", .rangeFirstSeen),
                ("last_observation_id", .rangeLast), ("last_seen_at", .rangeLastSeen),
            ]
        ),
    ]

    private static func side(
        _ name: String, _ start: Slot, _ end: Slot, _ payload: Slot, _ bundle: Slot, _ sourceName: Slot
    ) -> (String, Members) {
        (
            "change.item." + name,
            [
                ("start_date", start), ("end_date", end), ("payload_hash", payload),
                ("source.bundle_identifier", bundle), ("source.source_name_hash", sourceName),
            ]
        )
    }

    private static let reports: [(String, Members)] = [
        (
            "change.item",
            [
                ("after", .after), ("before", .before), ("change", .change), ("label", .label),
                ("pair.kind", .markKind),
                ("sample_uuid_hash", .sampleUUIDHash), ("strict_fingerprint", .strictFingerprint),
            ]
        ),
        (
            "comparison.item",
            ["crosses_bound", "evidence", "label", "look_alikes", "reasons", "signatures"].map {
                ($0, Slot.windowPart)
            }
        ),
        (
            "comparison.item",
            [("sources", .comparisonSources), ("window_end", .windowEnd), ("window_start", .windowStart)]
        ),
        (
            "finding.item",
            [
                ("end_date", .endDate), ("finding", .finding), ("payload_hash", .payloadHash),
                ("sample_uuid_hash", .sampleUUIDHash), ("semantic_fingerprint", .semanticFingerprint),
                ("start_date", .startDate), ("strict_fingerprint", .strictFingerprint),
            ]
        ),
        (
            "pair.item",
            [("end_date", .endDate), ("key", .pairKey), ("pair", .pairKind), ("start_date", .startDate)]
        ),
    ]

    private static let days: [(String, Members)] = [
        (
            "day.item",
            [
                ("category_value", .categoryValue), ("date", .date), ("day_start", .dayStart),
                ("dropped_sum", .droppedSum), ("measure", .measure), ("record_count", .recordCount),
                ("source", .source), ("source.bundle_identifier", .sourceBundle),
                ("source.source_name_hash", .sourceName), ("source_count", .sourceCount), ("sources", .daySources),
                ("sources.bundle_identifier", .daySourceBundle), ("sources.source_name_hash", .daySourceName),
                ("unit", .unit), ("value_sum", .valueSum), ("workout_activity_type", .activity),
            ]
        )
    ]

    private static let coverage: Members = [
        ("observation_id", .coverageObservation), ("sample_type", .coverageType),
    ]

    private static let header: [(String, Members)] = [
        ("header", [("export", .export)]),
        (
            "header.export",
            [
                ("coverage", .coverage), ("device_chain", .chain), ("device_chain.device_chain_hash", .chainHash),
                ("export_id", .exportID), ("export_kind", .exportKind), ("format", .format),
                ("format_version", .formatVersion), ("from_coverage", .fromCoverage),
                ("from_device_chain", .fromChain), ("from_device_chain.device_chain_hash", .fromChainHash),
                ("history.archive", .historyArchive), ("history.link", .historyLink),
                ("history.sequence", .historySequence), ("identity_rules", .identityRules), ("left_out", .leftOut),
                ("observations", .observations), ("observations.id", .observation),
            ]
        ),
        ("header.export.coverage", coverage), ("header.export.from_coverage", coverage),
        (
            "header.export.filter",
            [
                ("overlapping", .overlapping), ("sample_types", .filterTypes), ("since", .since),
                ("source_names", .filterNames), ("sources", .filterSources), ("until", .until),
                ("with_related", .withRelated),
            ]
        ),
        (
            "header.export.scope",
            [
                ("changes", .changes), ("from_observation_id", .fromObservationID), ("labels", .labels),
                ("mode", .mode), ("observation_id", .observationID), ("preferred", .preferred),
            ]
        ),
    ]

    private static let ends: [(String, Members)] = [
        ("manifest", [("manifest_hash", .manifestHash), ("totals", .totals)]),
        ("salvage_end", [("salvage_hash", .manifestHash), ("totals", .totals)]),
        (
            "salvage.salvage",
            [("export", .export), ("format", .salvageFormat), ("format_version", .salvageFormatVersion)]
        ),
        (
            "manifest.totals",
            [
                ("defect_count", .totalDefects), ("item_count", .totalItems), ("page_sha256", .pageHash),
                ("renderer", .renderer), ("types", .totalTypes), ("types.defect_count", .typeDefects),
                ("types.dropped_sum", .typeDroppedSum), ("types.item_count", .typeItems),
                ("types.record_count", .typeRecords), ("types.sample_type", .typeName), ("types.unit", .typeUnit),
                ("types.value_sum", .typeValueSum),
            ]
        ),
        ("manifest.totals.types.provenance_loss", ShapeTables.losses.map { ($0, Slot.loss) }),
    ]
}
