internal import Files
internal import Measures
internal import SQLite
internal import Archive

/// Goes once through what is visible at either observation: adds it up by type, and finds the changes of each sample.
///
/// - Complexity: one pass over the ranges, and a sort of the changes; memory does not grow with them. No sample is in
///   two slices.
struct VisibleScan: SlicedScan, ~Copyable {
    private let context: ExportContext
    private let measures: [Measure]
    private let stripOffset: Int?
    private var reader: ComparedRows
    private var rows: Statement
    private var sorter: ChangeSorter

    struct Found {
        /// The changes, in runs that `ChangeStream` reads.
        var runs: [RowRun]
        /// The visible records by the place of the type, from 1; of types without an identifier first.
        var tallies: [ComparisonTally?]
        /// The types of which records disappeared, and others appeared.
        var replaced: Set<Int> { disappeared.intersection(appeared) }
        fileprivate var disappeared: Set<Int> = []
        fileprivate var appeared: Set<Int> = []
        /// The values that records that are alike have in common (`AlikeNotes`).
        var notes: [RowRun] = []

        /// Notes a type of which a record disappeared or appeared.
        mutating func noteChange(of type: Int, isBefore: Bool) {
            if isBefore { disappeared.insert(type) } else { appeared.insert(type) }
        }

        /// Adds what another scan found, of other samples.
        mutating func add(_ other: Found) {
            runs += other.runs
            disappeared.formUnion(other.disappeared)
            appeared.formUnion(other.appeared)
            notes += other.notes
            for (place, tally) in other.tallies.enumerated() {
                guard let tally else { continue }
                if tallies[place] == nil { tallies[place] = tally } else { tallies[place]!.add(tally) }
            }
        }
    }

    private var tallies: [ComparisonTally?]
    var found = Result<Found, ArchiveError>.success(Found(runs: [], tallies: []))
    /// The versions of the sample that is being read, each once.
    private var versions: [Visible] = []
    private var sample = StoredID.absent
    private var disappeared: Set<Int> = []
    private var appeared: Set<Int> = []
    private var typeID: Int64?
    private var type: Int?
    private var seen: Int64?
    private var notes: AlikeNotes

    /// A version, and on which sides it is visible.
    private struct Visible {
        let id: StoredID
        var isBefore, isAfter: Bool
        let isSelected: Bool
        let version: ComparedVersion
        let metadata: Int64?
    }

    init(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext, _ measures: [Measure],
        _ firsts: [Int: WindowJudge.First], _ numbers: MetadataStatements.Numbers, stripOffset: Int?,
        _ path: Path, isSliced: Bool
    ) throws(ArchiveError) {
        let reader = try ComparedRows(connection, measures, firsts, numbers)
        let (sql, parameters) = query.visibleOnEitherSide(isSliced: isSliced)
        var rows = try connection.prepare(sql)
        try rows.bind(parameters)
        self.reader = reader
        self.rows = rows
        self.context = context
        self.measures = measures
        self.stripOffset = stripOffset
        notes = AlikeNotes(of: path)
        sorter = ChangeSorter(of: path)
        tallies = [ComparisonTally?](repeating: nil, count: measures.count + 1)
    }

    mutating func take(_ slices: RowSlices) -> Bool { rows.take(slices) }

    mutating func finish() throws(ArchiveError) -> Found {
        Found(
            runs: try sorter.finish(), tallies: tallies, disappeared: disappeared, appeared: appeared,
            notes: try notes.finish())
    }

    mutating func readRows() throws(ArchiveError) {
        while try rows.step() {
            let sample = StoredID(rows, 3)
            if versions.isEmpty || sample != self.sample {
                try endSample()
                self.sample = sample
                typeID = rows.exactInteger(0)
                type = context.typeIndex(typeID)
                seen = rows.exactInteger(15)
            }
            let id = StoredID(rows, 4)
            let (isBefore, isAfter) = (rows.integer(1) == 1, rows.integer(2) == 1)
            if isBefore != isAfter, rows.integer(16) == 1 {
                try notes.add(rows, at: 5, type: 0, sample: 3, version: 4, isBefore: isBefore)
            }
            // Ranges of one version follow each other.
            if versions.last?.id == id {
                versions[versions.count - 1].isBefore = versions[versions.count - 1].isBefore || isBefore
                versions[versions.count - 1].isAfter = versions[versions.count - 1].isAfter || isAfter
                continue
            }
            let metadata = rows.exactInteger(13)
            versions.append(
                Visible(
                    id: id, isBefore: isBefore, isAfter: isAfter, isSelected: rows.integer(14) == 1,
                    version: try reader.version(of: type, rows, at: 5, metadata: metadata), metadata: metadata))
        }
        try endSample()
    }

    private mutating func endSample() throws(ArchiveError) {
        let place = (type ?? -1) + 1
        for version in versions where version.isSelected {
            if tallies[place] == nil {
                tallies[place] = ComparisonTally(type.map { measures[$0] } ?? .unknown, stripOffset: stripOffset)
            }
            if version.isBefore { tallies[place]!.addBefore(version.version) }
            if version.isAfter { tallies[place]!.addAfter(version.version) }
        }
        if versions.contains(where: { $0.isBefore != $0.isAfter }) { try addChanges() }
        versions.removeAll(keepingCapacity: true)
    }

    private mutating func addChanges() throws(ArchiveError) {
        let (isBefore, isAfter) = (versions.contains(where: \.isBefore), versions.contains(where: \.isAfter))
        guard isBefore && isAfter else {
            if let type { if isBefore { disappeared.insert(type) } else { appeared.insert(type) } }
            for version in versions where version.isSelected {
                let isLater = isBefore && reader.isFirstSeenLater(type, version.version, seen: seen)
                try add(isBefore ? .disappeared : .appeared, version, nil, isFirstSeenLater: isLater)
            }
            return
        }
        for before in versions where before.isBefore {
            for after in versions where after.isAfter && after.id != before.id {
                guard !(before.isAfter && after.isBefore), before.isSelected || after.isSelected else { continue }
                try add(.representationChanged, before, after)
            }
        }
    }

    private mutating func add(
        _ kind: ChangeKind, _ leading: Visible, _ other: Visible?, isFirstSeenLater: Bool = false
    ) throws(ArchiveError) {
        var side: ComparedChange.Side?
        var shared: ComparedChange.SharedIDs?
        if let other {
            side = try reader.side(other.version, metadata: other.metadata)
            // With two versions there is one change.
            if versions.count > 2 { shared = .init(before: [sample, leading.id], after: [sample, other.id]) }
        }
        let change = ComparedChange(
            kind: kind, leading: try reader.side(leading.version, metadata: leading.metadata), other: side,
            shared: shared, isFirstSeenLater: isFirstSeenLater, sample: sample,
            versionID: other == nil ? leading.id.number : nil)
        try sorter.add(change, type: type, typeID: typeID)
    }
}
