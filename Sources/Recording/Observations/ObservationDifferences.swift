internal import Archive
internal import SQLite

/// What of an observation that is sent again is not as it was captured before (`Spec/capture.md`, "Sent again").
public struct ObservationDifferences: Sendable {
    /// Sample types in which there would be events.
    public private(set) var types: [String] = []
    /// Samples with an event of the observation that were not sent.
    public private(set) var missing = 0

    /// Looks at what a comparison wrote, before it is rolled back.
    ///
    /// - Parameters:
    ///   - last: the last event before the comparison.
    ///   - hasMissing: whether all samples that were sent stand among those that were seen; members of a correlation
    ///     do not.
    static func find(_ id: Int64, after last: Int64, hasMissing: Bool, _ connection: borrowing Connection)
        throws(ArchiveError) -> ObservationDifferences
    {
        var differences = ObservationDifferences()
        var types = try connection.prepare(
            """
            SELECT DISTINCT type_identifier FROM sample_observation_events e JOIN samples s ON s.id = e.sample_id \
            JOIN sample_types t ON t.id = s.sample_type_id WHERE e.id > \(last) ORDER BY 1
            """)
        while try types.step() { differences.types.append(types.text(0) ?? "") }
        guard hasMissing else { return differences }
        differences.missing = Int(
            try connection.integer(
                """
                SELECT count(DISTINCT sample_id) FROM sample_observation_events e WHERE observation_id = \(id) \
                AND event_kind IN ('appeared', 'representation_changed') AND NOT EXISTS
                    (SELECT 1 FROM temp.seen n WHERE n.sample_id = e.sample_id)
                """) ?? 0)
        return differences
    }
}
