internal import Derivation

/// The end of a visibility range, with the moment at which its record was last seen.
enum RangeEnd {
    /// Returns the SQL that ends ranges at an observation; the condition is to follow.
    static func update(_ observationID: Int64, chainID: Int64) -> String {
        let range = "sample_visibility_ranges"
        let moment = LastSeen.moment(
            sample: "\(range).sample_id", chain: "\(chainID)", first: "\(range).first_observation_id",
            firstSeenAt: "\(range).first_seen_at", last: "\(observationID)")
        return "UPDATE \(range) SET last_observation_id = \(observationID), last_seen_at = \(moment)"
    }
}
