internal import Measures
internal import SQLite

/// The changes of a scope in order, with a look ahead at the type.
struct ChangeStream: ~Copyable {
    private var rows: Statement
    private var metadata: MetadataStatements
    private var workouts: WorkoutTotalsReader
    /// One for each type of the context, then one for types without an identifier.
    private var readers: [VersionReader]
    private let firsts: [Int: WindowJudge.First]
    private let context: ExportContext
    private var hasRow = false
    private var isAtEnd = false
    /// The row id of the type of the change that was looked at last.
    private(set) var typeID: Int64?

    init(
        _ connection: borrowing Connection, _ query: RecordQuery, _ context: ExportContext, _ measures: [Measure],
        _ firsts: [Int: WindowJudge.First]
    ) throws(ArchiveError) {
        let rows = try connection.prepare(query.comparedChanges())
        let metadata = try MetadataStatements(connection)
        let workouts = try WorkoutTotalsReader(connection)
        self.rows = rows
        self.metadata = metadata
        self.workouts = workouts
        readers = measures.map { VersionReader($0) } + [VersionReader(.unknown)]
        self.firsts = firsts
        self.context = context
    }

    /// Begins again.
    mutating func restart() {
        rows.reset()
        (hasRow, isAtEnd) = (false, false)
    }

    /// The type of the next change; nil at the end.
    mutating func peekType() throws(ArchiveError) -> Int?? {
        if !hasRow, !isAtEnd {
            hasRow = try rows.step()
            isAtEnd = !hasRow
            if hasRow { typeID = rows.exactInteger(0) }
        }
        return hasRow ? .some(context.typeIndex(typeID)) : nil
    }

    /// The next change, if it is of a type.
    mutating func next(of type: Int?) throws(ArchiveError) -> ComparedChange? {
        guard let found = try peekType(), found == type else { return nil }
        hasRow = false
        let kind: ChangeKind =
            switch RowBatch.Kind(rawValue: UInt8(rows.integer(1) ?? 0)) {
            case .appeared: .appeared
            case .disappeared: .disappeared
            default: .representationChanged
            }
        let place = type ?? readers.count - 1
        var leading = readers[place].version(rows, at: 7)
        let isWorkout = readers[place].measure.kind == .workout
        if isWorkout { leading.totals = try workouts.totals(of: rows.exactInteger(23)) }
        let statements = try metadata.statements(of: rows.exactInteger(23))
        var other: ComparedChange.Side?
        if kind == .representationChanged {
            var version = readers[place].version(rows, at: 15)
            if isWorkout { version.totals = try workouts.totals(of: rows.exactInteger(24)) }
            other = ComparedChange.Side(
                version: version,
                statements: try metadata.statements(of: rows.exactInteger(24)))
        }
        var isFirstSeenLater = false
        if kind == .disappeared, let first = type.flatMap({ firsts[$0] }), let end = leading.end,
            let seen = rows.exactInteger(6)
        {
            isFirstSeenLater = seen > first.observation && end < first.moment
        }
        var shared: ComparedChange.SharedIDs?
        if rows.integer(2) == 1 {
            let sample = StoredID(rows, 3)
            shared = .init(before: [sample, StoredID(rows, 4)], after: [sample, StoredID(rows, 5)])
        }
        return ComparedChange(
            kind: kind, leading: ComparedChange.Side(version: leading, statements: statements), other: other,
            shared: shared, isFirstSeenLater: isFirstSeenLater)
    }
}
