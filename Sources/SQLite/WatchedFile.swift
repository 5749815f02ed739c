internal import CSQLite
internal import Synchronization

/// A database or a log that SQLite has open, whose pages are watched (`PageGuard`).
///
/// It is a file of SQLite's own layer. Four of its methods are replaced, and what they need is kept after it:
///
///     file of SQLite's own layer │ Watch: its own methods, the guard, the other file
enum WatchedFile {
    fileprivate typealias File = UnsafeMutablePointer<sqlite3_file>

    /// The data that is kept after a file.
    @unsafe fileprivate struct Watch {
        let methods: UnsafePointer<sqlite3_io_methods>
        let pages: Unmanaged<PageGuard>
        /// Of a log, the file of its database.
        let database: File?
        /// Of a database, its log while that is open.
        var log: File?
    }

    /// The size of a file of SQLite's own layer in bytes, rounded up.
    private static let ownSize = unsafe (Int(sqlite3_vfs_find(nil)?.pointee.szOsFile ?? 0) + 15) / 16 * 16

    /// The size of a watched file in bytes.
    static var fileSize: Int32 { unsafe Int32(ownSize + MemoryLayout<Watch>.stride) }

    fileprivate static func watch(of file: File) -> UnsafeMutablePointer<Watch> {
        unsafe (UnsafeMutableRawPointer(file) + ownSize).assumingMemoryBound(to: Watch.self)
    }

    // MARK: Opening

    /// Watches a database that was opened, or its log.
    ///
    /// - Parameter database: of a log, the file of its database.
    static func watch(_ file: UnsafeMutablePointer<sqlite3_file>, logOf database: UnsafeMutablePointer<sqlite3_file>?) {
        guard let methods = unsafe file.pointee.pMethods else { return }
        var pages = PageGuard()
        if let database = unsafe database {
            guard let found = unsafe Self.pages(of: database) else { return }
            pages = found
            unsafe watch(of: database).pointee.log = file
        }
        unsafe watch(of: file).initialize(
            to: Watch(methods: methods, pages: .passRetained(pages), database: database, log: nil))
        unsafe file.pointee.pMethods = watched(methods)
    }

