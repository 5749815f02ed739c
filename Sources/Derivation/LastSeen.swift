package import Archive
internal import SQLite

/// When a record was seen last before the observation that ended its range (`Spec/capture.md`, "Ranges").
package struct LastSeen: ~Copyable {
    private var rows: Statement

    /// Makes it of a statement of `query`.
    package init(_ rows: consuming Statement) { self.rows = rows }

    /// Returns a range that follows from events with the moment at which its record was seen last.
    package mutating func resolved(_ range: VisibilityRange) throws(ArchiveError) -> VisibilityRange {
        guard let last = range.last else { return range }
        rows.bind(1, range.key.sample)
        rows.bind(2, range.key.chain)
        rows.bind(3, range.key.first)
        rows.bind(4, last)
        rows.bind(5, range.firstSeenAt)
        rows.bind(6, range.lastSeenAt)
        defer { rows.reset() }
        let moment = try rows.step() ? rows.real(0) : range.lastSeenAt
        return VisibilityRange(
            key: range.key, version: range.version, last: last, firstSeenAt: range.firstSeenAt, lastSeenAt: moment,
            row: range.row)
    }

    /// Returns the statement: sample, chain, first and last observation, the moments of the event that begins the range
    /// and of the one that ends it. What another engine ended has its word.
    package static func query(hasFacts: Bool) -> String {
        let moment = Self.moment(sample: "?1", chain: "?2", first: "?3", firstSeenAt: "?5", last: "?4")
        guard hasFacts else { return "SELECT ?6" }
        return """
            SELECT CASE WHEN EXISTS (SELECT 1 FROM observation_facts WHERE observation_id = ?4) THEN \(moment)
                ELSE ?6 END
            """
    }

    /// Returns the moment in SQL: that of the newest observation between the two that saw what is there of the type.
    /// Such an observation is a completed full scan or one that continued what was known. Those from which on the
    /// sample was withheld are excluded.
    package static func moment(sample: String, chain: String, first: String, firstSeenAt: String, last: String)
        -> String
    {
        """
        coalesce((SELECT o.observed_at FROM observation_type_runs u JOIN observations o ON o.id = u.observation_id
            LEFT JOIN type_run_facts f ON f.type_run_id = u.id
            WHERE u.sample_type_id = (SELECT s.sample_type_id FROM samples s WHERE s.id = \(sample))
            AND o.device_chain_id = \(chain) AND u.status = 'completed' AND u.observation_id > \(first)
            AND (f.type_run_id IS NULL OR f.mode = 'full_scan' OR f.state <> 'unknown')
            AND u.observation_id < coalesce((SELECT min(w.first_observation_id) FROM withheld_closures w
                JOIN observations p ON p.id = w.first_observation_id WHERE w.sample_id = \(sample)
                AND p.device_chain_id = \(chain) AND w.first_observation_id < \(last)
                AND coalesce(w.last_observation_id >= \(last), 1)), \(last))
            ORDER BY u.observation_id DESC LIMIT 1), \(firstSeenAt))
        """
    }
}

/// Stored moments that cannot be shown to be wrong: facts that they follow from are missing (`Spec/capture.md`,
/// "Ranges").
package struct UnknownLastSeen: ~Copyable {
    private var rows: Statement

    /// Makes it of a statement of `query`.
    package init(_ rows: consuming Statement) { self.rows = rows }

    /// Returns `true` if the moment of a stored range, which is not that of the derived one, may be right.
    package mutating func covers(_ stored: VisibilityRange, derived: VisibilityRange) throws(ArchiveError) -> Bool {
        guard let last = derived.last, stored.last == last else { return false }
        rows.bind(1, derived.key.sample)
        rows.bind(2, derived.key.chain)
        rows.bind(3, derived.key.first)
        rows.bind(4, last)
        rows.bind(5, derived.firstSeenAt)
        rows.bind(6, stored.lastSeenAt)
        defer { rows.reset() }
        return try rows.step() && rows.integer(0) == 1
    }

    /// Returns the statement: sample, chain, first and last observation, `first_seen_at` and the stored moment.
    package static func query(_ facts: Facts) -> String {
        let condition = condition(
            facts, sample: "?1", chain: "?2", first: "?3", last: "?4", firstSeenAt: "?5", stored: "?6")
        return "SELECT \(condition)"
    }

    /// The facts of an archive.
    package enum Facts: Sendable {
        /// The archive has tables of facts.
        case stored
        /// The archive has no such tables, and its engine writes them.
        case dropped
        /// The archive is another engine's, which has no facts.
        case foreign

        /// Those of an archive.
        package init(of connection: borrowing Connection) throws(ArchiveError) {
            if try Schema.hasCaptureFacts(connection) {
                self = .stored
            } else {
                self = try IdentityRules.stated(in: connection) == nil ? .foreign : .dropped
            }
        }
    }

    /// Returns the condition in SQL: a fact is missing, and the stored moment is one at which the record can have been
    /// seen.
    package static func condition(
        _ facts: Facts, sample: String, chain: String, first: String, last: String, firstSeenAt: String, stored: String
    ) -> String {
        let between = "o.device_chain_id = \(chain) AND o.id > \(first) AND o.id < \(last)"
        let isPossible = """
            (\(stored) = \(firstSeenAt)
                OR EXISTS (SELECT 1 FROM observations o WHERE \(between) AND o.observed_at = \(stored)))
            """
        switch facts {
        case .foreign: return "0"
        case .dropped: return isPossible
        case .stored: break
        }
        return """
            \(isPossible) AND (NOT EXISTS (SELECT 1 FROM observation_facts WHERE observation_id = \(last))
                OR EXISTS (SELECT 1 FROM type_run_facts f LEFT JOIN observation_type_runs u ON u.id = f.type_run_id
                    WHERE u.id IS NULL)
                OR EXISTS (SELECT 1 FROM observation_type_runs u JOIN observations o ON o.id = u.observation_id
                    LEFT JOIN type_run_facts f ON f.type_run_id = u.id WHERE \(between) AND u.status = 'completed'
                    AND u.sample_type_id = (SELECT s.sample_type_id FROM samples s WHERE s.id = \(sample))
                    AND (f.type_run_id IS NULL OR f.withheld_count > (SELECT count(*) FROM withheld_closures w
                        JOIN samples s ON s.id = w.sample_id JOIN observations p ON p.id = w.first_observation_id
                        WHERE s.sample_type_id = u.sample_type_id AND p.device_chain_id = \(chain)
                        AND w.first_observation_id <= o.id AND ifnull(w.last_observation_id > o.id, 1)))))
            """
    }
}
