internal import Bytes

/// Reads packed rows in bundle order: all of them, or one half on a connection of its own. It is one row ahead.
struct RowReader: ~Copyable {
    private var rows: Statement
    private let packer: RowFunction
    private let hasOther: Bool
    /// A reader of one half keeps its connection open.
    private let connection: Connection?
    /// The key of the next row, and the row.
    private var key = ByteBuffer()
    private var row = ByteBuffer()
    /// What the statement's third column packs: the other version of a change; empty where there is none.
    private var other = ByteBuffer()
    /// Whether the rows were sorted; false where one of them does not have the form that was asked for.
    private(set) var isSorted = Result<Bool, ArchiveError>.success(false)
    /// Whether there is no next row.
    private(set) var isAtEnd = false

    /// - Parameter rows: a statement of two columns, the key that `hp_order` makes and the row that `packer` packs; or of a third that packs another row or is NULL.
    init(_ rows: consuming Statement, packer: RowFunction, connection: consuming Connection? = nil) {
        hasOther = rows.columnCount == 3
        self.rows = rows
        self.packer = packer
        self.connection = connection
    }

    /// Reads and sorts all rows. `isSorted` says how that went.
    mutating func sort(as form: RowFront.Form) {
        rows.reset()
        packer.begin(form)
        do {
            try advance()
            isSorted = .success(true)
        } catch {
            isSorted = packer.isRefused ? .success(false) : .failure(error)
        }
    }

    /// Puts the next row in place of `taken`, and reads the one after it.
    mutating func take(into taken: inout ByteBuffer, other takenOther: inout ByteBuffer) throws(ArchiveError) {
        swap(&taken, &row)
        swap(&takenOther, &other)
        try advance()
    }

    private mutating func advance() throws(ArchiveError) {
        isAtEnd = try !rows.step()
        guard !isAtEnd else { return }
        key.removeAll()
        row.removeAll()
        rows.appendBlob(0, to: &key)
        rows.appendBlob(1, to: &row)
        guard hasOther else { return }
        other.removeAll()
        rows.appendBlob(2, to: &other)
    }

    /// Gives back what sorting needed: pages of the archive that its own connection does not read again.
    func releaseMemory() throws(ArchiveError) {
        try connection?.execute("PRAGMA cache_size = -100; PRAGMA shrink_memory")
    }

    /// Whether the next row sorts before another reader's. Both must have one.
    func precedes(_ other: borrowing RowReader) -> Bool {
        let order = key.span.compared(with: other.key.span)
        return order < 0 || (order == 0 && row.span.compared(with: other.row.span) < 0)
    }
}
