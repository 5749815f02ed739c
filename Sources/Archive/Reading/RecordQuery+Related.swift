internal import SQLite

/// Which samples the selected ones are linked to (`Spec/bundle.md`, `with_related`).
extension RecordQuery {
    /// Statements that gather, in a temporary table, the selected samples and those that they are linked to, over any
    /// number of links. A link counts as it does in an item of the same scope, and leads to what is visible.
    ///
    /// - Parameter lead: which table leads to the selected ones.
    func relatedTables(lead: Lead) -> [(sql: String, parameters: [Parameter])] {
        let (conditions, parameters) = selection()
        func next(from end: String, to other: String) -> String {
            """
            SELECT e.\(other) FROM linked l CROSS JOIN sample_relationships e ON e.\(end) = l.id \
            WHERE \(counts("e")) AND EXISTS (SELECT 1 FROM sample_visibility_ranges x \
            WHERE x.sample_id = e.\(other) AND \(isVisible("x", at: scope.observationID)))
            """
        }
        return [
            ("CREATE TEMP TABLE IF NOT EXISTS related_samples(sample_id PRIMARY KEY) WITHOUT ROWID", []),
            ("DELETE FROM temp.related_samples", []),
            (
                """
                INSERT OR IGNORE INTO temp.related_samples WITH RECURSIVE linked(id) AS (\
                SELECT r.sample_id FROM \(join(lead)) \(isVisible("r", at: scope.observationID))\(conditions) \
                UNION \(next(from: "source_sample_id", to: "target_sample_id")) \
                UNION \(next(from: "target_sample_id", to: "source_sample_id"))) SELECT id FROM linked
                """, parameters
            ),
        ]
    }

    /// A condition on range `r`: it is visible, and selected or of a sample that has a link to another of the table.
    func withRelated(_ conditions: String) -> String {
        func isLinked(_ end: String, to other: String) -> String {
            """
            EXISTS (SELECT 1 FROM sample_relationships e JOIN temp.related_samples h ON h.sample_id = e.\(other) \
            WHERE e.\(end) = r.sample_id AND \(counts("e")))
            """
        }
        return isVisible("r", at: scope.observationID) + " AND ((1\(conditions)) OR "
            + isLinked("source_sample_id", to: "target_sample_id") + " OR "
            + isLinked("target_sample_id", to: "source_sample_id") + ")"
    }

    /// A condition on a row of relationships: it is known, and nothing ended or replaced it.
    private func counts(_ link: String) -> String {
        "(\(link).observation_id IS NULL OR \(isKnown("\(link).observation_id"))) \(isCurrent(link))"
    }
}
