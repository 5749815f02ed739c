public import CSQLite

/// A SQL function with its state: the same arguments give the same result.
package protocol SQLFunction: AnyObject {
    /// Puts a result for the arguments in its place; without one it is NULL.
    func call(_ arguments: SQLiteArguments, _ result: SQLiteResult)
}

/// The arguments of a call.
@safe package struct SQLiteArguments: ~Escapable {
    private let values: UnsafeBufferPointer<OpaquePointer?>
    private let state: Unmanaged<ConnectionState>

    @_lifetime(immortal)
    init(_ values: UnsafeBufferPointer<OpaquePointer?>, _ state: Unmanaged<ConnectionState>) {
        unsafe self.values = values
        unsafe self.state = state
    }

    /// The number of values.
    package var count: Int { unsafe values.count }

    /// An argument, by its place.
    package subscript(_ place: Int) -> SQLiteValue {
        @_lifetime(copy self) get {
            // Arguments are of the database's encoding.
            let value = unsafe SQLiteValue(values[place], isUTF8: false, state)
            return unsafe _overrideLifetime(value, copying: self)
        }
    }
}

/// The destination of the value of a function, or of a column of a virtual table.
@usableFromInline @safe
package struct SQLiteResult: ~Escapable {
    @usableFromInline let context: OpaquePointer

    @inlinable @_lifetime(immortal)
    init(_ context: OpaquePointer) { unsafe self.context = context }

    /// Sets an INTEGER.
    @inlinable package func set(_ value: Int64) { unsafe sqlite3_result_int64(context, value) }

    /// Sets a REAL.
    @inlinable package func set(_ value: Double) { unsafe sqlite3_result_double(context, value) }

    /// Sets a TEXT in UTF-8, which SQLite copies.
    package func set(text: Span<UInt8>) {
        // A null pointer would be NULL, and an empty text is a text.
        if text.isEmpty { return unsafe sqlite3_result_text(context, "", 0, nil) }
        unsafe text.withUnsafeBytes { bytes in
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            unsafe sqlite3_result_text(context, start, Int32(bytes.count), hp_sqlite_transient())
        }
    }

    /// Sets a TEXT in UTF-8 that stays where it is as long as SQLite may look at it, and is read there.
    @inlinable @unsafe
    package func set(textInPlace text: UnsafeRawBufferPointer) {
        let start = unsafe text.baseAddress?.assumingMemoryBound(to: CChar.self)
        unsafe sqlite3_result_text(context, start, Int32(text.count), nil)
    }

    /// Sets a TEXT that the program holds.
    @inlinable package func set(text: StaticString) {
        unsafe set(textInPlace: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Sets a BLOB, which SQLite copies. One that is larger than a value can be ends the statement.
    package func set(blob: Span<UInt8>) {
        if blob.isEmpty { return unsafe sqlite3_result_zeroblob(context, 0) }
        guard blob.count < 1 << 30 else { return unsafe sqlite3_result_error_toobig(context) }
        unsafe blob.withUnsafeBytes { bytes in
            unsafe sqlite3_result_blob(context, bytes.baseAddress, Int32(bytes.count), hp_sqlite_transient())
        }
    }
}

/// A function as SQLite knows it: it lives as long as the connection.
final class RegisteredFunction {
    private let function: any SQLFunction
    private let state: ConnectionState

    init(_ function: any SQLFunction, _ state: ConnectionState) {
        self.function = function
        self.state = state
    }

    /// Makes the function known; whether SQLite took it.
    func register(_ name: String, count: Int32, _ handle: OpaquePointer) -> Bool {
        unsafe sqlite3_create_function_v2(
            handle, name, count, SQLITE_UTF8 | SQLITE_DETERMINISTIC, Unmanaged.passRetained(self).toOpaque(),
            { context, count, values in
                let function = unsafe Unmanaged<RegisteredFunction>.fromOpaque(sqlite3_user_data(context))
                unsafe function._withUnsafeGuaranteedRef {
                    let values = unsafe UnsafeBufferPointer(start: values, count: Int(count))
                    unsafe $0.function.call(SQLiteArguments(values, .passUnretained($0.state)), SQLiteResult(context!))
                }
            }, nil, nil, { unsafe Unmanaged<RegisteredFunction>.fromOpaque($0!).release() }) == SQLITE_OK
    }
}
