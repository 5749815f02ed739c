internal import Archive
internal import Manifest
internal import Preimages
internal import SQLite

/// Points of series in step with the samples: a second cursor in the same order (`Spec/iphone-backup.md`, "Series").
struct HealthSeries: ~Copyable {
    private var rows: SQLiteStatement<ArchiveError>?
    private var hasRow = false
    private let columns: Int32
    private var hash = SHA256()

    /// Points of quantities.
    static func quantities(_ database: HealthDatabase) throws(ArchiveError) -> HealthSeries {
        try HealthSeries(database, "quantity_sample_series", "quantity_series_data", ["value"])
    }

    /// Points of routes.
    static func routes(_ database: HealthDatabase) throws(ArchiveError) -> HealthSeries {
        try HealthSeries(
            database, "data_series", "location_series_data", ["latitude", "longitude", "altitude"])
    }

    private init(
        _ database: HealthDatabase, _ series: String, _ points: String, _ columns: [String]
    ) throws(ArchiveError) {
        self.columns = Int32(columns.count)
        guard database.has(series, ["data_id", "hfd_key"]),
            database.has(points, ["series_identifier", "timestamp"] + columns),
            try database.finds(points, by: "series_identifier")
        else { return }
        // Only types and row numbers are sorted, so that no value is in a temporary file.
        rows = try database.samples.prepare(
            """
            SELECT o.t, o.i, d.timestamp, \(columns.map { "d.\($0)" }.joined(separator: ", ")) \
            FROM (SELECT s.data_type AS t, q.data_id AS i, q.hfd_key AS k FROM \(series) q \
            CROSS JOIN samples s ON s.data_id = q.data_id WHERE typeof(s.data_type) = 'integer' \
            ORDER BY 1, 2 LIMIT -1) o CROSS JOIN \(points) d ON d.series_identifier = o.k
            """)
        hasRow = try rows!.step()
    }

    /// Returns the count and hash of a sample's points, as members of its metadata; `nil` if it has none. Samples must
    /// be asked for in order.
    mutating func members(of id: Int64, type: Int64) throws(ArchiveError) -> String? {
        var count = 0
        var isHashed = true
        var last = Int64.min
        while hasRow, let row = Self.place(of: rows!), row <= (type, id) {
            if row == (type, id) {
                count += 1
                // Points in another order, or without a number, have no hash.
                if let line = Self.line(of: rows!, columns), line.moment > last {
                    hash.update(line.text.utf8Span.span)
                    last = line.moment
                } else {
                    isHashed = false
                }
            }
            hasRow = try rows!.step()
        }
        guard count > 0 else { return nil }
        let digest = hash.finish()
        return "\"hp:series_count\":\(count)" + (isHashed ? ",\"hp:series_sha256\":\"\(digest.hex)\"" : "")
    }

    // The optimizer of Swift 6.3.1 stops at getters that borrow an optional statement.
    private static func place(of point: borrowing SQLiteStatement<ArchiveError>) -> (type: Int64, id: Int64)? {
        guard let type = point.integer(0), let id = point.integer(1) else { return nil }
        return (type, id)
    }

    /// Returns what is hashed of a point; `nil` if it lacks a number.
    private static func line(
        of point: borrowing SQLiteStatement<ArchiveError>, _ columns: Int32
    ) -> (moment: Int64, text: String)? {
        guard let moment = point.real(2).flatMap(FeedText.microseconds) else { return nil }
        var text = "\(moment)"
        for column in 0..<columns {
            guard let value = point.real(3 + column) else { return nil }
            let digits = String((value + 0).bitPattern, radix: 16)
            text += ":" + String(repeating: "0", count: 16 - digits.count) + digits
        }
        return (moment, text + "\n")
    }
}

/// Files of samples in step with them: what `binary_samples` has.
struct HealthPayloads: ~Copyable {
    private var rows: SQLiteStatement<ArchiveError>?
    private var hasRow = false

    init(_ database: HealthDatabase) throws(ArchiveError) {
        guard database.has("binary_samples", ["data_id", "payload"]) else { return }
        rows = try database.samples.prepare(
            """
            SELECT o.t, o.i, b.payload FROM (SELECT s.data_type AS t, p.data_id AS i FROM binary_samples p \
            CROSS JOIN samples s ON s.data_id = p.data_id WHERE typeof(s.data_type) = 'integer' \
            ORDER BY 1, 2 LIMIT -1) o CROSS JOIN binary_samples b ON b.data_id = o.i
            """)
        hasRow = try rows!.step()
    }

    /// Returns the size and hash of a sample's payload, as members of its metadata, like those of series.
    mutating func members(of id: Int64, type: Int64) throws(ArchiveError) -> String? {
        var members: String?
        while hasRow, let rowType = rows!.integer(0), let rowID = rows!.integer(1), (rowType, rowID) <= (type, id) {
            if (rowType, rowID) == (type, id) {
                let data = rows!.bytes(2)
                members =
                    "\"hp:payload_bytes\":\(data.count),\"hp:payload_sha256\":\"\(SHA256.digest(of: data.span).hex)\""
            }
            hasRow = try rows!.step()
        }
        return members
    }
}
