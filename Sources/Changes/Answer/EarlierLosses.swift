internal import Answer
internal import Archive
internal import Measures
internal import SQLite
internal import Timestamps

/// Counts the records that earlier comparisons no longer had and that are still not visible: from ranges that ended, by
/// their index. Which of them were in a pair is found again for the newest observations that no longer had some.
enum EarlierLosses {
    /// Ranges that are looked at, the newest first, and observations whose pairs are found again.
    private static let (mostRanges, mostObservations) = (200_000, 12)
    /// Pairs of an observation are found again if no more ranges began or ended at it.
    private static let mostChanges: Int64 = 200_000

    static func read(
        _ archive: borrowing Archive, _ query: ChangeQuery, _ context: ExportContext, _ days: LocalDays
    ) throws(ArchiveError) -> [Answer.Earlier] {
        var found: [Answer.Earlier] = []
        var dates = try ObservationDates(archive.connection)
        let names = context.typeNames
        for (place, observation) in try observations(archive.connection, query).enumerated() {
            var areMarked = false
            if place < mostObservations { areMarked = try mark(archive, observation, context) }
            let sql = query.earlierLosses(of: observation, areMarked: areMarked, limit: mostRanges)
            var rows = try archive.connection.prepare(sql.sql)
            try rows.bind(sql.parameters)
            while try rows.step() {
                let type = context.typeIndex(rows.exactInteger(0))
                var span: ClosedRange<Int64>?
                if let first = rows.date(3), let last = rows.date(4) {
                    var days = days.counting(isDated: type.map { Measure(of: names[$0]).isDated } ?? false)
                    span = days.date(of: first)...days.date(of: max(first, last))
                }
                found.append(
                    Answer.Earlier(
                        identifier: type.map { String(decoding: names[$0], as: UTF8.self) } ?? "",
                        since: try dates.date(of: observation), wasReplaced: areMarked ? rows.integer(1) == 1 : nil,
                        count: Int(rows.integer(2) ?? 0), span: span))
            }
        }
        return found
    }

    /// Returns `true` if more ranges had ended than are looked at.
    static func isPartial(_ connection: borrowing Connection, _ query: ChangeQuery) throws(ArchiveError) -> Bool {
        let count = try connection.integer(
            """
            SELECT count(*) FROM (SELECT 1 FROM sample_visibility_ranges
                WHERE \(query.records.isKnown("last_observation_id", at: query.records.from)) LIMIT \(mostRanges + 1))
            """)
        return count ?? 0 > Int64(mostRanges)
    }

    /// Returns the observations up to the earlier one at which ranges ended, the newest first.
    private static func observations(_ connection: borrowing Connection, _ query: ChangeQuery)
        throws(ArchiveError) -> [Int64]
    {
        var rows = try connection.prepare(
            """
            SELECT DISTINCT last_observation_id FROM (SELECT last_observation_id FROM sample_visibility_ranges
                WHERE \(query.records.isKnown("last_observation_id", at: query.records.from))
                ORDER BY last_observation_id DESC LIMIT \(mostRanges)) ORDER BY 1 DESC
            """)
        var ids: [Int64] = []
        while try rows.step() { if let id = rows.exactInteger(0) { ids.append(id) } }
        return ids
    }

    /// Notes in `pair_marks` which records were in a pair of an observation and the one before it.
    ///
    /// - Returns: `false` if there is none before it, or too much changed.
    private static func mark(_ archive: borrowing Archive, _ observation: Int64, _ context: ExportContext)
        throws(ArchiveError) -> Bool
    {
        guard let before = try archive.finishedObservation(before: observation) else { return false }
        let scope = Scope(changesFrom: before, to: observation)
        let query = ChangeQuery(records: try archive.query(for: scope))
        let changes = ["first_observation_id", "last_observation_id"].map {
            "SELECT 1 FROM sample_visibility_ranges WHERE \($0) > \(before) AND \($0) <= \(observation)"
        }
        let count = try archive.connection.integer(
            "SELECT count(*) FROM (\(changes.joined(separator: " UNION ALL ")) LIMIT \(mostChanges))")
        guard let count, count < mostChanges else { return false }
        for sql in query.changeTables() + ChangeQuery.pairMarks { try archive.connection.execute(sql) }
        try PairSearch.mark(archive.connection, query, context, archive.path)
        return true
    }
}

extension ChangeQuery {
    /// Returns the records that an observation no longer had and that no later one up to the newer one has: type,
    /// whether they were in a pair, how many, first and last start.
    fileprivate func earlierLosses(of observation: Int64, areMarked: Bool, limit: Int)
        -> (sql: String, parameters: [Parameter])
    {
        let (conditions, parameters) = records.selection()
        let mark =
            areMarked
            ? "EXISTS (SELECT 1 FROM temp.pair_marks q WHERE q.sample_id = r.sample_id AND q.version_id = r.version_id)"
            : "0"
        return (
            """
            SELECT s.sample_type_id, \(mark) AS marked, count(*), min(hp_date(v.start_date)), max(hp_date(v.start_date))
            FROM (SELECT sample_id, version_id, last_observation_id FROM sample_visibility_ranges
                WHERE last_observation_id = \(observation) LIMIT \(limit)) r
            LEFT JOIN samples s ON s.id = r.sample_id LEFT JOIN sample_versions v ON v.id = r.version_id
            WHERE NOT EXISTS (SELECT 1 FROM sample_visibility_ranges x WHERE x.sample_id = r.sample_id
                AND x.first_observation_id >= r.last_observation_id
                AND \(records.isKnown("x.first_observation_id", at: records.newer)))\(conditions)
            GROUP BY s.sample_type_id, marked ORDER BY count(*) DESC, s.sample_type_id, marked
            """, parameters
        )
    }
}
