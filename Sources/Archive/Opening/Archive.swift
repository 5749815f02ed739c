public import Files
internal import SQLite

/// A HealthProbe archive (schema version 2): its observations, what was visible at each, and the exports that were
/// made of it.
///
/// Reading knows SQL and nothing of JSON, hashes or frames: what leaves is packed rows and plain values.
///
///     let archive = try Archive.open(path, for: .evidence)
///     let scope = Scope(mode: .pointInTime, observationID: try archive.observationID(.latest))
///     let context = try archive.context(of: scope)
///     var records = try archive.records(of: scope, in: context)
///     while let batch = try records.next() { … }
public struct Archive: ~Copyable {
    /// The purpose for which an archive is opened.
    public enum Access: Sendable {
        /// Record an export. References are not enforced: the rows that are written name rows that were read in the
        /// same transaction, dangling ones included.
        case recording
        /// Write what a capture brings. References are enforced.
        case capturing
        /// Write what a capture would bring into a private copy, which ends with the archive: no byte of the archive or
        /// beside it is created or changed.
        case rehearsing
        /// Only read: like any other reader where another process has the archive open, or where it keeps a rollback
        /// journal; else as `evidence`.
        case reading
        /// Only read, and leave no trace: no byte in the archive or beside it is created or changed, also where it
        /// has a log or a hot journal. It may lack keys and indexes of the schema (`requireKeys`).
        case evidence
    }

    /// The connection that everything is read and written with.
    package let connection: Connection
    /// The archive's name, as it was given.
    public let path: Path
    /// The file that the name leads to: the log and the journal are named after it.
    public let file: Path
    /// The status of the file when it was opened.
    public let status: FileStatus
    /// `true` if a private copy is read because the archive has a log or a journal next to it.
    public let isPrivateCopy: Bool
    /// `true` if writes end with this value: they go to a private copy, or to a new file in its place.
    package let isRehearsal: Bool
    /// The file that is read: the archive's, or the private copy's.
    let readFile: Path
    /// The mode in which `readFile` is opened.
    let mode: Connection.Mode
    /// `true` if closing leaves the log as it is.
    private let keepsLog: Bool
    private let companion = Companion()
    let copy: PrivateCopy?
    private let isRecording: Bool
    /// The file that the archive is written to while it has no name; all of it is one transaction.
    private let draft: PendingFile?
    /// The way in which a lock is waited for.
    package let wait: LockWait

    /// Opens an archive and checks its schema.
    ///
    /// | access | a log or journal has content | else |
    /// |---|---|---|
    /// | `recording`, `capturing` | read and write | read and write |
    /// | `reading`, in use by another process | read and write, as each reader of a log must | the same |
    /// | `reading` | a private copy | with a log: without locks. With a rollback journal: read-only, with locks |
    /// | `evidence` | a private copy | without locks |
    /// | `rehearsing` | a private copy | a private copy |
    ///
    /// Where the file or its folder cannot be written, `reading` joins no archive in use, and `recording` and
    /// `capturing` fail with what SQLite says.
    ///
    /// - Parameter wait: how long to wait for a locked archive.
    /// - Throws: `ArchiveError` with the code `missing`, `unreadable`, `schema` or `locked`.
    public static func open(_ path: Path, for access: Access, wait: LockWait = LockWait()) throws(ArchiveError)
        -> Archive
    {
        // SQLite names the log after the file that a link leads to.
        let file = try ArchiveError.wrapping { () throws(FileError) in try resolved(path) }
        let facts = try ArchiveFile.examine(file, named: path)
        let isWriting = access == .recording || access == .capturing
        // Only where others are at work does a reader need their log and its index, which every reader writes to.
        let isLive = isWriting || (access == .reading && facts.isInUse && facts.isWritable)
        PrivateCopy.removeAbandoned()
        if access == .rehearsing {
            // What would be refused to be written is refused here.
            try Companions.checkBeforeOpening(file, named: path)
            let copy = try PrivateCopy.makeStill(of: file, facts, named: path, wait)
            return try rehearsal(in: copy, named: path, wait)
        }
        guard !isLive, facts.hasPending else {
            let isLocking = access == .reading && !facts.hasLog
            let mode: Connection.Mode = isLive ? .readWrite : isLocking ? .readOnly : .immutable
            let connection = try Connection.open(file, named: path, mode: mode, wait: wait)
            // A reader folds nothing into the archive that it did not write.
            let keepsLog = access == .reading && facts.hasPending
            if keepsLog { try connection.keepLogOnClose() }
            let archive = Archive(
                connection: connection, mode: mode, keepsLog: keepsLog, path: path, file: file, readFile: file,
                status: facts.status, copy: nil, isRecording: isWriting, wait: wait)
            try archive.prepare(access)
            return archive
        }
        let copy = try PrivateCopy.make(of: file, facts, named: path, wait)
        let (readFile, status) = (copy.path, copy.source[0] ?? facts.status)
        let connection = try Connection.open(readFile, named: path, mode: .readWrite, wait: wait)
        let archive = Archive(
            connection: connection, mode: .readWrite, keepsLog: false, path: path, file: file, readFile: readFile,
            status: status, copy: copy, isRecording: false, wait: wait)
        try archive.prepare(access)
        return archive
    }

