internal import Files
internal import Pipeline
internal import Measures
internal import SQLite
internal import Timestamps
public import Archive

extension Archive {
    /// Finds the pairs between two observations, and starts reading them (`Spec/pairs.md`).
    ///
    /// - Complexity: O(n log n) for n records that disappeared or appeared; memory does not grow with them.
    public func pairs(of scope: Scope, in context: ExportContext) throws(ArchiveError) -> PairCursor {
        let query = ChangeQuery(records: try query(for: scope))
        for sql in query.changeTables() { try connection.execute(sql) }
        let standing = try query.records.fromChainID == nil ? nil : standing()
        var finder = try PairFinder(
            connection, path, context, of: scope.observationID, PairSink(sortedFor: path))
        let counts = try PairSearch.counts(connection)
        // Matching leaves no record on a side that has none.
        if counts.count == 2, try query.alike.prepare(connection, AlikeNotes.read(connection, query, path)) {
            for sql in AlikeRecords.replaceSides { try connection.execute(sql) }
        }
        try PairSearch.find(connection, query, counts, &finder)
        return try PairCursor(finder.finish(), standing)
    }

    /// Counts the pairs between two observations, by the days of the compared one.
    ///
    /// - Complexity: that of `pairs`, and memory in proportion to types and days.
    public func pairDays(of scope: Scope, in context: ExportContext) throws(ArchiveError) -> PairDays {
        let offset = try connection.integer(
            "SELECT time_zone_seconds_from_gmt FROM observations WHERE id = ?1", [.integer(scope.observationID)])
        // No zone has a greater offset: calendars are then those of UTC.
        var days = PairDays(offset: Int(TimeZoneRules(secondsFromGMT: offset ?? 0).offset(at: 0)))
        var pairs = try pairs(of: scope, in: context)
        while let pair = try pairs.next() {
            let measure = Measure(of: context.typeNames[pair.type])
            days.add(pair.kind.name, of: pair.type, measure, starts: pair.before.map(\.start))
        }
        return days
    }

    private func standing() throws(ArchiveError) -> PairStanding {
        var row = try connection.prepare(ChangeQuery.standing)
        guard try row.step() else { return PairStanding(before: 0, after: 0, both: 0) }
        return PairStanding(before: row.integer(0) ?? 0, after: row.integer(1) ?? 0, both: row.integer(2) ?? 0)
    }

    /// Notes in `pair_marks` which pairs records are in, and does other work beside it where a second connection sees
    /// the same archive and there is much to do.
    ///
    /// - Parameter work: what else there is to do on the connection of the archive, whose tables of the changes are not
    ///   there yet; it makes them, and returns `true` if there are samples that are alike.
    func markPairs(
        _ query: ChangeQuery, _ context: ExportContext, beside work: () throws(ArchiveError) -> Bool
    ) throws(ArchiveError) {
        for sql in ChangeQuery.pairMarks { try connection.execute(sql) }
        guard try isWorthTwo(query), let other = secondConnection() else {
            _ = try work()
            return try PairSearch.mark(connection, query, context, path)
        }
        try other.noteEncoding()
        let search = Handed(PairSearchBeside(other, query, context, path))
        var outcome = Result<Bool, ArchiveError>.success(false)
        sideBySide(
            { do throws(ArchiveError) { outcome = .success(try work()) } catch { outcome = .failure(error) } },
            { search.value.run() })
        // Beside, nothing was known of samples that are alike.
        if try outcome.get() { return try PairSearch.mark(connection, query, context, path) }
        try search.value.copyMarks(to: connection)
    }

    /// Returns `true` if a second connection pays. With few ranges it does not. With very many changes both sides
    /// together take more memory than one after the other.
    private func isWorthTwo(_ query: ChangeQuery) throws(ArchiveError) -> Bool {
        let (least, most): (Int64, Int64) = (20_000, 400_000)
        let ranges = try connection.integer(
            "SELECT count(*) FROM (SELECT 1 FROM sample_visibility_ranges LIMIT \(least))")
        guard ranges == least else { return false }
        let bounds = ["first_observation_id", "last_observation_id"].map {
            "SELECT 1 FROM sample_visibility_ranges WHERE \($0) > \(query.records.older) "
                + "AND \($0) <= \(query.records.newer)"
        }
        let changed = try connection.integer(
            "SELECT count(*) FROM (\(bounds.joined(separator: " UNION ALL ")) LIMIT \(most))")
        return (changed ?? most) < most
    }
}

