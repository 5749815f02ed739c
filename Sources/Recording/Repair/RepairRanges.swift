internal import Archive
internal import Derivation
internal import SQLite

/// Visibility ranges, derived from events (`Spec/capture.md`, "Which sample a record is").
enum RepairRanges {
    static let table = RepairTable(
        name: "sample_visibility_ranges", key: ["sample_id", "version_id", "first_observation_id"],
        nullableKey: "version_id", scope: "m.sample_id NOT IN (SELECT sample_id FROM temp.unfollowed)",
        agreement: "m.last_observation_id IS t.last_observation_id AND m.first_seen_at IS t.first_seen_at AND "
            + "m.last_seen_at IS t.last_seen_at", removesOthers: true)

    /// Makes `temp.sample_visibility_ranges`: all ranges as they should be, and those of samples that cannot be
    /// followed as they are. Counts what stays unchanged.
    static func rebuild(_ connection: borrowing Connection, _ report: inout RepairReport) throws(ArchiveError) {
        try RepairTable.create(
            table.name,
            definitions: "sample_id INTEGER, version_id INTEGER, first_observation_id INTEGER, "
                + "last_observation_id INTEGER, first_seen_at REAL, last_seen_at REAL", connection)
        try findUnfollowed(connection)
        try replay(connection)
        // Ranges that the table's key does not allow side by side follow from events that no capture writes.
        try connection.execute(
            """
            INSERT OR IGNORE INTO temp.unfollowed SELECT sample_id FROM temp.sample_visibility_ranges
                GROUP BY sample_id, version_id, first_observation_id HAVING count(*) > 1;
            DELETE FROM temp.sample_visibility_ranges WHERE sample_id IN (SELECT sample_id FROM temp.unfollowed);
            INSERT INTO temp.sample_visibility_ranges(sample_id, version_id, first_observation_id,
                last_observation_id, first_seen_at, last_seen_at, demanded) \
            SELECT sample_id, version_id, first_observation_id, last_observation_id, first_seen_at, last_seen_at,
                0 FROM main.sample_visibility_ranges WHERE sample_id IN (SELECT sample_id FROM temp.unfollowed);
            CREATE INDEX temp.range_key ON sample_visibility_ranges(sample_id, version_id, first_observation_id);
            CREATE INDEX temp.range_end ON sample_visibility_ranges(last_observation_id)
            """)
        try keepUnknownDates(connection)
        report.samplesLeft = Int(try connection.integer("SELECT count(*) FROM temp.unfollowed") ?? 0)
        report.datesLeft = Int(try connection.integer("SELECT count(*) FROM temp.undated") ?? 0)
    }

    /// Keeps each stored `last_seen_at` that may be right and cannot be derived, since facts are missing.
    private static func keepUnknownDates(_ connection: borrowing Connection) throws(ArchiveError) {
        let condition = UnknownLastSeen.condition(
            try UnknownLastSeen.Facts(of: connection), sample: "t.sample_id", chain: "b.device_chain_id",
            first: "t.first_observation_id", last: "t.last_observation_id", firstSeenAt: "t.first_seen_at",
            stored: "m.last_seen_at")
        try connection.execute(
            """
            CREATE TEMP TABLE undated AS SELECT t.rowid AS row, m.last_seen_at AS moment
                FROM temp.sample_visibility_ranges t JOIN observations b ON b.id = t.first_observation_id
                JOIN main.sample_visibility_ranges m ON m.sample_id = t.sample_id AND m.version_id IS t.version_id
                    AND m.first_observation_id = t.first_observation_id
                WHERE m.last_observation_id = t.last_observation_id AND m.last_seen_at <> t.last_seen_at
                    AND t.demanded AND \(condition);
            UPDATE temp.sample_visibility_ranges AS t SET last_seen_at = u.moment FROM temp.undated u
                WHERE u.row = t.rowid
            """)
    }

    /// Samples with an event that the rule does not name, or that names what is not there.
    private static func findUnfollowed(_ connection: borrowing Connection) throws(ArchiveError) {
        try connection.execute(
            """
            CREATE TEMP TABLE unfollowed(sample_id PRIMARY KEY NOT NULL) WITHOUT ROWID;
            INSERT OR IGNORE INTO temp.unfollowed SELECT e.sample_id
                FROM main.sample_observation_events e NOT INDEXED LEFT JOIN observations o ON o.id = e.observation_id \
            LEFT JOIN samples s ON s.id = e.sample_id LEFT JOIN sample_versions v ON v.id = e.version_id \
            WHERE e.sample_id IS NOT NULL AND (e.event_kind IS NULL
                OR e.event_kind NOT IN (\(EventKind.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")))
                OR typeof(e.observed_at) NOT IN ('real', 'integer') \
            OR s.id IS NULL OR o.id IS NULL OR typeof(o.device_chain_id) <> 'integer' OR (e.version_id IS NOT NULL
                AND v.sample_id IS NOT e.sample_id))
            """)
    }

    private static func replay(_ connection: borrowing Connection) throws(ArchiveError) {
        var events = try RangeEvents(connection, where: "e.sample_id NOT IN (SELECT sample_id FROM temp.unfollowed)")
        var insert = try connection.prepare(
            """
            INSERT INTO temp.sample_visibility_ranges(sample_id, version_id, first_observation_id,
                last_observation_id, first_seen_at, last_seen_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """)
        var lastSeen = LastSeen(
            try connection.prepare(LastSeen.query(hasFacts: try Schema.hasCaptureFacts(connection))))
        var replay = RangeReplay()
        while try events.step() {
            // Whether the event can be one of its sample is for the check of ranges.
            if let event = events.event { _ = replay.follow(event) }
            try write(&replay, &lastSeen, &insert)
        }
        replay.finish()
        try write(&replay, &lastSeen, &insert)
    }

    private static func write(_ replay: inout RangeReplay, _ lastSeen: inout LastSeen, _ insert: inout Statement)
        throws(ArchiveError)
    {
        while let step = replay.next() {
            guard case .range(let derived) = step else { continue }
            let range = try lastSeen.resolved(derived)
            insert.bind(1, range.key.sample)
            insert.bind(2, optional: range.version)
            insert.bind(3, range.key.first)
            insert.bind(4, optional: range.last)
            insert.bind(5, range.firstSeenAt)
            insert.bind(6, range.lastSeenAt)
            try insert.run()
        }
    }
}
