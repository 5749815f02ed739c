internal import SQLite

/// The statements of `export_manifests` about one export.
public struct ExportRecord: Sendable {
    /// `export_manifests.id`.
    public let id: Int64
    public let exportID: String
    public let createdAt: Double
    public let exportKind: String
    public let fromObservationID: Int64?
    public let toObservationID: Int64?
    /// As stored.
    public let filterJSON: String?
    public let manifestHash: String
    public let recordCount: Int64
}

extension Archive {
    private static var columns: String {
        "id, export_id, created_at, export_kind, from_observation_id, "
            + "to_observation_id, filter_json, manifest_hash, record_count"
    }

    /// Returns the record of an export; `nil` if the archive knows none of that id.
    public func exportRecord(_ exportID: String) throws(ArchiveError) -> ExportRecord? {
        var statement = try connection.prepare(
            "SELECT \(Self.columns) FROM export_manifests WHERE export_id = ?1 ORDER BY id LIMIT 1")
        try statement.bind([.text(exportID)])
        return try statement.step() ? Self.record(statement) : nil
    }

    /// Returns all recorded exports, by id.
    public func exportRecords() throws(ArchiveError) -> [ExportRecord] {
        var statement = try connection.prepare("SELECT \(Self.columns) FROM export_manifests ORDER BY id")
        var records: [ExportRecord] = []
        while try statement.step() { records.append(Self.record(statement)) }
        return records
    }

    private static func record(_ row: borrowing Statement) -> ExportRecord {
        ExportRecord(
            id: row.integer(0) ?? 0, exportID: row.text(1) ?? "", createdAt: row.real(2) ?? 0,
            exportKind: row.text(3) ?? "", fromObservationID: row.integer(4),
            toObservationID: row.integer(5), filterJSON: row.text(6), manifestHash: row.text(7) ?? "",
            recordCount: row.integer(8) ?? 0)
    }
}
