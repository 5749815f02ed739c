internal import Archive
internal import Derivation
internal import Measures
internal import SQLite
internal import Timestamps

/// Computes the aggregates of an observation from what is visible at it: one ordered pass over the records of the
/// types that changed.
///
/// The rows come sorted by type, day and source revision, so each group is complete when the next one begins, and
/// nothing is kept but three sums.
struct Aggregation: ~Copyable {
    /// The observation whose aggregates are written.
    let observationID: Int64
    let chainID: Int64
    /// `true` if the observation is an older one whose rows are rebuilt, in temporary tables that hide the archive's
    /// tables of the same names.
    private let isReplay: Bool
    /// `true` if the chain has later observations.
    private let isOlder: Bool
    /// The visible sums of types, if this process ended the observation before.
    private let memory: AggregateMemory?
    let days: LocalDays
    let amounts: Amounts
    var types: [Int64: [UInt8]] = [:]
    /// Types that have a summary: those with a run or an event in the observation.
    var summarized: Set<Int64> = []
    /// The counts of the observation's events, by type.
    private(set) var events: [Int64: EventCounts] = [:]

    init(
        observationID: Int64, chainID: Int64, days: LocalDays, rules: IdentityRules?, isReplay: Bool = false,
        isOlder: Bool = false, memory: AggregateMemory? = nil
    ) {
        self.observationID = observationID
        self.chainID = chainID
        self.isReplay = isReplay
        self.isOlder = isOlder || isReplay
        self.memory = memory
        self.days = days
        amounts = Amounts(rules)
    }

    /// Writes all rows, in the caller's transaction.
    mutating func write(_ connection: borrowing Connection) throws(ArchiveError) {
        try connection.add(DayFunction(days, connection), as: "hp_day", count: 2)
        let predecessor = try predecessor(connection)
        try readEvents(connection)
        try readTypes(connection, isFirst: predecessor == nil)
        try findAffected(connection, isFirst: predecessor == nil)
        var writer = try AggregateWriter(
            connection, observationID: observationID, schema: isReplay ? "temp" : "main")
        let changed = try changedTypes(connection, since: predecessor)
        let known = try known(changed, since: predecessor, connection)
        let rest = changed.filter { known[$0] == nil }
        let read = try scan(rest, isFirst: predecessor == nil, connection, &writer)
        try write(known, connection, &writer)
        try memory?.keep(read, after: observationID, of: chainID, connection)
        try writeEmptyBuckets(connection, &writer)
        try carryOver(except: changed, from: predecessor, connection, &writer)
        try connection.execute("DROP TABLE temp.affected")
    }

    // MARK: What changed

    /// Types with a run or an event in the observation; all types of the chain where all buckets are to be written.
    private mutating func readTypes(_ connection: borrowing Connection, isFirst: Bool) throws(ArchiveError) {
        let onChain = """
            OR t.id IN (SELECT u.sample_type_id FROM observation_type_runs u JOIN observations o
                ON o.id = u.observation_id WHERE o.device_chain_id = \(chainID) AND o.id < \(observationID))
            """
        let withEvents = events.keys.sorted().map(String.init).joined(separator: ",")
        var rows = try connection.prepare(
            """
            SELECT id, type_identifier, is_summarized FROM (SELECT t.id, t.type_identifier, \
            t.id IN (SELECT sample_type_id FROM observation_type_runs WHERE observation_id = \(observationID))
                OR t.id IN (\(withEvents)) AS is_summarized \
            FROM sample_types t) t WHERE is_summarized \(isFirst ? onChain : "")
            """)
        while try rows.step() {
            types[rows.integer(0) ?? 0] = rows.bytes(1)
            if rows.integer(2) == 1 { summarized.insert(rows.integer(0) ?? 0) }
        }
    }

    private mutating func readEvents(_ connection: borrowing Connection) throws(ArchiveError) {
        // Counted here: grouping would sort all of them.
        let columns = EventCounts.columns
        var rows = try connection.prepare(
            """
            SELECT s.sample_type_id, e.event_kind = 'disappeared', \(columns.appeared), \(columns.disappeared),
                \(columns.representationChanged) FROM sample_observation_events e JOIN samples s ON s.id = e.sample_id
                WHERE e.observation_id = \(observationID)
            """)
        var (type, counts) = (Int64?.none, EventCounts())
        while try rows.step() {
            if let next = rows.integer(0), next != type {
                // Samples of a type mostly follow each other.
                if let type { events[type] = counts }
                (type, counts) = (next, events[next] ?? EventCounts())
            }
            let isEnd = rows.integer(1) == 1
            counts.insertions += isEnd ? 0 : 1
            counts.deletions += isEnd ? 1 : 0
            counts.appeared += rows.integer(2) ?? 0
            counts.disappeared += rows.integer(3) ?? 0
            counts.representationChanged += rows.integer(4) ?? 0
        }
        if let type { events[type] = counts }
    }

