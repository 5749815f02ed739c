/// Where a statement finds the columns of its rows: tables by their aliases, and expressions.
struct RecordSource {
    /// `RowBatch.Kind`, as SQL.
    let kind: String
    /// The ids that are named, whether or not there are such rows.
    let sampleID, versionID: String
    /// The alias of the version's table. The sample's is `s`.
    var version = "v"
    /// Whether the row is that of a range, `r`.
    var hasRange = false
    /// Whether the row is a change: `q` says in which pairs it is, `l` which label its window has.
    var isChange = false
    /// `FrontColumn.place` and `placeRow`.
    let place, placeRow: String

    /// Columns of a row.
    static let columnCount = RecordColumn.count + FrontColumn.allCases.count

    /// The list of what a statement selects.
    var sql: String {
        (RecordColumn.allCases.map(expression) + FrontColumn.allCases.map(expression)).joined(separator: ", ")
    }

    private func expression(_ column: RecordColumn) -> String {
        switch column {
        case .sampleTypeID: "s.sample_type_id"
        case .sourceRevisionID: "\(version).source_revision_id"
        case .hkDeviceID: "\(version).hk_device_id"
        case .metadataID: "\(version).metadata_id"
        case .versionID: versionID
        // The packer finds out.
        case .isRelated: "NULL"
        // A change has no range, and its pairs and its label in the range's place.
        case .rangeFirstObservationID: hasRange ? "r.first_observation_id" : isChange ? "q.kind" : "NULL"
        case .rangeFirstSeenAt: hasRange ? "r.first_seen_at" : isChange ? "q.keys" : "NULL"
        // A range that is visible has no end.
        case .rangeLastObservationID: isChange ? "l.label" : "NULL"
        case .rangeLastSeenAt: isChange ? "l.reasons" : "NULL"
        // Whether a row exists is told by its id.
        case .hasVersion: "\(version).id"
        case .hasSample: "s.id"
        case .firstSeenObservationID: "s.first_seen_observation_id"
        case .firstSeenAt: "s.first_seen_at"
        case .valueKind: "\(version).value_kind"
        case .unit: "\(version).unit"
        case .workoutActivityType: "\(version).workout_activity_type"
        case .createdObservationID: "\(version).created_observation_id"
        case .sampleUUIDHash: "s.sample_uuid_hash"
        case .payloadHash: "\(version).payload_hash"
        case .strictFingerprint: "s.strict_fingerprint"
        case .sampleID: sampleID
        case .semanticFingerprint: "s.semantic_fingerprint"
        case .fuzzyKey: "s.fuzzy_key"
        case .startDate: "\(version).start_date"
        case .endDate: "\(version).end_date"
        case .numericValue: "\(version).numeric_value"
        case .categoryValue: "\(version).category_value"
        case .durationSeconds: "\(version).duration_seconds"
        }
    }

    private func expression(_ column: FrontColumn) -> String {
        switch column {
        case .kind: kind
        case .place: place
        case .placeRow: placeRow
        }
    }
}
