internal import Bytes
package import Files

/// Puts rows in the order of their bytes, however many there are: an external merge sort.
///
/// Rows gather in memory. When that is full they are sorted and written to a temporary file as one run; the runs
/// are merged while they are read. Rows that come in order, as most archives have them, are found to be so and
/// written as they are.
///
///     memory, or a run of the file:   row: its length (4, little-endian) │ length of what it brings along (4)
///                                          │ its bytes │ what it brings along
///
/// - Complexity: O(n log n) comparisons; memory is bounded by `memory`, and 32 bytes a row of that, while rows are
///   added, and by one buffer per run, which holds a row whole, while they are merged. More than `fanIn` runs are
///   written once more, behind the others.
package struct RowSorter: ~Copyable {
    /// The place of a row in memory, and the beginning of its bytes, which nearly always distinguishes it from others.
    private struct Entry {
        package let prefix: UInt64
        package let start: Int
    }

    /// A row has fewer bytes, as a value of SQLite's has.
    private static let limit = 1 << 30
    private var rows: ByteBuffer
    private var entries: [Entry] = []
    private var runs: [RowRun] = []
    private var file: SortFile?
    private let path: Path
    private let memory: Int
    private let fanIn: Int

    /// - Parameters:
    ///   - path: the archive's, for errors.
    ///   - memory: bytes of rows that are sorted at once.
    ///   - fanIn: so many runs are merged at most, 2 or more.
    package init(of path: Path, memory: Int = 4 << 20, fanIn: Int = 256) {
        precondition(fanIn >= 2)
        self.path = path
        self.memory = memory
        self.fanIn = fanIn
        rows = ByteBuffer(capacity: memory)
    }

    /// Adds a row. `companion` comes along with it and decides only between equal rows.
    package mutating func add(_ row: Span<UInt8>, companion: Span<UInt8>) throws(ArchiveError) {
        guard row.count < Self.limit, companion.count < Self.limit else {
            throw ArchiveError(.sqlite, "\(path.display): string or blob too big")
        }
        if rows.count + RowPlace.headSize + row.count + companion.count > memory, !entries.isEmpty { try writeRun() }
        let place = RowPlace(start: rows.count, rowCount: row.count, companionCount: companion.count)
        entries.append(Entry(prefix: RowPlace.prefix(row), start: place.start))
        place.appendHead(to: &rows)
        rows.append(copying: row)
        rows.append(copying: companion)
    }

    /// Returns all rows, in runs that `RowMerge` reads.
    package mutating func finish() throws(ArchiveError) -> [RowRun] {
        guard file != nil else {
            guard !entries.isEmpty else { return [] }
            guard !sort() else { return [RowRun(memory: rows.array)] }
            var sorted = ByteBuffer(capacity: rows.count)
            for entry in entries {
                sorted.append(copying: rows.span.extracting(RowPlace(rows.span, at: entry.start).range))
            }
            return [RowRun(memory: sorted.array)]
        }
        try writeRun()
        rows = ByteBuffer()
        entries = []
        while runs.count > fanIn { try mergeRuns() }
        return runs
    }

    /// Puts the entries in the order of their rows; true where they were in it.
    private mutating func sort() -> Bool {
        var sorted: [Entry] = []
        swap(&sorted, &entries)
        defer { swap(&sorted, &entries) }
        let bytes = rows.span
        var isSorted = true
        var index = 1
        while isSorted, index < sorted.count {
            isSorted = !Self.precedes(sorted[index], sorted[index - 1], in: bytes)
            index += 1
        }
        if !isSorted { sorted.sort { Self.precedes($0, $1, in: bytes) } }
        return isSorted
    }

    private static func precedes(_ left: Entry, _ right: Entry, in bytes: Span<UInt8>) -> Bool {
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        return RowPlace(bytes, at: left.start).precedes(RowPlace(bytes, at: right.start), bytes, bytes)
    }

    /// Writes what is in memory as a run.
    private mutating func writeRun() throws(ArchiveError) {
        var output = try SortOutput(opened())
        if sort() {
            try output.append(rows.span)
        } else {
            for entry in entries { try output.append(rows.span.extracting(RowPlace(rows.span, at: entry.start).range)) }
        }
        runs.append(try output.finish())
        rows.removeAll()
        entries.removeAll(keepingCapacity: true)
    }

    /// Makes one run of the first ones.
    private mutating func mergeRuns() throws(ArchiveError) {
        // No more than it takes to come down to the limit.
        let count = min(fanIn, runs.count - fanIn + 1)
        var merge = try RowMerge(Array(runs.prefix(count)))
        var output = try SortOutput(opened())
        var row = ByteBuffer()
        var companion = ByteBuffer()
        var head = ByteBuffer()
        while try merge.next(into: &row, companion: &companion) {
            head.removeAll()
            RowPlace(start: 0, rowCount: row.count, companionCount: companion.count).appendHead(to: &head)
            try output.append(head.span)
            try output.append(row.span)
            try output.append(companion.span)
        }
        runs.removeFirst(count)
        runs.append(try output.finish())
    }

    private mutating func opened() throws(ArchiveError) -> SortFile {
        if let file { return file }
        let opened = try SortFile(of: path)
        file = opened
        return opened
    }
}
