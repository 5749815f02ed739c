public import Archive
public import Files
internal import SQLite
internal import Timestamps

extension Archive {
    /// Moves an archive of an older or unknown schema aside, with its log, to `NAME.TIME.prototype-backup`; returns
    /// where to, or nil where the archive is one that these tools read.
    ///
    /// A newer schema is never touched, nor a file that is no SQLite database.
    ///
    /// - Parameter now: Unix seconds; the time in the name.
    /// - Throws: `ArchiveError`; where the move fails, nothing has changed or what has is said.
    public static func setAsidePrototype(_ path: Path, now: Double, wait: LockWait) throws(ArchiveError) -> Path? {
        let file = try ArchiveError.wrapping { () throws(FileError) in try resolved(path) }
        _ = try ArchiveFile.examine(file, named: path)
        do {
            let connection = try Connection.open(file, named: path, mode: .readWrite, wait: wait)
            guard try Schema.isPrototype(connection) else { return nil }
            // Nobody may be writing, and what the log holds belongs to the file: it is folded in when the last
            // connection closes.
            try connection.execute("BEGIN EXCLUSIVE; COMMIT")
        }
        return try ArchiveError.storing { () throws(FileError) in
            if let backup = try interruptedMove(of: file) {
                try remove(file)
                try synchronizeDirectory(file.directory)
                return backup
            }
            let backup = file.withSuffix(".\(compactTime(now))\(backupSuffix)")
            // The log first: a main file without its log would be missing rows, a log without its file is only left
            // over.
            for suffix in ["-wal", "-journal", "-shm"] where FileStatus.exists(file.withSuffix(suffix)) {
                try rename(file.withSuffix(suffix), to: backup.withSuffix(suffix), replacing: false)
            }
            try rename(file, to: backup, replacing: false)
            try synchronizeDirectory(file.directory)
            return backup
        }
    }

    /// Returns `true` if `setAsidePrototype` would move an archive aside; nothing is changed.
    public static func isPrototype(_ path: Path, wait: LockWait) throws(ArchiveError) -> Bool {
        let file = try ArchiveError.wrapping { () throws(FileError) in try resolved(path) }
        let copy = try PrivateCopy.makeStill(of: file, try ArchiveFile.examine(file, named: path), named: path, wait)
        let connection = try Connection.open(copy.path, named: path, mode: .readWrite, wait: wait)
        return try Schema.isPrototype(connection)
    }

    /// Returns the backup that is the same file: whoever moved it aside ended before the first name was gone.
    private static func interruptedMove(of file: Path) throws(FileError) -> Path? {
        guard let status = try FileStatus.of(file) else { return nil }
        for name in try backupNames(of: file) {
            let backup = file.directory.appending(name)
            if try FileStatus.ofName(backup)?.isSameFile(as: status) == true { return backup }
        }
        return nil
    }

    private static func backupNames(of file: Path) throws(FileError) -> [[UInt8]] {
        let prefix = file.name + [UInt8(ascii: ".")]
        return try names(in: file.directory).filter {
            $0.starts(with: prefix) && $0.suffix(backupSuffix.utf8.count).elementsEqual(backupSuffix.utf8)
        }
    }

    /// Returns `true` if an archive of this name was moved aside some time.
    ///
    /// Where there is no archive under that name, whoever moved it aside may have ended before the new one was there.
    public static func hasPrototypeBackup(_ path: Path) throws(ArchiveError) -> Bool {
        try ArchiveError.wrapping { () throws(FileError) in
            try !backupNames(of: resolved(path)).isEmpty
        }
    }

    private static var backupSuffix: String { ".prototype-backup" }

    /// Returns a time as `20240131T100000Z`.
    static func compactTime(_ seconds: Double) -> String {
        guard let text = try? TimestampText(seconds) else { return "0" }
        return String(text.string.prefix(19).filter { $0 != "-" && $0 != ":" }) + "Z"
    }
}
