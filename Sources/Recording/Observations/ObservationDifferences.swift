internal import Archive
internal import SQLite

/// What of an observation that is sent again is not as it was captured before (`Spec/capture.md`, "Sent again").
public struct ObservationDifferences: Sendable {
    /// What the observation brought and what was not sent, of one sample type.
    public struct Missing: Sendable {
        /// `records`, `deletions` or `relationships`.
        public let what: String
        public let type: String
        public let count: Int
    }

    /// Sample types in which there would be events.
    public private(set) var types: [String] = []
    /// The first that is missing.
    public private(set) var missing: Missing?

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
        let events = "sample_observation_events e WHERE observation_id = \(id) AND event_kind"
        var parts: [(what: String, samples: String)] = []
        if hasMissing {
            parts = [
                (
                    "records",
                    "SELECT DISTINCT sample_id FROM \(events) IN ('appeared', 'representation_changed') "
                        + "AND NOT \(SeenSamples.isSeen("e.sample_id"))"
                ),
                (
                    "deletions",
                    "SELECT sample_id FROM \(events) = 'disappeared' AND evidence_kind = 'deleted_object' "
                        + "AND NOT EXISTS (SELECT 1 FROM temp.deletions_sent n WHERE n.sample_id = e.sample_id)"
                ),
            ]
        }
        parts.append(
            (
                "relationships",
                "SELECT source_sample_id AS sample_id FROM sample_relationships r WHERE observation_id = \(id) "
                    + "AND NOT EXISTS (SELECT 1 FROM temp.seen_links l WHERE l.id = r.id)"
            ))
        for part in parts where differences.missing == nil {
            differences.missing = try Self.missing(part.what, of: part.samples, connection)
        }
        return differences
    }

    private static func missing(_ what: String, of samples: String, _ connection: borrowing Connection)
        throws(ArchiveError) -> Missing?
    {
        var rows = try connection.prepare(
            """
            SELECT type_identifier, count(*) FROM (\(samples)) m JOIN samples s ON s.id = m.sample_id \
            JOIN sample_types t ON t.id = s.sample_type_id GROUP BY 1 ORDER BY 1 LIMIT 1
            """)
        guard try rows.step() else { return nil }
        return Missing(what: what, type: rows.text(0) ?? "", count: Int(rows.integer(1) ?? 0))
    }
}
