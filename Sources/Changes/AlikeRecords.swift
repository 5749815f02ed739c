internal import Archive
internal import SQLite

/// The SQL that matches records without a UUID between two observations (`Spec/changes.md`, "Records that are alike").
///
/// Which sample such a record is was decided when it was captured, against the observation before. Between two
/// observations that do not follow each other the fewest changes may be others. Only samples that are alike, of which
/// one ceased to be visible or changed and another one became visible or changed, can make a difference: these are
/// found by what was noted of the changes (`AlikeNotes`), and they replace what their samples say of themselves.
///
///     alike_spans      types and dates that such samples have
///     alike_rows       their versions of either side
///     alike_pairs      a row of the older observation and one of the newer: the same record
///     alike_changes    what is left, as changes: appeared, disappeared, changed
///     alike_samples    samples whose changes these are
///     alike_keys       of those that are visible after, the sample before that is the same record
struct AlikeRecords {
    private let records: RecordQuery

    /// A finder of records that two observations of one chain have in common.
    init(_ records: RecordQuery) { self.records = records }

    /// Fills the tables; returns `true` if there are such samples. Without a group there are no tables either.
    ///
    /// - Parameter notes: of all versions of the changes whose samples `canBeAlike`.
    func prepare(_ connection: borrowing Connection, _ notes: [RowRun]) throws(ArchiveError) -> Bool {
        var groups = try AlikeGroups(notes)
        try groups.begin()
        var next = try groups.next()
        guard next != nil else { return false }
        try connection.execute("SAVEPOINT alike")
        for sql in Self.emptyTables { try connection.execute(sql) }
        var insert = try connection.prepare(Self.insertSpan)
        while let note = next {
            insert.bind(1, note.sample)
            insert.bind(2, note.version)
            try insert.run()
            next = try groups.next()
        }
        for sql in tables { try connection.execute(sql) }
        try connection.execute("RELEASE alike")
        return try connection.integer("SELECT EXISTS (SELECT 1 FROM temp.alike_samples)") == 1
    }

    /// The type and dates of a version. Each is looked at once, however many records have them.
    private static let insertSpan = """
        INSERT OR IGNORE INTO temp.alike_spans SELECT s.sample_type_id, v.start_date, v.end_date
            FROM samples s CROSS JOIN sample_versions v WHERE s.id = ?1 AND v.id = ?2
        """

    /// Statements that fill the tables once the spans are known.
    private var tables: [String] {
        [rows(isNewer: false), rows(isNewer: true), Self.removeSame, removeOthers] + Self.matches + [changes]
            + Self.samples + [keys]
    }

    /// A condition on sample `s`: others can be alike. Between two chains there are no changes.
    var canBeAlike: String { records.fromChainID == nil ? lacksUUID("s") : "0" }

    /// Returns a condition on a column of samples: it is one of these.
    static func areAlike(_ column: String) -> String { "\(column) IN (SELECT sample_id FROM temp.alike_samples)" }

    /// Common table expressions that make of `sides`, which has links by their samples, the links of the same records.
    static let sameLinks: String = {
        func key(_ end: String) -> String {
            "ifnull((SELECT k.before_id FROM temp.alike_keys k WHERE k.sample_id = \(end)), \(end))"
        }
        func end(_ end: String) -> String {
            "coalesce(max(CASE WHEN b IS NOT NULL THEN \(end) END), max(\(end))) AS \(end)"
        }
        return """
            keyed AS (SELECT source_id, target_id, source_id AS source_key, target_id AS target_key, kind, b, NULL AS a
                FROM sides WHERE b IS NOT NULL
                UNION ALL SELECT source_id, target_id, \(key("source_id")), \(key("target_id")), kind, NULL, a
                FROM sides WHERE a IS NOT NULL),
            same AS (SELECT \(end("source_id")), \(end("target_id")), kind, max(b) AS b, max(a) AS a FROM keyed
                GROUP BY source_key, target_key, kind),
            """
    }()

    /// Replaces the sides of these samples in the tables of the changes.
    static let replaceSides = [
        "DELETE FROM temp.change_sides WHERE sample_id IN (SELECT sample_id FROM temp.alike_samples)",
        "INSERT INTO temp.change_sides SELECT sample_id, before_id, 1, 0 FROM temp.alike_changes "
            + "WHERE before_id IS NOT NULL",
        "INSERT INTO temp.change_sides SELECT sample_id, after_id, 0, 1 FROM temp.alike_changes "
            + "WHERE after_id IS NOT NULL",
    ]