    /// Opens what a private copy holds to be written to (`Access.rehearsing`).
    ///
    /// - Parameter path: what errors call it.
    package static func rehearsal(in copy: consuming PrivateCopy, named path: Path, _ wait: LockWait)
        throws(ArchiveError) -> Archive
    {
        let file = copy.path
        let status = try ArchiveError.wrapping { () throws(FileError) in try FileStatus.of(file) }
        guard let status else { throw ArchiveError(.missing, "\(path.display): no such file") }
        let connection = try Connection.open(file, named: path, mode: .readWrite, wait: wait)
        let archive = Archive(
            connection: connection, mode: .readWrite, keepsLog: false, path: path, file: file, readFile: file,
            status: status, copy: copy, isRecording: true, isRehearsal: true, wait: wait)
        try archive.prepare(.capturing)
        return archive
    }

    /// `true` if whoever opened the archive wants to end.
    public var isAskedToStop: Bool { wait.shouldStop() }

    /// The archive, as it is named and as it is, and what SQLite and these tools keep beside it.
    public var ownFiles: [Path] { Self.ownFiles(of: path) + Self.ownFiles(of: file) }

    /// Returns the files of an archive of a name, whether they are there or not, but for its secret.
    public static func databaseFiles(of path: Path) -> [Path] {
        [path, lockPath(of: path)] + Companions.all.map { path.withSuffix($0) }
    }

    /// Returns those files, the secret at its usual place, the labels and the cache.
    public static func ownFiles(of path: Path) -> [Path] {
        databaseFiles(of: path)
            + [SecretFile.defaultPath(of: path), Labels.defaultPath(of: path), cachePath(of: path)]
    }

    /// Returns the path of the report cache of an archive (`Spec/cache.md`).
    public static func cachePath(of file: Path) -> Path { file.withSuffix(".cache") }

    /// Returns the file that is locked while a capture or a repair writes to an archive.
    public static func lockPath(of file: Path) -> Path {
        file.directory.appending([UInt8(ascii: ".")] + file.name.prefix(200) + Array(".capture".utf8))
    }

    private init(
        connection: consuming Connection, mode: Connection.Mode, keepsLog: Bool, path: Path, file: Path, readFile: Path,
        status: FileStatus, copy: consuming PrivateCopy?, isRecording: Bool, isRehearsal: Bool = false,
        wait: LockWait
    ) {
        self.connection = connection
        self.mode = mode
        self.keepsLog = keepsLog
        self.path = path
        self.file = file
        self.readFile = readFile
        self.status = status
        isPrivateCopy = copy != nil
        self.copy = copy
        self.isRecording = isRecording
        self.isRehearsal = isRehearsal
        self.wait = wait
        draft = nil
    }

    /// An archive that has no name yet. `addFunctions` comes next.
    ///
    /// - Parameter scratch: the folder that it is written in, where it gets no name.
    package init(
        draft: consuming PendingFile, path: Path, status: FileStatus, connection: consuming Connection,
        scratch: consuming PrivateCopy? = nil, wait: LockWait
    ) {
        file = draft.temporary
        readFile = draft.temporary
        self.path = path
        self.connection = connection
        mode = .readWrite
        keepsLog = false
        self.status = status
        isPrivateCopy = false
        isRehearsal = scratch != nil
        copy = scratch
        isRecording = true
        self.wait = wait
        self.draft = .some(consume draft)
    }

    /// Adds the SQL functions that statements on an archive use.
    package func addFunctions() throws(ArchiveError) { try Self.addFunctions(connection) }

