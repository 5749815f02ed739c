internal import Archive
internal import Files
internal import Manifest
internal import Preimages
internal import SQLite

/// Sources and devices of records, as members of a feed line by their provenance.
struct HealthSources {
    private var members: [Int64: String] = [:]

    /// The most sources, devices and provenances that are read, and bytes of what is written of them.
    private static let limit: Int64 = 100_000
    private static let byteLimit = 64 << 20
    private static let sourceNames = [
        "name", "bundle_identifier", "product_type", "version", "operating_system_version",
    ]
    private static let deviceNames = [
        "name", "manufacturer", "model", "hardware_version", "firmware_version", "software_version",
        "local_identifier", "udi",
    ]

    init(_ database: HealthDatabase) throws(ArchiveError) {
        let sources = try Self.texts(database, "sources", ["name", "bundle_id"])
        let devices =
            try database.hasDevices
            ? Self.texts(
                database, "source_devices",
                ["name", "manufacturer", "model", "hardware", "firmware", "software", "localIdentifier", "FDAUDI"])
            : [:]
        let columns = [
            "source_id", "device_id", "origin_product_type", "source_version", "origin_major_version",
            "origin_minor_version", "origin_patch_version",
        ].map { database.column("data_provenances", $0, as: "p") }
        try Self.require("data_provenances", database.samples)
        var rows = try database.samples.prepare(
            "SELECT p.ROWID, \(columns.joined(separator: ", ")) FROM data_provenances p")
        var byteCount = 0
        while try rows.step() {
            guard let id = rows.integer(0) else { continue }
            let source = rows.integer(1).flatMap { sources[$0] } ?? [nil, nil]
            let product = rows.text(3).flatMap { ["UnknownDevice", "iPhone0,0"].contains($0) ? nil : $0 }
            let numbers = (5...7).compactMap { rows.integer(Int32($0)) }
            let system = numbers.isEmpty ? nil : numbers.map(String.init).joined(separator: ".")
            let device = rows.integer(2).flatMap { devices[$0] } ?? []
            members[id] =
                ",\"source\":\(Self.object(Self.sourceNames, source + [product, rows.text(4), system]))"
                + ",\"device\":\(Self.object(Self.deviceNames, device))"
            byteCount += members[id]!.utf8.count
            guard byteCount <= Self.byteLimit else {
                throw ArchiveError(
                    .schema, "\(database.sources.path.display): sources and devices: more than 64 MiB of text")
            }
        }
    }

    /// Returns the members; an unknown provenance has none.
    func members(of provenance: Int64?) -> String { provenance.flatMap { members[$0] } ?? "" }

    private static func require(_ table: String, _ connection: HealthFile)
        throws(ArchiveError)
    {
        guard let count = try connection.integer("SELECT count(*) FROM \(table)"), count <= limit else {
            throw ArchiveError(.schema, "\(connection.path.display): \(table): more than \(limit) rows")
        }
    }

    private static func texts(_ database: HealthDatabase, _ table: String, _ names: [String])
        throws(ArchiveError) -> [Int64: [String?]]
    {
        try require(table, database.sources)
        let columns = names.map { database.sourceColumn(table, $0) }.joined(separator: ", ")
        var found: [Int64: [String?]] = [:]
        var rows = try database.sources.prepare("SELECT ROWID, \(columns) FROM \(table)")
        while try rows.step() {
            guard let id = rows.integer(0) else { continue }
            found[id] = names.indices.map { rows.text(Int32($0 + 1)) }
        }
        return found
    }

    private static func object(_ names: [String], _ values: [String?]) -> String {
        let members = zip(names, values).compactMap { name, value -> String? in
            guard let value, value != "__NONE__" else { return nil }
            return "\"\(name)\":\(FeedText.string(value))"
        }
        return "{\(members.joined(separator: ","))}"
    }
}

/// Activities and durations of workouts: of the primary activity, else of the workout itself.
struct HealthWorkouts {
    private var values: [Int64: (activity: Int64?, duration: Double?)] = [:]

    /// The most workouts that are read.
    private static let limit = 1_000_000

    init(_ database: HealthDatabase) throws(ArchiveError) {
        let names = ["activity_type", "duration"]
        if database.has("workouts", names + ["data_id"]) {
            try add("SELECT data_id, activity_type, duration FROM workouts", database)
        }
        if database.has("workout_activities", names + ["owner_id", "is_primary_activity"]) {
            try add(
                "SELECT owner_id, activity_type, duration FROM workout_activities WHERE is_primary_activity = 1",
                database)
        }
    }

