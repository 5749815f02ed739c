internal import Archive
internal import SQLite

/// The tables of a cache, with the names and fields of the report cache's entities, in the order of a rebuild.
enum CacheEntity: String, CaseIterable {
    case health = "CachedArchiveHealth"
    case observation = "CachedObservationRow"
    case typeSummary = "CachedTypeSummary"
    case dailyAggregate = "CachedDailyAggregate"
    case diffSummary = "CachedDiffSummary"
    case export = "CachedExportManifest"

    /// The fields that are derived, with their types.
    var fields: [(name: String, type: String)] {
        switch self {
        case .health:
            [
                ("archiveSchemaVersion", "INTEGER"), ("lastIntegrityCheckAt", "REAL"), ("lastIntegrityStatus", "TEXT"),
                ("lastErrorKind", "TEXT"), ("lastErrorMessageHash", "TEXT"),
            ]
        case .observation:
            [
                ("observationID", "INTEGER"), ("observedAt", "REAL"), ("status", "TEXT"), ("triggerReason", "TEXT"),
                ("timeZoneIdentifier", "TEXT"), ("trackedTypeCount", "INTEGER"), ("visibleRecordCount", "INTEGER"),
                ("appearedCount", "INTEGER"), ("disappearedCount", "INTEGER"),
                ("representationChangedCount", "INTEGER"), ("unknownTypeCount", "INTEGER"),
                ("archiveSchemaVersion", "INTEGER"),
            ]
        case .typeSummary:
            [
                ("observationID", "INTEGER"), ("sampleTypeIdentifier", "TEXT"), ("displayName", "TEXT"),
                ("visibleRecordCount", "INTEGER"), ("appearedCount", "INTEGER"), ("disappearedCount", "INTEGER"),
                ("representationChangedCount", "INTEGER"), ("earliestStartDate", "REAL"), ("latestEndDate", "REAL"),
                ("valueSum", "REAL"), ("valueMax", "REAL"), ("aggregateHash", "TEXT"), ("state", "TEXT"),
                ("archiveSchemaVersion", "INTEGER"),
            ]
        case .dailyAggregate:
            [
                ("observationID", "INTEGER"), ("sampleTypeIdentifier", "TEXT"), ("bucketStart", "REAL"),
                ("bucketEnd", "REAL"), ("timeZoneIdentifier", "TEXT"), ("visibleRecordCount", "INTEGER"),
                ("valueSum", "REAL"), ("valueMax", "REAL"), ("sourceRevisionDisplayHash", "TEXT"),
                ("aggregateHash", "TEXT"), ("archiveSchemaVersion", "INTEGER"),
            ]
        case .diffSummary:
            [
                ("fromObservationID", "INTEGER"), ("toObservationID", "INTEGER"), ("sampleTypeIdentifier", "TEXT"),
                ("appearedCount", "INTEGER"), ("disappearedCount", "INTEGER"),
                ("representationChangedCount", "INTEGER"), ("consolidationLikely", "INTEGER"),
                ("uncertaintyReason", "TEXT"), ("relationshipAppearedCount", "INTEGER"),
                ("relationshipChangedCount", "INTEGER"), ("relationshipDisappearedCount", "INTEGER"),
                ("archiveSchemaVersion", "INTEGER"),
            ]
        case .export:
            [
                ("exportID", "TEXT"), ("exportKind", "TEXT"), ("createdAt", "REAL"), ("fromObservationID", "INTEGER"),
                ("toObservationID", "INTEGER"), ("filterSummary", "TEXT"), ("recordCount", "INTEGER"),
                ("manifestHash", "TEXT"), ("fileURLBookmarkData", "BLOB"), ("status", "TEXT"),
                ("archiveSchemaVersion", "INTEGER"),
            ]
        }
    }

    /// The fields that every row has: what it was made of, and by which build.
    static let common = [
        ("cacheSchemaVersion", "INTEGER"), ("cacheBuildID", "TEXT"), ("sourceAggregateHash", "TEXT"),
        ("computedAt", "REAL"),
    ]

    /// The statement that creates the table.
    var schema: String {
        let columns = (fields + Self.common).map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return "CREATE TABLE \(rawValue)(\(columns))"
    }

    /// The table's index; nil where it is read as a whole.
    var index: String? {
        switch self {
        case .observation, .typeSummary, .dailyAggregate: "CREATE INDEX by\(rawValue) ON \(rawValue)(observationID)"
        case .diffSummary: "CREATE INDEX by\(rawValue) ON \(rawValue)(toObservationID)"
        case .health, .export: nil
        }
    }

