public import Archive
internal import Files
internal import Measures
internal import SQLite

extension Archive {
    /// Returns the changes in the order of windows; the tables of the changes are there.
    func comparedChanges(_ query: ChangeQuery, _ context: ExportContext) throws(ArchiveError) -> JudgedWindows {
        try connection.add(OrderKeyFunction(ranks: context.typeRanks), as: "hp_order", count: 2)
        try connection.add(DateKeyFunction(), as: "hp_date", count: 1)
        let judge = try WindowJudge(connection, query, context, Labeling(thresholds: Threshold.ofSummaries))
        return try JudgedWindows(connection, query, context, judge, path)
    }

    /// Notes in `change_labels` which label the window of each change has, by the usual thresholds. The pairs are
    /// known.
    ///
    /// - Complexity: one pass over the changes; memory in proportion to the greatest piece.
    func labelChanges(_ windows: consuming JudgedWindows) throws(ArchiveError) {
        for sql in ChangeQuery.changeLabels { try connection.execute(sql) }
        var insert = try connection.prepare(ChangeQuery.insertChangeLabel)
        windows.attach(try PairMarkReader(connection))
        try windows.forEach { window throws(ArchiveError) in
            let tally = window.tally
            try insert.bind([
                window.typeID.map { .integer($0) } ?? .null, window.isDated ? .real(tally.start!) : .null,
                .real(window.isDated ? tally.firstEnd! : 0), .text(tally.verdict.label.rawValue),
                .text(tally.verdict.reasons.map(\.rawValue).joined(separator: " ")),
            ])
            try insert.run()
        }
    }

    /// Returns the changes between the two observations of a scope, by type, in the order of the context. Types without
    /// a change are left out.
    ///
    /// - Complexity: one look at each range that began or ended between the two, and a sort of those changes that are
    ///   near one that is not `appeared`.
    public func changeSummary(of scope: Scope) throws(ArchiveError) -> [TypeChanges] {
        let (query, context) = (ChangeQuery(records: try query(for: scope)), try context(of: scope))
        try connection.add(OrderKeyFunction(ranks: context.typeRanks), as: "hp_order", count: 2)
        try connection.add(DateKeyFunction(), as: "hp_date", count: 1)
        let judge = try WindowJudge(connection, query, context, Labeling(thresholds: Threshold.ofSummaries))
        let others = try NearbyChanges.gather(connection, query, context, judge.bounds)
        if others == nil { for sql in query.changeTables() { try connection.execute(sql) } }
        // They match records that are alike, whose pairs are others then.
        var windows = try JudgedWindows(connection, query, context, judge, path)
        let hasAlike = windows.hasAlike
        for sql in ChangeQuery.pairMarks { try connection.execute(sql) }
        try PairSearch.mark(connection, query, context, path)
        windows.attach(try PairMarkReader(connection))
        var types: [TypeChanges] = []
        let names = context.typeNames
        try windows.forEach { window throws(ArchiveError) in
            if types.isEmpty || types[types.count - 1].typeID != window.typeID {
                let name = window.type.map { String(decoding: names[$0], as: UTF8.self) }
                types.append(TypeChanges(type: name, typeID: window.typeID))
            }
            types[types.count - 1].add(window)
        }
        for (type, count) in (others ?? [:]).sorted(by: { $0.key < $1.key }) {
            let id = context.typeIDs[type]
            if !types.contains(where: { $0.typeID == id }) {
                types.append(TypeChanges(type: String(decoding: names[type], as: UTF8.self), typeID: id))
            }
            let place = types.firstIndex { $0.typeID == id }!
            types[place].add(appeared: count, judge.incompleteness(of: type))
        }
        for (id, counts) in try LinkCounts.read(connection, query, hasAlike: hasAlike) {
            let type = context.typeIndex(id)
            if !types.contains(where: { $0.typeID == id }) {
                types.append(TypeChanges(type: type.map { String(decoding: names[$0], as: UTF8.self) }, typeID: id))
            }
            let place = types.firstIndex { $0.typeID == id }!
            types[place].add(counts, judge.incompleteness(of: type))
        }
        let ranks = types.map { context.typeIndex($0.typeID) ?? -1 }
        let order = types.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }
        return order.map { types[$0] }
    }
}