    /// Returns the members of a workout's line; none if its activity is unknown.
    func members(of id: Int64) -> String {
        guard let (activity, duration) = values[id] else { return "" }
        return (activity.map { ",\"workout_activity_type\":\($0)" } ?? "")
            + (duration.map { ",\"duration_seconds\":\(FeedText.number($0))" } ?? "")
    }

    private mutating func add(_ sql: String, _ database: HealthDatabase) throws(ArchiveError) {
        var rows = try database.samples.prepare(sql)
        while try rows.step() {
            guard let id = rows.integer(0) else { continue }
            values[id] = (rows.exactInteger(1), rows.real(2))
            guard values.count <= Self.limit else {
                throw ArchiveError(.schema, "\(database.samples.path.display): more than \(Self.limit) workouts")
            }
        }
    }
}

/// Metadata in step with the samples: a second cursor in the same order.
struct HealthMetadata: ~Copyable {
    private var rows: SQLiteStatement<ArchiveError>?
    private var hasRow = false

    /// Values of data up to this size are in the feed; of larger ones, size and SHA-256.
    private static let dataLimit = 64 << 10

    init(_ database: HealthDatabase) throws(ArchiveError) {
        guard database.has("metadata_values", ["key_id", "object_id", "value_type"]),
            database.has("metadata_keys", ["key"])
        else { return }
        let columns = ["string_value", "numerical_value", "date_value", "data_value"]
            .map { database.column("metadata_values", $0, as: "v") }
        rows = try database.samples.prepare(
            """
            SELECT o.t, o.i, k.key, v.value_type, \(columns.joined(separator: ", ")) \
            FROM (SELECT s.data_type AS t, w.object_id AS i, w.ROWID AS r FROM metadata_values w \
            CROSS JOIN samples s ON s.data_id = w.object_id WHERE typeof(s.data_type) = 'integer' \
            ORDER BY 1, 2, 3 LIMIT -1) o \
            CROSS JOIN metadata_values v ON v.ROWID = o.r CROSS JOIN metadata_keys k ON k.ROWID = v.key_id
            """)
        hasRow = try rows!.step()
    }

    /// Returns the members of a sample's object; `nil` if it has no metadata. Samples must be asked for in order. Keys
    /// that begin with `hp:` are left out: those are names of our own.
    mutating func values(of id: Int64, type: Int64) throws(ArchiveError) -> String? {
        guard hasRow else { return nil }
        var members: [(key: String, value: String)] = []
        while hasRow, let row = Self.place(of: rows!), row <= (type, id) {
            // A row of no sample is in no line.
            guard row == (type, id) else {
                hasRow = try rows!.step()
                continue
            }
            let key = FeedText.string(rows!.text(2) ?? ""), value = Self.value(of: rows!)
            // The last row of a key counts.
            if key.hasPrefix("\"hp:") {
                hasRow = try rows!.step()
                continue
            }
            if let place = members.firstIndex(where: { $0.key == key }) {
                members[place].value = value
            } else {
                members.append((key, value))
            }
            hasRow = try rows!.step()
        }
        return members.isEmpty ? nil : members.map { "\($0.key):\($0.value)" }.joined(separator: ",")
    }

    // The optimizer of Swift 6.3.1 stops at getters that borrow an optional statement.
    private static func place(of row: borrowing SQLiteStatement<ArchiveError>) -> (type: Int64, id: Int64)? {
        guard let type = row.integer(0), let id = row.integer(1) else { return nil }
        return (type, id)
    }

    /// Returns the value of a row.
    private static func value(of row: borrowing SQLiteStatement<ArchiveError>) -> String {
        let text = row.text(4).map(FeedText.string) ?? "null"
        let number = row.real(5).map(FeedText.number) ?? "null"
        let kind = row.integer(3)
        switch kind {
        case 0: return text
        case 1: return number
        case 2: return FeedText.moment(row.real(6))
        case 3: return "{\"unit\":\(text),\"value\":\(number)}"
        case 4:
            let data = row.bytes(7)
            guard data.count > dataLimit else { return "{\"base64\":\"\(FeedText.base64(data))\"}" }
            return "{\"bytes\":\(data.count),\"sha256\":\"\(SHA256.digest(of: data.span).hex)\"}"
        default: return "{\"value_type\":\(kind.map(String.init) ?? "null")}"
        }
    }
}
