internal import Archive
internal import SQLite

/// The SQL that finds and orders the changes between two observations (`Spec/changes.md`).
///
/// Only a range that began or ended after the older observation and up to the newer one can make a difference: the
/// two indexes on ranges lead to these, and everything else costs nothing. Between two chains every range can.
///
///     change_candidates   samples with such a range
///     change_sides        their visible versions: which at the one observation, which at the other
///     changes             pairs of a version before and a version after
struct ChangeQuery {
    /// The scope, and what selects its records.
    let records: RecordQuery

    /// Statements that make the tables of the changes, or empty them.
    static let emptyChangeTables = [
        // Ids need not be integers: without a declared type they are kept as they are. A NULL version is one of
        // its own.
        "CREATE TEMP TABLE IF NOT EXISTS change_candidates(sample_id PRIMARY KEY) WITHOUT ROWID",
        "CREATE TEMP TABLE IF NOT EXISTS change_sides(sample_id, version_id, is_before, is_after)",
        "DELETE FROM temp.change_candidates", "DELETE FROM temp.change_sides",
        "DROP INDEX IF EXISTS temp.change_sides_sample",
    ]

    /// Statements that gather the visible versions of samples that may differ.
    func changeTables() -> [String] {
        let ofType =
            records.typeIDs.map {
                " AND sample_id IN (SELECT id FROM samples "
                    + "WHERE sample_type_id IN (\($0.map(String.init).joined(separator: ","))))"
            } ?? ""
        func candidates(_ condition: String) -> String {
            "INSERT OR IGNORE INTO temp.change_candidates SELECT sample_id FROM sample_visibility_ranges "
                + "WHERE \(condition)\(ofType)"
        }
        // What began before both observations tells two chains apart no less than what began between them.
        let looked =
            records.fromChainID == nil
            ? ["first_observation_id", "last_observation_id"].map {
                "\($0) > \(records.older) AND \($0) <= \(records.newer)"
            }
            : ["first_observation_id <= \(records.newer)"]
        return Self.emptyChangeTables + looked.map(candidates) + changeSides
    }

    /// The records without a UUID that are the same.
    var alike: AlikeRecords { AlikeRecords(records) }

    /// Statements that find the visible versions of the candidates.
    var changeSides: [String] {
        let (before, after) = (
            records.isVisible("r", at: records.from), records.isVisible("r", at: records.scope.observationID)
        )
        return [
            """
            INSERT INTO temp.change_sides SELECT c.sample_id, r.version_id, max(\(before)), max(\(after))
                FROM temp.change_candidates c CROSS JOIN sample_visibility_ranges r \
            ON r.sample_id = c.sample_id WHERE (\(before)) OR (\(after)) GROUP BY c.sample_id, r.version_id
            """
        ] + [Self.indexSides]
    }

    /// The versions that the tables of the changes have on one side, of samples of which others can be alike: type,
    /// ids, whether it is the side before, the version.
    var oneSidedVersions: String {
        """
        SELECT s.sample_type_id, a.sample_id, a.version_id, a.is_before, \(compared("v")) FROM temp.change_sides a \
        CROSS JOIN samples s ON s.id = a.sample_id CROSS JOIN sample_versions v ON v.id = a.version_id \
        WHERE a.is_before <> a.is_after AND \(alike.canBeAlike)
        """
    }

    /// Statements that make tables of the changes that have samples that are alike, and nothing else.
    static let alikeChangeTables = emptyChangeTables + AlikeRecords.replaceSides + [indexSides]

    // All columns: whether another version stands on a side is then told by the index alone.
    private static let indexSides =
        "CREATE INDEX temp.change_sides_sample ON change_sides(sample_id, is_before, is_after, version_id)"

    // MARK: Changes that are near each other

    /// Makes candidates of the samples with a range that ended between the two observations.
    var endedCandidates: String {
        "INSERT OR IGNORE INTO temp.change_candidates SELECT sample_id FROM sample_visibility_ranges "
            + "WHERE last_observation_id > \(records.older) AND last_observation_id <= \(records.newer)"
    }

    /// A sample.
    static let insertCandidate = "INSERT OR IGNORE INTO temp.change_candidates VALUES (?1)"

