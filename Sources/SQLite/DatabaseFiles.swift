internal import CSQLite
internal import Synchronization

/// The files that SQLite may open, look for and remove: the databases that it was asked to open, what it has beside
/// them, and temporary files of its own (manual, "OS Interface Object").
///
/// A rollback journal can name any file as its super-journal: when SQLite plays the journal back, it looks for that
/// file, reads it, and removes it together with journals that are named there (manual, "Atomic Commit In SQLite", 5).
/// A journal may appear at any time. So whatever a journal says, no other name gets as far as the system.
///
///     database          as it was asked for
///     NAME-journal      its rollback journal
///     NAME-wal          its log; SQLite's own layer opens the index of the log, NAME-shm, beside the database
///     without a name    a temporary file
///     /hp-supplied/N    a database whose bytes the program supplies, and its log (`SuppliedFiles`)
enum DatabaseFiles {
    /// The name of the layer, for `sqlite3_open_v2`.
    static let layer: StaticString = "hp-database-files"

    private static let databases = Mutex<Set<[UInt8]>>([])

    /// SQLite's own layer, which does all that is allowed; nil where SQLite cannot be initialized.
    private nonisolated(unsafe) static let system = unsafe sqlite3_vfs_find(nil)

    /// Makes the layer known; whether SQLite took it. It must be called once.
    ///
    /// It is a copy of SQLite's own with three methods replaced. A file that is open is a file of SQLite's own layer;
    /// databases and their logs are watched (`WatchedFile`).
    static func register() -> Bool {
        guard let base = unsafe system else { return false }
        let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        unsafe own.initialize(to: base.pointee)
        unsafe own.pointee.pNext = nil
        unsafe own.pointee.szOsFile = WatchedFile.fileSize
        unsafe own.pointee.zName = UnsafeRawPointer(layer.utf8Start).assumingMemoryBound(to: CChar.self)
        unsafe own.pointee.xOpen = { _, name, file, flags, found in
            if let name = unsafe name, let status = unsafe SuppliedFiles.open(name, file!, flags, found) {
                if status == SQLITE_OK { unsafe DatabaseFiles.watch(file!, name, flags) }
                return status
            }
            guard unsafe DatabaseFiles.isAllowed(name, flags) else {
                // Also where opening fails, the methods must say so (manual, "xOpen").
                unsafe file!.pointee.pMethods = nil
                return SQLITE_CANTOPEN
            }
            // The same pointer goes on: what SQLite keeps around a name is found through it.
            let status = unsafe DatabaseFiles.system!.pointee.xOpen(DatabaseFiles.system, name, file, flags, found)
            if status == SQLITE_OK, let name = unsafe name { unsafe DatabaseFiles.watch(file!, name, flags) }
            return status
        }
        unsafe own.pointee.xDelete = { _, name, isSynchronized in
            guard unsafe DatabaseFiles.isOwn(name) else { return SQLITE_IOERR }
            return unsafe DatabaseFiles.system!.pointee.xDelete(DatabaseFiles.system, name, isSynchronized)
        }
        unsafe own.pointee.xAccess = { _, name, flags, result in
            if let name = unsafe name, let isThere = unsafe SuppliedFiles.hasFile(name) {
                unsafe result!.pointee = isThere && flags == SQLITE_ACCESS_EXISTS ? 1 : 0
                return SQLITE_OK
            }
            guard unsafe DatabaseFiles.isOwn(name) else { return SQLITE_CANTOPEN }
            return unsafe DatabaseFiles.system!.pointee.xAccess(DatabaseFiles.system, name, flags, result)
        }
        return unsafe sqlite3_vfs_register(own, 0) == SQLITE_OK
    }

    private static func watch(_ file: UnsafeMutablePointer<sqlite3_file>, _ name: UnsafePointer<CChar>, _ flags: Int32)
    {
        if flags & SQLITE_OPEN_MAIN_DB != 0 {
            unsafe WatchedFile.watch(file, logOf: nil)
        } else if flags & SQLITE_OPEN_WAL != 0, let database = unsafe sqlite3_database_file_object(name) {
            unsafe WatchedFile.watch(file, logOf: database)
        }
    }

    /// Returns `true` if a file may be opened. A database that is opened is one that was asked for: none can be
    /// attached.
    private static func isAllowed(_ name: UnsafePointer<CChar>?, _ flags: Int32) -> Bool {
        guard let name = unsafe name else { return true }
        if flags & SQLITE_OPEN_MAIN_DB != 0 {
            let bytes = unsafe bytes(of: name)
            return databases.withLock {
                $0.insert(bytes)
                return true
            }
        }
        return unsafe flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL) != 0 && isOwn(name)
    }

    /// Returns `true` if a name is that of a database, or of its journal or log.
    private static func isOwn(_ name: UnsafePointer<CChar>?) -> Bool {
        guard let name = unsafe name else { return false }
        let bytes = unsafe bytes(of: name)
        return databases.withLock { databases in
            ["", "-journal", "-wal"].contains { suffix in
                bytes.reversed().starts(with: suffix.utf8.reversed())
                    && databases.contains(Array(bytes.dropLast(suffix.utf8.count)))
            }
        }
    }

    /// Returns the bytes of a name, which need not be UTF-8.
    static func bytes(of name: UnsafePointer<CChar>) -> [UInt8] {
        var bytes: [UInt8] = []
        while unsafe name[bytes.count] != 0 { bytes.append(UInt8(bitPattern: unsafe name[bytes.count])) }
        return bytes
    }
}
