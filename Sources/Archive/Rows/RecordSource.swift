/// Where a statement finds the columns of its rows: tables by their aliases, and expressions.
struct RecordSource {
    /// `RowBatch.Kind`, as SQL.
    let kind: String
    /// The ids that are named, whether or not there are such rows.
    let sampleID, versionID: String
    /// The alias of the version's table. The sample's is `s`.
    var version = "v"
    /// What stands in the place of the range.
    var beside = Beside.nothing
    /// `FrontColumn.place` and `placeRow`.
    let place, placeRow: String

    /// What a row has beside a sample and a version: a range `r`; of a change, in which pairs it is, `q`, and which
    /// label its window has, `l`; of a changed link `k`, its rows before and after.
    enum Beside { case nothing, range, change, link }

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
        // A range that is visible has no end.
        case .rangeFirstObservationID: of(range: "r.first_observation_id", change: "q.kind")
        case .rangeFirstSeenAt: of(range: "r.first_seen_at", change: "q.keys")
        case .rangeLastObservationID: of(change: "l.label", link: "k.before_id")
        case .rangeLastSeenAt: of(change: "l.reasons", link: "k.after_id")
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

    private func of(range: String = "NULL", change: String, link: String = "NULL") -> String {
        switch beside {
        case .nothing: "NULL"
        case .range: range
        case .change: change
        case .link: link
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