    /// The types of what appeared and disappeared, and whether it was there before.
    static let oneSided = """
        SELECT DISTINCT s.sample_type_id, a.before_id IS NOT NULL FROM temp.alike_changes a
            JOIN samples s ON s.id = a.sample_id WHERE a.before_id IS NULL OR a.after_id IS NULL
        """

    /// The relation of a row of `sample_visibility_ranges` `r` to these samples; NULL if it has none.
    enum Standing: Int64 {
        case unchanged, appeared, disappeared, changed
    }

    /// The column of a `Standing`.
    static let standing = """
        CASE WHEN r.sample_id IN (SELECT sample_id FROM temp.alike_samples) THEN ifnull((SELECT
            CASE WHEN a.before_id IS NULL THEN 1 WHEN a.after_id IS NULL THEN 2 ELSE 3 END FROM temp.alike_changes a
            WHERE a.sample_id = r.sample_id AND r.version_id IN (a.before_id, a.after_id)), 0) END
        """

    private static let emptyTables =
        [
            """
            CREATE TEMP TABLE IF NOT EXISTS alike_spans(type_id, start_date, end_date,
                PRIMARY KEY (type_id, start_date, end_date)) WITHOUT ROWID
            """,
            // `state` is NULL as long as a row is not matched.
            """
            CREATE TEMP TABLE IF NOT EXISTS alike_rows(id INTEGER PRIMARY KEY, is_newer, sample_id, version_id, alike,
                payload, identity, state)
            """,
            "CREATE INDEX IF NOT EXISTS temp.alike_rows_sample ON alike_rows(sample_id)",
            "CREATE TEMP TABLE IF NOT EXISTS alike_pairs(older_id PRIMARY KEY, newer_id, how) WITHOUT ROWID",
            "CREATE INDEX IF NOT EXISTS temp.alike_pairs_newer ON alike_pairs(newer_id)",
            "CREATE TEMP TABLE IF NOT EXISTS alike_changes(sample_id PRIMARY KEY, before_id, after_id) WITHOUT ROWID",
            "CREATE TEMP TABLE IF NOT EXISTS alike_samples(sample_id PRIMARY KEY) WITHOUT ROWID",
            "CREATE TEMP TABLE IF NOT EXISTS alike_keys(sample_id PRIMARY KEY, before_id) WITHOUT ROWID",
        ] + ["spans", "rows", "pairs", "changes", "samples", "keys"].map { "DELETE FROM temp.alike_\($0)" }

    // MARK: Ranges that make a difference

    /// Returns a condition on a range: it is visible at one of the two, and began or ended between them.
    private func isLoose(_ range: String, isNewer: Bool) -> String {
        let visible = records.isVisible(range, at: isNewer ? records.newer : records.older)
        return isNewer
            ? "\(range).first_observation_id > \(records.older) AND \(visible)"
            : "\(range).last_observation_id > \(records.older) AND \(range).last_observation_id <= \(records.newer) "
                + "AND \(visible)"
    }

    /// Returns a condition on a sample: its records have no UUID. Those of an Apple Health export have none, whatever
    /// the sample has.
    private func lacksUUID(_ sample: String) -> String {
        "(\(sample).sample_uuid_hash IS NULL OR (SELECT trigger_reason FROM observations "
            + "WHERE id = \(records.newer)) = 'apple_health_export')"
    }

    /// Returns the loose ranges of a side with these types and dates. `alike` has what the strict fingerprint covers.
    private func rows(isNewer: Bool) -> String {
        let texts = ["v.value_kind", "CASE v.unit WHEN 'Cal' THEN 'kcal' ELSE v.unit END", "o.bundle_identifier"]
        let numbers = [
            "s.sample_type_id", "v.start_date", "v.end_date", "v.numeric_value", "v.category_value",
            "v.workout_activity_type", "v.duration_seconds",
        ]
        let alike = texts.map { "typeof(\($0)) || hex(\($0))" } + numbers.map { "quote(\($0))" }
        return """
            INSERT INTO temp.alike_rows(is_newer, sample_id, version_id, alike, payload, identity)
                SELECT \(isNewer ? 1 : 0), r.sample_id, r.version_id, \(alike.joined(separator: " || ',' || ")),
                    v.payload_hash, s.strict_fingerprint
                FROM temp.alike_spans p CROSS JOIN sample_versions v ON v.start_date = p.start_date
                AND v.end_date = p.end_date CROSS JOIN samples s ON s.id = v.sample_id AND s.sample_type_id = p.type_id
                CROSS JOIN sample_visibility_ranges r ON r.sample_id = v.sample_id AND r.version_id = v.id
                LEFT JOIN source_revisions c ON c.id = v.source_revision_id LEFT JOIN sources o ON o.id = c.source_id \
            WHERE \(lacksUUID("s")) AND \(isLoose("r", isNewer: isNewer))
            """
    }