    /// The ranges that began between the two and are visible at the newer one: sample, type, dates, how many ranges the
    /// sample has, of which two are as good as more.
    var begunRanges: String {
        """
        SELECT r.sample_id, s.sample_type_id, v.start_date, v.end_date, (SELECT count(*) FROM (SELECT 1
            FROM sample_visibility_ranges x WHERE x.sample_id = r.sample_id LIMIT 2)) FROM sample_visibility_ranges r \
        LEFT JOIN samples s ON s.id = r.sample_id LEFT JOIN sample_versions v ON v.id = r.version_id \
        WHERE r.first_observation_id > \(records.older) AND \(records.isVisible("r", at: records.newer))
        """
    }

    /// Of each candidate: type, first and last start, and last end of its versions.
    var candidateSpans: String {
        """
        SELECT s.sample_type_id, min(hp_date(v.start_date)), max(hp_date(v.start_date)), max(hp_date(v.end_date)) \
        FROM temp.change_candidates c CROSS JOIN sample_visibility_ranges r ON r.sample_id = c.sample_id \
        LEFT JOIN samples s ON s.id = c.sample_id LEFT JOIN sample_versions v ON v.id = r.version_id \
        GROUP BY c.sample_id
        """
    }

    /// Returns the statement for the changes, once their tables exist: the leading version's row, and the row of the
    /// version after if there are two.
    func changes() -> (sql: String, parameters: [Parameter]) {
        let (leading, parameters) = records.selection()
        let (other, otherParameters) = records.selection(version: "w")
        let sql = """
            SELECT \(changeRow(version: "v", id: "p.version_id", isLeading: true)),
                \(changeRow(version: "w", id: "p.other_id")) \
            FROM (\(changePairs(ChangeKind.allCases.filter(isWanted)))) p LEFT JOIN samples s ON s.id = p.sample_id \
            LEFT JOIN temp.pair_marks q ON q.sample_id = p.sample_id AND q.version_id = p.version_id \
            LEFT JOIN sample_versions v ON v.id = p.version_id LEFT JOIN sample_versions w ON w.id = p.other_id \
            LEFT JOIN temp.change_labels l ON (l.place, l.latest) = (\(labelPlace)) \
            WHERE ((1\(leading)) OR (p.kind = \(RowBatch.Kind.representationChanged.rawValue)\(other)))\(isSelected)\
            \(comparesLinks ? changedLinks : "")
            """
        return (sql, parameters + otherParameters)
    }

    /// Returns `true` if changes of a kind may be selected.
    private func isWanted(_ kind: ChangeKind) -> Bool {
        guard let wanted = records.scope.changes else { return true }
        return wanted.contains { $0.kind == kind }
            || kind != .representationChanged && wanted.contains(.reIdentified)
    }

    /// The conditions that the scope selects by besides the kinds: by pair and by label.
    private var isSelected: String {
        var conditions = ""
        if let wanted = records.scope.changes, wanted.contains(.reIdentified) {
            let kinds = wanted.compactMap { $0.kind.map { String(RowBatch.Kind(of: $0).rawValue) } }
            conditions +=
                " AND (p.kind IN (\(kinds.joined(separator: ","))) OR q.kind = \(Pair.Kind.reIdentified.rawValue))"
        }
        if let labels = records.scope.labels {
            conditions += " AND l.label IN (\(labels.map { "'\($0.rawValue)'" }.joined(separator: ",")))"
        }
        return conditions
    }

    /// Changes of these kinds: sample, leading version, other version, kind.
    func changePairs(_ kinds: [ChangeKind] = ChangeKind.allCases) -> String {
        let none = "SELECT NULL AS sample_id, NULL AS version_id, NULL AS other_id, NULL AS kind WHERE 0"
        return kinds.isEmpty ? none : kinds.map(pairs).joined(separator: " UNION ALL ")
    }

    /// Returns SQL for the changes that appeared, or that disappeared: a row per version.
    static func onOneSide(_ kind: RowBatch.Kind) -> String {
        let (side, other) = kind == .appeared ? ("is_after", "is_before") : ("is_before", "is_after")
        return """
            SELECT a.sample_id, a.version_id, NULL AS other_id, \(kind.rawValue) AS kind FROM temp.change_sides a \
            WHERE a.\(side) AND NOT EXISTS (SELECT 1 FROM temp.change_sides b WHERE b.sample_id = a.sample_id
                AND b.\(other))
            """
    }