/// The changes of a type between two observations.
public struct TypeChanges: Sendable {
    /// The type's identifier; nil for types without one.
    public let type: String?
    let typeID: Int64?
    /// Changes by kind.
    public private(set) var appeared = 0, disappeared = 0, representationChanged = 0
    /// Relationships of its records that changed.
    public private(set) var links = LinkCounts()
    /// `true` if a window looks like a consolidation.
    public private(set) var isConsolidationLikely = false
    /// Why windows are uncertain.
    public private(set) var reasons: Set<Comparison.Reason> = []

    init(type: String?, typeID: Int64?) { (self.type, self.typeID) = (type, typeID) }

    /// Adds records that appeared in windows without another change: these are uncertain for the type's reasons alone.
    fileprivate mutating func add(appeared count: Int, _ reasons: [Comparison.Reason]) {
        appeared += count
        self.reasons.formUnion(reasons)
    }

    /// Adds relationships that changed.
    fileprivate mutating func add(_ counts: LinkCounts, _ reasons: [Comparison.Reason]) {
        links = links + counts
        self.reasons.formUnion(reasons)
    }

    fileprivate mutating func add(_ window: JudgedWindows.Window) {
        appeared += window.tally.tally.appeared
        disappeared += window.tally.tally.disappeared
        representationChanged += window.tally.tally.representationChanged
        if window.tally.verdict.label == .consolidationLikely { isConsolidationLikely = true }
        reasons.formUnion(window.tally.verdict.reasons)
    }
}

/// The windows of the changes, in order, each with its label. The tables of the changes are there.
struct JudgedWindows: ~Copyable {
    /// A window of a type, and what it looks like.
    struct Window {
        let type: Int?
        let typeID: Int64?
        let tally: WindowTally
        let isDated: Bool
    }

    private let judge: WindowJudge
    private let measures: [Measure]
    private var sources: SourceNames
    private var changes: ChangeStream
    /// `true` if there are samples that are alike; their tables are filled then.
    var hasAlike: Bool { changes.hasAlike }

    fileprivate init(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext, _ judge: WindowJudge,
        _ path: Path
    ) throws(ArchiveError) {
        let measures = context.typeNames.map { Measure(of: $0) }
        let sources = try SourceNames(connection)
        let changes = try ChangeRows.sorted(connection, query, context, measures, judge.firsts, path)
        self.judge = judge
        self.measures = measures
        self.sources = sources
        self.changes = changes
    }

    /// Lets the changes say in which pair they are.
    fileprivate mutating func attach(_ marks: consuming PairMarkReader) { changes.attach(marks) }

    fileprivate mutating func forEach(_ body: (Window) throws(ArchiveError) -> Void) throws(ArchiveError) {
        while let type = try changes.peekType() {
            let id = changes.typeID
            let measure = type.map { measures[$0] } ?? .unknown
            var builder = judge.builder(measure, of: type)
            var undated = judge.undated(measure, of: type)
            while let change = try changes.next(of: type) {
                guard let span = change.span else {
                    undated.add(change)
                    continue
                }
                try builder.add(change, span, &sources)
                for window in builder.takeFinished() {
                    try body(Window(type: type, typeID: id, tally: window, isDated: true))
                }
            }
            try builder.finish(&sources)
            for window in builder.takeFinished() {
                try body(Window(type: type, typeID: id, tally: window, isDated: true))
            }
            if !undated.isEmpty { try body(Window(type: type, typeID: id, tally: undated, isDated: false)) }
        }
    }
}

/// The SQL function `hp_date(value)`: a date that has a timestamp as it is, anything else as NULL, which sorts first.
final class DateKeyFunction: SQLFunction {
    func call(_ arguments: SQLiteArguments, _ result: SQLiteResult) {
        if let date = arguments[0].date { result.set(date) }
    }
}
