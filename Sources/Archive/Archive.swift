public import Files

/// A HealthProbe archive (schema version 2): its observations, what was visible at each, and the exports that were made of it.
///
/// Reading knows SQL and nothing of JSON, hashes or frames: what leaves is packed rows and plain values.
///
///     let archive = try Archive.open(path, for: .evidence)
///     let scope = Scope(mode: .pointInTime, observationID: try archive.observationID(.latest))
///     let context = try archive.context(of: scope)
///     var records = try archive.records(of: scope, in: context)
///     while let batch = try records.next() { … }
public struct Archive: ~Copyable {
    /// What is going to be done with an archive.
    public enum Access: Sendable {
        /// Record an export. References are not enforced: the rows that are written name rows that were read in the same transaction, dangling ones included.
        case recording
        /// Only read, like any other reader of a live database.
        case reading
        /// Only read, and leave no trace: no byte in the archive or beside it is created or changed, also where it has a log or a hot journal.
        case evidence
    }

    let connection: Connection
    /// Packs rows for the sorter.
    let packer = RowFunction()
    /// The archive's name.
    public let path: Path
    /// What the file was when it was opened.
    public let status: FileStatus
    /// Whether a private copy is read because a log or a journal lies beside the archive.
    public let isPrivateCopy: Bool
    private let copy: PrivateCopy?

    /// Opens an archive and checks its schema.
    ///
    /// - Parameter seconds: how long to wait for a locked archive.
    /// - Throws: `ArchiveError` with the code `missing`, `unreadable`, `schema` or `locked`.
    public static func open(_ path: Path, for access: Access, waiting seconds: Double = 60) throws(ArchiveError) -> Archive {
        let facts = try ArchiveFile.examine(path)
        let isLive = access == .recording || (access == .reading && facts.isWritable)
        guard !isLive, facts.hasPending else {
            let connection = try Connection.open(path, mode: isLive ? .readWrite : .immutable, waiting: seconds)
            let archive = Archive(connection: connection, path: path, status: facts.status, copy: nil)
            try archive.prepare(access)
            return archive
        }
        let copy = try ArchiveError.wrapping { () throws(FileError) in try PrivateCopy.make(of: path) }
        let connection = try Connection.open(copy.path, named: path, mode: .readWrite, waiting: seconds)
        let archive = Archive(connection: connection, path: path, status: facts.status, copy: copy)
        try archive.prepare(access)
        return archive
    }

    private init(connection: consuming Connection, path: Path, status: FileStatus, copy: consuming PrivateCopy?) {
        self.connection = connection
        self.path = path
        self.status = status
        isPrivateCopy = copy != nil
        self.copy = copy
    }

    private func prepare(_ access: Access) throws(ArchiveError) {
        try Schema.check(connection)
        try connection.execute("PRAGMA foreign_keys = OFF; PRAGMA synchronous = EXTRA")
        if access == .reading, !isPrivateCopy { try connection.execute("PRAGMA query_only = ON") }
        try connection.addFunction("hp_text", count: -1, TextKeyFunction())
        try connection.addFunction("hp_row", count: -1, packer)
    }

    /// Lets `shouldStop` end a long statement, which then throws `interrupted`.
    public func interrupt(when shouldStop: @escaping @Sendable () -> Bool) { connection.interrupt(when: shouldStop) }

    /// Whether the file under the archive's name is still the one that was opened, unchanged.
    public func isUnchanged() -> Bool {
        guard let now = try? FileStatus.of(path) else { return false }
        return now == status
    }

    /// Whether the archive's name still leads to the file that was opened: a commit to a file that was moved away would be lost.
    func isInPlace() -> Bool {
        guard let now = try? FileStatus.of(path) else { return false }
        return now.isSameFile(as: status)
    }

    // MARK: Transactions

    /// Starts a transaction. `writing` takes the write lock at once (`BEGIN IMMEDIATE`): a reader that becomes a writer later fails when somebody else wrote in between.
    public func begin(writing: Bool) throws(ArchiveError) { try connection.execute(writing ? "BEGIN IMMEDIATE" : "BEGIN") }

    /// Ends the transaction and keeps what it wrote.
    public func commit() throws(ArchiveError) { try connection.execute("COMMIT") }

    /// Ends the transaction and undoes what it wrote; no transaction is no error.
    public func rollBack() {
        if !connection.isIdle { try? connection.execute("ROLLBACK") }
    }

    /// Sets how long a lock is waited for.
    public func wait(_ seconds: Double) { connection.wait(seconds) }
}
