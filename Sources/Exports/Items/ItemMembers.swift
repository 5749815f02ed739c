internal import Archive
internal import CanonicalJSON

/// The members of an item, sorted by their keys: `Spec/items.md` as a table.
struct ItemMembers: Sendable {
    /// Where a member's value comes from.
    enum Origin: Sendable {
        /// A column of the sample.
        case sample
        /// A column of the version.
        case version
        case defects, device, events, itemKind, metadata, relationships, sampleType, source, visibility
    }

    let keys: KeyList
    /// In the order of the keys; `metadata` writes `metadata_hash` too. `column` counts only for columns.
    let members: [(origin: Origin, member: Member)]
    /// The key of `metadata_hash`.
    let metadataHash: Member
    /// All members in turn, in parts: those that a record may have just as the record before it, and those that it
    /// has for itself.
    let parts: [(members: Range<Int>, isCommon: Bool)]

    static let table: [(name: String, origin: Origin, column: RecordColumn, type: ValueType, isRequired: Bool)] = [
        ("category_value", .version, .categoryValue, .integer, false),
        ("created_observation_id", .version, .createdObservationID, .integer, true),
        ("defects", .defects, .hasSample, .text, false),
        ("device", .device, .hkDeviceID, .text, false),
        ("duration_seconds", .version, .durationSeconds, .number, false),
        ("end_date", .version, .endDate, .timestamp, true),
        ("events", .events, .hasSample, .text, false),
        ("first_seen_at", .sample, .firstSeenAt, .timestamp, true),
        ("first_seen_observation_id", .sample, .firstSeenObservationID, .integer, true),
        ("fuzzy_key", .sample, .fuzzyKey, .text, false),
        ("item_kind", .itemKind, .hasSample, .text, true),
        ("metadata", .metadata, .metadataID, .text, false),
        ("numeric_value", .version, .numericValue, .number, false),
        ("payload_hash", .version, .payloadHash, .text, true),
        ("relationships", .relationships, .isRelated, .text, false),
        ("sample_type", .sampleType, .sampleTypeID, .text, true),
        ("sample_uuid_hash", .sample, .sampleUUIDHash, .text, false),
        ("semantic_fingerprint", .sample, .semanticFingerprint, .text, false),
        ("source", .source, .sourceRevisionID, .text, false),
        ("start_date", .version, .startDate, .timestamp, true),
        ("strict_fingerprint", .sample, .strictFingerprint, .text, true),
        ("unit", .version, .unit, .text, false),
        ("value_kind", .version, .valueKind, .text, false),
        ("visibility", .visibility, .hasSample, .text, false),
        ("workout_activity_type", .version, .workoutActivityType, .integer, false),
    ]

    init(_ profile: ExportProfile = .whole) {
        let table = Self.table.filter { profile.has($0.name) }
        let list = MemberList(
            table.map { ($0.name, $0.column.rawValue, $0.type, $0.isRequired) } + [Self.metadataHashColumn])
        keys = list.keys
        members = zip(table, list.members).map { ($0.origin, $1) }
        metadataHash = list.members[table.count]
        var parts: [(members: Range<Int>, isCommon: Bool)] = []
        for (index, entry) in table.enumerated() {
            let isCommon =
                switch entry.origin {
                case .sample, .version: entry.column.isCommon
                case .itemKind, .sampleType, .visibility: true
                case .defects, .device, .events, .metadata, .relationships, .source: false
                }
            if let last = parts.last, last.isCommon == isCommon {
                parts[parts.count - 1].members = last.members.lowerBound..<index + 1
            } else {
                parts.append((index..<index + 1, isCommon))
            }
        }
        self.parts = parts
    }

    /// `metadata_hash`, of items and of relationships.
    static let metadataHashColumn = (
        name: "metadata_hash", column: MetadataColumn.metadataHash.rawValue, type: ValueType.text, isRequired: true
    )
}

/// The members of a change, and of the versions in it, sorted by their keys: `Spec/changes.md` as a table.
struct ChangeMembers: Sendable {
    /// Where a member's value comes from.
    enum Origin: Sendable {
        /// A column of the sample.
        case sample
        case after, before, change, changedFields, defects, events, itemKind, label, pair, reasons,
            relationshipAfter, relationshipBefore, runAfter, runBefore, sampleType
    }

    let keys: KeyList
    let members: [(origin: Origin, member: Member)]
    /// Of a version; `metadata` writes `metadata_hash` too.
    let versionKeys: KeyList
    let versionMembers: [(origin: ItemMembers.Origin, member: Member)]
    /// Whether each of these tells the version apart, and so is no field that changed.
    let isOwn: [Bool]
    let metadataHash: Member