    /// Returns the observation before, if its buckets are those of the same zone; `nil` if all buckets are to be
    /// written.
    private func predecessor(_ connection: borrowing Connection) throws(ArchiveError) -> Int64? {
        try connection.integer(
            """
            SELECT p.id FROM observations p JOIN observations o ON o.id = \(observationID)
                WHERE p.id = (SELECT max(id) FROM observations WHERE device_chain_id = \(chainID)
                AND id < \(observationID)) \
            AND \(try ObservationZones.key(of: "p", connection))
                IS \(try ObservationZones.key(of: "o", connection)) \
            AND EXISTS (SELECT 1 FROM observation_type_summaries s JOIN observations c ON c.id = s.observation_id
                WHERE c.device_chain_id = \(chainID) AND c.id <= p.id)
            """)
    }

    /// Finds the days that hold the start of a version that an event names, or that was replaced.
    private func findAffected(_ connection: borrowing Connection, isFirst: Bool) throws(ArchiveError) {
        try connection.execute(
            "CREATE TEMP TABLE affected(type INTEGER, day REAL, PRIMARY KEY (type, day)) WITHOUT ROWID")
        // Where all buckets are new, none need be looked up.
        guard !isFirst else { return }
        try connection.execute(
            """
            INSERT OR IGNORE INTO temp.affected SELECT s.sample_type_id, hp_day(v.start_date, s.sample_type_id)
                FROM sample_observation_events e JOIN sample_versions v ON v.id = e.version_id \
            JOIN samples s ON s.id = e.sample_id WHERE e.observation_id = \(observationID)
                AND hp_day(v.start_date, s.sample_type_id) IS NOT NULL;
            INSERT OR IGNORE INTO temp.affected SELECT s.sample_type_id, hp_day(v.start_date, s.sample_type_id)
                FROM sample_visibility_ranges r JOIN sample_versions v ON v.id = r.version_id \
            JOIN samples s ON s.id = r.sample_id WHERE r.last_observation_id = \(observationID)
                AND hp_day(v.start_date, s.sample_type_id) IS NOT NULL;
            """)
    }

    /// The summary of a type that stands at the observation before this one: `?1` is the type, `?2` that observation.
    private var summaryBefore: String {
        """
        SELECT visible_record_count, earliest_start_date, latest_end_date, value_sum, value_max \
        FROM observation_type_summaries WHERE sample_type_id = ?1 AND observation_id <= ?2 \
        AND (SELECT device_chain_id FROM observations WHERE id = observation_id) = \(chainID) \
        ORDER BY observation_id DESC LIMIT 1
        """
    }

    /// Types whose records must be looked at: those with events, and those without a summary that can be carried over.
    private func changedTypes(_ connection: borrowing Connection, since predecessor: Int64?) throws(ArchiveError)
        -> [Int64]
    {
        guard let predecessor else { return types.keys.sorted() }
        var changed: [Int64] = []
        for type in types.keys.sorted() {
            let known = try connection.integer(
                "SELECT 1 FROM (\(summaryBefore)) b WHERE \(AggregateShape.isSummary("b"))",
                [.integer(type), .integer(predecessor)])
            if events[type] != nil || known == nil { changed.append(type) }
        }
        return changed
    }

    // MARK: The pass

