/// The place where a statement finds the columns of its rows: tables by their aliases, and expressions.
package struct RecordSource {
    /// `RowBatch.Kind`, as SQL.
    let kind: String
    /// The ids that are named, whether or not there are such rows.
    let sampleID, versionID: String
    /// The alias of the version's table. The sample's is `s`.
    let version: String
    /// The thing in the place of the range.
    let beside: Beside
    /// `FrontColumn.place` and `placeRow`.
    let place, placeRow: String

    /// Says where the columns are.
    package init(
        kind: String, sampleID: String, versionID: String, version: String = "v", beside: Beside = .nothing,
        place: String, placeRow: String
    ) {
        self.kind = kind
        self.sampleID = sampleID
        self.versionID = versionID
        self.version = version
        self.beside = beside
        self.place = place
        self.placeRow = placeRow
    }

    /// The part of a row in addition to a sample and a version.
    ///
    /// A range is `r`. A change has the pairs `q` that contain it, and the label `l` of its window. A changed link `k`
    /// has its rows before and after.
    package enum Beside { case nothing, range, change, link }

    /// Columns of a row.
    static let columnCount = RecordColumn.count + FrontColumn.allCases.count

    /// The list of what a statement selects.
    package var sql: String {
        (RecordColumn.allCases.map(expression) + FrontColumn.allCases.map(expression)).joined(separator: ", ")
    }

    private func expression(_ column: RecordColumn) -> String {
        if let stored = column.stored { return (stored.table == .sample ? "s" : version) + "." + stored.name }
        return found(column)
    }

    private func found(_ column: RecordColumn) -> String {
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
        case .sampleID: sampleID
        default: preconditionFailure("a column that a table has is selected from it")
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