    private func pairs(_ kind: ChangeKind) -> String {
        switch kind {
        case .appeared: Self.onOneSide(.appeared)
        case .disappeared: Self.onOneSide(.disappeared)
        case .representationChanged:
            """
            SELECT b.sample_id, b.version_id, a.version_id AS other_id,
                \(RowBatch.Kind.representationChanged.rawValue) AS kind FROM temp.change_sides b
                JOIN temp.change_sides a \
            ON a.sample_id = b.sample_id WHERE b.is_before AND a.is_after AND a.version_id IS NOT b.version_id
                AND NOT (b.is_after AND a.is_before)
            """
        }
    }

    /// The place of the other version's id among the storage classes: NULL, numbers, text, blobs.
    private var otherRank: String {
        "CASE typeof(p.other_id) WHEN 'null' THEN 0 WHEN 'text' THEN 2 WHEN 'blob' THEN 3 ELSE 1 END"
    }

    /// Returns the SQL of a version's row in a change. The last numbers of the front distinguish changes with the same
    /// leading version.
    private func changeRow(version: String, id: String, isLeading: Bool = false) -> String {
        RecordSource(
            kind: "p.kind", sampleID: "p.sample_id", versionID: id, version: version,
            beside: isLeading ? .change : .nothing,
            place: otherRank, placeRow: "p.other_id"
        ).sql
    }
}

/// The SQL of comparisons: what was visible on each side, and the changes as plain columns.
extension ChangeQuery {
    /// Columns of a version that comparisons look at, as `VersionReader` reads them.
    func compared(_ version: String) -> String {
        "\(version).start_date, \(version).end_date, \(version).numeric_value, \(version).unit, "
            + "\(version).source_revision_id, \(version).category_value, \(version).workout_activity_type, "
            + "\(version).duration_seconds"
    }

    /// Returns every pair of a sample and a version that is visible at either observation, a row per range. Its columns
    /// are the type, two flags, the ids, the version and its metadata. Then come a flag for rows that the filter
    /// selects, the observation that saw the sample first, and a flag for samples that may have alike ones. Rows of a
    /// sample, and of a pair, follow each other.
    func visibleOnEitherSide(isSliced: Bool, ofAlike: Bool = false, more: String = "")
        -> (sql: String, parameters: [Parameter])
    {
        let (before, after) = (
            records.isVisible("r", at: records.scope.fromObservationID ?? records.scope.observationID),
            records.isVisible("r", at: records.scope.observationID)
        )
        let (conditions, parameters) = records.selection()
        // What a sign stands before, no index is used for.
        let sign = records.areTypesRare ? "" : "+"
        let ofType =
            records.typeIDs.map { " AND \(sign)s.sample_type_id IN (\($0.map(String.init).joined(separator: ",")))" }
            ?? ""
        let slice =
            (isSliced ? " AND r.sample_id >= ? AND r.sample_id < ? + 1" : "")
            + (ofAlike ? " AND " + AlikeRecords.areAlike("r.sample_id") : "")
        return (
            """
            SELECT s.sample_type_id, \(before), \(after), r.sample_id, r.version_id, \(compared("v")),
                v.metadata_id, 1\(conditions), s.first_seen_observation_id,
                \(alike.canBeAlike)\(more)
                FROM sample_visibility_ranges r LEFT JOIN samples s ON s.id = r.sample_id \
            LEFT JOIN sample_versions v ON v.id = r.version_id WHERE ((\(before)) OR (\(after)))\(ofType)\(slice)
                ORDER BY r.sample_id, r.version_id
            """, parameters
        )
    }