    private mutating func scan(
        _ changed: [Int64], isFirst: Bool, _ connection: borrowing Connection, _ writer: inout AggregateWriter
    ) throws(ArchiveError) -> [Int64: AggregateGroup] {
        guard !changed.isEmpty else { return [:] }
        let hasAffected = try connection.integer("SELECT EXISTS (SELECT 1 FROM temp.affected)") == 1
        let visible = isOlder ? Visibility.ranges(at: String(observationID)) : Visibility.newestRanges
        var takeAffected = try connection.prepare("DELETE FROM temp.affected WHERE type = ?1 AND day = ?2 RETURNING 1")
        var rows = try connection.prepare(
            """
            SELECT s.sample_type_id, hp_day(v.start_date, s.sample_type_id), v.source_revision_id,
                v.start_date, v.end_date,
                v.numeric_value, \(amounts.unitColumn) \
            FROM \(visible) r CROSS JOIN sample_versions v ON v.id = r.version_id
                CROSS JOIN samples s ON s.id = r.sample_id \
            WHERE s.sample_type_id IN (\(changed.map(String.init).joined(separator: ","))) \
            \(try onChain(connection)) ORDER BY 1, 2, 3
            """)
        var pass = AggregationPass(types: types, summarized: summarized, events: events, days: days, amounts: amounts)
        while try rows.step() {
            let (type, day, revision) = (rows.integer(0), rows.real(1), rows.integer(2))
            if type != pass.type { try pass.begin(type: type, &writer) }
            if day != pass.day || pass.isAtDayStart {
                var isWanted = isFirst && day != nil
                if hasAffected, let type, let day {
                    takeAffected.bind(1, type)
                    takeAffected.bind(2, day)
                    isWanted = try takeAffected.firstInteger() != nil
                }
                try pass.begin(day: day, isWanted: isWanted, &writer)
            }
            if revision != pass.revision { try pass.begin(revision: revision, &writer) }
            pass.add(rows)
        }
        try pass.endType(&writer)
        // Types of which nothing is visible.
        for type in changed where pass.written[type] == nil && summarized.contains(type) {
            let nothing = AggregateValues()
            try writer.write(
                nothing, type: type, identifier: types[type] ?? [], events[type] ?? EventCounts())
        }
        return pass.written
    }

    /// Returns the SQL condition that a range is of the chain; empty unless the archive has several chains.
    func onChain(_ connection: borrowing Connection) throws(ArchiveError) -> String {
        guard try connection.integer("SELECT count(*) FROM device_chains") ?? 0 > 1 else { return "" }
        return "AND (SELECT o.device_chain_id FROM observations o WHERE o.id = r.first_observation_id) = \(chainID)"
    }

    /// Returns the visible records of changed types, for those that are known from the observation before.
    private func known(_ changed: [Int64], since predecessor: Int64?, _ connection: borrowing Connection)
        throws(ArchiveError) -> [Int64: AggregateGroup]
    {
        guard let memory else { return [:] }
        guard let predecessor else {
            memory.forget()
            return [:]
        }
        let known = try memory.advance(
            to: observationID, of: chainID, after: predecessor, types: types, amounts: amounts, connection)
        return known.filter { changed.contains($0.key) }
    }

    /// Buckets that hold nothing any more, and source revisions that are gone from a bucket.
    private mutating func writeEmptyBuckets(_ connection: borrowing Connection, _ writer: inout AggregateWriter)
        throws(ArchiveError)
    {
        // What is left in `affected` had no record; the others lost at most some revisions.
        var rows = try connection.prepare(
            """
            SELECT DISTINCT d.sample_type_id, d.bucket_start, d.bucket_end, d.source_revision_id FROM (\
            SELECT type, day FROM temp.affected UNION SELECT sample_type_id, bucket_start
                FROM daily_type_aggregates WHERE observation_id = \(observationID)) a \
            CROSS JOIN daily_type_aggregates d ON d.sample_type_id = a.type AND d.bucket_start = a.day \
            WHERE \(AggregateShape.isDay("d")) \
            AND d.observation_id >= \(try zoneStart(connection)) AND d.observation_id < \(observationID) \
            AND (SELECT device_chain_id FROM observations WHERE id = d.observation_id) = \(chainID) \
            AND NOT EXISTS (SELECT 1 FROM daily_type_aggregates n WHERE n.observation_id = \(observationID)
                AND n.sample_type_id = d.sample_type_id AND n.bucket_start = d.bucket_start \
            AND n.source_revision_id IS d.source_revision_id) \
            AND (SELECT n.visible_record_count FROM daily_type_aggregates n
                WHERE n.sample_type_id = d.sample_type_id AND n.bucket_start = d.bucket_start \
            AND n.source_revision_id IS d.source_revision_id AND n.observation_id >= \(try zoneStart(connection))
                AND n.observation_id < \(observationID) \
            AND (SELECT device_chain_id FROM observations WHERE id = n.observation_id) = \(chainID) \
            ORDER BY n.observation_id DESC LIMIT 1) > 0 ORDER BY 1, 2, 4
            """)
        var found: [EmptyBucket] = []
        while try rows.step() {
            found.append(
                EmptyBucket(
                    type: rows.integer(0) ?? 0, start: rows.real(1) ?? 0, end: rows.real(2) ?? 0,
                    revision: rows.integer(3)))
            if found.count == 1024 { try flush(&found, &writer) }
        }
        try flush(&found, &writer)
    }

