/// The SQL of findings.
extension RecordQuery {
    /// As `visibleOnEitherSide`, and behind its columns what findings look at: payload hash, semantic fingerprint,
    /// when the sample was first seen, its identities, whether the observation that saw it first is known at the newer
    /// one, the ids of the rows of the version and of the sample.
    func visibleWithFindings(isSliced: Bool) -> (sql: String, parameters: [Parameter]) {
        let newer = max(scope.fromObservationID ?? 0, scope.observationID)
        return visibleOnEitherSide(
            isSliced: isSliced,
            more: ", v.payload_hash, s.semantic_fingerprint, s.first_seen_at, s.sample_uuid_hash, "
                + "s.strict_fingerprint, \(isKnown("s.first_seen_observation_id", at: newer)), v.id, s.id")
    }
}
