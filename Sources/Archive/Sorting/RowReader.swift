internal import Bytes
internal import Files
internal import SQLite

/// Reads packed rows and sorts them: all of a scope, or those of the slices that it takes, on a connection of its own.
struct RowReader: ~Copyable {
    private var rows: Statement
    /// A packed row has fewer bytes, as a value of SQLite's has.
    private static let limit = 1 << 30
    private var packer: RowPacker
    /// Kept open as long as the statement.
    private let connection: Connection?
    /// The rows in order; nil where one of them does not have the form that was asked for.
    private(set) var runs = Result<[RowRun]?, ArchiveError>.success(nil)

    /// - Parameters:
    ///   - rows: a statement that selects a `RecordSource`, or two of them where items are changes: the row of the
    ///     leading version and that of the other. Where there are slices, its last two parameters are a slice's
    ///     bounds.
    init(_ rows: consuming Statement, packer: RowPacker, connection: consuming Connection? = nil) {
        self.rows = rows
        self.packer = packer
        self.connection = connection
    }

    /// Reads and sorts all rows, or those of slices while there are any. `runs` says how that went.
    mutating func sort(as form: SortKey.Form, _ slices: RowSlices?) {
        // What another form left is in a file of its own.
        runs = .success(nil)
        do {
            let sorted = try sorted(as: form, slices)
            runs = .success(sorted)
        } catch {
            runs = .failure(error)
        }
    }

    private mutating func sorted(as form: SortKey.Form, _ slices: RowSlices?) throws(ArchiveError) -> [RowRun]? {
        var sorter = RowSorter(of: rows.path)
        if let slices {
            let last = Int32(rows.parameterCount)
            while let slice = slices.next() {
                rows.reset()
                rows.bind(last - 1, slice.lowerBound)
                rows.bind(last, slice.upperBound)
                guard try add(to: &sorter, as: form) else { return nil }
            }
        } else {
            rows.reset()
            guard try add(to: &sorter, as: form) else { return nil }
        }
        return try sorter.finish()
    }

    /// Packs all rows of the statement; false where one of them does not have the form.
    private mutating func add(to sorter: inout RowSorter, as form: SortKey.Form) throws(ArchiveError) -> Bool {
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
            guard row.count < Self.limit, other.count < Self.limit else {
                throw ArchiveError(.sqlite, "\(rows.path.display): string or blob too big")
            }
            try sorter.add(row.span, companion: other.span)
        }
        return true
    }
}
