internal import Archive
internal import SQLite

/// Visibility ranges, rebuilt from events (`Spec/capture.md`, "Which sample a record is").
///
/// Events come sorted by sample and chain; nothing is kept but the range that is open. The check of ranges in
/// `Inspection` follows the same rule with code of its own: it judges what this writes.
struct RepairRanges: ~Copyable {
    private var events: Statement
    private var insert: Statement
    private var open: Range?

    private struct Range {
        let sample, chain, first: Int64
        let version: Int64?
        let seenAt: Double?
    }

    static let table = RepairTable(
        name: "sample_visibility_ranges", key: ["sample_id", "version_id", "first_observation_id"],
        nullableKey: "version_id", scope: "m.sample_id NOT IN (SELECT sample_id FROM temp.unfollowed)",
        agreement: "m.last_observation_id IS t.last_observation_id AND m.first_seen_at IS t.first_seen_at AND "
            + "m.last_seen_at IS t.last_seen_at", removesOthers: true)

    /// Makes `temp.sample_visibility_ranges`: all ranges as they should be, and those of samples that cannot be
    /// followed as they are. Returns how many samples these are.
    static func rebuild(_ connection: borrowing Connection) throws(ArchiveError) -> Int {
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
        return Int(try connection.integer("SELECT count(*) FROM temp.unfollowed") ?? 0)
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
                OR e.event_kind NOT IN ('appeared', 'representation_changed', 'disappeared')
                OR typeof(e.observed_at) NOT IN ('real', 'integer') \
            OR s.id IS NULL OR o.id IS NULL OR typeof(o.device_chain_id) <> 'integer' OR (e.version_id IS NOT NULL
                AND v.sample_id IS NOT e.sample_id))
            """)
    }

    private static func replay(_ connection: borrowing Connection) throws(ArchiveError) {
        var ranges = RepairRanges(
            events: try connection.prepare(
                """
                SELECT e.sample_id, o.device_chain_id, e.observation_id, CASE e.event_kind WHEN 'appeared' THEN 0
                    WHEN 'representation_changed' THEN 1 ELSE 2 END, e.version_id, e.observed_at \
                FROM main.sample_observation_events e NOT INDEXED CROSS JOIN observations o ON o.id = e.observation_id \
                WHERE e.sample_id NOT IN (SELECT sample_id FROM temp.unfollowed) ORDER BY 1, 2, 3, 4
                """),
            insert: try connection.prepare(
                """
                INSERT INTO temp.sample_visibility_ranges(sample_id, version_id, first_observation_id,
                    last_observation_id, first_seen_at, last_seen_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                """))
        try ranges.run()
    }

    private init(events: consuming Statement, insert: consuming Statement) {
        self.events = events
        self.insert = insert
    }

    private mutating func run() throws(ArchiveError) {
        while try events.step() {
            guard let sample = events.integer(0), let chain = events.integer(1), let observation = events.integer(2)
            else { continue }
            if let open, open.sample != sample || open.chain != chain { try close(at: nil, nil) }
            let seenAt = events.real(5)
            switch events.integer(3) {
            // It is visible already: the range goes on.
            case 0: if open != nil { continue }
            case 1: try close(at: observation, seenAt)
            default:
                try close(at: observation, seenAt)
                continue
            }
            open = Range(sample: sample, chain: chain, first: observation, version: events.integer(4), seenAt: seenAt)
        }
        try close(at: nil, nil)
    }

    private mutating func close(at last: Int64?, _ seenAt: Double?) throws(ArchiveError) {
        guard let range = open.take() else { return }
        insert.bind(1, range.sample)
        insert.bind(2, optional: range.version)
        insert.bind(3, range.first)
        insert.bind(4, optional: last)
        insert.bind(5, range.seenAt)
        insert.bind(6, last == nil ? nil : seenAt)
        try insert.run()
    }
}
