// Made from Spec/schemas and Spec/archive-schema.sql by Scripts/write-format.
// swift-format-ignore-file

/// Columns of a record: sample, version and range. A record's statement selects them in this order (`RecordSource`),
/// and they are packed (`RowPacker`) and read (`RowBatch`) in it.
public enum RecordColumn: Int, CaseIterable, Sendable {
    // What the cursor follows.
    case sampleTypeID, sourceRevisionID, hkDeviceID, metadataID
    /// The id that the range names, whether or not there is such a version.
    case versionID
    /// Whether a relationship may name the sample.
    case isRelated
    // The range, as in `VisibilityColumn`: a detail by itself. Of a change `pairKind`, `pairKeys`, `label`, `reasons`;
    // of a changed relationship `linkBefore`, `linkAfter`.
    case rangeFirstObservationID, rangeFirstSeenAt, rangeLastObservationID, rangeLastSeenAt
    /// Whether the version's row exists.
    case hasVersion
    /// Whether the sample's row exists.
    case hasSample
    // Most rows have these as the row before has them.
    case firstSeenObservationID, firstSeenAt, valueKind, unit, workoutActivityType, createdObservationID
    // These stand in the front of the row.
    case sampleUUIDHash, payloadHash, strictFingerprint
    /// The id that the range names, whether or not there is such a sample.
    case sampleID
    // The others.
    case semanticFingerprint, fuzzyKey, startDate, endDate, numericValue, categoryValue, durationSeconds
}

extension RecordColumn {
    /// The column of the sample or of the version that it is, which an item has as a member of the same name; nil for
    /// any other.
    public var stored: StoredColumn? {
        switch self {
        case .sampleUUIDHash: StoredColumn(.sample, "sample_uuid_hash")
        case .strictFingerprint: StoredColumn(.sample, "strict_fingerprint")
        case .semanticFingerprint: StoredColumn(.sample, "semantic_fingerprint")
        case .fuzzyKey: StoredColumn(.sample, "fuzzy_key")
        case .firstSeenObservationID: StoredColumn(.sample, "first_seen_observation_id")
        case .firstSeenAt: StoredColumn(.sample, "first_seen_at")
        case .payloadHash: StoredColumn(.version, "payload_hash")
        case .startDate: StoredColumn(.version, "start_date")
        case .endDate: StoredColumn(.version, "end_date")
        case .valueKind: StoredColumn(.version, "value_kind")
        case .numericValue: StoredColumn(.version, "numeric_value")
        case .unit: StoredColumn(.version, "unit")
        case .categoryValue: StoredColumn(.version, "category_value")
        case .workoutActivityType: StoredColumn(.version, "workout_activity_type")
        case .durationSeconds: StoredColumn(.version, "duration_seconds")
        case .createdObservationID: StoredColumn(.version, "created_observation_id")
        default: nil
        }
    }
}

/// Columns of a device, in the order of the members.
public enum DeviceColumn: Int, CaseIterable, Sendable {
    case deviceHash, firmwareVersion, hardwareVersion, localIdentifierHash, manufacturerHash, model, softwareVersion,
        udiHash
}

/// Columns of an observation, in the order of the members.
public enum ObservationColumn: Int, CaseIterable, Sendable {
    case appVersion, endedAt, id, notes, observedAt, osVersion, schemaVersion, selectedTypeSetHash, startedAt, status,
        timeZoneIdentifier, timeZoneSecondsFromGMT, triggerReason
}

/// Columns of a device chain, in the order of the members.
public enum DeviceChainColumn: Int, CaseIterable, Sendable {
    case createdAt, deviceChainHash, recoveredFromKeychain
}

/// Columns of a visibility range, in the order of the members.
public enum VisibilityColumn: Int, CaseIterable, Sendable {
    case firstObservationID, firstSeenAt, lastObservationID, lastSeenAt
}

/// Columns of an event, in the order of the members.
public enum EventColumn: Int, CaseIterable, Sendable {
    case eventKind, evidenceKind, observationID, observedAt
}

/// Columns of a coverage entry: a sample type and its newest type run, in the order of the members.
public enum CoverageColumn: Int, CaseIterable, Sendable {
    case category, conflictCount, deletedEventCount, discontinuity, displayName, endedAt, errorKind, errorMessageHash,
        insertedEventCount, lastVerifiedObservationID, mode, observationID, rejectedCount, sampleType, startedAt,
        state, statedCount, status, unreadCount, verifiedVisibleCount, withheldCount
    /// Whether there is a type run.
    case hasRun
}
