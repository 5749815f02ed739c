internal import CSQLite
internal import Files

/// A hardened SQLite connection: the one owner of a `sqlite3` handle.
///
/// An archive may come from anywhere, and a schema can carry code. So triggers and views are off, the schema is not trusted, nothing is mapped into memory
/// (SQLite manual, "Defense Against The Dark Arts").
@safe struct Connection: ~Copyable {
    private let handle: OpaquePointer
    private var isOpen = true
    private let state = ConnectionState()
    /// The archive, for errors.
    let path: Path

    /// How to open a file.
    enum Mode: String {
        case readWrite = "mode=rw"
        /// Reads with the locks of a reader, and writes nothing: for a database without a log and a hot journal.
        case readOnly = "mode=ro"
        case immutable = "mode=ro&immutable=1"
        /// A database of its own that ends with the connection; the file's name is only a name.
        case memory = "mode=memory"
    }

    /// Opens an existing database; nothing is created.
    ///
    /// What lies beside it is looked at right before (`Companions`), and no link is followed then.
    ///
    /// - Parameter name: what errors call it, where that is another file.
    static func open(_ file: Path, named name: Path? = nil, mode: Mode, patience: Patience) throws(ArchiveError) -> Connection {
        let path = name ?? file
        precondition(isConfigured, "SQLite cannot be configured")
        let file = mode == .memory ? file : try ArchiveError.wrapping { () throws(FileError) in try resolved(file) }
        if mode == .readWrite || mode == .readOnly { try Companions.checkBeforeOpening(file, named: path) }
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW
        let status = unsafe sqlite3_open_v2(uri(file, mode), &opened, flags, nil)
        guard let handle = unsafe opened else { throw ArchiveError(.sqlite, "\(path.display): no memory for a connection") }
        guard status == SQLITE_OK else {
            // A handle is there even when opening failed, and must be closed (manual, sqlite3_open).
            let error = unsafe Self.error(handle, path)
            unsafe sqlite3_close_v2(handle)
            throw error
        }
        let connection = unsafe Connection(owning: handle, path: path)
        connection.wait(patience)
        let options: [(Int32, Int32)] = [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
            (SQLITE_DBCONFIG_ENABLE_VIEW, 0), (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
        ]
        for (option, value) in options { try connection.configure(option, value) }
        // One database to a connection: only a transaction over several writes a super-journal.
        unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
        try connection.execute("PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON; PRAGMA cache_size = -8000; PRAGMA temp_store = FILE; PRAGMA threads = 1")
        return connection
    }

    private init(owning handle: OpaquePointer, path: Path) {
        unsafe self.handle = handle
        self.path = path
    }

    // Statements may outlive the connection; SQLite then closes it with the last of them (manual, sqlite3_close_v2).
    deinit { if isOpen { unsafe sqlite3_close_v2(handle) } }

    /// Closes the database; no statement may be left.
    consuming func close() throws(ArchiveError) {
        var connection = self
        let status = unsafe sqlite3_close(connection.handle)
        guard status == SQLITE_OK else { throw connection.failure() }
        connection.isOpen = false
    }

    private static let isConfigured = hp_sqlite_config_no_mmap() == SQLITE_OK && hp_sqlite_config_no_memory_status() == SQLITE_OK

    /// The path as a `file:` URI; a `?`, `#` or `%` in it would otherwise name another file.
    private static func uri(_ path: Path, _ mode: Mode) -> String {
        let digits = Array("0123456789ABCDEF")
        var text = path.bytes.first == 0x2F ? "file://" : "file:"
        for byte in path.bytes {
            switch byte {
            case 0x2D...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
        return text + "?" + mode.rawValue
    }

    /// Sets how a locked archive is waited for, and what ends a long statement: `shouldStop` is asked at every attempt and every few thousand steps of SQLite's machine.
    private func wait(_ patience: Patience) {
        let waiting = unsafe Unmanaged.passRetained(Waiting(patience)).toOpaque()
        unsafe sqlite3_busy_handler(
            handle,
            { pointer, attempts in
                unsafe Unmanaged<Waiting>.fromOpaque(pointer!).takeUnretainedValue().isWorthIt(attempts: attempts) ? 1 : 0
            }, waiting)
        unsafe sqlite3_progress_handler(
            handle, 20_000,
            { pointer in
                unsafe Unmanaged<Waiting>.fromOpaque(pointer!).takeUnretainedValue().patience.shouldStop() ? 1 : 0
            }, waiting)
    }

    /// Notes how texts are stored: statements from now on read those in UTF-8 in place.
    func noteEncoding() throws(ArchiveError) {
        let name = try text("PRAGMA encoding")
        state.isUTF8 = name == "UTF-8"
    }

    /// Leaves the log as it is when the last connection closes.
    func keepLogOnClose() throws(ArchiveError) { try configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1) }

    /// Sets an option, and makes sure that it is set: a connection that is less guarded than it looks is none.
    private func configure(_ option: Int32, _ value: Int32) throws(ArchiveError) {
        guard unsafe hp_sqlite_db_config(handle, option, value) != 0 else {
            throw ArchiveError(.sqlite, "\(path.display): this SQLite library does not take option \(option), a guard")
        }
    }

    /// Runs statements that give no rows.
    func execute(_ sql: String) throws(ArchiveError) {
        guard unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    /// Throws where a value was lost for want of memory since the connection was opened: what was read or written with it does not count.
    func checkMemory() throws(ArchiveError) { try state.checkMemory(path) }

    /// Ends the transaction and keeps what it wrote.
    func commit() throws(ArchiveError) {
        try checkMemory()
        try execute("COMMIT")
    }

    /// Prepares one statement.
    func prepare(_ sql: String) throws(ArchiveError) -> Statement {
        var prepared: OpaquePointer?
        let status = unsafe sqlite3_prepare_v3(handle, sql, -1, 0, &prepared, nil)
        guard status == SQLITE_OK, let statement = unsafe prepared else { throw failure() }
        return unsafe Statement(owning: statement, path: path, state: state)
    }

    /// Prepares a statement and binds its parameters, after `leading` others that are bound later.
    func prepare(_ statement: (sql: String, parameters: [Parameter]), leading: Int = 0) throws(ArchiveError) -> Statement {
        var prepared = try prepare(statement.sql)
        try prepared.bind([Parameter](repeating: .null, count: leading) + statement.parameters)
        return prepared
    }

    /// The first column of the first row as an integer; nil when there is no row or it is NULL.
    func integer(_ sql: String, _ parameters: [Parameter] = []) throws(ArchiveError) -> Int64? {
        var statement = try prepare(sql)
        try statement.bind(parameters)
        guard try statement.step() else { return nil }
        return statement.integer(0)
    }

    /// The first column of the first row as text; nil when there is no row or it is NULL.
    func text(_ sql: String) throws(ArchiveError) -> String? {
        var statement = try prepare(sql)
        guard try statement.step() else { return nil }
        let text = statement.text(0)
        _ = try statement.step()
        return text
    }

    /// Adds a SQL function. `function` is called with SQLite's context and arguments and lives as long as the connection.
    func addFunction(_ name: String, count: Int32, _ function: SQLFunction) throws(ArchiveError) {
        let status = unsafe sqlite3_create_function_v2(
            handle, name, count, SQLITE_UTF8 | SQLITE_DETERMINISTIC, Unmanaged.passRetained(function).toOpaque(),
            { context, count, values in
                let function = unsafe Unmanaged<SQLFunction>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
                unsafe function.call(context!, UnsafeBufferPointer(start: values, count: Int(count)))
            }, nil, nil, { unsafe Unmanaged<SQLFunction>.fromOpaque($0!).release() })
        guard status == SQLITE_OK else { throw failure() }
    }

    /// Copies the database into that of another connection, page by page, as this one sees it (manual, sqlite3_backup_init).
    ///
    /// - Parameter shouldStop: asked every few thousand pages.
    func copy(into target: borrowing Connection, shouldStop: () -> Bool) throws(ArchiveError) {
        guard let backup = unsafe sqlite3_backup_init(target.handle, "main", handle, "main") else { throw target.failure() }
        var status = SQLITE_OK
        while status == SQLITE_OK, !shouldStop() { status = unsafe sqlite3_backup_step(backup, 4096) }
        let end = unsafe sqlite3_backup_finish(backup)
        if status == SQLITE_OK { throw ArchiveError(.interrupted, "\(path.display): interrupted") }
        // Errors are kept by the target, those of locks by nobody.
        if status == SQLITE_BUSY || status == SQLITE_LOCKED { throw ArchiveError(.locked, "\(path.display): locked by another process", hint: "wait longer with --wait SECONDS") }
        guard status == SQLITE_DONE, end == SQLITE_OK else { throw target.failure() }
    }

    /// The collation of a column of a table, in upper case (manual, sqlite3_table_column_metadata).
    func collation(of column: String, in table: String) throws(ArchiveError) -> String {
        var name: UnsafePointer<CChar>?
        let status = unsafe sqlite3_table_column_metadata(handle, "main", table, column, nil, &name, nil, nil, nil)
        guard status == SQLITE_OK else { throw failure() }
        return unsafe name.map { unsafe String(cString: $0).uppercased() } ?? "BINARY"
    }

    /// Makes new samples readable as the table `temp.hp_incoming`.
    func addTable(_ rows: IncomingRows) throws(ArchiveError) {
        guard unsafe rows.register(handle) else { throw failure() }
    }

    /// The row id of the last insert.
    var lastInsertID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Rows that the last statement changed.
    var changes: Int { unsafe Int(sqlite3_changes64(handle)) }

    /// Whether no transaction is open. After a full disk SQLite has already rolled back.
    var isIdle: Bool { unsafe sqlite3_get_autocommit(handle) != 0 }

    /// Whether this connection holds the write lock.
    var isWriting: Bool { unsafe sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE }

    /// SQLite's last error.
    func failure() -> ArchiveError { unsafe Self.error(handle, path) }

    static func error(_ handle: OpaquePointer, _ path: Path) -> ArchiveError {
        let status = unsafe sqlite3_extended_errcode(handle)
        let words = unsafe String(cString: sqlite3_errmsg(handle))
        let text = "\(path.display): \(printable(Array(words.utf8)))"
        switch status & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: return ArchiveError(.locked, "\(path.display): locked by another process", hint: "wait longer with --wait SECONDS")
        case SQLITE_NOTADB: return ArchiveError(.unreadable, "\(path.display): not a SQLite database, or an encrypted one")
        case SQLITE_CORRUPT: return ArchiveError(.unreadable, text, hint: ArchiveError.damageHint)
        case SQLITE_CANTOPEN: return ArchiveError(.unreadable, "\(path.display): cannot be opened")
        case SQLITE_READONLY, SQLITE_PERM: return ArchiveError(.readOnly, "\(path.display): cannot be written")
        case SQLITE_FULL, SQLITE_IOERR: return ArchiveError(.storage, text)
        case SQLITE_INTERRUPT: return ArchiveError(.interrupted, "\(path.display): interrupted")
        default: return ArchiveError(.sqlite, text)
        }
    }
}

/// What a connection's statements share.
final class ConnectionState {
    /// Whether texts are stored as they are read, so that reading one takes no memory.
    var isUTF8 = false
    /// Whether a value could not be bound, or a text not be read, for want of memory: SQLite takes NULL for it then, and no later step knows of that.
    var isValueLost = false

    func checkMemory(_ path: Path) throws(ArchiveError) {
        guard !isValueLost else { throw ArchiveError(.sqlite, "\(path.display): out of memory") }
    }
}

/// How long to wait for a locked archive, and what ends all waiting and long statements.
public struct Patience: Sendable {
    /// Seconds.
    public var seconds: Double
    /// Asked while waiting and during long statements.
    public var shouldStop: @Sendable () -> Bool
    /// Told once, when a wait has lasted a second.
    public var onWait: @Sendable () -> Void

    /// Patience of a minute, unless said otherwise.
    public init(seconds: Double = 60, shouldStop: @escaping @Sendable () -> Bool = { false }, onWait: @escaping @Sendable () -> Void = {}) {
        self.seconds = seconds
        self.shouldStop = shouldStop
        self.onWait = onWait
    }
}

/// What SQLite's callbacks are given. Never released: SQLite may ask until the process ends.
private final class Waiting: Sendable {
    let patience: Patience
    private static let step = 0.02

    init(_ patience: Patience) { self.patience = patience }

    /// Sleeps a moment; false when it has been long enough. SQLite counts the attempts of each wait from 0.
    func isWorthIt(attempts: Int32) -> Bool {
        let waited = Double(attempts) * Self.step
        guard waited < patience.seconds, !patience.shouldStop() else { return false }
        if attempts == Int32(1 / Self.step) { patience.onWait() }
        SystemClock.wait(seconds: Self.step)
        return true
    }
}

/// A SQL function with its state.
class SQLFunction {
    /// Computes a result from the arguments.
    func call(_ context: OpaquePointer, _ values: UnsafeBufferPointer<OpaquePointer?>) {}
}
