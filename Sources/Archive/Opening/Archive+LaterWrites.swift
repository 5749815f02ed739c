internal import Files
internal import SQLite

/// Writes of others to an archive since it was read.
extension Archive {
    /// `true` if the connection sees what others commit, transaction by transaction; else it reads one state for good.
    public var isLive: Bool { mode != .immutable && !isPrivateCopy }

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
