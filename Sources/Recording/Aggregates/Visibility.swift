/// Where ranges are visible, in SQL.
enum Visibility {
    /// The ranges that are visible at an observation of their chain, as a table in SQL.
    ///
    /// What a condition with OR finds by two indexes, SQLite notes in memory, 24 bytes a row, so as to find no row
    /// twice. No range is in both halves of this.
    static func ranges(at observation: String) -> String {
        let begun =
            "SELECT sample_id, version_id, first_observation_id FROM sample_visibility_ranges "
            + "WHERE first_observation_id <= \(observation) AND last_observation_id"
        return "(\(begun) IS NULL UNION ALL \(begun) > \(observation))"
    }

    /// The ranges that are visible at the newest observation of their chain, as a table in SQL.
    static let newestRanges =
        "(SELECT sample_id, version_id, first_observation_id FROM sample_visibility_ranges "
        + "WHERE last_observation_id IS NULL)"
}
