internal import Files
internal import Measures
internal import SQLite

extension Archive {
    /// Notes in `change_labels` which label the window of each change has, by the usual thresholds; the tables of the
    /// changes are there.
    ///
    /// - Complexity: one pass over the changes; memory in proportion to the greatest piece.
    func labelChanges(_ query: RecordQuery, _ context: ExportContext) throws(ArchiveError) {
        try connection.add(OrderKeyFunction(ranks: context.typeRanks), as: "hp_order", count: 2)
        try connection.add(DateKeyFunction(), as: "hp_date", count: 1)
        for sql in RecordQuery.changeLabels { try connection.execute(sql) }
        var labels = try WindowLabels(connection, query, context, path)
        try labels.note()
    }
}

/// Goes through the changes and notes the label of each window.
private struct WindowLabels: ~Copyable {
    private let judge: WindowJudge
    private let measures: [Measure]
    private var sources: SourceNames
    private var changes: ChangeStream
    private var insert: Statement

    init(_ connection: borrowing Connection, _ query: RecordQuery, _ context: ExportContext, _ path: Path)
        throws(ArchiveError)
    {
        let judge = try WindowJudge(connection, query, context, Labeling(thresholds: Threshold.ofSummaries))
        let measures = context.typeNames.map { Measure(of: $0) }
        let sources = try SourceNames(connection)
        let changes = try ChangeRows.sorted(connection, query, context, measures, judge.firsts, path)
        let insert = try connection.prepare(RecordQuery.insertChangeLabel)
        self.judge = judge
        self.measures = measures
        self.sources = sources
        self.changes = changes
        self.insert = insert
    }

    mutating func note() throws(ArchiveError) {
        while let type = try changes.peekType() {
            let id = changes.typeID
            let measure = type.map { measures[$0] } ?? .unknown
            var builder = judge.builder(measure)
            var undated = WindowTally(measure)
            while let change = try changes.next(of: type) {
                guard let span = change.span else {
                    undated.add(change)
                    continue
                }
                builder.add(change, span)
                for window in builder.takeFinished() { try note(window, type, id, measure) }
            }
            builder.finish()
            for window in builder.takeFinished() { try note(window, type, id, measure) }
            if !undated.isEmpty { try note(undated, type, id, measure, isDated: false) }
        }
    }

    private mutating func note(
        _ window: WindowTally, _ type: Int?, _ id: Int64?, _ measure: Measure, isDated: Bool = true
    ) throws(ArchiveError) {
        var tally = window.finished()
        let counts = Comparison.Counts(
            appeared: tally.appeared, disappeared: tally.disappeared,
            representationChanged: tally.representationChanged)
        let found = judge.judged(
            window, isDated: isDated, counts, tally.before.result(), tally.after.result(),
            try tally.sourceCounts(&sources), type, measure, visible: nil)
        try insert.bind([
            id.map { .integer($0) } ?? .null, isDated ? .real(window.start!) : .null,
            .real(isDated ? window.firstEnd! : 0), .text(found.label.rawValue),
            .text(found.reasons.map(\.rawValue).joined(separator: " ")),
        ])
        try insert.run()
    }
}
