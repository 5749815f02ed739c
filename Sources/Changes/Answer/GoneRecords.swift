public import Archive
internal import SQLite

extension Archive {
    /// Lists the records that disappeared between the two observations of a scope, by time.
    ///
    /// - Complexity: one look at each range that began or ended between the two, and a sort.
    public func goneRecords(of scope: Scope, in context: ExportContext) throws(ArchiveError) -> GoneRecords {
        let query = ChangeQuery(records: try query(for: scope))
        try connection.add(DateKeyFunction(), as: "hp_date", count: 1)
        for sql in query.changeTables() + ChangeQuery.pairMarks { try connection.execute(sql) }
        try PairSearch.mark(connection, query, context, path)
        let (sql, parameters) = query.goneRecords
        var rows = try connection.prepare(sql)
        try rows.bind(parameters)
        return GoneRecords(rows, context)
    }
}

/// A record that disappeared.
public struct GoneRecord: Sendable {
    /// Index into the types of the context.
    public let type: Int?
    /// Unix seconds.
    public let start, end: Double?
    public let number: Double?
    public let unit: [UInt8]?
    public let category, activity: Int64?
    public let bundleIdentifier, sourceNameHash: [UInt8]?
    /// The kind of the pair that it is in, and what became of its measure; `nil` if it is in none.
    public let pair: (kind: Pair.Kind, outcome: Pair.Outcome?)?
}

/// Streams records that disappeared, by time; those without a date first.
public struct GoneRecords: ~Copyable {
    private var rows: Statement
    private let context: ExportContext

    init(_ rows: consuming Statement, _ context: ExportContext) {
        self.rows = rows
        self.context = context
    }

    /// Returns the next record; `nil` after the last.
    public mutating func next() throws(ArchiveError) -> GoneRecord? {
        guard try rows.step() else { return nil }
        let kind = rows.integer(9).flatMap { Pair.Kind(rawValue: UInt8(truncatingIfNeeded: $0)) }
        let outcome = rows.integer(10).flatMap { Pair.Outcome(rawValue: UInt8(truncatingIfNeeded: $0)) }
        return GoneRecord(
            type: context.typeIndex(rows.exactInteger(0)), start: rows.date(1), end: rows.date(2),
            number: rows.number(3), unit: rows.carryableText(4), category: rows.exactInteger(5),
            activity: rows.exactInteger(6), bundleIdentifier: rows.carryableText(7),
            sourceNameHash: rows.carryableText(8),
            pair: kind.map { ($0, $0 == .ambiguous ? nil : outcome) })
    }
}

extension ChangeQuery {
    /// The records that disappeared, once the tables of the changes exist: type, dates, value, source, pair.
    fileprivate var goneRecords: (sql: String, parameters: [Parameter]) {
        let (conditions, parameters) = records.selection()
        return (
            """
            SELECT s.sample_type_id, v.start_date, v.end_date, v.numeric_value, v.unit, v.category_value,
                v.workout_activity_type, o.bundle_identifier, o.source_name_hash, q.kind, q.outcome
            FROM (\(Self.onOneSide(.disappeared))) p LEFT JOIN samples s ON s.id = p.sample_id
            LEFT JOIN sample_versions v ON v.id = p.version_id
            LEFT JOIN source_revisions c ON c.id = v.source_revision_id LEFT JOIN sources o ON o.id = c.source_id
            LEFT JOIN temp.pair_marks q ON q.sample_id = p.sample_id AND q.version_id = p.version_id
            WHERE 1\(conditions) ORDER BY hp_date(v.start_date), s.sample_type_id, p.sample_id, p.version_id
            """, parameters
        )
    }
}
