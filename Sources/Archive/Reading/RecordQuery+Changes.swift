/// The SQL that finds and orders the changes between two observations (`Spec/changes.md`).
///
/// Only a range that began or ended after the older observation and up to the newer one can make a difference: the
/// two indexes on ranges lead to these, and everything else costs nothing. Between two chains every range can.
///
///     change_candidates   samples with such a range
///     change_sides        their visible versions: which at the one observation, which at the other
///     changes             pairs of a version before and a version after
extension RecordQuery {
    /// The scope's observations.
    func hasObservation() -> String {
        switch scope.mode {
        case .history: isKnown("id")
        case .pointInTime: "id = \(scope.observationID)"
        case .changes: "id IN (\(scope.fromObservationID ?? scope.observationID), \(scope.observationID))"
        }
    }

    var from: Int64 { scope.fromObservationID ?? scope.observationID }
    var older: Int64 { min(from, scope.observationID) }
    var newer: Int64 { max(from, scope.observationID) }

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
            typeIDs.map {
                " AND sample_id IN (SELECT id FROM samples "
                    + "WHERE sample_type_id IN (\($0.map(String.init).joined(separator: ","))))"
            } ?? ""
        func candidates(_ condition: String) -> String {
            "INSERT OR IGNORE INTO temp.change_candidates SELECT sample_id FROM sample_visibility_ranges "
                + "WHERE \(condition)\(ofType)"
        }
        // What began before both observations tells two chains apart no less than what began between them.
        let looked =
            fromChainID == nil
            ? ["first_observation_id", "last_observation_id"].map { "\($0) > \(older) AND \($0) <= \(newer)" }
            : ["first_observation_id <= \(newer)"]
        return Self.emptyChangeTables + looked.map(candidates) + changeSides
    }

    /// Statements that find the visible versions of the candidates.
    var changeSides: [String] {
        let (before, after) = (isVisible("r", at: from), isVisible("r", at: scope.observationID))
        return [
            """
            INSERT INTO temp.change_sides SELECT c.sample_id, r.version_id, max(\(before)), max(\(after))
                FROM temp.change_candidates c CROSS JOIN sample_visibility_ranges r \
            ON r.sample_id = c.sample_id WHERE (\(before)) OR (\(after)) GROUP BY c.sample_id, r.version_id
            """,
            // All columns: whether another version stands on a side is then told by the index alone.
            "CREATE INDEX temp.change_sides_sample ON change_sides(sample_id, is_before, is_after, version_id)",
        ]
    }

    // MARK: Changes that are near each other

    /// Makes candidates of the samples with a range that ended between the two observations.
    var endedCandidates: String {
        "INSERT OR IGNORE INTO temp.change_candidates SELECT sample_id FROM sample_visibility_ranges "
            + "WHERE last_observation_id > \(older) AND last_observation_id <= \(newer)"
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
        WHERE r.first_observation_id > \(older) AND \(isVisible("r", at: newer))
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

    /// The statement for the changes, once their tables are there: the leading version's row, and the row of the
    /// version after where there are two.
    func changes() -> (sql: String, parameters: [Parameter]) {
        let (leading, parameters) = selection()
        let (other, otherParameters) = selection(version: "w")
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

    /// Whether changes of a kind may be selected.
    private func isWanted(_ kind: ChangeKind) -> Bool {
        guard let wanted = scope.changes else { return true }
        return wanted.contains { $0.kind == kind }
            || kind != .representationChanged && wanted.contains(.reIdentified)
    }

    /// What the scope selects beyond the kinds: by pair and by label.
    private var isSelected: String {
        var conditions = ""
        if let wanted = scope.changes, wanted.contains(.reIdentified) {
            let kinds = wanted.compactMap { $0.kind.map { String(RowBatch.Kind(of: $0).rawValue) } }
            conditions +=
                " AND (p.kind IN (\(kinds.joined(separator: ","))) OR q.kind = \(Pair.Kind.reIdentified.rawValue))"
        }
        if let labels = scope.labels {
            conditions += " AND l.label IN (\(labels.map { "'\($0.rawValue)'" }.joined(separator: ",")))"
        }
        return conditions
    }

    /// Changes of these kinds: sample, leading version, other version, kind.
    func changePairs(_ kinds: [ChangeKind] = ChangeKind.allCases) -> String {
        let none = "SELECT NULL AS sample_id, NULL AS version_id, NULL AS other_id, NULL AS kind WHERE 0"
        return kinds.isEmpty ? none : kinds.map(pairs).joined(separator: " UNION ALL ")
    }

    /// What appeared, or disappeared: a row per version.
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

    /// The last numbers of the front tell changes with the same leading version apart.
    private func changeRow(version: String, id: String, isLeading: Bool = false) -> String {
        RecordSource(
            kind: "p.kind", sampleID: "p.sample_id", versionID: id, version: version,
            beside: isLeading ? .change : .nothing,
            place: otherRank, placeRow: "p.other_id"
        ).sql
    }

    /// The events of sample ?1 after the older observation and up to the newer one.
    func changeEvents() -> String {
        """
        SELECT event_kind, evidence_kind, observation_id, observed_at FROM sample_observation_events \
        WHERE sample_id = ?1 AND observation_id > \(older) AND \(isKnown("observation_id", at: newer))
        """
    }
}