    init() {
        let table: [(name: String, origin: Origin, column: RecordColumn, type: ValueType, isRequired: Bool)] = [
            ("after", .after, .hasVersion, .text, false),
            ("before", .before, .hasVersion, .text, false),
            ("change", .change, .hasVersion, .text, false),
            ("changed_fields", .changedFields, .hasVersion, .text, false),
            ("defects", .defects, .hasSample, .text, false),
            ("events", .events, .hasSample, .text, false),
            ("first_seen_at", .sample, .firstSeenAt, .timestamp, true),
            ("first_seen_observation_id", .sample, .firstSeenObservationID, .integer, true),
            ("fuzzy_key", .sample, .fuzzyKey, .text, false),
            ("item_kind", .itemKind, .hasSample, .text, true),
            ("label", .label, .hasVersion, .text, false),
            ("pair", .pair, .hasVersion, .text, false),
            ("reasons", .reasons, .hasVersion, .text, false),
            ("relationship_after", .relationshipAfter, .hasSample, .text, false),
            ("relationship_before", .relationshipBefore, .hasSample, .text, false),
            ("run_after", .runAfter, .hasSample, .text, false),
            ("run_before", .runBefore, .hasSample, .text, false),
            ("sample_type", .sampleType, .sampleTypeID, .text, true),
            ("sample_uuid_hash", .sample, .sampleUUIDHash, .text, false),
            ("semantic_fingerprint", .sample, .semanticFingerprint, .text, false),
            ("strict_fingerprint", .sample, .strictFingerprint, .text, true),
        ]
        let list = MemberList(table.map { ($0.name, $0.column.rawValue, $0.type, $0.isRequired) })
        keys = list.keys
        members = zip(table, list.members).map { ($0.origin, $1) }
        let ofVersion = ItemMembers.table.filter { [.version, .device, .source, .metadata].contains($0.origin) }
        let version = MemberList(
            ofVersion.map { ($0.name, $0.column.rawValue, $0.type, $0.isRequired) } + [ItemMembers.metadataHashColumn])
        versionKeys = version.keys
        versionMembers = zip(ofVersion, version.members).map { ($0.origin, $1) }
        isOwn = ofVersion.map { ["created_observation_id", "payload_hash"].contains($0.name) }
        metadataHash = version.members[ofVersion.count]
    }
}

/// The members of a relationship.
struct RelationshipMembers: Sendable {
    let keys: KeyList
    let observation, kind, sampleType, uuidHash, strictFingerprint, metadataHash, ended: Member
    /// Keys of the members that no column gives.
    let end, endInScope, metadata: Int

    init() {
        let list = MemberList(
            [
                ("observation_id", RelationshipColumn.observationID.rawValue, .integer, false),
                ("relationship_kind", RelationshipColumn.relationshipKind.rawValue, .text, true),
                ("end_sample_type", RelationshipColumn.endTypeIdentifier.rawValue, .text, true),
                ("end_identity_hash", RelationshipColumn.endUUIDHash.rawValue, .text, false),
                ("end_identity_hash", RelationshipColumn.endStrictFingerprint.rawValue, .text, true),
                ItemMembers.metadataHashColumn,
                ("ended_observation_id", RelationshipColumn.endedObservationID.rawValue, .integer, false),
            ], others: ["end", "end_in_scope", "metadata"])
        keys = list.keys
        (observation, kind, sampleType) = (list.members[0], list.members[1], list.members[2])
        (uuidHash, strictFingerprint, metadataHash) = (list.members[3], list.members[4], list.members[5])
        ended = list.members[6]
        (end, endInScope, metadata) = (
            keys.index(of: "end"), keys.index(of: "end_in_scope"), keys.index(of: "metadata")
        )
    }
}

/// Members of the objects inside an item, and of the header's. Each use makes a list of its own (see `MemberList`).
enum Members {
    static var device: MemberList {
        MemberList([
            ("device_hash", DeviceColumn.deviceHash.rawValue, .text, false),
            ("firmware_version", DeviceColumn.firmwareVersion.rawValue, .text, false),
            ("hardware_version", DeviceColumn.hardwareVersion.rawValue, .text, false),
            ("local_identifier_hash", DeviceColumn.localIdentifierHash.rawValue, .text, false),
            ("manufacturer_hash", DeviceColumn.manufacturerHash.rawValue, .text, false),
            ("model", DeviceColumn.model.rawValue, .text, false),
            ("software_version", DeviceColumn.softwareVersion.rawValue, .text, false),
            ("udi_hash", DeviceColumn.udiHash.rawValue, .text, false),
        ])
    }
    static var source: MemberList {
        MemberList([
            ("bundle_identifier", SourceColumn.bundleIdentifier.rawValue, .text, false),
            ("operating_system_version", SourceColumn.operatingSystemVersion.rawValue, .text, false),
            ("product_type", SourceColumn.productType.rawValue, .text, false),
            ("source_name_hash", SourceColumn.sourceNameHash.rawValue, .text, false),
            ("version", SourceColumn.version.rawValue, .text, false),
        ])
    }
    static var visibility: MemberList {
        MemberList([
            ("first_observation_id", VisibilityColumn.firstObservationID.rawValue, .integer, true),
            ("first_seen_at", VisibilityColumn.firstSeenAt.rawValue, .timestamp, true),
            ("last_observation_id", VisibilityColumn.lastObservationID.rawValue, .integer, false),
            ("last_seen_at", VisibilityColumn.lastSeenAt.rawValue, .timestamp, false),
        ])
    }
    static var event: MemberList {
        MemberList([
            ("event_kind", EventColumn.eventKind.rawValue, .text, true),
            ("evidence_kind", EventColumn.evidenceKind.rawValue, .text, false),
            ("observation_id", EventColumn.observationID.rawValue, .integer, true),
            ("observed_at", EventColumn.observedAt.rawValue, .timestamp, true),
        ])
    }

