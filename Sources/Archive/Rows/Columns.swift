// The columns of packed rows, in order. A record's statement selects them in this order (`RecordSource`), and they are
// packed (`RowPacker`) and read (`RowBatch`) in it; the order stands nowhere else.

/// Columns of a record: sample, version and range.
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
    case firstSeenObservationID, firstSeenAt, valueKind, unit, workoutActivityType, createdObservationID
    // These three stand in the front of the row.
    case sampleUUIDHash, payloadHash, strictFingerprint
    /// The id that the range names, whether or not there is such a sample.
    case sampleID
    case semanticFingerprint, fuzzyKey, startDate, endDate, numericValue, categoryValue, durationSeconds

    /// Of a change: `Pair.Kind` of the pairs that its leading version is in, and their keys with blanks between.
    public static let pairKind = rangeFirstObservationID
    public static let pairKeys = rangeFirstSeenAt
    /// Of a change: the label of its window, and why it is uncertain, with blanks between.
    public static let label = rangeLastObservationID
    public static let reasons = rangeLastSeenAt
    /// Of a changed relationship: its rows at the two observations, NULL where there is none.
    public static let linkBefore = rangeLastObservationID
    public static let linkAfter = rangeLastSeenAt

    /// Number of columns.
    public static let count = allCases.count
    /// Columns that most rows have as the row before has them: one part of the packed row, which is compared as a
    /// whole.
    static let common = rangeFirstObservationID.rawValue..<sampleUUIDHash.rawValue
    /// Whether the column is one of these.
    public var isCommon: Bool { Self.common.contains(rawValue) }

    /// The columns as packed and read.
    static let inOrder = allCases
}

/// What the front of a row is made of beside the row's columns; a statement selects it behind these.
enum FrontColumn: Int, CaseIterable {
    /// `RowBatch.Kind`.
    case kind
    /// Two numbers that tell rows with equal keys apart: of a range its first observation and its row id, of a
    /// change the storage class and the id of its other version.
    case place, placeRow
}

/// Columns of a visibility range.
public enum VisibilityColumn: Int, CaseIterable, Sendable {
    case firstObservationID, firstSeenAt, lastObservationID, lastSeenAt
}

/// Columns of an event.
public enum EventColumn: Int, CaseIterable, Sendable {
    case eventKind, evidenceKind, observationID, observedAt
}

/// Columns of a relationship, seen from one of its samples.
public enum RelationshipColumn: Int, CaseIterable, Sendable {
    /// Which end the other sample is: `source` or `target`.
    case end
    case endUUIDHash, endStrictFingerprint
    /// 1 when the other sample is in the same scope.
    case endInScope
    case endTypeIdentifier, metadataID, observationID, relationshipKind
    /// The other sample's id and whether there is such a row; its type's id and whether there is such a row.
    case endSampleID, endExists, endTypeID, endTypeExists
    /// Of a history, the observation that no longer saw the relationship.
    case endedObservationID
}

/// Columns of a source revision with its source.
public enum SourceColumn: Int, CaseIterable, Sendable {
    case bundleIdentifier, operatingSystemVersion, productType, sourceNameHash, version
    /// The source's id where there is no such source, else NULL.
    case missingSourceID

    static let sql = """
        SELECT s.bundle_identifier, r.operating_system_version, r.product_type, s.source_name_hash, r.version,
            CASE WHEN s.id IS NULL THEN r.source_id END \
        FROM source_revisions r LEFT JOIN sources s ON s.id = r.source_id WHERE r.id = ?1
        """
}

/// Columns of a device.
public enum DeviceColumn: Int, CaseIterable, Sendable {
    case deviceHash, firmwareVersion, hardwareVersion, localIdentifierHash, manufacturerHash, model, softwareVersion,
        udiHash

    static let sql = """
        SELECT device_hash, firmware_version, hardware_version, local_identifier_hash, manufacturer_hash, model,
            software_version, udi_hash FROM hk_devices WHERE id = ?1
        """
}

/// Columns of metadata.
public enum MetadataColumn: Int, CaseIterable, Sendable {
    case metadataHash, metadataJSON

    static let sql = "SELECT metadata_hash, metadata_json FROM metadata_blobs WHERE id = ?1"
}

/// Columns of an observation.
public enum ObservationColumn: Int, CaseIterable, Sendable {
    case appVersion, endedAt, id, notes, observedAt, osVersion, schemaVersion, selectedTypeSetHash, startedAt, status,
        timeZoneIdentifier, timeZoneSecondsFromGMT, triggerReason

    static let sql = """
        app_version, ended_at, id, notes, observed_at, os_version, schema_version, selected_type_set_hash, \
        started_at, status, time_zone_identifier, \
        time_zone_seconds_from_gmt, trigger_reason
        """
}

/// Columns of a device chain.
public enum DeviceChainColumn: Int, CaseIterable, Sendable {
    case createdAt, deviceChainHash, recoveredFromKeychain

    static let sql = "SELECT created_at, device_chain_hash, recovered_from_keychain FROM device_chains WHERE id = ?1"
}

/// Columns of a coverage entry: a sample type and its newest type run.
public enum CoverageColumn: Int, CaseIterable, Sendable {
    case category, deletedEventCount, displayName, endedAt, errorKind, errorMessageHash, insertedEventCount,
        observationID, sampleType, startedAt, status, verifiedVisibleCount
    /// What a capture noted of the run; NULL where it noted nothing.
    case discontinuity, lastVerifiedObservationID, mode, statedCount, state, withheldCount
    /// Whether there is a type run.
    case hasRun
}
