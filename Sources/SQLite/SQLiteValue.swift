public import CSQLite

/// A value of SQLite's, borrowed: a column until the statement's next step, an argument until its function returns.
@usableFromInline @safe
package struct SQLiteValue: ~Escapable {
    /// The storage class of a value (manual, "Storage Classes and Datatypes").
    @usableFromInline package enum StorageClass: String, Sendable {
        case integer, real, text, blob, null
    }

    @usableFromInline let handle: OpaquePointer?
    /// `true` if the stored bytes of a text can be read as they are.
    @usableFromInline let isUTF8: Bool
    @usableFromInline let state: Unmanaged<ConnectionState>

    @inlinable @inline(__always) @_lifetime(immortal)
    init(_ handle: OpaquePointer?, isUTF8: Bool, _ state: Unmanaged<ConnectionState>) {
        unsafe self.handle = handle
        self.isUTF8 = isUTF8
        unsafe self.state = state
    }

    /// The storage class of the value.
    @inlinable @inline(__always)
    package var storageClass: StorageClass {
        switch unsafe sqlite3_value_type(handle) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    /// The value as an integer, converted where it is another: 0 for NULL and for a text that is no number.
    @inlinable package var integer: Int64 { unsafe sqlite3_value_int64(handle) }

    /// The value as a double, converted where it is another: 0 for NULL and for a text that is no number.
    @inlinable package var real: Double { unsafe sqlite3_value_double(handle) }

    /// The value as a double; nil where it is no number.
    @inlinable package var number: Double? {
        let type = unsafe sqlite3_value_type(handle)
        return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? real : nil
    }

    /// The value as an integer; nil for any other storage class.
    @inlinable package var exactInteger: Int64? {
        unsafe sqlite3_value_type(handle) == SQLITE_INTEGER ? sqlite3_value_int64(handle) : nil
    }

    /// The bytes of a TEXT (in UTF-8) or BLOB; of a number, its text; nothing of NULL.
    @inlinable package var bytes: Span<UInt8> {
        @_lifetime(copy self) get { bytes(of: storageClass) }
    }

    /// The bytes of a TEXT, in UTF-8; nil for anything else.
    @inlinable @inline(__always)
    package var text: Span<UInt8>? {
        @_lifetime(copy self) get { storageClass == .text ? bytes(of: .text) : nil }
    }

    /// Returns the bytes of a value of which the storage class is known.
    ///
    /// `sqlite3_value_text` ends a text with a zero, and takes memory for that; `sqlite3_value_blob` does not, and
    /// gives what is stored (manual, "Obtaining SQL Values"). A text for which there is no memory is empty, and lost.
    @inlinable @inline(__always) @_lifetime(copy self)
    package func bytes(of storageClass: StorageClass) -> Span<UInt8> {
        let isAsStored = storageClass == .blob || storageClass == .text && isUTF8
        let start = unsafe isAsStored ? sqlite3_value_blob(handle) : UnsafeRawPointer(sqlite3_value_text(handle))
        if unsafe start == nil, !isAsStored, storageClass != .null {
            unsafe state._withUnsafeGuaranteedRef { $0.loseValue() }
        }
        let count = unsafe start == nil ? 0 : Int(sqlite3_value_bytes(handle))
        let buffer = unsafe UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: count)
        let span = unsafe Span(_unsafeElements: buffer)
        return unsafe _overrideLifetime(span, copying: self)
    }
}