    static func observation(_ profile: ExportProfile) -> MemberList {
        MemberList(
            shared(
                profile,
                [
                    ("app_version", ObservationColumn.appVersion.rawValue, .text, false),
                    ("ended_at", ObservationColumn.endedAt.rawValue, .timestamp, false),
                    ("id", ObservationColumn.id.rawValue, .integer, true),
                    ("notes", ObservationColumn.notes.rawValue, .text, false),
                    ("observed_at", ObservationColumn.observedAt.rawValue, .timestamp, true),
                    ("os_version", ObservationColumn.osVersion.rawValue, .text, false),
                    ("schema_version", ObservationColumn.schemaVersion.rawValue, .integer, true),
                    ("selected_type_set_hash", ObservationColumn.selectedTypeSetHash.rawValue, .text, false),
                    ("started_at", ObservationColumn.startedAt.rawValue, .timestamp, false),
                    ("status", ObservationColumn.status.rawValue, .text, true),
                    ("time_zone_identifier", ObservationColumn.timeZoneIdentifier.rawValue, .text, false),
                    ("time_zone_seconds_from_gmt", ObservationColumn.timeZoneSecondsFromGMT.rawValue, .integer, false),
                    ("trigger_reason", ObservationColumn.triggerReason.rawValue, .text, true),
                ]))
    }
    static var deviceChain: MemberList {
        MemberList([
            ("created_at", DeviceChainColumn.createdAt.rawValue, .timestamp, true),
            ("device_chain_hash", DeviceChainColumn.deviceChainHash.rawValue, .text, true),
            ("recovered_from_keychain", DeviceChainColumn.recoveredFromKeychain.rawValue, .integer, true),
        ])
    }
    /// Members of a coverage entry that has a type run; `isRequired` speaks of the run's columns.
    static func coverage(_ profile: ExportProfile) -> MemberList {
        MemberList(
            shared(
                profile,
                [
                    ("category", CoverageColumn.category.rawValue, .text, false),
                    ("deleted_event_count", CoverageColumn.deletedEventCount.rawValue, .integer, true),
                    ("discontinuity", CoverageColumn.discontinuity.rawValue, .text, false),
                    ("display_name", CoverageColumn.displayName.rawValue, .text, false),
                    ("ended_at", CoverageColumn.endedAt.rawValue, .timestamp, false),
                    ("error_kind", CoverageColumn.errorKind.rawValue, .text, false),
                    ("error_message_hash", CoverageColumn.errorMessageHash.rawValue, .text, false),
                    ("inserted_event_count", CoverageColumn.insertedEventCount.rawValue, .integer, true),
                    (
                        "last_verified_observation_id", CoverageColumn.lastVerifiedObservationID.rawValue, .integer,
                        false
                    ),
                    ("mode", CoverageColumn.mode.rawValue, .text, false),
                    ("observation_id", CoverageColumn.observationID.rawValue, .integer, true),
                    ("sample_type", CoverageColumn.sampleType.rawValue, .text, true),
                    ("started_at", CoverageColumn.startedAt.rawValue, .timestamp, false),
                    ("state", CoverageColumn.state.rawValue, .text, false),
                    ("stated_count", CoverageColumn.statedCount.rawValue, .integer, false),
                    ("status", CoverageColumn.status.rawValue, .text, true),
                    ("verified_visible_count", CoverageColumn.verifiedVisibleCount.rawValue, .integer, false),
                    ("withheld_count", CoverageColumn.withheldCount.rawValue, .integer, false),
                ]))
    }

    private typealias Column = (name: String, column: Int, type: ValueType, isRequired: Bool)

    private static func shared(_ profile: ExportProfile, _ columns: [Column]) -> [Column] {
        columns.filter { profile.headerHas($0.name) }
    }
}
