internal import Files

/// Rows of a table whose columns are not all wanted: which ones hold nothing is known behind the last row.
///
/// The rows wait in a temporary file without a name.
struct RowSpool: ~Copyable {
    private let file: Descriptor
    private var size: Int64 = 0
    /// Columns with a cell that is not empty, by their place.
    private(set) var present: UInt32 = 0
    private let delimiter: UInt8

    init(delimiter: UInt8) throws(FileError) {
        file = try Descriptor.unnamed(in: .sortingFolder)
        self.delimiter = delimiter
    }

    /// Adds whole rows.
    mutating func write(_ rows: Span<UInt8>, present: UInt32) throws(FileError) {
        try file.write(rows)
        size += Int64(rows.count)
        self.present |= present
    }

    /// Gives all rows in order, without the columns that hold nothing.
    func read(_ take: ([UInt8]) throws(FileError) -> Void) throws(FileError) {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset: Int64 = 0
        var cutter = ColumnCutter(kept: present, delimiter: delimiter)
        while offset < size {
            let wanted = Int(min(Int64(buffer.count), size - offset))
            let count = try file.read(into: &buffer, at: offset, count: wanted)
            guard count == wanted else { throw FileError("read", file.path, number: FileError.inputOutput) }
            offset += Int64(count)
            try take(cutter.cut(buffer.span.extracting(first: count)))
        }
    }
}

/// Leaves columns out of the rows of our own tables.
private struct ColumnCutter {
    private let kept: UInt32
    private let delimiter: UInt8
    private var column: UInt32 = 0
    private var isQuoted = false
    /// Whether a column of this row was given.
    private var hasColumn = false

    init(kept: UInt32, delimiter: UInt8) {
        self.kept = kept
        self.delimiter = delimiter
    }

    /// What stays of a piece; a piece may end anywhere.
    mutating func cut(_ text: Span<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        for index in text.indices {
            let byte = text[index]
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if !isQuoted, byte == delimiter {
                if kept & 1 << column != 0 { hasColumn = true }
                column += 1
                if kept & 1 << column != 0, hasColumn { result.append(byte) }
                continue
            }
            // The last column is the item hash, which is never left out: a row's end belongs to it.
            if kept & 1 << column != 0 { result.append(byte) }
            if !isQuoted, byte == UInt8(ascii: "\n") {
                column = 0
                hasColumn = false
            }
        }
        return result
    }
}
