internal import Archive
internal import Format
internal import SQLite
internal import Timestamps

/// Which rows a header speaks of (`Spec/items.md`, `Spec/bundle.md`, Header), as conditions on rows. Written apart from
/// the queries that exports are made with.
struct EvidenceScope: Sendable {
    private let observation: Int64
    private let types: [String]?
    private let sources, sourceNames: [String]?
    private let since, until: Double?
    private let isOverlapping: Bool

    /// The scope of a header; nil where what its items are made of is not looked at here.
    init?(_ header: HeaderFacts) {
        guard header.items == .record, header.mode == "point_in_time", !header.isWithRelated else { return nil }
        observation = header.observationID
        types = header.sampleTypes.map { $0.map { String(decoding: $0, as: UTF8.self) } }
        sources = header.sources.map { $0.map { String(decoding: $0, as: UTF8.self) } }
        sourceNames = header.sourceNames.map { $0.map { String(decoding: $0, as: UTF8.self) } }
        since = header.since?.unixSeconds
        until = header.until?.unixSeconds
        isOverlapping = header.isOverlapping
    }

    /// The observation.
    var id: Int64 { observation }

    private var hasDates: Bool { since != nil || until != nil }

    /// A condition on an observation that a row names: it counts.
    func counts(_ column: String) -> String {
        // Most archives have one chain: whether there are others is asked once, not for every row.
        let ofOthers = """
            FROM observations WHERE device_chain_id <>
                (SELECT device_chain_id FROM observations WHERE id = \(observation))
            """
        return "(\(column) <= \(observation) AND (NOT EXISTS (SELECT 1 \(ofOthers)) "
            + "OR \(column) NOT IN (SELECT id \(ofOthers))))"
    }

    /// A condition on a range: it is visible.
    func isVisible(_ range: String) -> String {
        "(\(counts("\(range).first_observation_id")) AND (\(range).last_observation_id IS NULL "
            + "OR \(range).last_observation_id > \(observation)))"
    }

    /// A condition on sample `s` and version `v` of range `r`: the filter selects them. Values are bound behind it.
    private var selection: (sql: String, values: [Parameter]) {
        var conditions: [String] = []
        var values: [Parameter] = []
        func list(_ texts: [String]) -> String {
            values += texts.map { .text($0) }
            return texts.map { _ in "?" }.joined(separator: ",")
        }
        if let types {
            conditions.append(
                "s.sample_type_id IN (SELECT id FROM sample_types WHERE type_identifier IN (\(list(types))))")
        }
        func isDate(_ column: String) -> String { "typeof(\(column)) IN ('integer', 'real')" }
        if let since {
            var starts = "(v.start_date >= ? AND \(isDate("v.start_date")))"
            values.append(.real(since))
            if isOverlapping {
                starts = "(\(starts) OR (v.end_date > ? AND \(isDate("v.end_date"))))"
                values.append(.real(since))
            }
            conditions.append(starts)
        }
        if let until {
            conditions.append("v.start_date < ?")
            values.append(.real(until))
        }
        if hasDates { conditions.append("v.sample_id = r.sample_id") }
        for (column, texts) in [("bundle_identifier", sources), ("source_name_hash", sourceNames)] {
            guard let texts else { continue }
            conditions.append(
                """
                v.source_revision_id IN (SELECT sr.id FROM source_revisions sr JOIN sources so ON so.id = sr.source_id
                    WHERE so.\(column) IN (\(list(texts))))
                """)
        }
        return (conditions.map { " AND \($0)" }.joined(), values)
    }

    /// A statement for the ranges that count, with sample `s` and version `v` where these are.
    ///
    /// - Parameter sample: of this sample alone, as the first parameter; else in the order of rows, of ranges where
    ///   nothing but sources is filtered, of versions or samples where dates or types are.
    func ranges(_ columns: String, ofSample: Bool = false) -> (sql: String, values: [Parameter]) {
        let (conditions, values) = selection
        let tables =
            if ofSample {
                "sample_visibility_ranges r LEFT JOIN samples s ON s.id = r.sample_id "
                    + "LEFT JOIN sample_versions v ON v.id = r.version_id WHERE r.sample_id = ?1 AND"
            } else if types != nil {
                "samples s CROSS JOIN sample_visibility_ranges r LEFT JOIN sample_versions v ON v.id = r.version_id "
                    + "WHERE r.sample_id = s.id AND"
            } else if hasDates {
                "sample_versions v CROSS JOIN sample_visibility_ranges r LEFT JOIN samples s ON s.id = r.sample_id "
                    + "WHERE r.sample_id = v.sample_id AND r.version_id = v.id AND"
            } else {
                "sample_visibility_ranges r NOT INDEXED LEFT JOIN samples s ON s.id = r.sample_id "
                    + "LEFT JOIN sample_versions v ON v.id = r.version_id WHERE"
            }
        return ("SELECT \(columns) FROM \(tables) \(isVisible("r"))\(conditions)", values)
    }

    /// A statement for the relationships that count: those that a later row of a capture neither replaced nor ended.
    ///
    /// - Parameter hasFacts: whether the archive says which links ended.
    func relationships(_ columns: String, hasFacts: Bool) -> String {
        var sql = "SELECT \(columns) FROM sample_relationships e NOT INDEXED WHERE "
        sql += "(e.observation_id IS NULL OR \(counts("e.observation_id")))"
        guard hasFacts else { return sql }
        let isLaterOfSame = """
            x.source_sample_id = e.source_sample_id AND x.target_sample_id = e.target_sample_id
            AND x.relationship_kind = e.relationship_kind AND x.observation_id > e.observation_id
            AND \(counts("x.observation_id"))
            """
        return sql + """
             AND NOT EXISTS (SELECT 1 FROM relationship_ends x WHERE \(isLaterOfSame))
            AND NOT EXISTS (SELECT 1 FROM sample_relationships x JOIN observation_facts f
                ON f.observation_id = x.observation_id WHERE \(isLaterOfSame))
            """
    }
}