    /// Returns the changes, once their tables exist. Their columns are the type, the kind, and a flag for a sample with
    /// more than two versions in it. Then come the ids, the observation that saw the sample first, the leading and the
    /// other version, and the metadata of the two. The last is a flag for samples that may have alike ones.
    func comparedChanges(ofAlike: Bool = false) -> (sql: String, parameters: [Parameter]) {
        let (leading, parameters) = records.selection()
        let (other, otherParameters) = records.selection(version: "w")
        return (
            """
            SELECT s.sample_type_id, p.kind, \(isChanged) AND (SELECT count(*) FROM temp.change_sides x
                WHERE x.sample_id = p.sample_id) > 2, p.sample_id, p.version_id, p.other_id,
                s.first_seen_observation_id, \(compared("v")), \(compared("w")), v.metadata_id, w.metadata_id,
                \(alike.canBeAlike) FROM (\(changePairs())) p LEFT JOIN samples s ON s.id = p.sample_id \
            LEFT JOIN sample_versions v ON v.id = p.version_id LEFT JOIN sample_versions w ON w.id = p.other_id \
            WHERE ((1\(leading)) OR (\(isChanged)\(other))) \
            \(ofAlike ? "AND " + AlikeRecords.areAlike("p.sample_id") : "")
            """, parameters + otherParameters
        )
    }

    private var isChanged: String { "p.kind = \(RowBatch.Kind.representationChanged.rawValue)" }

    /// The first start and the last end of the versions of a change whose leading version has dates.
    private var changeSpan: (start: String, end: String) {
        let hasDates = "\(isChanged) AND hp_date(w.start_date) IS NOT NULL AND hp_date(w.end_date) IS NOT NULL"
        return (
            "CASE WHEN \(hasDates) AND w.start_date < v.start_date THEN w.start_date ELSE v.start_date END",
            "max(v.start_date, v.end_date, CASE WHEN \(hasDates) THEN w.start_date ELSE v.end_date END, "
                + "CASE WHEN \(hasDates) THEN w.end_date ELSE v.end_date END)"
        )
    }

    /// The labels of windows, by the first change of each. Windows are whole stretches of the changes in their order. A
    /// type's changes without dates have no start, and come first.
    static let changeLabels = [
        "CREATE TEMP TABLE IF NOT EXISTS change_labels(place, latest, label, reasons, PRIMARY KEY (place, latest)) "
            + "WITHOUT ROWID",
        "DELETE FROM temp.change_labels",
    ]

    /// Type, start and end of a window's first change, label, reasons.
    static let insertChangeLabel = "INSERT OR IGNORE INTO temp.change_labels VALUES (hp_order(?1, ?2), ?3, ?4, ?5)"

    /// The key of the window that a change is in: the last that does not begin after it.
    var labelPlace: String {
        let (start, end) = changeSpan
        let hasDates = "hp_date(v.start_date) IS NOT NULL AND hp_date(v.end_date) IS NOT NULL"
        return """
            SELECT x.place, x.latest FROM temp.change_labels x WHERE (x.place, x.latest) <= (
                hp_order(s.sample_type_id, CASE WHEN \(hasDates) THEN \(start) END),
                CASE WHEN \(hasDates) THEN \(end) ELSE 0 END) \
            ORDER BY x.place DESC, x.latest DESC LIMIT 1
            """
    }

    /// Returns the spans of the workouts that are visible at the observation, by start.
    func workouts() -> String {
        """
        SELECT v.start_date, v.end_date FROM sample_types t CROSS JOIN samples s ON s.sample_type_id = t.id
            CROSS JOIN sample_visibility_ranges r ON r.sample_id = s.id
            CROSS JOIN sample_versions v ON v.id = r.version_id \
        WHERE t.type_identifier = 'HKWorkoutTypeIdentifier'
            AND \(records.isVisible("r", at: records.scope.observationID))
            ORDER BY v.start_date
        """
    }

    /// Returns the first observation of the chain with a completed run, by type: type, id, moment.
    func firstRuns() -> String {
        """
        SELECT f.sample_type_id, f.id, o.observed_at FROM (SELECT sample_type_id, min(observation_id) AS id
            FROM observation_type_runs WHERE status = 'completed' \
        AND \(records.isKnown("observation_id", at: records.newer))
            GROUP BY sample_type_id) f JOIN observations o ON o.id = f.id
        """
    }
}