    /// Adds the functions to another connection in the same way.
    static func addFunctions(_ connection: borrowing Connection) throws(ArchiveError) {
        try connection.noteEncoding()
        try connection.add(TextKeyFunction(), as: "hp_text", count: -1)
    }

    private func prepare(_ access: Access) throws(ArchiveError) {
        try Schema.check(connection)
        if access == .capturing || access == .recording { try WritableSchema.check(connection) }
        if access != .evidence { try SchemaKeys.check(connection) }
        if access == .capturing {
            try requireSoundness()
            try ArchiveEnds.check(connection)
            // Random places of large indexes are written: more of them stay in memory, and the log is folded in
            // larger pieces.
            try connection.execute(
                "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = "
                    + "ON; PRAGMA synchronous = FULL; PRAGMA cache_size = -40000; PRAGMA wal_autocheckpoint = 16000")
        } else {
            try connection.execute("PRAGMA foreign_keys = OFF; PRAGMA synchronous = EXTRA")
        }
        try addFunctions()
    }

    /// Returns `true` if the file under the archive's name is still the one that was opened, unchanged.
    public func isUnchanged() -> Bool {
        guard let now = try? FileStatus.of(path) else { return false }
        return now == status
    }

    /// Returns `true` if the archive's name still leads to the file that was opened. A commit to a file that was moved
    /// away would be lost.
    package func isInPlace() -> Bool {
        if isRehearsal { return true }
        guard let now = try? FileStatus.of(path) else { return false }
        return now.isSameFile(as: status)
    }

    /// Returns a connection that sees what this one sees, for reading beside it; `nil` if there can be none. It is
    /// given away once.
    ///
    /// While we hold the write lock and have written nothing, any new connection is one; in a database without a
    /// log another reader would keep us from writing.
    package func secondConnection() -> Connection? {
        guard connection.isWriting else { return companion.connection.take() }
        guard (try? connection.text("PRAGMA journal_mode")) == "wal" else { return nil }
        // Where there is no descriptor or no memory for it, one connection does.
        guard let other = try? Connection.open(readFile, named: path, mode: mode, wait: wait), isInPlace() else {
            return nil
        }
        // One state for all that it reads, whatever becomes of the lock.
        guard (try? other.execute("BEGIN")) != nil else { return nil }
        return other
    }

    // MARK: Transactions

    /// `true` if the archive has no name yet: then it is one transaction from its beginning to `publish`.
    public var isDraft: Bool {
        switch draft {
        case nil: false
        case .some: true
        }
    }

    /// Closes the database of a draft that is complete, and gives its file, which has no name yet.
    package consuming func closeDraft() throws(ArchiveError) -> PendingFile {
        try connection.close()
        guard let file = draft else { preconditionFailure("only a draft is published") }
        return file
    }

    /// Starts a transaction. `writing` takes the write lock at once (`BEGIN IMMEDIATE`): a reader that becomes a
    /// writer later fails when somebody else wrote in between.
    public func begin(writing: Bool) throws(ArchiveError) {
        guard !isDraft else { return }
        guard !writing || isRecording else { throw ArchiveError(.readOnly, "\(path.display): opened to be read only") }
        try connection.execute(writing ? "BEGIN IMMEDIATE" : "BEGIN")
    }

    /// Starts a transaction for reading, and on a second connection another that sees the same, where that can be;
    /// `records` reads with both then.
    ///
    /// The second looks at the number of what others committed before the first begins, and again in its own
    /// transaction (manual, PRAGMA data_version): where it is the same, nothing was committed in between.
    public func beginSideBySide() throws(ArchiveError) {
        let other = Companion(try? Connection.open(readFile, named: path, mode: mode, wait: wait))
        if keepsLog { try other.connection?.keepLogOnClose() }
        let before = try? other.connection?.integer(Self.version)
        try begin(writing: false)
        // A transaction begins with its first look.
        _ = try connection.integer(Self.version)
        guard let before, (try? other.connection?.execute("BEGIN")) != nil,
            (try? other.connection?.integer(Self.version)) == before, isInPlace()
        else { return }
        companion.connection = other.connection.take()
    }

    static var version: String { "PRAGMA data_version" }

    /// Ends the transaction and keeps what it wrote.
    public func commit() throws(ArchiveError) {
        companion.connection = nil
        if !isDraft { try connection.commit() }
    }