    private struct EmptyBucket {
        let type: Int64
        let start, end: Double
        let revision: Int64?
    }

    private func flush(_ found: inout [EmptyBucket], _ writer: inout AggregateWriter) throws(ArchiveError) {
        for row in found {
            try writer.write(
                AggregateValues(), type: row.type, identifier: types[row.type] ?? [], start: row.start, end: row.end,
                revision: row.revision)
        }
        found.removeAll(keepingCapacity: true)
    }

    /// Returns the first observation of those that follow each other on the chain in one zone, up to this one.
    private func zoneStart(_ connection: borrowing Connection) throws(ArchiveError) -> Int64 {
        try connection.integer(
            """
            SELECT min(id) FROM observations WHERE device_chain_id = \(chainID) AND id <= \(observationID)
                AND id > coalesce((SELECT max(p.id) FROM observations p \
            JOIN observations o ON o.id = \(observationID) WHERE p.device_chain_id = \(chainID)
                AND p.id < \(observationID) \
            AND \(try ObservationZones.key(of: "p", connection))
                IS NOT \(try ObservationZones.key(of: "o", connection))), 0)
            """) ?? observationID
    }

    /// Summaries of types that were asked for and did not change.
    private mutating func carryOver(
        except changed: [Int64], from predecessor: Int64?, _ connection: borrowing Connection,
        _ writer: inout AggregateWriter
    ) throws(ArchiveError) {
        guard let predecessor else { return }
        let rest = types.keys.filter { !changed.contains($0) }.sorted()
        var rows = try connection.prepare(summaryBefore)
        rows.bind(2, predecessor)
        for type in rest {
            rows.bind(1, type)
            var values = AggregateValues()
            if try rows.step() {
                values = AggregateValues(
                    count: rows.integer(0) ?? 0, earliestStart: rows.real(1), latestEnd: rows.real(2),
                    sum: rows.real(3), maximum: rows.real(4))
            }
            rows.reset()
            try writer.write(values, type: type, identifier: types[type] ?? [], EventCounts())
        }
    }
}

/// The ranges that are visible, in SQL.
enum Visibility {
    /// Returns the ranges that are visible at an observation of their chain, as a table in SQL.
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

extension Aggregation {
    /// Writes the rows of types of which it is known what is visible: their summaries, and the days that an event
    /// changed, which alone are read.
    func write(
        _ known: [Int64: AggregateGroup], _ connection: borrowing Connection, _ writer: inout AggregateWriter
    ) throws(ArchiveError) {
        guard !known.isEmpty else { return }
        for (type, group) in known.sorted(by: { $0.key < $1.key }) where summarized.contains(type) {
            var (group, amounts) = (group, amounts)
            amounts.begin(type: types[type] ?? [])
            try writer.write(
                group.values(areSummed: amounts.areSummed), type: type, identifier: types[type] ?? [],
                events[type] ?? EventCounts())
        }
        let list = known.keys.map(String.init).joined(separator: ",")
        // A day is shorter than 48 hours, also where a zone leaves out a date. A record that states a date is at most
        // 26 hours away from it.
        var rows = try connection.prepare(
            """
            SELECT s.sample_type_id, a.day, v.source_revision_id, v.start_date, v.end_date, v.numeric_value,
                \(amounts.unitColumn) \
            FROM (SELECT day, max(CASE WHEN t.type_identifier = '\(Measure.datedType)' THEN 93600 ELSE 0 END) AS ahead
                FROM temp.affected JOIN sample_types t ON t.id = type WHERE type IN (\(list)) GROUP BY day) a \
            CROSS JOIN sample_versions v ON v.start_date >= a.day - a.ahead AND v.start_date < a.day + 172800 \
            CROSS JOIN samples s ON s.id = v.sample_id CROSS JOIN sample_visibility_ranges r
                ON r.sample_id = v.sample_id AND r.version_id = v.id \
            WHERE hp_day(v.start_date, s.sample_type_id) = a.day AND s.sample_type_id IN (\(list))
                AND r.last_observation_id IS NULL \
            AND EXISTS (SELECT 1 FROM temp.affected t WHERE t.type = s.sample_type_id AND t.day = a.day) \
            \(try onChain(connection)) ORDER BY 1, 2, 3
            """)
        var take = try connection.prepare("DELETE FROM temp.affected WHERE type = ?1 AND day = ?2")
        var pass = AggregationPass(types: types, summarized: [], events: events, days: days, amounts: amounts)
        while try rows.step() {
            let (type, day, revision) = (rows.integer(0), rows.real(1), rows.integer(2))
            if type != pass.type { try pass.begin(type: type, &writer) }
            if day != pass.day || pass.isAtDayStart {
                // The rows were sorted, and so were all read before the first.
                take.bind(1, optional: type)
                take.bind(2, day)
                try take.run()
                try pass.begin(day: day, isWanted: true, &writer)
            }
            if revision != pass.revision { try pass.begin(revision: revision, &writer) }
            pass.add(rows)
        }
        try pass.endType(&writer)
    }
}

/// One pass over records in the order of type, day and source revision: three sums are open, and each is written
/// when the next group begins.
struct AggregationPass {
    private let types: [Int64: [UInt8]]
    private let summarized: Set<Int64>
    private let events: [Int64: EventCounts]
    private var days: LocalDays
    private var amounts: Amounts
    private var ofType = AggregateGroup()
    private var ofDay = AggregateGroup()
    private var ofRevision = AggregateGroup()
    /// `true` if the open day's rows are to be written.
    private var isWanted = false
    /// The open groups.
    private(set) var type: Int64?
    private(set) var day: Double?
    private(set) var revision: Int64?
    /// Types that had a record, with what is visible of them.
    private(set) var written: [Int64: AggregateGroup] = [:]

