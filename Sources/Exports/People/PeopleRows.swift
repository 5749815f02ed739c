internal import Archive
internal import Bytes
internal import Files

/// Rows of a view, which are sorted by time, get the numbers of their items, and lose the columns that hold nothing:
/// all of it is known behind the last row.
///
///     key         start (8) │ end (8) │ number of the item (8)
///     companion   the row
struct PeopleRows: ~Copyable {
    private var sorter: RowSorter
    private var count: UInt64 = 0
    /// Columns with a cell that is not empty, by their place.
    private(set) var present: UInt32 = 0
    private let delimiter: UInt8

    /// - Parameter path: the archive's, for errors.
    init(_ view: PeopleView, of path: Path) {
        sorter = RowSorter(of: path, memory: 8 << 20)
        delimiter = view.delimiter
    }

    /// Returns `true` if some cell of the column at this place is not empty, and of all if there is no row.
    func has(_ place: Int) -> Bool { present == 0 || present & 1 << UInt32(place) != 0 }

    /// Adds the rows of the next items.
    mutating func add(_ chunk: BuiltChunk) throws(ArchiveError) {
        present |= chunk.present
        let text = chunk.bytes.span
        var key = ByteBuffer(capacity: 32)
        var row = ByteBuffer(capacity: 1024)
        var start = 0
        for place in chunk.peopleRows {
            count += 1
            key.removeAll()
            for part in [place.start, place.end, count] { key.append(bigEndian: part, count: 8) }
            row.removeAll()
            row.append(copying: text.extracting(start..<place.textEnd - PeopleRow.tail))
            for digit in String(count).utf8 { row.append(digit) }
            row.append(delimiter)
            row.append(copying: text.extracting(place.textEnd - PeopleRow.tail..<place.textEnd))
            try sorter.add(key.span, companion: row.span)
            start = place.textEnd
        }
    }

    /// Gives all rows by time, without the columns that hold nothing.
    ///
    /// - Parameter columns: which of the others are kept, by their place; `nil` for all.
    mutating func finish(keeping columns: [Bool]? = nil, _ take: ([UInt8]) throws -> Void) throws {
        var merge = try RowMerge(sorter.finish())
        var key = ByteBuffer(capacity: 32)
        var row = ByteBuffer(capacity: 1024)
        let kept = (0..<(columns?.count ?? 32)).map { has($0) && columns?[$0] ?? true }
        var cutter = ColumnCutter(kept, delimiter: delimiter)
        var text: [UInt8] = []
        while try merge.next(into: &key, companion: &row) {
            cutter.cut(row.span, into: &text)
            guard text.count >= 1 << 20 else { continue }
            try take(text)
            text.removeAll(keepingCapacity: true)
        }
        try take(text)
    }
}

/// Leaves columns out of the rows of a view.
struct ColumnCutter {
    private let kept: [Bool]
    private let delimiter: UInt8
    private var column = 0
    private var (isQuoted, hasColumn) = (false, false)

    /// - Parameter kept: by place; the last column, the item hash, is.
    init(_ kept: [Bool], delimiter: UInt8) { (self.kept, self.delimiter) = (kept, delimiter) }

    private var isKept: Bool { kept.indices.contains(column) && kept[column] }

    /// Appends what stays of the next part of the text.
    mutating func cut(_ rows: Span<UInt8>, into text: inout [UInt8]) {
        for index in rows.indices {
            let byte = rows[index]
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard !isQuoted, byte == delimiter else {
                if isKept { text.append(byte) }
                if !isQuoted, byte == UInt8(ascii: "\n") { (column, hasColumn) = (0, false) }
                continue
            }
            if isKept { hasColumn = true }
            column += 1
            if isKept, hasColumn { text.append(byte) }
        }
    }
}
