public import CSQLite
package import Files

/// A prepared statement: the one owner of a `sqlite3_stmt`.
///
/// Columns are numbered from 0, parameters from 1.
@usableFromInline @safe
package struct SQLiteStatement<Failure: SQLiteFailure>: ~Copyable {
    @usableFromInline let handle: OpaquePointer
    @usableFromInline let state: ConnectionState
    /// `true` if the connection's texts are stored as UTF-8.
    @usableFromInline let isUTF8: Bool
    /// The database, for errors.
    package var path: Path { state.path }

    init(owning handle: OpaquePointer, _ state: ConnectionState) {
        unsafe self.handle = handle
        self.state = state
        isUTF8 = state.isUTF8
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Binds all parameters, in order.
    package mutating func bind(_ parameters: [SQLiteParameter]) throws(Failure) {
        for (index, parameter) in parameters.enumerated() {
            let position = Int32(index + 1)
            let status =
                switch parameter {
                case .null: unsafe sqlite3_bind_null(handle, position)
                case .integer(let value): unsafe sqlite3_bind_int64(handle, position, value)
                case .real(let value): unsafe sqlite3_bind_double(handle, position, value)
                case .text(let value): unsafe sqlite3_bind_text(handle, position, value, -1, hp_sqlite_transient())
                case .bytes(let value):
                    unsafe value.withUnsafeBytes {
                        unsafe sqlite3_bind_blob64(
                            handle, position, $0.baseAddress, UInt64($0.count), hp_sqlite_transient())
                    }
                }
            guard status == SQLITE_OK else { throw failure() }
        }
    }

    /// Binds an integer.
    @inlinable package mutating func bind(_ position: Int32, _ value: Int64) {
        unsafe sqlite3_bind_int64(handle, position, value)
    }

    /// Binds a number; nil is NULL.
    @inlinable package mutating func bind(_ position: Int32, _ value: Double?) {
        if let value { unsafe sqlite3_bind_double(handle, position, value) } else { bindNull(position) }
    }

    /// Binds an integer; nil is NULL.
    @inlinable package mutating func bind(_ position: Int32, optional value: Int64?) {
        if let value { bind(position, value) } else { bindNull(position) }
    }

    /// Binds text; SQLite copies it.
    package mutating func bind(_ position: Int32, text: Span<UInt8>) {
        // A null pointer would be NULL, and an empty text is a text.
        if text.isEmpty {
            return noteBinding(unsafe sqlite3_bind_text(handle, position, "", 0, hp_sqlite_transient()))
        }
        noteBinding(
            unsafe text.withUnsafeBytes { bytes in
                unsafe sqlite3_bind_text(
                    handle, position, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count),
                    hp_sqlite_transient())
            })
    }

    /// Binds text; nil is NULL.
    package mutating func bind(_ position: Int32, text: [UInt8]?) {
        if let text { bind(position, text: text.span) } else { bindNull(position) }
    }

    /// Binds bytes; nil is NULL.
    package mutating func bind(_ position: Int32, blob: [UInt8]?) {
        guard let blob else { return bindNull(position) }
        if blob.isEmpty {
            return noteBinding(unsafe sqlite3_bind_zeroblob(handle, position, 0))
        }
        noteBinding(
            unsafe blob.withUnsafeBytes {
                unsafe sqlite3_bind_blob64(handle, position, $0.baseAddress, UInt64($0.count), hp_sqlite_transient())
            })
    }

    private func noteBinding(_ status: Int32) { if status != SQLITE_OK { state.loseValue(status) } }

    @inlinable @inline(__always)
    func checkMemory() throws(Failure) {
        if state.isValueLost { throw Failure(loss()) }
    }

    @usableFromInline func loss() -> SQLiteError { state.loss }

    /// Its text.
    package var sql: String { unsafe String(cString: sqlite3_sql(handle)) }

    /// Rows that the last statement of the connection changed.
    package var changes: Int { unsafe Int(sqlite3_changes64(sqlite3_db_handle(handle))) }

    /// Runs to the end, expects no row, and can run again.
    @inlinable package mutating func run() throws(Failure) {
        try checkMemory()
        let status = unsafe sqlite3_step(handle)
        if status != SQLITE_DONE {
            let error = failure()
            reset()
            throw error
        }
        reset()
    }

    /// Binds NULL.
    @inlinable package mutating func bindNull(_ position: Int32) { unsafe sqlite3_bind_null(handle, position) }

    /// Runs to the end with text parameters, which need not outlive the call: SQLite reads them in place.
    ///
    /// `texts` holds them one after the other, `size` bytes each. They are bound at the position `first` and at every
    /// `step`-th after it.
    package mutating func run(texts: Span<UInt8>, of size: Int, at first: Int32, every step: Int32) throws(Failure) {
        let status = unsafe texts.withUnsafeBytes { bytes in
            var position = first
            for start in stride(from: 0, to: bytes.count, by: size) {
                noteBinding(
                    unsafe sqlite3_bind_text(
                        handle, position, (bytes.baseAddress! + start).assumingMemoryBound(to: CChar.self), Int32(size),
                        nil))
                position += step
            }
            return unsafe sqlite3_step(handle)
        }
        guard status == SQLITE_DONE else { throw failure() }
        try checkMemory()
        reset()
    }

    /// Goes to the next row; false after the last.
    @inlinable package mutating func step() throws(Failure) -> Bool {
        try checkMemory()
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure()
        }
    }

    /// Makes the statement ready to run again; bindings stay.
    @inlinable package mutating func reset() { unsafe sqlite3_reset(handle) }

    /// Runs with parameters and expects no row.
    package mutating func run(_ parameters: [SQLiteParameter]) throws(Failure) {
        try bind(parameters)
        _ = try step()
        reset()
    }

    /// Returns the first column of the first row as an integer, `nil` without a row; the statement can run again.
    package mutating func firstInteger() throws(Failure) -> Int64? {
        let hasRow: Bool
        do throws(Failure) {
            hasRow = try step()
        } catch {
            reset()
            throw error
        }
        let value = hasRow ? integer(0) : nil
        reset()
        return value
    }

    /// Returns the id that an `INSERT … RETURNING id` gives; the statement can run again.
    package mutating func insertedID() throws(Failure) -> Int64 {
        guard let id = try firstInteger() else {
            throw Failure(SQLiteError(.internalFault, path.display, "an insert gave no row"))
        }
        return id
    }

    /// Number of parameters.
    package var parameterCount: Int { unsafe Int(sqlite3_bind_parameter_count(handle)) }

    /// Number of columns of a row.
    @inlinable package var columnCount: Int { unsafe Int(sqlite3_column_count(handle)) }

    /// Returns `true` if a column is NULL.
    @inlinable package func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// Returns a column as an integer; `nil` if NULL.
    @inlinable package func integer(_ column: Int32) -> Int64? {
        isNull(column) ? nil : unsafe sqlite3_column_int64(handle, column)
    }

    /// Returns a column as an integer; `nil` for any other storage class.
    @inlinable package func exactInteger(_ column: Int32) -> Int64? {
        unsafe sqlite3_column_type(handle, column) == SQLITE_INTEGER ? sqlite3_column_int64(handle, column) : nil
    }

    /// Returns a column as a double; `nil` if it is not a number.
    @inlinable package func real(_ column: Int32) -> Double? {
        let type = unsafe sqlite3_column_type(handle, column)
        return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? unsafe sqlite3_column_double(handle, column) : nil
    }

    /// Returns a column, borrowed until the next step.
    @inlinable @inline(__always)
    @_lifetime(borrow self)
    package func value(_ column: Int32) -> SQLiteValue {
        let value = unsafe SQLiteValue(sqlite3_column_value(handle, column), isUTF8: isUTF8, .passUnretained(state))
        return unsafe _overrideLifetime(value, borrowing: self)
    }

    /// Returns the storage class of a column's value.
    @inlinable package func storageClass(_ column: Int32) -> SQLiteValue.StorageClass { value(column).storageClass }

    /// Runs `body` with the bytes of a column that is TEXT (in UTF-8) or BLOB, in place: they are SQLite's until the
    /// next step.
    @inlinable package func withBytes<Result>(_ column: Int32, _ body: (Span<UInt8>) -> Result) -> Result {
        body(value(column).bytes)
    }

    /// Returns a column as text for people; `nil` if NULL. Bytes that are not UTF-8 are replaced: not for evidence.
    package func text(_ column: Int32) -> String? {
        isNull(column) ? nil : String(decoding: bytes(column), as: UTF8.self)
    }

    /// The bytes of a column that is TEXT (in UTF-8) or BLOB.
    // Inlined where the result is not used, the array would be freed before it is filled (Swift 6.3), which a large one
    // does not survive.
    @inline(never)
    package func bytes(_ column: Int32) -> [UInt8] { unsafe value(column).bytes.withUnsafeBytes { unsafe Array($0) } }

    /// Why a page of the database was refused; nil while none was.
    package var pageFault: String? { state.pages?.fault }

    @usableFromInline func failure() -> Failure { Failure(unsafe state.error(of: sqlite3_db_handle(handle))) }
}
