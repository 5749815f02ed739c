public import Archive
public import Files
internal import SQLite

extension Archive {
    /// The origin of a new archive, as the archive states it.
    public struct Origin: Sendable {
        /// The program, with its version.
        public let program: String
        /// Unix seconds.
        public let createdAt: Double
        /// Patterns of metadata keys whose values are private, as `archive_metadata` has them; nil where there are
        /// none beside those of the rules.
        public let privateMetadata: [UInt8]?
        /// The key of the history's commitments.
        public var historySalt: HistorySalt

        /// An origin.
        public init(
            program: String, createdAt: Double, privateMetadata: [UInt8]? = nil,
            historySalt: HistorySalt = HistorySalt()
        ) {
            self.program = program
            self.createdAt = createdAt
            self.privateMetadata = privateMetadata
            self.historySalt = historySalt
        }
    }

    /// Removes what a dead process left of an archive that it was creating: the file, and the log beside it.
    public static func removeUnfinished(_ path: Path) throws(ArchiveError) {
        try ArchiveError.storing { () throws(FileError) in
            try PendingFile.removeAbandoned(destination: path)
            for name in try names(in: path.directory) {
                // A log without its file belongs to nobody: whoever creates an archive has the file first.
                for suffix in ["-wal", "-shm", "-journal"]
                where name.count > suffix.utf8.count && name.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) {
                    let file = path.directory.appending(Array(name.dropLast(suffix.utf8.count)))
                    if PendingFile.isTemporary(file, of: path), !FileStatus.exists(file) {
                        try remove(path.directory.appending(name))
                    }
                }
            }
        }
    }

    /// Throws where no archive may begin under a name: what lies beside it would become a part of it.
    public static func checkPlace(_ path: Path) throws(ArchiveError) { try Companions.checkNone(beside: path) }

    /// Creates an empty archive under a name that is not taken.
    ///
    /// - Parameter replaced: whether a prototype of that name was moved aside.
    public static func create(_ path: Path, origin: Origin, replaced: Bool = false) throws(ArchiveError) {
        try draft(path, origin: origin, replaced: replaced).publish()
    }

    /// Begins an empty archive that is no more than this value: nothing is created under its name.
    public static func rehearse(_ path: Path, origin: Origin, replaced: Bool = false, wait: LockWait)
        throws(ArchiveError) -> Archive
    {
        let scratch = try PrivateCopy.scratch()
        try create(scratch.path, origin: origin, replaced: replaced)
        return try rehearsal(in: scratch, named: path, wait)
    }

    /// Begins an archive that gets its name when it is complete.
    ///
    /// It is written beside that name, without a journal and without the indexes of the large tables: there is
    /// nothing yet that could be lost, and an index is made faster from all rows than with each. References are
    /// checked once, when all rows are there (`Spec/decisions/0011`). Everything is one transaction that cannot be
    /// undone; a draft that is dropped leaves nothing. Pages are twice as large as SQLite makes them: half as many
    /// are looked for, split and written.
    ///
    /// - Parameters:
    ///   - replaced: whether a prototype of that name was moved aside.
    ///   - rehearses: whether it never gets its name: nothing is created in its folder, and it ends with its value.
    ///   - hasUUIDs: `true` if samples are found by their UUIDs: their index is made at once.
    public static func draft(
        _ path: Path, origin: Origin, replaced: Bool = false, rehearses: Bool = false, hasUUIDs: Bool = false,
        wait: LockWait = LockWait()
    ) throws(ArchiveError) -> Archive {
        if !rehearses { try Companions.checkNone(beside: path) }
        let scratch: PrivateCopy?
        let destination: Path
        if rehearses {
            let folder = try PrivateCopy.scratch()
            destination = folder.path
            scratch = consume folder
        } else {
            scratch = nil
            destination = path
        }
        let token = String(UInt64.random(in: .min ... .max), radix: 36)
        let file = try ArchiveError.storing { () throws(FileError) in
            try PendingFile(destination: destination, token: token)
        }
        let connection = try Connection.open(file.temporary, named: path, mode: .readWrite, wait: wait)
        try connection.execute(
            "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
                + "PRAGMA foreign_keys = OFF; PRAGMA cache_size = -32000; BEGIN IMMEDIATE")
        for statement in SchemaText.statements
        where !SchemaText.isDeferred(statement) || hasUUIDs && statement.contains(Self.uuidIndex) {
            try connection.execute(statement)
        }
        var migration = try connection.prepare(
            "INSERT INTO schema_migrations(version, applied_at, description) VALUES (?, ?, ?)")
        try migration.run([.integer(Schema.version), .real(origin.createdAt), .text("archive v2")], storing: 1)
        var metadata = try connection.prepare("INSERT INTO archive_metadata(key, value) VALUES (?, ?)")
        let facts = [
            ("schema_version", String(Schema.version)), ("created_by", origin.program),
            ("identity_rules", IdentityRules.newest.text), (HistorySalt.key, origin.historySalt.digits),
        ]
        for (key, value) in facts + ArchiveExtension.allCases.map({ ($0.key, String($0.version)) }) {
            try metadata.run([.text(key), .text(value)], storing: 1)
        }
        if let patterns = origin.privateMetadata {
            let text = String(decoding: patterns, as: UTF8.self)
            try metadata.run([.text("private_metadata"), .text(text)], storing: 1)
        }
        for part in ArchiveExtension.allCases { try connection.execute(part.statements) }
        var log = try ContextLog.open(connection, program: origin.program)
        try log.add(
            .archiveCreated, at: origin.createdAt, observationID: nil, detail: "{\"schema_version\":\(Schema.version)}")
        if replaced {
            try log.add(
                .archiveReset, at: origin.createdAt, observationID: nil,
                detail: "{\"reason\":\"prototype_or_unknown_schema\"}")
        }
        let temporary = file.temporary
        guard let status = try ArchiveError.wrapping({ () throws(FileError) in try FileStatus.of(temporary) }) else {
            throw ArchiveError(.missing, "\(path.display): no such file")
        }
        let archive = Archive(
            draft: file, path: path, status: status, connection: connection, scratch: consume scratch, wait: wait)
        try archive.addFunctions()
        return archive
    }

    /// The index by which samples are found that have a UUID.
    private static var uuidIndex: String { "idx_samples_uuid_hash" }

    /// Completes a draft: makes the indexes, checks the references, closes the database, and gives the file its
    /// name. Nothing may use the archive any more.
    public consuming func publish() throws(ArchiveError) {
        // The sorter takes as much memory as the cache may have.
        try connection.execute("PRAGMA cache_size = -16000")
        let hasUUIDs = try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = '\(Self.uuidIndex)'") == 1
        for statement in SchemaText.statements
        where SchemaText.isDeferred(statement) && !(hasUUIDs && statement.contains(Self.uuidIndex)) {
            try connection.execute(statement)
        }
        try checkReferences()
        try connection.commit()
        guard !isRehearsal else { return }
        try connection.execute("PRAGMA journal_mode = WAL")
        let name = path
        var file = try closeDraft()
        try Companions.checkNone(beside: name)
        try ArchiveError.storing { () throws(FileError) in
            try file.synchronize()
            try file.publish(replacing: false)
        }
    }

    /// Checks that each row of a draft refers to rows that are there.
    private borrowing func checkReferences() throws(ArchiveError) {
        var dangling = try connection.prepare("PRAGMA foreign_key_check")
        guard try !dangling.step() else {
            throw ArchiveError(
                .evidence, "\(path.display): \(dangling.text(0) ?? "rows") would have references that lead nowhere")
        }
    }
}
