internal import Files
internal import Measures
internal import SQLite
internal import Archive

/// Reads what comparisons look at from rows: versions, and what their metadata state.
struct ComparedRows: ~Copyable {
    private var metadata: MetadataStatements
    private var workouts: WorkoutTotalsReader
    /// One for each type of the context, then one for types without an identifier.
    private var readers: [VersionReader]
    private let firsts: [Int: WindowJudge.First]

    init(
        _ connection: borrowing Connection, _ measures: [Measure], _ firsts: [Int: WindowJudge.First],
        _ numbers: MetadataStatements.Numbers = MetadataStatements.Numbers()
    ) throws(ArchiveError) {
        let metadata = try MetadataStatements(connection, numbers)
        let workouts = try WorkoutTotalsReader(connection)
        self.metadata = metadata
        self.workouts = workouts
        readers = measures.map { VersionReader($0) } + [VersionReader(.unknown)]
        self.firsts = firsts
    }

    /// Returns a version of a type: its columns as `ChangeQuery.compared` lists them, and the id of its metadata.
    mutating func version(
        of type: Int?, _ rows: borrowing Statement, at column: Int32, metadata id: Int64?
    ) throws(ArchiveError) -> ComparedVersion {
        let place = type ?? readers.count - 1
        var version = readers[place].version(rows, at: column)
        if readers[place].measure.kind == .workout { version.totals = try workouts.totals(of: id) }
        return version
    }

    /// Returns a side of a change.
    mutating func side(_ version: ComparedVersion, metadata id: Int64?) throws(ArchiveError) -> ComparedChange.Side {
        ComparedChange.Side(version: version, statements: try metadata.statements(of: id))
    }

    /// Returns `true` if a sample that disappeared was first seen after its type's first observation, and ended before
    /// it.
    func isFirstSeenLater(_ type: Int?, _ version: ComparedVersion, seen: Int64?) -> Bool {
        guard let first = type.flatMap({ firsts[$0] }), let end = version.end, let seen else { return false }
        return seen > first.observation && end < first.moment
    }
}

/// The changes that the tables of the changes have, in order.
struct ChangeRows {
    /// Reads and sorts them, and puts those of samples that are alike in place of what these say of themselves, in the
    /// tables too.
    static func sorted(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext, _ measures: [Measure],
        _ firsts: [Int: WindowJudge.First], _ path: Path
    ) throws(ArchiveError) -> ChangeStream {
        let numbers = MetadataStatements.Numbers()
        var notes = AlikeNotes(of: path)
        var runs = try runs(connection, query, context, measures, firsts, numbers, path, &notes)
        // What a filter leaves out can be alike with what it selects.
        let noted =
            try query.records.scope.filter.isByVersion
            ? AlikeNotes.read(connection, query, path) : notes.finish()
        guard try query.alike.prepare(connection, noted) else { return try ChangeStream(runs) }
        for sql in AlikeRecords.replaceSides { try connection.execute(sql) }
        runs += try matchedRuns(connection, query, context, measures, firsts, numbers, path)
        var stream = try ChangeStream(runs)
        stream.leaveOut(try AlikeReader(connection))
        return stream
    }

    /// Reads and sorts those of samples that are alike, once these stand in the tables.
    static func matchedRuns(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext, _ measures: [Measure],
        _ firsts: [Int: WindowJudge.First], _ numbers: MetadataStatements.Numbers, _ path: Path
    ) throws(ArchiveError) -> [RowRun] {
        var notes = AlikeNotes(of: path)
        return try runs(connection, query, context, measures, firsts, numbers, path, &notes, areMatched: true)
    }

    /// Reads and sorts them, for a stream that has others too.
    ///
    /// - Parameters:
    ///   - numbers: those of what metadata state, as the others have them.
    ///   - notes: takes what samples say of themselves.
    ///   - areMatched: whether those of samples that are alike are read, and no others.
    private static func runs(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext, _ measures: [Measure],
        _ firsts: [Int: WindowJudge.First], _ numbers: MetadataStatements.Numbers, _ path: Path,
        _ notes: inout AlikeNotes, areMatched: Bool = false
    ) throws(ArchiveError) -> [RowRun] {
        var rows = try connection.prepare(query.comparedChanges(ofAlike: areMatched))
        var reader = try ComparedRows(connection, measures, firsts, numbers)
        var sorter = ChangeSorter(of: path)
        while try rows.step() {
            let typeID = rows.exactInteger(0)
            let type = context.typeIndex(typeID)
            let kind: ChangeKind =
                switch RowBatch.Kind(rawValue: UInt8(rows.integer(1) ?? 0)) {
                case .appeared: .appeared
                case .disappeared: .disappeared
                default: .representationChanged
                }
            if !areMatched, rows.integer(25) == 1 {
                try notes.add(rows, at: 7, type: 0, sample: 3, version: 4, isBefore: kind != .appeared)
                if kind == .representationChanged {
                    try notes.add(rows, at: 15, type: 0, sample: 3, version: 5, isBefore: false)
                }
            }
            let (metadata, otherMetadata) = (rows.exactInteger(23), rows.exactInteger(24))
            let leading = try reader.version(of: type, rows, at: 7, metadata: metadata)
            var other: ComparedChange.Side?
            if kind == .representationChanged {
                let version = try reader.version(of: type, rows, at: 15, metadata: otherMetadata)
                other = try reader.side(version, metadata: otherMetadata)
            }
            var shared: ComparedChange.SharedIDs?
            if rows.integer(2) == 1 {
                let sample = StoredID(rows, 3)
                shared = .init(before: [sample, StoredID(rows, 4)], after: [sample, StoredID(rows, 5)])
            }
            let isLater =
                kind == .disappeared
                && reader.isFirstSeenLater(type, leading, seen: rows.exactInteger(6))
            let change = ComparedChange(
                kind: kind, leading: try reader.side(leading, metadata: metadata), other: other, shared: shared,
                isFirstSeenLater: isLater, sample: StoredID(rows, 3), isMatched: areMatched,
                versionID: kind == .representationChanged ? nil : rows.exactInteger(4))
            try sorter.add(change, type: type, typeID: typeID)
        }
        return try sorter.finish()
    }
}
