/// The SQL of comparisons: what was visible on each side, and the changes as plain columns.
extension RecordQuery {
    /// Columns of a version that comparisons look at, as `ComparedVersion` reads them.
    private func compared(_ version: String) -> String {
        "\(version).start_date, \(version).end_date, "
            + "\(version).numeric_value, \(version).unit, \(version).source_revision_id"
    }

    /// Every pair of a sample and a version that is visible at either observation, a row per range: type, two
    /// flags, the ids, the version. Rows of a pair follow each other.
    func visibleOnEitherSide() -> (sql: String, parameters: [Parameter]) {
        let (before, after) = (
            isVisible("r", at: scope.fromObservationID ?? scope.observationID), isVisible("r", at: scope.observationID)
        )
        let (conditions, parameters) = selection()
        return (
            """
            SELECT s.sample_type_id, \(before), \(after), r.sample_id, r.version_id, \(compared("v"))
                FROM sample_visibility_ranges r LEFT JOIN samples s ON s.id = r.sample_id \
            LEFT JOIN sample_versions v ON v.id = r.version_id WHERE ((\(before)) OR (\(after)))\(conditions)
                ORDER BY r.sample_id, r.version_id
            """, parameters
        )
    }

    /// The changes, once their tables are there, by type and start of the leading version: type, kind, whether the
    /// sample has more than two versions in it, the ids, leading and other version.
    func comparedChanges() -> (sql: String, parameters: [Parameter]) {
        let (leading, parameters) = selection()
        let (other, otherParameters) = selection(version: "w")
        return (
            """
            SELECT s.sample_type_id, p.kind, p.kind = \(RowBatch.Kind.representationChanged.rawValue)
                AND (SELECT count(*) FROM temp.change_sides x
                WHERE x.sample_id = p.sample_id) > 2, p.sample_id, p.version_id, p.other_id, \
            \(compared("v")), \(compared("w")) FROM (\(changePairs())) p LEFT JOIN samples s ON s.id = p.sample_id \
            LEFT JOIN sample_versions v ON v.id = p.version_id LEFT JOIN sample_versions w ON w.id = p.other_id \
            WHERE ((1\(leading)) OR (p.kind = \(RowBatch.Kind.representationChanged.rawValue)\(other)))
                ORDER BY hp_order(s.sample_type_id, v.start_date), v.end_date
            """, parameters + otherParameters
        )
    }
}
