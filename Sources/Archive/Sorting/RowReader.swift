internal import Bytes

/// Reads packed rows and sorts them: all of a scope, or those of the slices that it takes, on a connection of its own.
struct RowReader: ~Copyable {
    private var rows: Statement
    private let packer: RowFunction
    /// Kept open as long as the statement.
    private let connection: Connection?
    /// The rows in order; nil where one of them does not have the form that was asked for.
    private(set) var runs = Result<[RowRun]?, ArchiveError>.success(nil)

    /// - Parameters:
    ///   - rows: a statement of one column, the row that `packer` packs; or of a second one that packs another row or is NULL. Where there are slices, its last two parameters are a slice's bounds.
    init(_ rows: consuming Statement, packer: RowFunction, connection: consuming Connection? = nil) {
        self.rows = rows
        self.packer = packer
        self.connection = connection
    }

    /// Reads and sorts all rows, or those of slices while there are any. `runs` says how that went.
    mutating func sort(as form: RowFront.Form, _ slices: RowSlices?) {
        packer.begin(form)
        // What another form left is in a file of its own.
        runs = .success(nil)
        do {
            let sorted = try sorted(slices)
            runs = .success(sorted)
        } catch {
            runs = packer.isRefused ? .success(nil) : .failure(error)
        }
    }

    private mutating func sorted(_ slices: RowSlices?) throws(ArchiveError) -> [RowRun] {
        var sorter = RowSorter(of: rows.path)
        if let slices {
            let last = Int32(rows.parameterCount)
            while let slice = slices.next() {
                rows.reset()
                rows.bind(last - 1, slice.lowerBound)
                rows.bind(last, slice.upperBound)
                try add(to: &sorter)
            }
        } else {
            rows.reset()
            try add(to: &sorter)
        }
        return try sorter.finish()
    }

    private mutating func add(to sorter: inout RowSorter) throws(ArchiveError) {
        let hasCompanion = rows.columnCount == 2
        var row = ByteBuffer()
        var companion = ByteBuffer()
        while try rows.step() {
            row.removeAll()
            companion.removeAll()
            rows.appendBlob(0, to: &row)
            if hasCompanion { rows.appendBlob(1, to: &companion) }
            try sorter.add(row.span, companion: companion.span)
        }
    }
}
