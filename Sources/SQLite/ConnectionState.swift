internal import CSQLite
package import Files

/// The state that a connection and its statements share.
@usableFromInline package final class ConnectionState {
    /// The database, for errors.
    package let path: Path
    /// `true` if texts are stored as they are read, so that reading one takes no memory.
    package internal(set) var isUTF8 = false
    /// `true` if a value could not be bound, or a text not be read, for want of memory. SQLite takes NULL for it then,
    /// and no later step knows of that.
    @usableFromInline package internal(set) var isValueLost = false
    /// `true` if a lost value is beyond the limit of its length.
    private var isValueTooLong = false

    /// The guard of the pages that are read; `nil` if the database has no file.
    var pages: PageGuard?
    /// The way in which the connection waits.
    var waiting: Waiting?

    init(_ path: Path) { self.path = path }

    /// Returns the last error of the connection. If a page was refused, the error names it.
    func error(of handle: OpaquePointer?) -> SQLiteError {
        let error = unsafe SQLiteError.last(of: handle, path)
        guard error.code.primary == .corrupt, let fault = pages?.fault else { return error }
        return SQLiteError(error.code, path.display, fault)
    }

    /// Notes that a value is lost: for want of memory, or because it is too long.
    @usableFromInline package func loseValue() { isValueLost = true }

    /// Notes that a value could not be bound.
    func loseValue(_ status: Int32) {
        isValueLost = true
        isValueTooLong = isValueTooLong || status == SQLITE_TOOBIG
    }

    /// Why a value is lost. The words are SQLite's.
    var loss: SQLiteError {
        isValueTooLong
            ? SQLiteError(SQLiteError.Code(SQLITE_TOOBIG), path.display, "string or blob too big") : .noMemory(path)
    }
}
