internal import Bytes
internal import Files
internal import Archive

/// Puts the changes of a scope in the order in which comparisons look at them: by type, then by start and end of
/// their spans; those without dates first.
///
///     row         type, from 1 (4), 0 without an identifier │ whether it has a span │ start (8) │ end (8)
///     companion   the row id of the type │ the change
struct ChangeSorter: ~Copyable {
    private var rows: RowSorter
    private var spare = ByteBuffer()
    private var spareCompanion = ByteBuffer()

    /// - Parameter path: the archive's, for errors.
    init(of path: Path) { rows = RowSorter(of: path, memory: 4 << 20, fanIn: 128) }

    /// - Parameters:
    ///   - type: the place of the type in the context.
    ///   - typeID: its row id.
    mutating func add(_ change: ComparedChange, type: Int?, typeID: Int64?) throws(ArchiveError) {
        var row = ByteBuffer()
        var companion = ByteBuffer()
        swap(&row, &spare)
        swap(&companion, &spareCompanion)
        row.removeAll()
        row.append(bigEndian: UInt64((type ?? -1) + 1), count: 4)
        row.append(change.span == nil ? 0 : 1)
        if let span = change.span {
            row.append(bigEndian: OrderKeyFunction.orderedBits(span.lowerBound))
            row.append(bigEndian: OrderKeyFunction.orderedBits(span.upperBound))
        }
        companion.removeAll()
        companion.append(optional: typeID)
        change.append(to: &companion)
        try rows.add(row.span, companion: companion.span)
        swap(&row, &spare)
        swap(&companion, &spareCompanion)
    }

    /// Returns all changes, in runs that `ChangeStream` reads. The sorter is empty then.
    mutating func finish() throws(ArchiveError) -> [RowRun] { try rows.finish() }
}

/// The changes of a scope in order, with a look ahead at the type. They can be read again.
struct ChangeStream: ~Copyable {
    private let runs: [RowRun]
    private var merge: RowMerge
    private var row = ByteBuffer()
    private var companion = ByteBuffer()
    private var hasRow = false
    private var isAtEnd = false
    private var type: Int?
    private var marks: PairMarkReader?
    private var alike: AlikeReader?
    /// The row id of the type of the change that was looked at last.
    private(set) var typeID: Int64?

    init(_ runs: [RowRun]) throws(ArchiveError) {
        let merge = try RowMerge(runs)
        self.merge = merge
        self.runs = runs
        marks = nil
        alike = nil
    }

    /// Leaves out what samples that are alike say of themselves. Called before anything is read.
    mutating func leaveOut(_ alike: consuming AlikeReader) { self.alike = .some(alike) }

    /// `true` if there are samples that are alike.
    var hasAlike: Bool { alike != nil }

    /// Lets the changes that follow say in which pair they are.
    mutating func attach(_ marks: consuming PairMarkReader?) { self.marks = marks }

    /// Begins again.
    mutating func restart() throws(ArchiveError) {
        merge = try RowMerge(runs)
        (hasRow, isAtEnd) = (false, false)
    }

    /// Returns the type of the next change; `nil` at the end.
    mutating func peekType() throws(ArchiveError) -> Int?? {
        if !hasRow, !isAtEnd {
            hasRow = try merge.next(into: &row, companion: &companion)
            while hasRow, try isLeftOut() { hasRow = try merge.next(into: &row, companion: &companion) }
            isAtEnd = !hasRow
            if hasRow {
                var place = 0
                for index in 0..<4 { place = place << 8 | Int(row.span[index]) }
                type = place == 0 ? nil : place - 1
                var reader = CompactReader(companion.span)
                typeID = reader.optional { $0.integer() }
            }
        }
        return hasRow ? .some(type) : nil
    }

    private mutating func isLeftOut() throws(ArchiveError) -> Bool {
        guard alike != nil else { return false }
        var reader = CompactReader(companion.span)
        _ = reader.optional { $0.integer() }
        guard reader.byte() == 0 else { return false }
        return try alike!.contains(StoredID(&reader))
    }

    /// Returns the next change, if it is of a type.
    mutating func next(of type: Int?) throws(ArchiveError) -> ComparedChange? {
        guard let found = try peekType(), found == type else { return nil }
        hasRow = false
        var reader = CompactReader(companion.span)
        _ = reader.optional { $0.integer() }
        var change = ComparedChange(&reader)
        if let mark = try marks?.mark(of: change) { change.mark = mark }
        return change
    }
}
