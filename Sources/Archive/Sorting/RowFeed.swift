internal import Bytes
internal import Files
internal import SQLite

/// The source of a reader's rows: packed, in any order, with what they bring along.
protocol RowFeed: AnyObject {
    /// The archive, for errors.
    var path: Path { get }

    /// Adds all rows, or those of a slice; false where one of them does not have the form.
    func add(_ slice: RowSlices.Slice?, to sorter: inout RowSorter, as form: SortKey.Form) throws(ArchiveError) -> Bool
}

/// The rows of one statement.
final class StatementRows: RowFeed {
    private var rows: Statement
    private var packer: RowPacker

    var path: Path { rows.path }

    /// - Parameter rows: a statement that selects a `RecordSource`, or two of them where items are changes: the row of
    ///   the leading version and that of the other. Where there are slices, its last two parameters are a slice's
    ///   bounds.
    init(_ rows: consuming Statement, packer: RowPacker) {
        self.rows = rows
        self.packer = packer
    }

    func add(_ slice: RowSlices.Slice?, to sorter: inout RowSorter, as form: SortKey.Form) throws(ArchiveError) -> Bool
    {
        rows.reset()
        if let slice { rows.bind(slice) }
        let hasOther = rows.columnCount > RecordSource.columnCount
        var row = ByteBuffer(capacity: 4096)
        var other = ByteBuffer()
        while try rows.step() {
            guard packer.pack(rows, as: form, into: &row) else { return false }
            other.removeAll()
            if hasOther, SortKey(row.span, at: 0).kind == RowBatch.Kind.representationChanged.rawValue {
                guard packer.pack(rows, from: Int32(RecordSource.columnCount), as: form, into: &other) else {
                    return false
                }
            }
            try sorter.add(row.span, companion: other.span)
        }
        return true
    }
}
