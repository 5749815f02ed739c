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
        delimiter = UInt8(ascii: view.dialect == .excel ? ";" : ",")
    }

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
    mutating func finish(_ take: ([UInt8]) throws -> Void) throws {
        var merge = try RowMerge(sorter.finish())
        var key = ByteBuffer(capacity: 32)
        var row = ByteBuffer(capacity: 1024)
        let cutter = ColumnCutter(kept: present, delimiter: delimiter)
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

/// Leaves columns out of the rows of our own tables.
private struct ColumnCutter {
    let kept: UInt32
    let delimiter: UInt8

    /// Appends what stays of a row. Its last column, the item hash, is never left out.
    func cut(_ row: Span<UInt8>, into text: inout [UInt8]) {
        var column: UInt32 = 0
        var (isQuoted, hasColumn) = (false, false)
        for index in row.indices {
            let byte = row[index]
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            let isKept = kept & 1 << column != 0
            guard !isQuoted, byte == delimiter else {
                if isKept { text.append(byte) }
                continue
            }
            if isKept { hasColumn = true }
            column += 1
            if kept & 1 << column != 0, hasColumn { text.append(byte) }
        }
    }
}
