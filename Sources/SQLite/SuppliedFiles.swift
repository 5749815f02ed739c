internal import CSQLite
internal import Files
internal import Synchronization

/// A file whose bytes a program supplies, for SQLite to read.
package protocol SuppliedFile: AnyObject, Sendable {
    /// Its size in bytes, which stays.
    var byteCount: Int64 { get }

    /// Fills a buffer with the bytes from an offset on; all of them are inside the file.
    ///
    /// - Returns: `false` if they cannot be read.
    func read(into buffer: inout MutableRawSpan, at offset: Int64) -> Bool
}

/// Databases whose bytes a program supplies, each with its log: files of SQLite that are only in memory.
///
/// Each has a made-up name, under which SQLite finds it. SQLite reads, and every way to write is refused.
enum SuppliedFiles {
    private struct Entry {
        let database: any SuppliedFile
        let log: (any SuppliedFile)?
    }

    /// A file that SQLite has open: the first members of its memory.
    @unsafe private struct OpenFile {
        var base: sqlite3_file
        let file: Unmanaged<Opened>
    }

    /// The content of an open file; of a log that is not there, no bytes.
    private final class Opened {
        let file: (any SuppliedFile)?
        /// The name that ends with the file, of a database.
        let name: [UInt8]?

        init(_ file: (any SuppliedFile)?, name: [UInt8]?) { (self.file, self.name) = (file, name) }
    }

    private static let entries = Mutex<(list: [[UInt8]: Entry], next: Int)>(([:], 0))

    /// Makes a database known, and returns its name; it is forgotten when SQLite closes it.
    static func add(_ database: any SuppliedFile, _ log: (any SuppliedFile)?) -> Path {
        entries.withLock { entries in
            entries.next += 1
            let name = Path("/hp-supplied/\(entries.next)")
            entries.list[name.bytes] = Entry(database: database, log: log)
            return name
        }
    }

    /// Forgets a database.
    static func remove(_ name: [UInt8]) { entries.withLock { _ = $0.list.removeValue(forKey: name) } }

    /// Returns the database of a name or of its log's or journal's, and what follows the database's name.
    private static func find(_ name: UnsafePointer<CChar>) -> (Entry, suffix: String)? {
        let bytes = unsafe DatabaseFiles.bytes(of: name)
        return entries.withLock { entries in
            for suffix in ["", "-wal", "-journal"] where bytes.reversed().starts(with: suffix.utf8.reversed()) {
                if let entry = entries.list[Array(bytes.dropLast(suffix.utf8.count))] { return (entry, suffix) }
            }
            return nil
        }
    }

    /// Returns `true` if there is such a file; `nil` if it is none of these.
    static func hasFile(_ name: UnsafePointer<CChar>) -> Bool? {
        guard let (entry, suffix) = unsafe find(name) else { return nil }
        return suffix.isEmpty || suffix == "-wal" && (entry.log?.byteCount ?? 0) > 0
    }

    /// Opens a file; `nil` if it is none of these.
    static func open(
        _ name: UnsafePointer<CChar>, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
        _ found: UnsafeMutablePointer<Int32>?
    ) -> Int32? {
        guard let (entry, suffix) = unsafe find(name) else { return nil }
        unsafe file.pointee.pMethods = nil
        let opened: Opened
        switch suffix {
        case "" where flags & SQLITE_OPEN_MAIN_DB != 0:
            opened = Opened(entry.database, name: unsafe DatabaseFiles.bytes(of: name))
        case "-wal" where flags & SQLITE_OPEN_WAL != 0: opened = Opened(entry.log, name: nil)
        default: return SQLITE_CANTOPEN
        }
        unsafe UnsafeMutableRawPointer(file).initializeMemory(
            as: OpenFile.self, to: OpenFile(base: sqlite3_file(pMethods: methods), file: .passRetained(opened)))
        if let found = unsafe found { unsafe found.pointee = flags & ~SQLITE_OPEN_READWRITE | SQLITE_OPEN_READONLY }
        return SQLITE_OK
    }

    // MARK: Methods

    private static func opened(_ file: UnsafeMutablePointer<sqlite3_file>) -> Unmanaged<Opened> {
        unsafe UnsafeRawPointer(file).assumingMemoryBound(to: OpenFile.self).pointee.file
    }

    /// The functions that SQLite calls; they are never freed.
    private nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_io_methods> = {
        var methods = sqlite3_io_methods()
        methods.iVersion = 1
        unsafe methods.xClose = { file in
            let opened = unsafe SuppliedFiles.opened(file!)
            if let name = unsafe opened.takeUnretainedValue().name { SuppliedFiles.remove(name) }
            unsafe opened.release()
            return SQLITE_OK
        }
        unsafe methods.xRead = { unsafe SuppliedFiles.read($0!, $1!, Int($2), $3) }
        unsafe methods.xFileSize = { file, size in
            unsafe size!.pointee = SuppliedFiles.opened(file!).takeUnretainedValue().file?.byteCount ?? 0
            return SQLITE_OK
        }
        unsafe methods.xWrite = { _, _, _, _ in SQLITE_READONLY }
        unsafe methods.xTruncate = { _, _ in SQLITE_READONLY }
        unsafe methods.xSync = { _, _ in SQLITE_OK }
        unsafe methods.xLock = { _, _ in SQLITE_OK }
        unsafe methods.xUnlock = { _, _ in SQLITE_OK }
        unsafe methods.xCheckReservedLock = { _, result in
            unsafe result!.pointee = 0
            return SQLITE_OK
        }
        unsafe methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        unsafe methods.xSectorSize = { _ in 4096 }
        unsafe methods.xDeviceCharacteristics = { _ in 0 }
        let place = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        unsafe place.initialize(to: methods)
        return unsafe UnsafePointer(place)
    }()

    /// Reads; what is beyond the end is zeros (manual, "xRead"). The codes of a failure and of a short read are macros
    /// that Swift does not have.
    private static func read(
        _ file: UnsafeMutablePointer<sqlite3_file>, _ start: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64
    ) -> Int32 {
        let supplied = unsafe opened(file).takeUnretainedValue().file
        let available = Int(max(0, min(Int64(count), (supplied?.byteCount ?? 0) - offset)))
        unsafe (start + available).initializeMemory(as: UInt8.self, repeating: 0, count: count - available)
        if available > 0, let supplied {
            var buffer = unsafe MutableRawSpan(_unsafeStart: start, byteCount: available)
            guard supplied.read(into: &buffer, at: offset) else { return SQLITE_IOERR | 1 << 8 }
        }
        return available == count ? SQLITE_OK : SQLITE_IOERR | 2 << 8
    }
}
