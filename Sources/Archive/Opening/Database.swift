package import Files
public import SQLite

/// A connection to an archive's database.
package typealias Connection = SQLiteConnection<ArchiveError>

extension SQLiteConnection where Failure == ArchiveError {
    /// Opens an existing database; nothing is created.
    ///
    /// What lies beside it is looked at right before (`Companions`), and no link is followed then.
    ///
    /// - Parameter name: what errors call it, where that is another file.
    package static func open(
        _ file: Path, named name: Path? = nil, mode: Mode, wait: LockWait
    ) throws(ArchiveError) -> Connection {
        let resolved =
            mode == .memory ? file : try ArchiveError.wrapping { () throws(FileError) in try Files.resolved(file) }
        if mode == .readWrite || mode == .readOnly { try Companions.checkBeforeOpening(resolved, named: name ?? file) }
        return try open(resolved: resolved, named: name ?? file, mode: mode, wait: wait)
    }
}

/// A statement on an archive's database.
package typealias Statement = SQLiteStatement<ArchiveError>

/// A value that a statement is given.
package typealias Parameter = SQLiteParameter

extension ArchiveError: SQLiteFailure {
    /// Creates the error that the archive's users read from SQLite's: this is the one place where it is done.
    @usableFromInline package init(_ error: SQLiteError) {
        switch error.code.primary {
        case .busy, .locked:
            self.init(.locked, "\(error.place): locked by another process", hint: "wait longer with --wait SECONDS")
        case .notADatabase: self.init(.unreadable, "\(error.place): not a SQLite database, or an encrypted one")
        case .corrupt: self.init(.unreadable, error.description, hint: Self.damageHint)
        case .cannotOpen: self.init(.unreadable, "\(error.place): cannot be opened")
        case .readOnly, .permission: self.init(.readOnly, "\(error.place): cannot be written")
        case .full, .inputOutput: self.init(.storage, error.description)
        case .constraint:
            self.init(
                .evidence, "\(error.description), so rows that are there contradict each other",
                hint: "hp-verify archive names what is damaged")
        case .noMemory: self.init(.memory, error.description)
        case .interrupted: self.init(.interrupted, "\(error.place): interrupted")
        default: self.init(.sqlite, error.description)
        }
    }
}