    /// - Parameters:
    ///   - types: identifiers of the types, by id.
    ///   - summarized: types that have a summary.
    ///   - events: what the observation's events count, by type.
    ///   - amounts: how values are taken.
    init(
        types: [Int64: [UInt8]], summarized: Set<Int64>, events: [Int64: EventCounts], days: LocalDays,
        amounts: Amounts
    ) {
        self.types = types
        self.summarized = summarized
        self.events = events
        self.days = days
        self.amounts = amounts
    }

    /// `true` if the open day has no record so far.
    var isAtDayStart: Bool { ofDay.count == 0 }

    /// Ends the open type, and opens the next.
    mutating func begin(type: Int64?, _ writer: inout AggregateWriter) throws(ArchiveError) {
        try endType(&writer)
        (self.type, day, revision) = (type, nil, nil)
        amounts.begin(type: type.flatMap { types[$0] } ?? [])
    }

    /// Ends the open day, and opens the next.
    mutating func begin(day: Double?, isWanted: Bool, _ writer: inout AggregateWriter) throws(ArchiveError) {
        try endDay(&writer)
        self.day = day
        self.isWanted = isWanted
    }

    /// Ends the open source revision, and opens the next.
    mutating func begin(revision: Int64?, _ writer: inout AggregateWriter) throws(ArchiveError) {
        try endRevision(&writer)
        self.revision = revision
    }

    /// Adds a record to the open groups: its start, end, value and unit are in the columns 3 to 6.
    mutating func add(_ row: borrowing Statement) {
        let (start, end) = (row.real(3), row.real(4))
        let amount = amounts.amount(row, value: 5, unit: 6)
        ofType.add(start: start, end: end, amount: amount)
        ofDay.add(start: start, end: end, amount: amount)
        if revision != nil { ofRevision.add(start: start, end: end, amount: amount) }
    }

    /// Ends the open type.
    mutating func endType(_ writer: inout AggregateWriter) throws(ArchiveError) {
        try endDay(&writer)
        guard let type else { return }
        if summarized.contains(type) {
            let counts = events[type] ?? EventCounts()
            try writer.write(
                ofType.values(areSummed: amounts.areSummed), type: type, identifier: types[type] ?? [], counts)
        }
        written[type] = ofType
        ofType.reset()
    }

    private mutating func endDay(_ writer: inout AggregateWriter) throws(ArchiveError) {
        try endRevision(&writer)
        guard ofDay.count > 0 else { return }
        try write(ofDay.values(areSummed: amounts.areSummed), revision: nil, &writer)
        ofDay.reset()
    }

    private mutating func endRevision(_ writer: inout AggregateWriter) throws(ArchiveError) {
        guard ofRevision.count > 0 else { return }
        if let revision { try write(ofRevision.values(areSummed: amounts.areSummed), revision: revision, &writer) }
        ofRevision.reset()
    }

    private mutating func write(
        _ values: AggregateValues, revision: Int64?, _ writer: inout AggregateWriter
    ) throws(ArchiveError) {
        guard isWanted, let type, let day, let bucket = days.bucket(of: day, isDated: false) else { return }
        try writer.write(
            values, type: type, identifier: types[type] ?? [], start: Double(bucket.lowerBound),
            end: Double(bucket.upperBound), revision: revision)
    }
}
