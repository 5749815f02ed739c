public import Files

/// Why something could not be done with an archive.
///
/// The text names the archive or the place in it. It never holds a stored value.
public struct ArchiveError: HintedError, Sendable {
    /// The kind of an error, for programs.
    public struct Code: Sendable, Hashable {
        let name: String

        /// There is no such file.
        public static let missing = Code(name: "missing")
        /// The file is no SQLite database, or damaged so that SQLite cannot read it.
        public static let unreadable = Code(name: "unreadable")
        /// The database is no archive of schema version 2.
        public static let schema = Code(name: "schema")
        /// Another process holds the lock.
        public static let locked = Code(name: "locked")
        /// The archive cannot be written.
        public static let readOnly = Code(name: "read only")
        /// The medium is full, or a write failed.
        public static let storage = Code(name: "storage")
        /// The archive does not contain the thing that was asked for.
        public static let notFound = Code(name: "not found")
        /// Rows contradict each other.
        public static let evidence = Code(name: "evidence")
        /// An observation does not fit those that are there.
        public static let order = Code(name: "order")
        /// The work was interrupted on request.
        public static let interrupted = Code(name: "interrupted")
        /// There was no memory for it.
        public static let memory = Code(name: "memory")
        /// Anything else that SQLite reports.
        public static let sqlite = Code(name: "sqlite")
    }

    /// The kind of the error.
    public let code: Code
    /// One line, lower case, with its place.
    public let description: String
    /// A hint of what the user may do about it.
    public let hint: String?

    /// An error with its text.
    package init(_ code: Code, _ description: String, hint: String? = nil) {
        self.code = code
        self.description = description
        self.hint = hint
    }
}

extension ArchiveError {
    /// The error of a reader without a lock whose archive was changed meanwhile.
    package static func changedWhileRead(_ path: Path) -> ArchiveError {
        ArchiveError(.storage, "\(path.display): the archive was changed while it was read", hint: "run it again")
    }

    /// `true` if pages of two moments may be the reason: it is about what was found in the file.
    package var isOfContents: Bool { [.unreadable, .schema, .evidence, .sqlite].contains(code) }

    /// The hint for a file that SQLite finds malformed.
    package static let damageHint = "hp-verify archive names what is damaged; nothing more was written"
}
