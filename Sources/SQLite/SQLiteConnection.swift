internal import CSQLite
package import Files

/// A hardened SQLite connection: the one owner of a `sqlite3` handle.
///
/// A database may come from anywhere, and a schema can carry code. So triggers and views are off, the schema is not
/// trusted, nothing is mapped into memory (SQLite manual, "Defense Against The Dark Arts"). No file is touched
/// but the database and what belongs to it (`DatabaseFiles`), and plans do not follow statistics that the file brings
/// with it (`Statistics`).
///
/// A statement may outlive it. `Failure` is what it throws: the caller's own kind of error.
@safe package struct SQLiteConnection<Failure: SQLiteFailure>: ~Copyable {
    private let handle: OpaquePointer
    private var isOpen = true
    private let state: ConnectionState
    /// The database, for errors.
    package var path: Path { state.path }

    /// The mode in which a file is opened.
    package typealias Mode = SQLiteOpening

    /// Opens an existing database; nothing is created, and no link is followed.
    ///
    /// - Parameter name: what errors call it, where that is another file.
    package static func open(
        resolved file: Path, named name: Path? = nil, mode: Mode, wait: LockWait
    ) throws(Failure) -> SQLiteConnection {
        try open(file, named: name ?? file, mode, wait, isSupplied: false)
    }

    /// Opens a database whose bytes the program supplies; SQLite never writes it. Its log is read as any other: up to
    /// the last transaction that is whole.
    ///
    /// - Parameter name: what errors call it.
    package static func open(
        supplied database: any SuppliedFile, log: (any SuppliedFile)?, named name: Path, wait: LockWait
    ) throws(Failure) -> SQLiteConnection {
        let file = SuppliedFiles.add(database, log)
        do {
            return try open(file, named: name, .readOnly, wait, isSupplied: true)
        } catch {
            SuppliedFiles.remove(file.bytes)
            throw error
        }
    }

    private static func open(_ file: Path, named path: Path, _ mode: Mode, _ wait: LockWait, isSupplied: Bool)
        throws(Failure) -> SQLiteConnection
    {
        precondition(isSQLiteConfigured, "SQLite cannot be configured")
        var opened: OpaquePointer?
        let status = unsafe sqlite3_open_v2(
            uri(file, mode), &opened,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
                | SQLITE_OPEN_NOFOLLOW,
            UnsafeRawPointer(DatabaseFiles.layer.utf8Start).assumingMemoryBound(to: CChar.self))
        guard let handle = unsafe opened else {
            throw Failure(SQLiteError(.noMemory, path.display, "no memory for a connection"))
        }
        guard status == SQLITE_OK else {
            // A handle is there even when opening failed, and must be closed (manual, sqlite3_open).
            let error = unsafe SQLiteError.last(of: handle, path)
            unsafe sqlite3_close_v2(handle)
            throw Failure(error)
        }
        let connection = unsafe SQLiteConnection(owning: handle, path: path)
        unsafe SQLiteLimits.set(handle)
        // The index of a log is then in memory, and no file of shared memory is asked for (manual, "Write-Ahead
        // Logging", 8). It counts only before the database is read.
        if isSupplied { try connection.execute("PRAGMA locking_mode = EXCLUSIVE") }
        try connection.readSchema(wait)
        let options: [(Int32, Int32)] = [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
            (SQLITE_DBCONFIG_ENABLE_VIEW, 0), (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
        ]
        for (option, value) in options { try connection.configure(option, value) }
        // A CHECK constraint is an expression of the file's author: it is computed by no insert and no check.
        try connection.execute(
            """
            PRAGMA cell_size_check = ON; PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = ON; \
            PRAGMA cache_size = -5000; PRAGMA temp_store = FILE; PRAGMA threads = 1
            """)
        return connection
    }

    private init(owning handle: OpaquePointer, path: Path) {
        unsafe self.handle = handle
        state = ConnectionState(path)
    }

    // Statements may outlive the connection; SQLite then closes it with the last of them (manual, sqlite3_close_v2).
    deinit { if isOpen { unsafe sqlite3_close_v2(handle) } }

    /// Closes the database; no statement may be left.
    package consuming func close() throws(Failure) {
        var connection = self
        let status = unsafe sqlite3_close(connection.handle)
        guard status == SQLITE_OK else { throw connection.failure() }
        connection.isOpen = false
    }

    /// Returns the path as a `file:` URI; a `?`, `#` or `%` in it would otherwise name another file.
    private static func uri(_ path: Path, _ mode: Mode) -> String {
        let digits = Array("0123456789ABCDEF")
        var text = path.bytes.first == UInt8(ascii: "/") ? "file://" : "file:"
        for byte in path.bytes {
            switch byte {
            // "-", ".", "/" and digits; letters; "_" and "~".
            case UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
        return text + "?" + mode.rawValue
    }

    /// Reads the schema, and sets how a lock is waited for and what ends a long statement.
    private func readSchema(_ wait: LockWait) throws(Failure) {
        setWait(wait)
        state.pages = unsafe WatchedFile.pages(of: handle)
        guard let roots = unsafe Statistics.readSchemaWithout(handle) else { throw failure() }
        state.pages?.watch(roots: roots)
        setWait(wait)
    }

    /// Sets how a lock is waited for, and what ends a long statement: `shouldStop` is asked at every attempt and every
    /// few thousand steps of SQLite's machine.
    private func setWait(_ wait: LockWait) {
        let held = Waiting(wait)
        state.waiting = held
        let waiting = unsafe Unmanaged.passRetained(held).toOpaque()
        unsafe sqlite3_busy_handler(
            handle,
            { pointer, attempts in
                unsafe Unmanaged<Waiting>.fromOpaque(pointer!).takeUnretainedValue().isWorthIt(attempts: attempts)
                    ? 1 : 0
            }, waiting)
        unsafe sqlite3_progress_handler(
            handle, 20_000,
            { pointer in
                unsafe Unmanaged<Waiting>.fromOpaque(pointer!).takeUnretainedValue().shouldStop ? 1 : 0
            }, waiting)
    }

    /// Says whether statements and waits for a lock end before their time where `shouldStop` says so. They do until
    /// they are told otherwise.
    package func heedStops(_ areHeeded: Bool) { state.waiting?.heedStops(areHeeded) }

    /// Notes how texts are stored: statements from now on read those in UTF-8 in place.
    package func noteEncoding() throws(Failure) {
        let name = try text("PRAGMA encoding")
        state.isUTF8 = name == "UTF-8"
    }

    /// Leaves the log as it is when the last connection closes.
    package func keepLogOnClose() throws(Failure) { try configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1) }

    /// Sets an option, and makes sure that it is set: a connection that is less guarded than it looks is none.
    private func configure(_ option: Int32, _ value: Int32) throws(Failure) {
        guard unsafe hp_sqlite_db_config(handle, option, value) != 0 else {
            let text = "this SQLite library does not take option \(option), a guard"
            throw Failure(SQLiteError(.internalFault, path.display, text))
        }
    }

    /// Runs statements that give no rows.
    package func execute(_ sql: String) throws(Failure) {
        guard unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    /// Throws where a value was lost for want of memory since the connection was opened: what was read or written with
    /// it does not count.
    package func checkMemory() throws(Failure) {
        if state.isValueLost { throw Failure(.noMemory(path)) }
    }

    /// Ends the transaction and keeps what it wrote.
    package func commit() throws(Failure) {
        try checkMemory()
        try execute("COMMIT")
    }

    /// Prepares one statement.
    package func prepare(_ sql: String) throws(Failure) -> SQLiteStatement<Failure> {
        var prepared: OpaquePointer?
        let status = unsafe sqlite3_prepare_v3(handle, sql, -1, 0, &prepared, nil)
        guard status == SQLITE_OK, let statement = unsafe prepared else { throw failure() }
        return unsafe SQLiteStatement(owning: statement, state)
    }

    /// Prepares a statement and binds its parameters, after `leading` others that are bound later.
    package func prepare(
        _ statement: (sql: String, parameters: [SQLiteParameter]), leading: Int = 0
    ) throws(Failure) -> SQLiteStatement<Failure> {
        var prepared = try prepare(statement.sql)
        try prepared.bind([SQLiteParameter](repeating: .null, count: leading) + statement.parameters)
        return prepared
    }

    /// Returns the first column of the first row as an integer; `nil` if there is no row or it is NULL.
    package func integer(_ sql: String, _ parameters: [SQLiteParameter] = []) throws(Failure) -> Int64? {
        var statement = try prepare(sql)
        try statement.bind(parameters)
        guard try statement.step() else { return nil }
        return statement.integer(0)
    }

    /// Returns the first column of the first row as text; `nil` if there is no row or it is NULL.
    package func text(_ sql: String) throws(Failure) -> String? {
        var statement = try prepare(sql)
        guard try statement.step() else { return nil }
        let text = statement.text(0)
        _ = try statement.step()
        return text
    }

    /// Returns the collation of a column of a table, in upper case (manual, sqlite3_table_column_metadata).
    package func collation(of column: String, in table: String) throws(Failure) -> String {
        var name: UnsafePointer<CChar>?
        let status = unsafe sqlite3_table_column_metadata(handle, "main", table, column, nil, &name, nil, nil, nil)
        guard status == SQLITE_OK else { throw failure() }
        return unsafe name.map { unsafe String(cString: $0).uppercased() } ?? "BINARY"
    }

    /// Adds a SQL function, which lives as long as the connection.
    ///
    /// - Parameter count: of its arguments; −1 is any number.
    package func add(_ function: some SQLFunction, as name: String, count: Int32) throws(Failure) {
        guard unsafe RegisteredFunction(function, state).register(name, count: count, handle) else { throw failure() }
    }

    /// Makes rows readable as a table, which lives as long as the connection.
    package func add(_ table: some VirtualTable) throws(Failure) {
        guard unsafe RegisteredTable(table).register(handle) else { throw failure() }
    }

    /// Makes the database anew without its free pages (manual, VACUUM), outside of a transaction. SQLite attaches the
    /// new one meanwhile.
    package func vacuum() throws(Failure) {
        unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
        defer { unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0) }
        try execute("VACUUM")
    }

    /// Copies the database into that of another connection, page by page, as this one sees it (manual,
    /// sqlite3_backup_init).
    ///
    /// - Parameter shouldStop: asked every few thousand pages.
    package func copy(into target: borrowing SQLiteConnection, shouldStop: () -> Bool) throws(Failure) {
        guard let backup = unsafe sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw target.failure()
        }
        var status = SQLITE_OK
        while status == SQLITE_OK, !shouldStop() { status = unsafe sqlite3_backup_step(backup, 4096) }
        let end = unsafe sqlite3_backup_finish(backup)
        if status == SQLITE_OK { throw Failure(SQLiteError(.interrupted, path.display, "interrupted")) }
        // Errors are kept by the target, those of locks by nobody.
        if status == SQLITE_BUSY || status == SQLITE_LOCKED {
            throw Failure(SQLiteError(.busy, path.display, "locked"))
        }
        guard status == SQLITE_DONE, end == SQLITE_OK else { throw target.failure() }
    }

    /// The row id of the last insert.
    package var lastInsertID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Rows that the last statement changed.
    package var changes: Int { unsafe Int(sqlite3_changes64(handle)) }

    /// `true` if no transaction is open. After a full disk SQLite has already rolled back.
    package var isIdle: Bool { unsafe sqlite3_get_autocommit(handle) != 0 }

    /// `true` if this connection holds the write lock.
    package var isWriting: Bool { unsafe sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE }

    private func failure() -> Failure { Failure(unsafe state.error(of: handle)) }
}

/// The mode in which a file is opened.
package enum SQLiteOpening: String, Sendable {
    case readWrite = "mode=rw"
    /// Reads with the locks of a reader, and writes nothing: for a database without a log and a hot journal.
    case readOnly = "mode=ro"
    case immutable = "mode=ro&immutable=1"
    /// A database of its own that ends with the connection; the file's name is only a name.
    case memory = "mode=memory"
}

private let isSQLiteConfigured =
    hp_sqlite_config_no_mmap() == SQLITE_OK && hp_sqlite_config_no_memory_status() == SQLITE_OK
    && DatabaseFiles.register()

/// The limits on what a schema may ask for: set before it is read (SQLite manual, "Defense Against The Dark Arts").
enum SQLiteLimits {
    /// Limits of a connection, each as it is after a library was built with others.
    private static let limits: [(Int32, Int32)] = [
        // The longest line of a bundle has 64 MiB: a longer value is in none.
        (SQLITE_LIMIT_LENGTH, 1 << 26),
        (SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
        (SQLITE_LIMIT_FUNCTION_ARG, 127),
        // One database to a connection: only a transaction over several writes a super-journal.
        (SQLITE_LIMIT_ATTACHED, 0),
        (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    ]

    /// Sets the limits, and leaves no module but that of JSON: a file can name any for a table of its own, and none is
    /// needed.
    static func set(_ handle: OpaquePointer) {
        for (limit, value) in limits { unsafe sqlite3_limit(handle, limit, value) }
        unsafe "json_each".withCString { name in
            var kept: [UnsafePointer<CChar>?] = unsafe [name, nil]
            unsafe kept.withUnsafeMutableBufferPointer { _ = unsafe sqlite3_drop_modules(handle, $0.baseAddress) }
        }
    }
}
