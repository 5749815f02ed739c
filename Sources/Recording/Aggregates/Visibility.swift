/// Where ranges are visible, in SQL.
enum Visibility {
    /// Whether a range `r` is visible at an observation of its chain.
    static func at(_ observation: String) -> String {
        "r.first_observation_id <= \(observation) AND "
            + "(r.last_observation_id IS NULL OR r.last_observation_id > \(observation))"
    }
}
