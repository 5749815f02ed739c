internal import CSQLite
internal import Files

/// An error of SQLite. The text names the database and never holds a value (SQLite manual, "Result and Error Codes").
@usableFromInline package struct SQLiteError: SQLiteFailure, CustomStringConvertible {
    /// SQLite's result code.
    package struct Code: Sendable, Hashable {
        /// The extended code.
        package let number: Int32

        /// A code of SQLite's, extended or not.
        package init(_ number: Int32) { self.number = number }

        /// The primary code: what kind of error it is.
        package var primary: Code { Code(number & 0xFF) }

        /// Another connection holds a lock.
        package static let busy = Code(SQLITE_BUSY)
        /// A statement of the same connection holds a lock.
        package static let locked = Code(SQLITE_LOCKED)
        /// The file is no database, or an encrypted one.
        package static let notADatabase = Code(SQLITE_NOTADB)
        /// A page of the file is malformed.
        package static let corrupt = Code(SQLITE_CORRUPT)
        /// The file cannot be opened.
        package static let cannotOpen = Code(SQLITE_CANTOPEN)
        /// The file cannot be written.
        package static let readOnly = Code(SQLITE_READONLY)
        /// The file may not be written.
        package static let permission = Code(SQLITE_PERM)
        /// The medium is full.
        package static let full = Code(SQLITE_FULL)
        /// The system could not read or write.
        package static let inputOutput = Code(SQLITE_IOERR)
        /// A row breaks a constraint, or another row that refers to it does.
        package static let constraint = Code(SQLITE_CONSTRAINT)
        /// The statement was ended on request.
        package static let interrupted = Code(SQLITE_INTERRUPT)
        /// SQLite did what it should not.
        package static let internalFault = Code(SQLITE_INTERNAL)
        /// There was no memory.
        package static let noMemory = Code(SQLITE_NOMEM)
    }

    /// The kind of error.
    package let code: Code
    /// The database, as people know it.
    package let place: String
    /// One line, with the place.
    @usableFromInline package let description: String

    /// An error of a database.
    package init(_ code: Code, _ place: String, _ message: String) {
        self.code = code
        self.place = place
        description = "\(place): \(message)"
    }

    /// Itself, for callers that have no kind of error of their own.
    @usableFromInline package init(_ error: SQLiteError) { self = error }

    /// Returns the last error of a connection.
    static func last(of handle: OpaquePointer?, _ path: Path) -> SQLiteError {
        let words = unsafe String(cString: sqlite3_errmsg(handle))
        return SQLiteError(Code(unsafe sqlite3_extended_errcode(handle)), path.display, printable(Array(words.utf8)))
    }

    /// Returns the error for a value that was lost for want of memory.
    static func noMemory(_ path: Path) -> SQLiteError { SQLiteError(.noMemory, path.display, "out of memory") }
}
