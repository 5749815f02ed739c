internal import Archive

/// The members of an item, sorted by their keys: `Spec/items.md` as a table.
enum ItemMember: Sendable {
    /// A column of the sample.
    case sample(Member)
    /// A column of the version.
    case version(Member)
    case defects, device, events, itemKind, metadata, relationships, sampleType, source, visibility

    static let all: [ItemMember] = [
        version("category_value", .categoryValue, .integer),
        version("created_observation_id", .createdObservationID, .integer, required: true),
        .defects,
        .device,
        version("duration_seconds", .durationSeconds, .number),
        version("end_date", .endDate, .timestamp, required: true),
        .events,
        sample("first_seen_at", .firstSeenAt, .timestamp, required: true),
        sample("first_seen_observation_id", .firstSeenObservationID, .integer, required: true),
        sample("fuzzy_key", .fuzzyKey, .text),
        .itemKind,
        .metadata,
        version("numeric_value", .numericValue, .number),
        version("payload_hash", .payloadHash, .text, required: true),
        .relationships,
        .sampleType,
        sample("sample_uuid_hash", .sampleUUIDHash, .text),
        sample("semantic_fingerprint", .semanticFingerprint, .text),
        .source,
        version("start_date", .startDate, .timestamp, required: true),
        sample("strict_fingerprint", .strictFingerprint, .text, required: true),
        version("unit", .unit, .text),
        version("value_kind", .valueKind, .text),
        .visibility,
        version("workout_activity_type", .workoutActivityType, .integer),
    ]

    private static func sample(_ name: String, _ column: RecordColumn, _ type: ValueType, required: Bool = false) -> ItemMember {
        .sample(Member(name, column.rawValue, type, required: required))
    }

    private static func version(_ name: String, _ column: RecordColumn, _ type: ValueType, required: Bool = false) -> ItemMember {
        .version(Member(name, column.rawValue, type, required: required))
    }
}

/// Members of the objects inside an item, and of the header's, each sorted.
enum Members {
    static let device: [Member] = [
        Member("device_hash", DeviceColumn.deviceHash.rawValue, .text),
        Member("firmware_version", DeviceColumn.firmwareVersion.rawValue, .text),
        Member("hardware_version", DeviceColumn.hardwareVersion.rawValue, .text),
        Member("local_identifier_hash", DeviceColumn.localIdentifierHash.rawValue, .text),
        Member("manufacturer_hash", DeviceColumn.manufacturerHash.rawValue, .text),
        Member("model", DeviceColumn.model.rawValue, .text),
        Member("software_version", DeviceColumn.softwareVersion.rawValue, .text),
        Member("udi_hash", DeviceColumn.udiHash.rawValue, .text),
    ]
    static let source: [Member] = [
        Member("bundle_identifier", SourceColumn.bundleIdentifier.rawValue, .text),
        Member("operating_system_version", SourceColumn.operatingSystemVersion.rawValue, .text),
        Member("product_type", SourceColumn.productType.rawValue, .text),
        Member("source_name_hash", SourceColumn.sourceNameHash.rawValue, .text),
        Member("version", SourceColumn.version.rawValue, .text),
    ]
    static let visibility: [Member] = [
        Member("first_observation_id", VisibilityColumn.firstObservationID.rawValue, .integer, required: true),
        Member("first_seen_at", VisibilityColumn.firstSeenAt.rawValue, .timestamp, required: true),
        Member("last_observation_id", VisibilityColumn.lastObservationID.rawValue, .integer),
        Member("last_seen_at", VisibilityColumn.lastSeenAt.rawValue, .timestamp),
    ]
    static let event: [Member] = [
        Member("event_kind", EventColumn.eventKind.rawValue, .text, required: true),
        Member("evidence_kind", EventColumn.evidenceKind.rawValue, .text),
        Member("observation_id", EventColumn.observationID.rawValue, .integer, required: true),
        Member("observed_at", EventColumn.observedAt.rawValue, .timestamp, required: true),
    ]
    static let relationshipObservation = Member("observation_id", RelationshipColumn.observationID.rawValue, .integer)
    static let relationshipKind = Member("relationship_kind", RelationshipColumn.relationshipKind.rawValue, .text, required: true)
    static let endSampleType = Member("end_sample_type", RelationshipColumn.endTypeIdentifier.rawValue, .text, required: true)
    static let endUUIDHash = Member("end_identity_hash", RelationshipColumn.endUUIDHash.rawValue, .text)
    static let endStrictFingerprint = Member("end_identity_hash", RelationshipColumn.endStrictFingerprint.rawValue, .text, required: true)
    static let sampleType = Member("sample_type", 0, .text, required: true)
    static let metadataHash = Member("metadata_hash", MetadataColumn.metadataHash.rawValue, .text, required: true)

    static let observation: [Member] = [
        Member("app_version", ObservationColumn.appVersion.rawValue, .text),
        Member("ended_at", ObservationColumn.endedAt.rawValue, .timestamp),
        Member("id", ObservationColumn.id.rawValue, .integer, required: true),
        Member("notes", ObservationColumn.notes.rawValue, .text),
        Member("observed_at", ObservationColumn.observedAt.rawValue, .timestamp, required: true),
        Member("os_version", ObservationColumn.osVersion.rawValue, .text),
        Member("schema_version", ObservationColumn.schemaVersion.rawValue, .integer, required: true),
        Member("selected_type_set_hash", ObservationColumn.selectedTypeSetHash.rawValue, .text),
        Member("started_at", ObservationColumn.startedAt.rawValue, .timestamp),
        Member("status", ObservationColumn.status.rawValue, .text, required: true),
        Member("time_zone_identifier", ObservationColumn.timeZoneIdentifier.rawValue, .text),
        Member("time_zone_seconds_from_gmt", ObservationColumn.timeZoneSecondsFromGMT.rawValue, .integer),
        Member("trigger_reason", ObservationColumn.triggerReason.rawValue, .text, required: true),
    ]
    static let deviceChain: [Member] = [
        Member("created_at", DeviceChainColumn.createdAt.rawValue, .timestamp, required: true),
        Member("device_chain_hash", DeviceChainColumn.deviceChainHash.rawValue, .text, required: true),
        Member("recovered_from_keychain", DeviceChainColumn.recoveredFromKeychain.rawValue, .integer, required: true),
    ]
    /// Members of a coverage entry that has a type run; `isRequired` speaks of the run's columns.
    static let coverage: [Member] = [
        Member("category", CoverageColumn.category.rawValue, .text),
        Member("deleted_event_count", CoverageColumn.deletedEventCount.rawValue, .integer, required: true),
        Member("display_name", CoverageColumn.displayName.rawValue, .text),
        Member("ended_at", CoverageColumn.endedAt.rawValue, .timestamp),
        Member("error_kind", CoverageColumn.errorKind.rawValue, .text),
        Member("error_message_hash", CoverageColumn.errorMessageHash.rawValue, .text),
        Member("inserted_event_count", CoverageColumn.insertedEventCount.rawValue, .integer, required: true),
        Member("observation_id", CoverageColumn.observationID.rawValue, .integer, required: true),
        Member("sample_type", CoverageColumn.sampleType.rawValue, .text, required: true),
        Member("started_at", CoverageColumn.startedAt.rawValue, .timestamp),
        Member("status", CoverageColumn.status.rawValue, .text, required: true),
        Member("verified_visible_count", CoverageColumn.verifiedVisibleCount.rawValue, .integer),
    ]
}
