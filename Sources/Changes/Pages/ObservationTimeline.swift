internal import SQLite
internal import Archive

/// The observations of a chain up to the newer one of a comparison, and what each asked for
/// (`Spec/report-page.md`, Observations).
struct ObservationTimeline {
    /// The newest observations, ascending.
    let points: [Comparison.ObservationPoint]
    /// The newest entries of the context log about the chain's observations, ascending.
    let context: [Comparison.ContextEntry]
    /// The outcome of a type's query at each of them, by the type's id.
    private let statuses: [Int64: [String]]

    /// The maximum number of observations that are shown.
    static let limit = 24
    private static let neverQueried = "never_queried"
    private static let notQueried = "not_queried"

    init(_ connection: borrowing Connection, _ query: ChangeQuery) throws(ArchiveError) {
        let newer = max(query.records.scope.fromObservationID ?? 0, query.records.scope.observationID)
        let ofChain = "device_chain_id IS (SELECT device_chain_id FROM observations WHERE id = ?1) AND id <= ?1"
        var rows = try connection.prepare(
            "SELECT id, observed_at, status FROM observations WHERE \(ofChain) ORDER BY id")
        rows.bind(1, newer)
        var all: [(id: Int64, observedAt: Double?, status: String?)] = []
        while try rows.step() {
            guard let id = rows.exactInteger(0) else { continue }
            try ObservationID.check(id, connection.path)
            all.append((id, rows.real(1), rows.text(2)))
        }
        // Every range that began by an observation and had not ended then is a record of it. Counted once for all:
        // how many begin, and how many end, at each.
        let begun = try Self.counts(of: "first_observation_id", connection)
        let ended = try Self.counts(of: "last_observation_id", connection)
        var visible = 0
        var points: [Comparison.ObservationPoint] = []
        for (id, observedAt, status) in all {
            visible += (begun[id] ?? 0) - (ended[id] ?? 0)
            points.append(.init(id: id, observedAt: observedAt, status: status, recordCount: max(0, visible)))
        }
        points = Array(points.suffix(Self.limit))
        self.points = points
        context = try Self.context(Set(all.map(\.id)), connection)
        statuses = try Self.statuses(points.map(\.id), connection)
    }

    private static func counts(of column: String, _ connection: borrowing Connection) throws(ArchiveError)
        -> [Int64: Int]
    {
        var rows = try connection.prepare(
            "SELECT \(column), count(*) FROM sample_visibility_ranges WHERE \(column) IS NOT NULL GROUP BY 1")
        var counts: [Int64: Int] = [:]
        while try rows.step() { if let id = rows.exactInteger(0) { counts[id] = Int(rows.integer(1) ?? 0) } }
        return counts
    }

    private static func context(_ ids: Set<Int64>, _ connection: borrowing Connection) throws(ArchiveError)
        -> [Comparison.ContextEntry]
    {
        guard try Schema.hasContextLog(connection) else { return [] }
        var rows = try connection.prepare(
            "SELECT logged_at, event_kind, observation_id FROM context_log WHERE observation_id IS NOT NULL "
                + "ORDER BY id DESC")
        var entries: [Comparison.ContextEntry] = []
        while entries.count < limit, try rows.step() {
            guard let id = rows.exactInteger(2), ids.contains(id), let moment = rows.real(0), let kind = rows.text(1)
            else { continue }
            entries.append(.init(loggedAt: moment, kind: kind, observationID: id))
        }
        return entries.reversed()
    }

    private static func statuses(_ ids: [Int64], _ connection: borrowing Connection) throws(ArchiveError)
        -> [Int64: [String]]
    {
        guard let first = ids.first, let last = ids.last else { return [:] }
        var found: [Int64: [String]] = [:]
        let places = Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var rows = try connection.prepare(
            """
            SELECT u.sample_type_id, u.status, u.observation_id FROM observation_type_runs u
                JOIN observations o ON o.id = u.observation_id
            WHERE u.observation_id <= ?2
            AND o.device_chain_id IS (SELECT device_chain_id FROM observations WHERE id = ?1)
            ORDER BY u.observation_id, u.id
            """)
        rows.bind(1, first)
        rows.bind(2, last)
        while try rows.step() {
            guard let type = rows.exactInteger(0), let status = rows.text(1), let id = rows.exactInteger(2) else {
                continue
            }
            let place = places[id] ?? 0
            if found[type] == nil {
                let before = [String](repeating: neverQueried, count: place)
                found[type] = before + [String](repeating: notQueried, count: ids.count - place)
            }
            if places[id] != nil { found[type]![place] = status }
        }
        return found
    }

    /// Returns the outcome of a type's query at each observation.
    func statuses(of type: Int64?) -> [String] {
        type.flatMap { statuses[$0] } ?? points.map { _ in Self.neverQueried }
    }
}

/// Records that the archive could not store, and those that stay visible for their sake.
enum RejectedRecords {
    /// Counts those at an observation, on its chain; `nil` if no capture noted it: tables that came later have no rows
    /// of it.
    static func counts(_ connection: borrowing Connection, at id: Int64) throws(ArchiveError)
        -> (rejected: Int?, withheld: Int?)
    {
        guard try Schema.hasCaptureFacts(connection),
            try connection.integer("SELECT 1 FROM observation_facts WHERE observation_id = ?1", [.integer(id)]) == 1
        else { return (nil, nil) }
        return (
            try open("sum(x.record_count)", "rejected_records x", chain: "x.device_chain_id", at: id, connection),
            try open(
                "count(*)", "withheld_closures x JOIN observations o ON o.id = x.first_observation_id",
                chain: "o.device_chain_id", at: id, connection)
        )
    }

    /// Returns the sum over a table's ranges that had begun and not ended at an observation of their chain.
    private static func open(
        _ sum: String, _ table: String, chain: String, at id: Int64, _ connection: borrowing Connection
    ) throws(ArchiveError) -> Int {
        let count = try connection.integer(
            """
            SELECT \(sum) FROM \(table) \
            WHERE \(chain) IS (SELECT device_chain_id FROM observations WHERE id = ?1) \
            AND x.first_observation_id <= ?1 AND (x.last_observation_id IS NULL OR x.last_observation_id > ?1)
            """, [.integer(id)])
        return count.flatMap { Int(exactly: $0) } ?? 0
    }
}
