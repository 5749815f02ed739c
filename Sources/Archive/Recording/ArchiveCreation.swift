public import Files

extension Archive {
    /// What a new archive says of its origin.
    public struct Origin: Sendable {
        /// The program, with its version.
        public let program: String
        /// Unix seconds.
        public let createdAt: Double

        /// An origin.
        public init(program: String, createdAt: Double) {
            self.program = program
            self.createdAt = createdAt
        }
    }

    /// The rules that the hashes of a capture follow (`Spec/identity.md`).
    static let identityRules = "1"

    /// Creates an archive under a name that is not taken.
    ///
    /// It is made beside that name, synchronized and renamed: there is either no archive or a whole one.
    public static func create(_ path: Path, origin: Origin) throws(ArchiveError) {
        let token = String(UInt64.random(in: .min ... .max), radix: 36)
        try ArchiveError.storing { () throws(FileError) in try PendingFile.removeAbandoned(destination: path) }
        var file = try ArchiveError.storing { () throws(FileError) in try PendingFile(destination: path, token: token) }
        try fill(file.temporary, named: path, origin)
        try ArchiveError.storing { () throws(FileError) in
            try file.settle()
            try file.publish(replacing: false)
        }
    }

    /// Writes the tables. The connection is closed afterwards, which folds its log into the file.
    private static func fill(_ file: Path, named path: Path, _ origin: Origin) throws(ArchiveError) {
        let connection = try Connection.open(file, named: path, mode: .readWrite, patience: Patience(seconds: 0))
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
        try connection.execute(SchemaText.tables)
        var migration = try connection.prepare("INSERT INTO schema_migrations(version, applied_at, description) VALUES (?, ?, ?)")
        try migration.run([.integer(Schema.version), .real(origin.createdAt), .text("archive v2")])
        var metadata = try connection.prepare("INSERT INTO archive_metadata(key, value) VALUES (?, ?)")
        for (key, value) in [("schema_version", String(Schema.version)), ("created_by", origin.program), ("identity_rules", identityRules)] {
            try metadata.run([.text(key), .text(value)])
        }
        try ContextLog.install(connection)
        try connection.execute("COMMIT")
        var log = try ContextLog.open(connection, program: origin.program)
        try log.add(.archiveCreated, at: origin.createdAt, observationID: nil, detail: "{\"schema_version\":\(Schema.version)}")
    }
}

extension ArchiveError {
    /// Runs file operations that write; what the system refuses is a failure of the medium.
    static func storing<Result: ~Copyable>(_ body: () throws(FileError) -> Result) throws(ArchiveError) -> Result {
        do {
            return try body()
        } catch {
            throw ArchiveError(.storage, error.description)
        }
    }
}
