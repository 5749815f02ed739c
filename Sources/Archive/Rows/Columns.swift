internal import Format

/// A column of a sample or a version.
public struct StoredColumn: Sendable {
    /// The table of a column.
    public enum Table: Sendable { case sample, version }

    public let table: Table
    public let name: String

    init(_ table: Table, _ name: String) {
        self.table = table
        self.name = name
    }
}

extension RecordColumn {
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
    /// `true` if the column is one of these.
    public var isCommon: Bool { Self.common.contains(rawValue) }

    /// The columns as packed and read.
    static let inOrder = allCases

    /// Returns the column that an item has as a member of a name; `nil` if none is.
    public static func stored(_ member: String) -> RecordColumn? { allCases.first { $0.stored?.name == member } }
}

/// The values of a row's front in addition to the row's columns; a statement selects them after these.
enum FrontColumn: Int, CaseIterable {
    /// `RowBatch.Kind`.
    case kind
    /// Two numbers that tell rows with equal keys apart. For a range they are its first observation and its row id; for
    /// a change, the storage class and the id of its other version.
    case place, placeRow
}

/// Columns of a relationship, seen from one of its samples.
public enum RelationshipColumn: Int, CaseIterable, Sendable {
    /// The end at which the other sample is: `source` or `target`.
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

    package static let sql = """
        SELECT s.bundle_identifier, r.operating_system_version, r.product_type, s.source_name_hash, r.version,
            CASE WHEN s.id IS NULL THEN r.source_id END \
        FROM source_revisions r LEFT JOIN sources s ON s.id = r.source_id WHERE r.id = ?1
        """
}

extension DeviceColumn {
    static let sql = "SELECT \(ObjectFormat.evidenceItemDevice.list) FROM hk_devices WHERE id = ?1"
}

/// Columns of metadata.
public enum MetadataColumn: Int, CaseIterable, Sendable {
    case metadataHash, metadataJSON

    static let sql = "SELECT metadata_hash, metadata_json FROM metadata_blobs WHERE id = ?1"
}

extension ObservationColumn {
    static let sql = ObjectFormat.headerExportObservations.list
}

extension DeviceChainColumn {
    static let sql = "SELECT \(ObjectFormat.headerExportDeviceChain.list) FROM device_chains WHERE id = ?1"
}

extension CoverageColumn {
    /// Returns the columns as a statement selects them: of the sample type `t`, its newest type run `u`, and, if the
    /// archive has them, the facts of the run `f`.
    ///
    /// - Parameter observation: the one whose states are known; nil if each run keeps its own.
    static func sql(at observation: Int64?, _ known: KnownTypesCondition) -> String {
        let hasFacts = known.hasFacts
        // In a history each run speaks of its own observation.
        let moment = observation.map { String($0) } ?? "u.observation_id"
        let facts = ArchiveTable.named("type_run_facts").columns.map(\.name)
        let runs = ArchiveTable.named("observation_type_runs").columns.map(\.name)
        let columns = ObjectFormat.headerExportCoverage.names.map { name in
            switch name {
            case "sample_type": "t.type_identifier"
            case _ where facts.contains(name) && !hasFacts: "NULL"
            case "state":
                observation.map {
                    "CASE WHEN f.state IS NOT NULL AND u.observation_id <> \($0) THEN 'unknown' ELSE f.state END"
                } ?? "f.state"
            case "withheld_count", "conflict_count", "unread_count": "nullif(f.\(name), 0)"
            case "rejected_count" where !hasFacts: "NULL"
            case "rejected_count":
                """
                (SELECT nullif(sum(k.record_count), 0) FROM rejected_records k WHERE k.sample_type_id = t.id
                    AND k.device_chain_id = (SELECT device_chain_id FROM observations WHERE id = \(moment))
                    AND k.first_observation_id <= \(moment)
                    AND (k.last_observation_id IS NULL OR k.last_observation_id > \(moment)))
                """
            case _ where facts.contains(name): "f." + name
            default: runs.contains(name) ? "u." + name : known.column(name)
            }
        }
        return columns.joined(separator: ", ") + ", u.id IS NOT NULL"
    }

    /// A condition in SQL: the state of the run of the row `f` of `type_run_facts` is unknown for the sake of its
    /// rejected records alone, which leave nothing unknown where the other side has the same.
    package static let isUnknownForRejectionsAlone =
        "(f.state = 'unknown' AND f.withheld_count = 0 AND (f.mode = 'full_scan' OR f.stated_count IS NOT NULL) "
        + "AND f.discontinuity IN ('rejected_records', 'rejected_records clock_backwards'))"
}