/// The SQL of findings.
extension ChangeQuery {
    /// As `visibleOnEitherSide`, and behind its columns what findings look at: payload hash, semantic fingerprint,
    /// when the sample was first seen, its identities, whether the observation that saw it first is known at the newer
    /// one, the ids of the rows of the version and of the sample, 1 of the version that the sample was first seen with
    /// and of others their value kind, a REAL if it is none. Of samples that are alike how the range stands to
    /// them is the last one.
    func visibleWithFindings(isSliced: Bool, ofAlike: Bool) -> (sql: String, parameters: [Parameter]) {
        visibleOnEitherSide(
            isSliced: isSliced, ofAlike: ofAlike,
            more: ", v.payload_hash, s.semantic_fingerprint, s.first_seen_at, s.sample_uuid_hash, "
                + "s.strict_fingerprint, \(records.isKnown("s.first_seen_observation_id", at: records.newer)), "
                + "v.id, s.id, CASE WHEN v.created_observation_id IS s.first_seen_observation_id THEN 1 "
                + "WHEN typeof(v.value_kind) IN ('text', 'null') THEN v.value_kind ELSE 0.0 END, "
                + "coalesce(v.value_kind, 'quantity') IN ('quantity', 'category', 'workout', 'correlation')"
                + (ofAlike ? ", " + AlikeRecords.standing : "")
        )
    }
}

/// The SQL that finds relationships that changed between two observations (`Spec/changes.md`, Relationships).
///
/// A link, which is two samples and a kind, can only have changed where a row of it or its end was learned between the
/// observations, or where one of its samples became visible or ceased to be. The links of the sources of such links are
/// read, each once, whatever else the archive has.
///
///     link_sources    samples whose links are read
///     link_rows       rows of these links, and their ends
///     link_changes    those that changed, in the order of what tells them apart
extension ChangeQuery {
    /// `true` if relationships are compared: between observations of one chain, if no label selects.
    var comparesLinks: Bool { records.fromChainID == nil && records.scope.labels == nil && !linkKinds.isEmpty }

    /// The conditions of the wanted changes on a row before, `b`, and one after, `a`.
    private var linkKinds: [String] {
        let kinds: [(ChangeSelection, String)] = [
            (.relationshipAppeared, "b IS NULL"), (.relationshipDisappeared, "a IS NULL"),
            (.relationshipChanged, "(b IS NOT NULL AND a IS NOT NULL)"),
        ]
        return kinds.filter { kind, _ in records.scope.changes?.contains(kind) ?? true }.map(\.1)
    }

    /// Statements that gather the changed links, once the tables of the changes are there.
    ///
    /// - Parameters:
    ///   - hasAlike: whether there are samples that are alike.
    ///   - areFew: whether the archive has so few links that each of them is looked at, not each range.
    func linkTables(hasAlike: Bool, areFew: Bool = false) -> [(sql: String, parameters: [Parameter])] {
        let between = { (column: String) in "\(column) > \(records.older) AND \(column) <= \(records.newer)" }
        func sources(_ column: String, _ tables: String, _ condition: String) -> (String, [Parameter]) {
            let ofType =
                records.typeIDs.map {
                    " AND \(column) IN (SELECT id FROM samples WHERE sample_type_id IN "
                        + "(\($0.map(String.init).joined(separator: ","))))"
                } ?? ""
            return (
                "INSERT OR IGNORE INTO temp.link_sources SELECT \(column) FROM \(tables) WHERE \(condition)\(ofType)",
                []
            )
        }
        let ofLinks = sources(
            "e.source_sample_id", "sample_relationships e",
            """
            EXISTS (SELECT 1 FROM sample_visibility_ranges r
                WHERE r.sample_id IN (e.source_sample_id, e.target_sample_id)
                AND ((\(between("r.first_observation_id"))) OR (\(between("r.last_observation_id")))))
            """)
        let ofRanges =
            areFew
            ? [ofLinks]
            : ["first_observation_id", "last_observation_id"].flatMap { bound in
                ["source", "target"].map { end in
                    sources(
                        "e.source_sample_id",
                        "sample_visibility_ranges r CROSS JOIN sample_relationships e "
                            + "ON e.\(end)_sample_id = r.sample_id",
                        between("r.\(bound)"))
                }
            }
        let ofEnds =
            records.hasCaptureFacts ? [sources("source_sample_id", "relationship_ends", between("observation_id"))] : []
        return Self.emptyLinkTables.map { ($0, []) } + ofRanges + ofEnds + [
            sources("source_sample_id", "sample_relationships", between("observation_id")),
            (linkRows, []), linkChanges(hasAlike: hasAlike),
        ]
    }