    /// A sample that came back as it was is the same record.
    private static let removeSame = """
        DELETE FROM temp.alike_rows WHERE EXISTS (SELECT 1 FROM temp.alike_rows x
            WHERE x.sample_id = alike_rows.sample_id AND x.version_id = alike_rows.version_id
            AND x.is_newer <> alike_rows.is_newer)
        """

    /// Samples with several versions on a side, or whose versions are not alike, are no such samples; no capture writes
    /// one.
    private var removeOthers: String {
        let visible = [records.older, records.newer].map {
            "(SELECT count(*) FROM sample_visibility_ranges v WHERE v.sample_id = x.sample_id "
                + "AND \(records.isVisible("v", at: $0)))"
        }
        return """
            DELETE FROM temp.alike_rows WHERE sample_id IN (SELECT x.sample_id FROM temp.alike_rows x
                GROUP BY x.sample_id HAVING count(*) <> \(visible.joined(separator: " + ")) OR count(*) > 2
                OR min(x.alike) <> max(x.alike) OR count(*) = 2 AND sum(x.is_newer) <> 1)
            """
    }

    // MARK: Matching

    /// First equal payloads, then the same sample, then one by one.
    private static let matches: [String] = {
        let mark =
            "UPDATE temp.alike_rows SET state = 1 WHERE state IS NULL AND id IN (SELECT older_id "
            + "FROM temp.alike_pairs UNION ALL SELECT newer_id FROM temp.alike_pairs)"
        func pairs(_ how: Int, by key: String, in order: String) -> String {
            func side(_ isNewer: Int) -> String {
                """
                (SELECT id, \(key), row_number() OVER (PARTITION BY \(key) ORDER BY \(order)) AS place
                    FROM temp.alike_rows WHERE is_newer = \(isNewer) AND state IS NULL)
                """
            }
            return "INSERT INTO temp.alike_pairs SELECT o.id, n.id, \(how) FROM \(side(0)) o JOIN \(side(1)) n "
                + "USING (\(key), place)"
        }
        return [
            pairs(0, by: "alike, payload", in: "identity, sample_id"), mark,
            pairs(1, by: "sample_id", in: "id"), mark,
            pairs(2, by: "alike", in: "payload, identity, sample_id"), mark,
        ]
    }()

    /// The changes that are left. If each sample is matched with itself, its own rows are right.
    private var changes: String {
        let (before, after) = records.from == records.older ? ("o", "n") : ("n", "o")
        return """
            INSERT INTO temp.alike_changes SELECT ifnull(\(before).sample_id, \(after).sample_id),
                \(before).version_id, \(after).version_id FROM (
                SELECT older_id, newer_id FROM temp.alike_pairs WHERE how > 0 UNION ALL
                SELECT iif(is_newer, NULL, id), iif(is_newer, id, NULL) FROM temp.alike_rows WHERE state IS NULL) p \
            LEFT JOIN temp.alike_rows o ON o.id = p.older_id LEFT JOIN temp.alike_rows n ON n.id = p.newer_id \
            WHERE ifnull(o.alike, n.alike) IN (SELECT x.alike FROM temp.alike_pairs q
                JOIN temp.alike_rows x ON x.id = q.older_id WHERE q.how <> 1)
            """
    }

    private static let samples = [
        """
        INSERT OR IGNORE INTO temp.alike_samples SELECT sample_id FROM temp.alike_rows WHERE alike IN (
            SELECT x.alike FROM temp.alike_pairs q JOIN temp.alike_rows x ON x.id = q.older_id WHERE q.how <> 1)
        """
    ]

    /// The record before of each version after; a text where there is none, which is no sample's id.
    private var keys: String {
        let isForward = records.from == records.older
        let (own, other) = isForward ? ("newer_id", "older_id") : ("older_id", "newer_id")
        return """
            INSERT INTO temp.alike_keys SELECT a.sample_id, ifnull(b.sample_id, 'new ' || a.sample_id)
                FROM temp.alike_rows a LEFT JOIN temp.alike_pairs p ON p.\(own) = a.id
                LEFT JOIN temp.alike_rows b ON b.id = p.\(other) \
            WHERE a.is_newer = \(isForward ? 1 : 0) AND a.sample_id IN (SELECT sample_id FROM temp.alike_samples)
            """
    }
}
