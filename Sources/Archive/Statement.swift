internal import Bytes
internal import CSQLite
internal import Files
internal import Manifest

/// A value that a statement is given.
enum Parameter {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])

    init(_ integer: Int64?) { self = integer.map { .integer($0) } ?? .null }
}

/// A prepared statement: the one owner of a `sqlite3_stmt`.
@safe package struct Statement: ~Copyable {
    private let handle: OpaquePointer
    /// The archive, for errors.
    let path: Path
    private let state: ConnectionState

    init(owning handle: OpaquePointer, path: Path, state: ConnectionState) {
        unsafe self.handle = handle
        self.path = path
        self.state = state
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Binds all parameters, in order.
    mutating func bind(_ parameters: [Parameter]) throws(ArchiveError) {
        for (index, parameter) in parameters.enumerated() {
            let position = Int32(index + 1)
            let status =
                switch parameter {
                case .null: unsafe sqlite3_bind_null(handle, position)
                case .integer(let value): unsafe sqlite3_bind_int64(handle, position, value)
                case .real(let value): unsafe sqlite3_bind_double(handle, position, value)
                case .text(let value): unsafe sqlite3_bind_text(handle, position, value, -1, hp_sqlite_transient())
                case .bytes(let value): unsafe value.withUnsafeBytes { unsafe sqlite3_bind_blob64(handle, position, $0.baseAddress, UInt64($0.count), hp_sqlite_transient()) }
                }
            guard status == SQLITE_OK else { throw failure() }
        }
    }

    /// Binds an integer.
    package mutating func bind(_ position: Int32, _ value: Int64) { unsafe sqlite3_bind_int64(handle, position, value) }

    /// Binds a number; nil is NULL.
    package mutating func bind(_ position: Int32, _ value: Double?) {
        if let value { unsafe sqlite3_bind_double(handle, position, value) } else { bindNull(position) }
    }

    /// Binds an integer; nil is NULL.
    mutating func bind(_ position: Int32, optional value: Int64?) {
        if let value { bind(position, value) } else { bindNull(position) }
    }

    /// Binds text; SQLite copies it.
    mutating func bind(_ position: Int32, text: Span<UInt8>) {
        // A null pointer would be NULL, and an empty text is a text.
        if text.isEmpty {
            return noteBinding(unsafe sqlite3_bind_text(handle, position, "", 0, hp_sqlite_transient()))
        }
        noteBinding(
            unsafe text.withUnsafeBytes { bytes in
                unsafe sqlite3_bind_text(handle, position, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), hp_sqlite_transient())
            })
    }

    /// Binds text; nil is NULL.
    package mutating func bind(_ position: Int32, text: [UInt8]?) {
        if let text { bind(position, text: text.span) } else { bindNull(position) }
    }

    /// Binds bytes; nil is NULL.
    mutating func bind(_ position: Int32, blob: [UInt8]?) {
        guard let blob else { return bindNull(position) }
        if blob.isEmpty {
            return noteBinding(unsafe sqlite3_bind_zeroblob(handle, position, 0))
        }
        noteBinding(unsafe blob.withUnsafeBytes { unsafe sqlite3_bind_blob64(handle, position, $0.baseAddress, UInt64($0.count), hp_sqlite_transient()) })
    }

    private func noteBinding(_ status: Int32) { if status != SQLITE_OK { state.isValueLost = true } }

    private func checkMemory() throws(ArchiveError) { try state.checkMemory(path) }

    /// Binds the 64 hex digits of a digest; nil is NULL.
    mutating func bind(_ position: Int32, hex digest: Digest?) {
        guard let digest else { return bindNull(position) }
        let digits = digest.digits
        bind(position, text: digits.span)
    }

    /// Rows that the last statement of the connection changed.
    var changes: Int { unsafe Int(sqlite3_changes64(sqlite3_db_handle(handle))) }

    /// Runs to the end, expects no row, and can run again.
    package mutating func run() throws(ArchiveError) {
        try checkMemory()
        let status = unsafe sqlite3_step(handle)
        if status != SQLITE_DONE {
            let error = failure()
            reset()
            throw error
        }
        reset()
    }

    /// Runs an insert or an update that must store exactly so many rows.
    mutating func run(storing rows: Int) throws(ArchiveError) {
        try run()
        try check(stored: changes, meant: rows)
    }

    /// Binds all parameters, and runs as `run(storing:)`.
    mutating func run(_ parameters: [Parameter], storing rows: Int) throws(ArchiveError) {
        try bind(parameters)
        try run(storing: rows)
    }

    /// Throws where another number of rows was stored than was meant, whatever in the schema is the reason: then
    /// nothing of the transaction may be kept.
    func check(stored: Int, meant: Int) throws(ArchiveError) {
        guard stored != meant else { return }
        // What the statement does and to which table stands before its first bracket.
        let words = unsafe String(cString: sqlite3_sql(handle)).prefix { $0 != "(" && $0 != "\n" }.split(separator: " ")
        let place = words.prefix(5).prefix { $0 != "SET" && $0 != "SELECT" }.joined(separator: " ").asciiLowercased
        throw ArchiveError(
            .evidence, "\(path.display): \(place): \(stored) of \(meant) rows were stored; nothing is kept",
            hint: ArchiveError.damageHint)
    }

    /// Binds NULL.
    package mutating func bindNull(_ position: Int32) { unsafe sqlite3_bind_null(handle, position) }

    /// Runs to the end with text parameters, which need not outlive the call: SQLite reads them in place.
    ///
    /// `texts` holds them one after the other, `size` bytes each. They are bound at the position `first` and at every `step`-th after it.
    mutating func run(texts: Span<UInt8>, of size: Int, at first: Int32, every step: Int32) throws(ArchiveError) {
        let status = unsafe texts.withUnsafeBytes { bytes in
            var position = first
            for start in stride(from: 0, to: bytes.count, by: size) {
                noteBinding(unsafe sqlite3_bind_text(handle, position, (bytes.baseAddress! + start).assumingMemoryBound(to: CChar.self), Int32(size), nil))
                position += step
            }
            return unsafe sqlite3_step(handle)
        }
        guard status == SQLITE_DONE else { throw failure() }
        try checkMemory()
        reset()
    }

    /// Goes to the next row; false after the last.
    package mutating func step() throws(ArchiveError) -> Bool {
        try checkMemory()
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure()
        }
    }

    /// Makes the statement ready to run again; bindings stay.
    package mutating func reset() { unsafe sqlite3_reset(handle) }

    /// Runs with parameters and expects no row.
    mutating func run(_ parameters: [Parameter]) throws(ArchiveError) {
        try bind(parameters)
        _ = try step()
        reset()
    }

    /// Number of parameters.
    var parameterCount: Int { unsafe Int(sqlite3_bind_parameter_count(handle)) }

    /// Number of columns of a row.
    package var columnCount: Int { unsafe Int(sqlite3_column_count(handle)) }

    /// Whether a column is NULL.
    package func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// A column as an integer; nil when NULL.
    package func integer(_ column: Int32) -> Int64? { isNull(column) ? nil : unsafe sqlite3_column_int64(handle, column) }

    /// A column as an integer; nil for any other storage class.
    package func exactInteger(_ column: Int32) -> Int64? { unsafe sqlite3_column_type(handle, column) == SQLITE_INTEGER ? sqlite3_column_int64(handle, column) : nil }

    /// A column as a double; nil when it is no number.
    package func real(_ column: Int32) -> Double? {
        let type = unsafe sqlite3_column_type(handle, column)
        return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? unsafe sqlite3_column_double(handle, column) : nil
    }

    /// A column as a date that has a timestamp; nil for anything else.
    func date(_ column: Int32) -> Double? { unsafe OrderKeyFunction.date(sqlite3_column_value(handle, column)) }

    /// A column as a number that canonical JSON has; nil for anything else.
    func number(_ column: Int32) -> Double? {
        guard let value = real(column), value.isFinite, !(value == 0 && value.sign == .minus) else { return nil }
        return value
    }

    /// A column that is TEXT that canonical JSON can carry, in UTF-8; nil for anything else.
    func carryableText(_ column: Int32) -> [UInt8]? {
        guard unsafe sqlite3_column_type(handle, column) == SQLITE_TEXT else { return nil }
        let text = bytes(column)
        return isCarryable(text.span) ? text : nil
    }

    /// How SQLite stores a value (manual, "Storage Classes and Datatypes").
    package enum StorageClass: String, Sendable {
        case integer, real, text, blob, null
    }

    /// How the value of a column is stored.
    package func storageClass(_ column: Int32) -> StorageClass {
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    /// Runs `body` with the bytes of a column that is TEXT (in UTF-8) or BLOB, in place: they are SQLite's until the next step.
    package func withBytes<Result>(_ column: Int32, _ body: (Span<UInt8>) -> Result) -> Result {
        let bytes = unsafe stored(column)
        return unsafe body(UnsafeBufferPointer(start: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count).span)
    }

    /// Where the bytes of a column are until the next step: those of a BLOB, or of a text in UTF-8.
    ///
    /// `sqlite3_column_text` ends a text with a zero, and takes memory for that; `sqlite3_column_blob` does not, and gives what is stored (manual, Result Values From A Query).
    private func stored(_ column: Int32) -> UnsafeRawBufferPointer {
        let type = unsafe sqlite3_column_type(handle, column)
        let isAsStored = type == SQLITE_BLOB || type == SQLITE_TEXT && state.isUTF8
        let start = isAsStored ? unsafe sqlite3_column_blob(handle, column) : unsafe UnsafeRawPointer(sqlite3_column_text(handle, column))
        if unsafe start == nil, !isAsStored, type != SQLITE_NULL { state.isValueLost = true }
        return unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }

    /// A column as text for people; nil when NULL. Bytes that are not UTF-8 are replaced: not for evidence.
    package func text(_ column: Int32) -> String? { isNull(column) ? nil : String(decoding: bytes(column), as: UTF8.self) }

    /// The bytes of a column that is TEXT (in UTF-8) or BLOB.
    // Inlined where the result is not used, the array would be freed before it is filled (Swift 6.3), which a large one
    // does not survive.
    @inline(never)
    package func bytes(_ column: Int32) -> [UInt8] { unsafe Array(stored(column)) }

    /// Whether a column is TEXT that consists of the hex digits of a digest.
    func isHex(_ column: Int32, of digest: Digest) -> Bool {
        let digits = digest.digits
        return withBytes(column) { $0.isSame(as: digits.span) }
    }

    /// Appends the bytes of a BLOB column.
    func appendBlob(_ column: Int32, to bytes: inout ByteBuffer) {
        let start = unsafe sqlite3_column_blob(handle, column)
        unsafe bytes.append(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// Appends all columns of the row, packed.
    func appendPacked(to bytes: inout [UInt8]) {
        var packed = ByteBuffer()
        for column in 0..<(unsafe sqlite3_column_count(handle)) {
            // Where texts are not in UTF-8, this is what makes them so.
            if !state.isUTF8 { _ = unsafe stored(column) }
            unsafe PackedValue.append(sqlite3_column_value(handle, column), to: &packed)
        }
        unsafe bytes.append(contentsOf: packed.contents)
    }

    private func failure() -> ArchiveError { unsafe Connection.error(sqlite3_db_handle(handle), path) }
}
