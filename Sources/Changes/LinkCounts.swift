public import Archive
internal import SQLite

/// The numbers of relationships that changed between two observations, by outcome (`Spec/changes.md`, Relationships).
public struct LinkCounts: Sendable, Equatable {
    public internal(set) var appeared = 0, changed = 0, disappeared = 0

    /// No change.
    public init() {}

    /// All changes together.
    public var total: Int { appeared + changed + disappeared }

    static func + (left: LinkCounts, right: LinkCounts) -> LinkCounts {
        var sum = left
        sum.appeared += right.appeared
        sum.changed += right.changed
        sum.disappeared += right.disappeared
        return sum
    }

    /// Counts the changes of a question by the type of their source; empty where relationships are not compared.
    ///
    /// - Parameter hasAlike: whether there are samples that are alike; their tables are filled then.
    static func read(_ connection: borrowing Connection, _ query: ChangeQuery, hasAlike: Bool)
        throws(ArchiveError) -> [(typeID: Int64?, counts: LinkCounts)]
    {
        guard query.comparesLinks else { return [] }
        let most = 50_000
        let count =
            try connection.integer("SELECT count(*) FROM (SELECT 1 FROM sample_relationships LIMIT \(most))") ?? 0
        guard count > 0 else { return [] }
        try connection.execute("SAVEPOINT links")
        for (sql, parameters) in query.linkTables(hasAlike: hasAlike, areFew: count < most) {
            var statement = try connection.prepare(sql)
            try statement.run(parameters)
        }
        try connection.execute("RELEASE links")
        var rows = try connection.prepare(
            """
            SELECT s.sample_type_id, sum(k.before_id IS NULL), sum(k.before_id IS NOT NULL AND k.after_id IS NOT NULL),
                sum(k.after_id IS NULL) FROM temp.link_changes k LEFT JOIN samples s ON s.id = k.source_id GROUP BY 1
            """)
        var found: [(Int64?, LinkCounts)] = []
        while try rows.step() {
            var counts = LinkCounts()
            counts.appeared = Int(rows.integer(1) ?? 0)
            counts.changed = Int(rows.integer(2) ?? 0)
            counts.disappeared = Int(rows.integer(3) ?? 0)
            found.append((rows.exactInteger(0), counts))
        }
        return found
    }
}

extension Archive {
    /// Counts the relationships that changed at an observation against the finished one before it on its chain; all
    /// that it has where there is none before it.
    public func linkChanges(at observation: Int64) throws(ArchiveError) -> LinkCounts {
        let before = try connection.integer(
            """
            SELECT max(p.id) FROM observations p JOIN observations o ON o.device_chain_id = p.device_chain_id
            WHERE o.id = ?1 AND p.id < ?1 AND p.status NOT IN ('running', 'started')
            """, [.integer(observation)])
        guard let before else {
            var counts = LinkCounts()
            counts.appeared = Int(
                try connection.integer(
                    "SELECT count(*) FROM sample_relationships WHERE observation_id = ?1", [.integer(observation)]) ?? 0
            )
            return counts
        }
        let scope = Scope(changesFrom: before, to: observation, kinds: nil, labels: nil, filter: Filter())
        let query = ChangeQuery(records: try query(for: scope))
        // A capture matches records that are alike as a comparison with the observation before does.
        return try LinkCounts.read(connection, query, hasAlike: false).reduce(LinkCounts()) { $0 + $1.counts }
    }
}
