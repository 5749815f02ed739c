public import Archive
internal import SQLite

/// The contents of an observation, for whoever captured it: its date, and the summaries of each type.
public struct ObservationSummary: Sendable {
    /// A moment, and how far the local time of its observation was ahead of UTC, both in seconds.
    public struct LocalMoment: Sendable, Equatable {
        public let seconds: Double
        public let offset: Int64
    }

    /// The counts in the summaries of a type.
    public struct TypeCounts: Sendable, Equatable {
        /// The identifier of the type.
        public let type: [UInt8]
        public let visible, appeared, changed, disappeared: Int
    }

    /// When it was made.
    public let date: LocalMoment
    /// When the finished observation before it on its chain was made; nil if it is the first.
    public let dateBefore: LocalMoment?
    /// The types that were or are visible, sorted by identifier.
    public let types: [TypeCounts]

    /// All visible records.
    public var visible: Int { types.reduce(0) { $0 + $1.visible } }
}

extension Archive {
    /// Returns the summary of an observation.
    ///
    /// - Complexity: the number of its types.
    public func summary(of observation: Int64) throws(ArchiveError) -> ObservationSummary {
        func date(_ condition: String) throws(ArchiveError) -> ObservationSummary.LocalMoment? {
            var row = try connection.prepare(
                "SELECT o.observed_at, o.time_zone_seconds_from_gmt FROM observations o WHERE \(condition)")
            row.bind(1, observation)
            guard try row.step(), let seconds = row.real(0) else { return nil }
            return ObservationSummary.LocalMoment(seconds: seconds, offset: row.exactInteger(1) ?? 0)
        }
        var rows = try connection.prepare(
            """
            SELECT t.type_identifier, s.visible_record_count, s.appeared_count, s.representation_changed_count,
                s.disappeared_count
            FROM observation_type_summaries s JOIN sample_types t ON t.id = s.sample_type_id
            WHERE s.observation_id = ?1
                AND s.visible_record_count + s.appeared_count + s.representation_changed_count + s.disappeared_count > 0
            ORDER BY t.type_identifier
            """)
        rows.bind(1, observation)
        var types: [ObservationSummary.TypeCounts] = []
        while try rows.step() {
            func count(_ column: Int32) -> Int { Int(rows.exactInteger(column) ?? 0) }
            types.append(
                ObservationSummary.TypeCounts(
                    type: rows.bytes(0), visible: count(1), appeared: count(2), changed: count(3),
                    disappeared: count(4)))
        }
        return ObservationSummary(
            date: try date("o.id = ?1") ?? ObservationSummary.LocalMoment(seconds: 0, offset: 0),
            dateBefore: try date(
                """
                o.id = (SELECT max(p.id) FROM observations p
                    JOIN observations n ON p.device_chain_id = n.device_chain_id
                    WHERE n.id = ?1 AND p.id < ?1 AND p.status NOT IN ('running', 'started'))
                """), types: types)
    }
}