    /// Returns the guard of a connection's database; `nil` if that has no file.
    static func pages(of handle: OpaquePointer) -> PageGuard? {
        var found: UnsafeMutableRawPointer?
        guard unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &found) == SQLITE_OK,
            let file = unsafe found?.assumingMemoryBound(to: sqlite3_file.self)
        else { return nil }
        return unsafe pages(of: file)
    }

    private static func pages(of file: File) -> PageGuard? {
        guard let methods = unsafe file.pointee.pMethods, unsafe isWatched(methods) else { return nil }
        return unsafe watch(of: file).pointee.pages.takeUnretainedValue()
    }

    // MARK: Methods

    /// The addresses of tables of methods: SQLite's own, and those that take their place. They stay.
    private static let tables = Mutex<[UInt: UInt]>([:])

    private static func isWatched(_ methods: UnsafePointer<sqlite3_io_methods>) -> Bool {
        let address = UInt(bitPattern: methods)
        return tables.withLock { $0.values.contains(address) }
    }

    /// Returns the methods of SQLite's own layer, with those replaced that read, write and end.
    private static func watched(_ methods: UnsafePointer<sqlite3_io_methods>) -> UnsafePointer<sqlite3_io_methods> {
        let address = UInt(bitPattern: methods)
        let replaced = tables.withLock { tables in
            if let known = tables[address] { return known }
            let new = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            unsafe new.initialize(to: methods.pointee)
            unsafe new.pointee.xRead = { unsafe WatchedFile.read($0!, $1!, $2, $3) }
            unsafe new.pointee.xWrite = { file, bytes, count, offset in
                unsafe WatchedFile.noteWrite(file!, UnsafeRawBufferPointer(start: bytes, count: Int(count)), offset)
                return unsafe WatchedFile.watch(of: file!).pointee.methods.pointee.xWrite(file, bytes, count, offset)
            }
            unsafe new.pointee.xFileControl = { file, operation, argument in
                let watch = unsafe WatchedFile.watch(of: file!)
                if operation == SQLITE_FCNTL_CKPT_START || operation == SQLITE_FCNTL_CKPT_DONE {
                    let begins = operation == SQLITE_FCNTL_CKPT_START
                    unsafe watch.pointee.pages._withUnsafeGuaranteedRef { $0.isCheckpointing = begins }
                }
                return unsafe watch.pointee.methods.pointee.xFileControl(file, operation, argument)
            }
            unsafe new.pointee.xClose = { unsafe WatchedFile.close($0!) }
            let result = UInt(bitPattern: new)
            tables[address] = result
            return result
        }
        return unsafe UnsafePointer(bitPattern: replaced)!
    }

    private static func close(_ file: File) -> Int32 {
        let watch = unsafe watch(of: file).move()
        if let database = unsafe watch.database { unsafe Self.watch(of: database).pointee.log = nil }
        unsafe file.pointee.pMethods = watch.methods
        unsafe watch.pages.release()
        return unsafe watch.methods.pointee.xClose(file)
    }

    /// Reads, and lets the guard look at what is a page of the database.
    private static func read(
        _ file: File, _ bytes: UnsafeMutableRawPointer, _ count: Int32, _ offset: sqlite3_int64
    ) -> Int32 {
        let watch = unsafe watch(of: file)
        let status = unsafe watch.pointee.methods.pointee.xRead(file, bytes, count, offset)
        // SQLite reads pages whole, and a header or a frame with another count of bytes.
        guard status == SQLITE_OK, count >= 512, count & (count - 1) == 0,
            let number = unsafe page(file, watch, Int64(count), offset)
        else { return status }
        let page = unsafe RawSpan(_unsafeStart: bytes, byteCount: Int(count))
        let pages = unsafe watch.pointee.pages.takeUnretainedValue()
        let database = unsafe watch.pointee.database ?? file
        let isAccepted = pages.accept(
            number, page, size: { unsafe byteCount(of: database) },
            read: { unsafe Self.page($0, of: database, Int(count)) })
        return isAccepted ? SQLITE_OK : SQLITE_CORRUPT
    }

    /// Tells the guard which pages are written. In a log the head of a frame says that.
    private static func noteWrite(_ file: File, _ bytes: UnsafeRawBufferPointer, _ offset: sqlite3_int64) {
        let watch = unsafe watch(of: file)
        let pages = unsafe watch.pointee.pages.takeUnretainedValue()
        let size = Int64(pages.pageSize)
        guard size > 0, bytes.count >= 4 else { return }
        guard unsafe watch.pointee.database == nil else {
            guard offset >= 32, (offset - 32) % (size + 24) == 0 else { return }
            return unsafe pages.note(written: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
        }
        for number in offset / size...(offset + Int64(bytes.count) - 1) / size {
            if let number = UInt32(exactly: number + 1) { pages.note(written: number) }
        }
    }

    /// Returns a page of the main file; `nil` if there is a log with content.
    private static func page(_ number: UInt32, of database: File, _ size: Int) -> [UInt8]? {
        if let log = unsafe watch(of: database).pointee.log, unsafe Self.size(of: log) > 0 { return nil }
        var page = [UInt8](repeating: 0, count: size)
        let offset = (Int64(number) - 1) * Int64(size)
        let status = unsafe watch(of: database).pointee.methods.pointee.xRead(database, &page, Int32(size), offset)
        return status == SQLITE_OK ? page : nil
    }

    /// Returns the number of the page at a place; `nil` if there is none. In a log it is before the page ("WAL-mode
    /// File Format", 1.3).
    private static func page(_ file: File, _ watch: UnsafeMutablePointer<Watch>, _ size: Int64, _ offset: Int64)
        -> UInt32?
    {
        guard unsafe watch.pointee.database != nil else {
            return offset % size == 0 ? UInt32(exactly: offset / size + 1) : nil
        }
        guard offset >= 56, (offset - 56) % (size + 24) == 0 else { return nil }
        var number: UInt32 = 0
        let status = unsafe watch.pointee.methods.pointee.xRead(file, &number, 4, offset - 24)
        return status == SQLITE_OK ? UInt32(bigEndian: number) : nil
    }

    /// Returns the bytes of a database and its log.
    private static func byteCount(of database: File) -> UInt64 {
        let log = unsafe watch(of: database).pointee.log
        return unsafe size(of: database) + (log.map { unsafe size(of: $0) } ?? 0)
    }

    private static func size(of file: File) -> UInt64 {
        var size: sqlite3_int64 = 0
        let status = unsafe watch(of: file).pointee.methods.pointee.xFileSize(file, &size)
        return status == SQLITE_OK ? UInt64(max(0, size)) : 0
    }
}