    private static let emptyLinkTables = [
        "CREATE TEMP TABLE IF NOT EXISTS link_sources(sample_id PRIMARY KEY) WITHOUT ROWID",
        """
        CREATE TEMP TABLE IF NOT EXISTS link_rows(source_id, target_id, kind, observation_id, id, metadata_id,
            is_end, replaces)
        """,
        // The number is the place among the links of a sample.
        "CREATE TEMP TABLE IF NOT EXISTS link_changes(place INTEGER PRIMARY KEY, source_id, before_id, after_id)",
        "DELETE FROM temp.link_sources", "DELETE FROM temp.link_rows", "DELETE FROM temp.link_changes",
    ]

    /// All rows of the links of these sources; `replaces` says whether a row replaces those before it.
    private var linkRows: String {
        let replaces =
            records.hasCaptureFacts ? "e.observation_id IN (SELECT observation_id FROM observation_facts)" : "0"
        let ends = """
             UNION ALL SELECT e.source_sample_id, e.target_sample_id, e.relationship_kind, e.observation_id, NULL, NULL,
                1, 1 FROM temp.link_sources s CROSS JOIN relationship_ends e ON e.source_sample_id = s.sample_id
            """
        return """
            INSERT INTO temp.link_rows SELECT e.source_sample_id, e.target_sample_id, e.relationship_kind,
                e.observation_id, e.id, e.metadata_id, 0, \(replaces) \
            FROM temp.link_sources s CROSS JOIN sample_relationships e ON e.source_sample_id = s.sample_id \
            \(records.hasCaptureFacts ? ends : "")
            """
    }

    /// Returns the query for each link's newest row that is current at either observation, and for what differs.
    private func linkChanges(hasAlike: Bool) -> (sql: String, parameters: [Parameter]) {
        let (atFrom, atTo) = (
            records.isKnown("observation_id", at: records.from),
            records.isKnown("observation_id", at: records.scope.observationID)
        )
        func latest(_ known: String) -> String {
            "max(CASE WHEN replaces AND \(known) THEN observation_id END) OVER link"
        }
        func isCurrent(_ known: String, _ latest: String) -> String {
            "NOT is_end AND (observation_id IS NULL "
                + "OR (\(known) AND observation_id >= ifnull(\(latest), observation_id)))"
        }
        func newest(_ isCurrent: String) -> String {
            """
            CASE WHEN \(isCurrent) AND row_number() OVER (PARTITION BY source_id, target_id, kind, \(isCurrent)
                ORDER BY observation_id DESC, id DESC) = 1 THEN id END
            """
        }
        func visible(_ id: String, _ observation: Int64) -> String {
            let ends = ["source_id", "target_id"].map { end in
                "EXISTS (SELECT 1 FROM sample_visibility_ranges r WHERE r.sample_id = l.\(end) "
                    + "AND \(records.isVisible("r", at: observation)))"
            }
            return "CASE WHEN \(id) IS NOT NULL AND \(ends.joined(separator: " AND ")) THEN \(id) END"
        }
        let (conditions, parameters) = records.selection()
        let isSelected = """
             AND EXISTS (SELECT 1 FROM sample_visibility_ranges r LEFT JOIN sample_versions v ON v.id = r.version_id
                WHERE r.sample_id = k.source_id AND ((\(records.isVisible("r", at: records.from)))
                OR (\(records.isVisible("r", at: records.scope.observationID))))\(conditions))
            """
        let sql = """
            WITH ranked AS (SELECT *, \(latest(atFrom)) AS f, \(latest(atTo)) AS t FROM temp.link_rows
                WINDOW link AS (PARTITION BY source_id, target_id, kind)),
            stated AS (SELECT *, \(isCurrent(atFrom, "f")) AS at_from, \(isCurrent(atTo, "t")) AS at_to FROM ranked),
            newest AS (SELECT source_id, target_id, kind, \(newest("at_from")) AS b, \(newest("at_to")) AS a
                FROM stated),
            links AS (SELECT source_id, target_id, kind, max(b) AS b, max(a) AS a FROM newest
                GROUP BY source_id, target_id, kind),
            sides AS (SELECT source_id, target_id, kind, \(visible("b", records.from)) AS b,
                \(visible("a", records.scope.observationID)) AS a FROM links l),
            \(hasAlike ? AlikeRecords.sameLinks : "")
            changed AS (SELECT * FROM \(hasAlike ? "same" : "sides") WHERE (b IS NULL) <> (a IS NULL)
                OR (SELECT metadata_id FROM sample_relationships WHERE id = b)
                IS NOT (SELECT metadata_id FROM sample_relationships WHERE id = a)) \
            INSERT INTO temp.link_changes(source_id, before_id, after_id) SELECT k.source_id, k.b, k.a
                FROM changed k LEFT JOIN samples s ON s.id = k.source_id LEFT JOIN samples o ON o.id = k.target_id
                LEFT JOIN sample_types t ON t.id = o.sample_type_id \
            WHERE (\(linkKinds.joined(separator: " OR ")))\(conditions.isEmpty ? "" : isSelected) \
            ORDER BY hp_text(k.kind), hp_text(t.type_identifier), hp_text(o.sample_uuid_hash, o.strict_fingerprint),
                ifnull(k.b, k.a)
            """
        return (sql, parameters)
    }

