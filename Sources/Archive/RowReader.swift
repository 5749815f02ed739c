import Glibc

/// Reads packed rows in bundle order: all of them, or one half on a connection of its own. It is one row ahead.
///
/// Not for two threads at a time: whoever sorts hands it on when that is done, which is why it may cross threads at all.
final class RowReader: @unchecked Sendable {
    private var rows: Statement
    private let packer: RowFunction
    private let hasOther: Bool
    /// A reader of one half keeps its connection open.
    private let connection: Connection?
    /// The key of the next row, and the row.
    private var key: [UInt8] = []
    private var row: [UInt8] = []
    /// What the statement's third column packs: the other version of a change; empty where there is none.
    private var other: [UInt8] = []
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
    func sort(as form: RowFront.Form) {
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
    func take(into taken: inout [UInt8], other takenOther: inout [UInt8]) throws(ArchiveError) {
        swap(&taken, &row)
        swap(&takenOther, &other)
        try advance()
    }

    private func advance() throws(ArchiveError) {
        isAtEnd = try !rows.step()
        guard !isAtEnd else { return }
        key.removeAll(keepingCapacity: true)
        row.removeAll(keepingCapacity: true)
        rows.appendBlob(0, to: &key)
        rows.appendBlob(1, to: &row)
        guard hasOther else { return }
        other.removeAll(keepingCapacity: true)
        rows.appendBlob(2, to: &other)
    }

    /// Gives back what sorting needed: pages of the archive that its own connection does not read again.
    func releaseMemory() throws(ArchiveError) {
        try connection?.execute("PRAGMA cache_size = -100; PRAGMA shrink_memory")
    }

    /// Whether the next row sorts before another reader's. Both must have one.
    func precedes(_ other: RowReader) -> Bool {
        let order = Self.compare(key, other.key)
        return order < 0 || (order == 0 && Self.compare(row, other.row) < 0)
    }

    /// Compares as SQLite compares texts in UTF-8 and blobs.
    private static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
        let order = unsafe left.withUnsafeBytes { left in unsafe right.withUnsafeBytes { right in unsafe memcmp(left.baseAddress!, right.baseAddress!, min(left.count, right.count)) } }
        return order != 0 ? Int(order) : left.count - right.count
    }
}