/// Looks for pairs on a connection that has the tables of the changes.
enum PairSearch {
    /// Returns the marks of the records of some types; `nil` if there are no types. Makes the tables of the changes of
    /// these.
    ///
    /// - Parameter hasAlike: whether there are samples that are alike; their tables are filled then.
    static func marks(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext, ofTypes types: Set<Int>,
        hasAlike: Bool, _ path: Path
    ) throws(ArchiveError) -> PairMarkReader? {
        guard !types.isEmpty else { return nil }
        let ids = context.typeIDs.filter { context.typeIndex($0).map(types.contains) ?? false }
        let narrowed = ChangeQuery(records: query.records.narrowed(toTypes: ids))
        let replaced = hasAlike ? AlikeRecords.replaceSides : []
        for sql in ChangeQuery.pairMarks + narrowed.changeTables() + replaced { try connection.execute(sql) }
        try mark(connection, narrowed, context, path)
        return try PairMarkReader(connection)
    }

    /// Notes in `pair_marks` which pairs records are in.
    static func mark(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext, _ path: Path
    ) throws(ArchiveError) {
        var finder = try PairFinder(
            connection, path, context, of: query.records.scope.observationID, PairSink(marking: connection))
        try find(connection, query, counts(connection), &finder)
    }

    /// Counts the records that disappeared and appeared; a kind without any is left out.
    fileprivate static func counts(
        _ connection: borrowing Connection
    ) throws(ArchiveError) -> [(kind: RowBatch.Kind, count: Int64)] {
        var counts: [(kind: RowBatch.Kind, count: Int64)] = []
        var rows = try connection.prepare(ChangeQuery.oneSidedCounts)
        while try rows.step() {
            guard let kind = RowBatch.Kind(rawValue: UInt8(rows.integer(0) ?? 0)) else { continue }
            counts.append((kind, rows.integer(1) ?? 0))
        }
        return counts
    }

    /// Finds the pairs. Where one side has few records, what they have in common with others is noted first.
    fileprivate static func find(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ counts: [(kind: RowBatch.Kind, count: Int64)],
        _ finder: inout PairFinder
    ) throws(ArchiveError) {
        // Without records on both sides there are no pairs.
        guard counts.count == 2 else { return }
        let (fewer, more) = counts[0].count < counts[1].count ? (counts[0], counts[1]) : (counts[1], counts[0])
        // Noting costs as much as sorting: it pays if it keeps most of the other side from being sorted.
        if fewer.count <= PairFilter.greatestCount, fewer.count < more.count / 4 {
            try finder.note(records(connection, query, [fewer.kind]), of: fewer.kind)
        }
        try finder.find(records(connection, query, [.appeared, .disappeared]))
    }

    private static func records(_ connection: borrowing Connection, _ query: ChangeQuery, _ kinds: [RowBatch.Kind])
        throws(ArchiveError) -> Statement
    {
        let records = query.pairRecords(kinds)
        var rows = try connection.prepare(records.sql)
        try rows.bind(records.parameters)
        return rows
    }
}

/// A search for pairs on a connection of its own.
private struct PairSearchBeside: ~Copyable {
    private let connection: Connection
    private let query: ChangeQuery
    private let context: ExportContext
    private let path: Path
    private var outcome = Result<Void, ArchiveError>.success(())

    init(_ connection: consuming Connection, _ query: ChangeQuery, _ context: ExportContext, _ path: Path) {
        self.connection = connection
        self.query = query
        self.context = context
        self.path = path
    }

    mutating func run() {
        do throws(ArchiveError) {
            for sql in ChangeQuery.pairMarks + query.changeTables() { try connection.execute(sql) }
            try PairSearch.mark(connection, query, context, path)
        } catch {
            outcome = .failure(error)
        }
    }

    /// Copies what was noted, in the order of its key.
    func copyMarks(to other: borrowing Connection) throws(ArchiveError) {
        try outcome.get()
        var marks = try connection.prepare("SELECT sample_id, version_id, kind, keys, outcome FROM temp.pair_marks")
        var insert = try other.prepare(ChangeQuery.insertPairMark)
        while try marks.step() {
            for column in Int32(0)..<3 { insert.bind(column + 1, marks.integer(column) ?? 0) }
            insert.bind(4, text: marks.bytes(3))
            insert.bind(5, marks.integer(4) ?? 0)
            try insert.run()
        }
    }
}
