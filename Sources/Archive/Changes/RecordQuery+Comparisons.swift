/// The SQL of comparisons: what was visible on each side, and the changes as plain columns.
extension RecordQuery {
    /// Columns of a version that comparisons look at, as `VersionReader` reads them.
    func compared(_ version: String) -> String {
        "\(version).start_date, \(version).end_date, \(version).numeric_value, \(version).unit, "
            + "\(version).source_revision_id, \(version).category_value, \(version).workout_activity_type, "
            + "\(version).duration_seconds"
    }

    /// Every pair of a sample and a version that is visible at either observation, a row per range: type, two
    /// flags, the ids, the version, its metadata, whether the filter selects it, the observation that saw the sample
    /// first. Rows of a sample, and of a pair, follow each other.
    ///
    /// - Parameters:
    ///   - isSliced: whether two more parameters bound the ids of the samples.
    ///   - more: columns behind these, of sample `s` and version `v`, each with a comma before it.
    func visibleOnEitherSide(isSliced: Bool, more: String = "") -> (sql: String, parameters: [Parameter]) {
        let (before, after) = (
            isVisible("r", at: scope.fromObservationID ?? scope.observationID), isVisible("r", at: scope.observationID)
        )
        let (conditions, parameters) = selection()
        // What a sign stands before, no index is used for.
        let sign = areTypesRare ? "" : "+"
        let ofType =
            typeIDs.map { " AND \(sign)s.sample_type_id IN (\($0.map(String.init).joined(separator: ",")))" } ?? ""
        let slice = isSliced ? " AND r.sample_id >= ? AND r.sample_id < ? + 1" : ""
        return (
            """
            SELECT s.sample_type_id, \(before), \(after), r.sample_id, r.version_id, \(compared("v")),
                v.metadata_id, 1\(conditions), s.first_seen_observation_id\(more)
                FROM sample_visibility_ranges r LEFT JOIN samples s ON s.id = r.sample_id \
            LEFT JOIN sample_versions v ON v.id = r.version_id WHERE ((\(before)) OR (\(after)))\(ofType)\(slice)
                ORDER BY r.sample_id, r.version_id
            """, parameters
        )
    }

    /// The changes, once their tables are there: type, kind, whether the sample has more than two versions in it, the
    /// ids, the observation that saw the sample first, leading and other version, and the metadata of the two.
    func comparedChanges() -> (sql: String, parameters: [Parameter]) {
        let (leading, parameters) = selection()
        let (other, otherParameters) = selection(version: "w")
        return (
            """
            SELECT s.sample_type_id, p.kind, \(isChanged) AND (SELECT count(*) FROM temp.change_sides x
                WHERE x.sample_id = p.sample_id) > 2, p.sample_id, p.version_id, p.other_id,
                s.first_seen_observation_id, \(compared("v")), \(compared("w")), v.metadata_id, w.metadata_id
                FROM (\(changePairs())) p LEFT JOIN samples s ON s.id = p.sample_id \
            LEFT JOIN sample_versions v ON v.id = p.version_id LEFT JOIN sample_versions w ON w.id = p.other_id \
            WHERE ((1\(leading)) OR (\(isChanged)\(other)))
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

    /// What windows are labelled, by the first of their changes: windows are whole stretches of the changes in their
    /// order. The changes without dates of a type have no start, and come first.
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

    /// The spans of the workouts that are visible at the observation, by start.
    func workouts() -> String {
        """
        SELECT v.start_date, v.end_date FROM sample_types t CROSS JOIN samples s ON s.sample_type_id = t.id
            CROSS JOIN sample_visibility_ranges r ON r.sample_id = s.id
            CROSS JOIN sample_versions v ON v.id = r.version_id \
        WHERE t.type_identifier = 'HKWorkoutTypeIdentifier' AND \(isVisible("r", at: scope.observationID))
            ORDER BY v.start_date
        """
    }

    /// The first observation of the chain with a completed run, by type: type, id, moment.
    func firstRuns() -> String {
        """
        SELECT f.sample_type_id, f.id, o.observed_at FROM (SELECT sample_type_id, min(observation_id) AS id
            FROM observation_type_runs WHERE status = 'completed' \
        AND \(isKnown("observation_id", at: max(scope.fromObservationID ?? 0, scope.observationID)))
            GROUP BY sample_type_id) f JOIN observations o ON o.id = f.id
        """
    }
}