    /// The rows of changed links: each with its source's sample and no version. It goes behind the changes.
    var changedLinks: String {
        func row(_ version: String, isLeading: Bool) -> String {
            RecordSource(
                kind: "\(RowBatch.Kind.link.rawValue)", sampleID: "k.source_id", versionID: "NULL", version: version,
                beside: isLeading ? .link : .nothing, place: "k.place", placeRow: "0"
            ).sql
        }
        return """
             UNION ALL SELECT \(row("v", isLeading: true)), \(row("w", isLeading: false)) FROM temp.link_changes k
                LEFT JOIN samples s ON s.id = k.source_id LEFT JOIN sample_versions v ON v.id = NULL
                LEFT JOIN sample_versions w ON w.id = NULL
            """
    }
}

/// The SQL of pairs: the records that disappeared and appeared, and where what is found of them is kept.
extension ChangeQuery {
    /// The numbers of records that appeared and disappeared, once the tables of the changes exist: kind, count.
    static let oneSidedCounts =
        "SELECT kind, count(*) FROM (\(onOneSide(.appeared)) UNION ALL \(onOneSide(.disappeared))) GROUP BY kind"

    /// The numbers of samples that are visible at the one observation, at the other, and at both.
    static let standing = """
        SELECT sum(is_before), sum(is_after), sum(is_before AND is_after) FROM (
            SELECT max(is_before) AS is_before, max(is_after) AS is_after FROM temp.change_sides GROUP BY sample_id)
        """

    /// The pair that a record is in: its kind and its keys, as `PairMark` has them.
    static let pairMarks = [
        "CREATE TEMP TABLE IF NOT EXISTS pair_marks(sample_id, version_id, kind, keys, outcome, "
            + "PRIMARY KEY (sample_id, version_id)) WITHOUT ROWID",
        "DELETE FROM temp.pair_marks",
    ]

    static let insertPairMark = "INSERT OR IGNORE INTO temp.pair_marks VALUES (?1, ?2, ?3, ?4, ?5)"

    /// Returns the records of these kinds that the filter selects, of samples with one version on their side, as
    /// `PairColumn`.
    func pairRecords(_ kinds: [RowBatch.Kind]) -> (sql: String, parameters: [Parameter]) {
        let (conditions, parameters) = records.selection()
        let sides = kinds.map(Self.onOneSide).joined(separator: " UNION ALL ")
        return (
            """
            SELECT p.kind, s.sample_type_id, p.sample_id, p.version_id, v.start_date, v.end_date, v.numeric_value,
                v.duration_seconds, v.category_value, v.workout_activity_type, v.value_kind, v.unit,
                o.bundle_identifier, c.product_type, o.source_name_hash, s.sample_uuid_hash, s.strict_fingerprint,
                v.payload_hash, v.source_revision_id IS NOT NULL AND o.id IS NULL, v.metadata_id \
            FROM (\(sides)) p \
            CROSS JOIN samples s ON s.id = p.sample_id CROSS JOIN sample_versions v ON v.id = p.version_id \
            LEFT JOIN source_revisions c ON c.id = v.source_revision_id LEFT JOIN sources o ON o.id = c.source_id \
            WHERE NOT EXISTS (SELECT 1 FROM temp.change_sides x WHERE x.sample_id = p.sample_id
                AND x.version_id IS NOT p.version_id)\(conditions)
            """, parameters
        )
    }
}