    private static let schemaVersion = "(SELECT max(version) FROM schema_migrations)"

    /// Returns the query for the derived fields of an observation's rows, in order; `nil` if it is not one query.
    func source(hasFacts: Bool) -> String? {
        let state =
            hasFacts
            ? """
            (SELECT f.state FROM observation_type_runs r JOIN type_run_facts f ON f.type_run_id = r.id
                WHERE r.observation_id = s.observation_id AND r.sample_type_id = s.sample_type_id
                ORDER BY r.id DESC LIMIT 1)
            """ : "NULL"
        return switch self {
        case .observation:
            """
            SELECT o.id, o.observed_at, o.status, o.trigger_reason, o.time_zone_identifier, \
            (SELECT count(DISTINCT r.sample_type_id) FROM observation_type_runs r WHERE r.observation_id = o.id), \
            c.visible, c.appeared, c.disappeared, c.representation_changed, c.unknown_types, o.schema_version \
            FROM observations o LEFT JOIN temp.cached_totals c ON c.observation_id = o.id WHERE o.id = ?1
            """
        case .typeSummary:
            """
            SELECT s.observation_id, t.type_identifier, t.display_name, s.visible_record_count, s.appeared_count, \
            s.disappeared_count, s.representation_changed_count, s.earliest_start_date, s.latest_end_date, \
            s.value_sum, s.value_max, s.aggregate_hash, \(state), \(Self.schemaVersion) \
            FROM observation_type_summaries s \
            LEFT JOIN sample_types t ON t.id = s.sample_type_id WHERE s.observation_id = ?1 ORDER BY s.sample_type_id
            """
        case .dailyAggregate:
            """
            SELECT d.observation_id, t.type_identifier, d.bucket_start, d.bucket_end, o.time_zone_identifier, \
            d.visible_record_count, d.value_sum, d.value_max, CASE WHEN d.source_revision_id IS NOT NULL \
            THEN coalesce(c.display_hash, d.source_revision_id) END, d.aggregate_hash, \(Self.schemaVersion) \
            FROM daily_type_aggregates d LEFT JOIN observations o ON o.id = d.observation_id \
            LEFT JOIN sample_types t ON t.id = d.sample_type_id \
            LEFT JOIN temp.cached_sources c ON c.source_revision_id = d.source_revision_id \
            WHERE d.observation_id = ?1 ORDER BY d.sample_type_id, d.bucket_start, d.source_revision_id
            """
        case .export:
            """
            SELECT export_id, export_kind, created_at, from_observation_id, to_observation_id, filter_json, \
            record_count, manifest_hash, NULL, 'recorded', \(Self.schemaVersion) FROM export_manifests ORDER BY id
            """
        case .health, .diffSummary: nil
        }
    }

    /// Returns the derived fields of a cache's rows, in the order in which they were written.
    func rows(ofObservation: Bool) -> String {
        let names = fields.map(\.name).joined(separator: ", ")
        let key = self == .diffSummary ? "toObservationID" : "observationID"
        return "SELECT \(names) FROM \(rawValue)\(ofObservation ? " WHERE \(key) IS ?1" : "") ORDER BY rowid"
    }

    /// The statement that a row is written with: its fields, then the common ones.
    var insert: String {
        "INSERT INTO \(rawValue) VALUES ("
            + (fields + Self.common).map { _ in "?" }.joined(separator: ", ") + ")"
    }
}

extension SQLiteStatement {
    /// Returns a value of the row, to be bound or compared. A text that is not UTF-8 travels as its bytes.
    func parameter(_ column: Int32) -> Parameter {
        switch storageClass(column) {
        case .null: .null
        case .integer: .integer(integer(column) ?? 0)
        case .real: .real(real(column) ?? 0)
        case .text: text(column).map { .text($0) } ?? .bytes(bytes(column))
        case .blob: .bytes(bytes(column))
        }
    }

    /// Returns the first values of the row.
    func parameters(_ count: Int) -> [Parameter] { (0..<count).map { parameter(Int32($0)) } }
}

/// Returns `true` if a row's values equal those of another.
func haveEqualValues(_ left: [Parameter], _ right: [Parameter]) -> Bool {
    left.count == right.count
        && zip(left, right).allSatisfy { one, other in
            switch (one, other) {
            case (.null, .null): true
            case (.integer(let a), .integer(let b)): a == b
            case (.real(let a), .real(let b)): a == b
            case (.real(let a), .integer(let b)), (.integer(let b), .real(let a)): a == Double(b)
            case (.text(let a), .text(let b)): a == b
            case (.bytes(let a), .bytes(let b)): a == b
            default: false
            }
        }
}