    /// Ends the transaction and keeps what it wrote, unless the archive was moved away or replaced: what is written
    /// then would be lost unseen.
    package func commitInPlace() throws(ArchiveError) {
        guard isDraft || isInPlace() else {
            throw ArchiveError(
                .storage,
                "\(path.display): the archive was moved away or replaced while it was written")
        }
        try commit()
    }

    /// Runs `body` in a write transaction that is kept when it returns and undone when it throws.
    package func writing<Result>(_ body: () throws(ArchiveError) -> Result) throws(ArchiveError) -> Result {
        try begin(writing: true)
        do throws(ArchiveError) {
            let result = try body()
            try commitInPlace()
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Throws where what was read does not count: a text was lost for want of memory, and SQLite gives none for it,
    /// or somebody wrote to an archive that nobody had open when it was opened here.
    public func checkReading() throws(ArchiveError) {
        try connection.checkMemory()
        guard !isReadAlone || isUnchanged() else { throw .changedWhileRead(path) }
    }

    /// Says whether somebody who asks to stop ends statements and waits for a lock before their time. An observation
    /// that was stopped has an end to be written, too.
    package func heedStops(_ areHeeded: Bool) { connection.heedStops(areHeeded) }

    /// Ends the transaction and undoes what it wrote; no transaction is no error.
    public func rollBack() {
        companion.connection = nil
        if !isDraft, !connection.isIdle { try? connection.execute("ROLLBACK") }
    }
}

/// A second connection that sees what an archive's own sees, until somebody takes it or the transaction ends.
private final class Companion {
    var connection: Connection?

    init(_ connection: consuming Connection? = nil) { self.connection = connection }
}

extension Archive {
    /// The library that archives are read with, and its version.
    public static var library: (name: String, version: String) { ("sqlite", SQLiteLibrary.version) }
}

/// The SQL function `hp_text(value)`. It returns a text that canonical JSON can carry as a BLOB of its UTF-8 bytes, so
/// that it sorts by them in any database; else an empty BLOB. With two arguments: the first that can be carried.
final class TextKeyFunction: SQLFunction {
    func call(_ arguments: SQLiteArguments, _ result: SQLiteResult) {
        for place in 0..<arguments.count where arguments[place].isCarryableText {
            return result.set(blob: arguments[place].bytes)
        }
        result.set(blob: Span())
    }
}

extension Archive {
    /// Returns the hashes that stand for names of sources, and those of devices: what a label can be of.
    public func hashesOfNames() throws(ArchiveError) -> [String] { try hashesOfSourceNames() + hashesOfDevices() }

    /// Returns the hashes of names of sources.
    public func hashesOfSourceNames() throws(ArchiveError) -> [String] {
        try hashes("SELECT DISTINCT source_name_hash FROM sources WHERE source_name_hash IS NOT NULL")
    }

    /// Returns the bundle identifiers of sources.
    public func bundleIdentifiers() throws(ArchiveError) -> [String] {
        var found: [String] = []
        var statement = try connection.prepare(
            "SELECT DISTINCT bundle_identifier FROM sources WHERE typeof(bundle_identifier) = 'text'")
        while try statement.step() { if let text = statement.text(0) { found.append(text) } }
        return found
    }

    private func hashesOfDevices() throws(ArchiveError) -> [String] {
        try hashes("SELECT DISTINCT device_hash FROM hk_devices WHERE device_hash IS NOT NULL")
    }

    private func hashes(_ sql: String) throws(ArchiveError) -> [String] {
        var hashes: [String] = []
        var statement = try connection.prepare(sql)
        while try statement.step() {
            if let hash = statement.text(0), Labels.isHash(hash) { hashes.append(hash) }
        }
        return hashes
    }
}

/// Writes of others to an archive since it was read.
extension Archive {
    /// `true` if the connection sees what others commit, transaction by transaction; else it reads one state for good.
    public var isLive: Bool { !isReadAlone && !isPrivateCopy }

    /// `true` if it is read without a lock (`LoneReading`).
    public var isReadAlone: Bool { mode == .immutable }

    /// The reading of the archive without a lock; `nil` if the archive is read with one.
    public var loneReading: LoneReading? { isReadAlone ? LoneReading(path, status) : nil }

    /// `true` if a transaction is open.
    public var isInTransaction: Bool { !connection.isIdle }

    /// Returns a number that differs between two transactions if others committed between them (manual, PRAGMA
    /// data_version). It means nothing to another connection.
    public func commitNumber() throws(ArchiveError) -> Int64? { try connection.integer(Self.version) }

    /// Returns whether the files of the archive are what they were when it was opened: nobody wrote to it. An archive
    /// that is live has no such files.
    public func isStill() throws(ArchiveError) -> Bool {
        switch copy {
        case .some(let copy): try PrivateCopy.statuses(of: file) == copy.source
        // What is read without a lock had no log and no journal.
        case nil: isUnchanged() ? try !Companions.examine(file, named: path) : false
        }
    }
}

extension Archive {
    /// Throws where the newest logged check found the archive degraded (`Spec/archive-verification.md`, "Checks on
    /// request"): nothing is captured into it then, and no export is recorded in it.
    ///
    /// The archive was opened to be written to, so that its context log, where there is one, has its columns.
    public func requireSoundness() throws(ArchiveError) {
        guard try Schema.hasContextLog(connection) else { return }
        var rows = try connection.prepare(
            """
            SELECT (SELECT group_concat(value, ', ') FROM json_each(detail_json, '$.degraded')
                WHERE value IN ('sqlite', 'schema', 'references'))
            FROM context_log WHERE event_kind = 'integrity_checked' AND typeof(detail_json) = 'text'
                AND json_valid(detail_json)
            ORDER BY id DESC LIMIT 1
            """)
        guard try rows.step(), let checks = rows.text(0), !checks.isEmpty else { return }
        throw ArchiveError(
            .evidence, "\(path.display): degraded: the last check failed: \(checks)",
            hint: "hp-verify archive names what is wrong; after that is mended, hp-export check says so; "
                + "exports with --no-record go on")
    }
}

/// A look at an archive before a capture writes to it: both ends of every required table and of its indexes
/// (decision 0010).
///
/// A few hundred pages are read whatever the size. What lies between the ends is for `hp-verify archive`.
enum ArchiveEnds {
    /// Throws where SQLite finds a page malformed, or an index that leads nowhere.
    static func check(_ connection: borrowing Connection) throws(ArchiveError) {
        let ours = try Schema.statedTables(connection)
        for table in Schema.tables.map(\.name) + ours {
            for direction in ["ASC", "DESC"] {
                try readRow("SELECT * FROM \(table) NOT INDEXED ORDER BY rowid \(direction) LIMIT 1", connection)
            }
            for index in try indexes(of: table, connection) { try check(index, of: table, connection) }
        }
    }

    private struct Index {
        let name: String
        var columns: [String] = []
    }

    private static func readRow(_ sql: String, _ connection: borrowing Connection) throws(ArchiveError) {
        var row = try connection.prepare(sql)
        guard try row.step() else { return }
        // Values on overflow pages are read when they are asked for.
        for column in 0..<row.columnCount { row.withBytes(Int32(column)) { _ in } }
    }

    /// Returns the indexes of plain columns that cover all rows.
    private static func indexes(of table: String, _ connection: borrowing Connection) throws(ArchiveError) -> [Index] {
        var rows = try connection.prepare(
            """
            SELECT l.name, x.name FROM temp.pragma_index_list('\(table)') l, temp.pragma_index_xinfo(l.name) x \
            WHERE x.key AND NOT l.partial ORDER BY l.seq, x.seqno
            """)
        var found: [Index] = []
        while try rows.step() {
            let name = rows.text(0) ?? ""
            if found.last?.name != name { found.append(Index(name: name)) }
            found[found.count - 1].columns.append(rows.text(1) ?? "")
        }
        return found.filter { !$0.columns.contains("") }
    }

    private static func check(_ index: Index, of table: String, _ connection: borrowing Connection) throws(ArchiveError)
    {
        func quoted(_ name: String) -> String {
            "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
        }
        for direction in ["ASC", "DESC"] {
            let order = index.columns.map { "\(quoted($0)) \(direction)" }.joined(separator: ", ")
            // An index that SQLite cannot go along, by its collations, is not ours.
            guard
                var end = try? connection.prepare(
                    "SELECT rowid FROM \(table) INDEXED BY \(quoted(index.name)) "
                        + "ORDER BY \(order) LIMIT 1"), try end.step(), let row = end.integer(0)
            else { continue }
            if try connection.integer("SELECT 1 FROM \(table) NOT INDEXED WHERE rowid = ?1", [.integer(row)]) == nil {
                throw ArchiveError(
                    .unreadable,
                    "\(connection.path.display): an index of \(table) leads to a row "
                        + "that is not there", hint: ArchiveError.damageHint)
            }
        }
    }
}
