public import Archive
public import Files
internal import Manifest
internal import SQLite

/// The copy of an archive that a repair or an undo makes before it writes (`Spec/repair.md`, "Backup").
///
///     copy      into a file without its name yet, page by page, through a second connection, while the first one holds
///               the write lock
///     verify    integrity_check, the number of rows of every table, the content of the tables that are going to change
///     publish   synchronized, under a name that was free
public struct ArchiveBackup: Sendable {
    /// The path of the backup.
    public let path: Path
    /// SHA-256 of the file's bytes, 64 hex digits.
    public let hash: String

    /// The purpose of a backup; it is part of its name.
    public enum Purpose: String, Sendable, CaseIterable {
        case repair, undo

        fileprivate var suffix: String { ".\(rawValue)-backup" }
    }

    /// Returns the name of a backup that is made at a moment: that of the first second from then on that is free.
    public static func defaultPath(of archive: Path, for purpose: Purpose, now: Double) throws(ArchiveError) -> Path {
        let file = try ArchiveError.wrapping { () throws(FileError) in try resolved(archive) }
        var moment = now
        while true {
            let path = file.withSuffix(".\(Archive.compactTime(moment))\(purpose.suffix)")
            if !FileStatus.exists(path) { return path }
            moment += 1
        }
    }

    /// Throws where the backup would have the name of one of the archive's own files, whether that is there or not.
    static func checkPlace(_ path: Path, of archive: borrowing Archive) throws(ArchiveError) {
        let own = archive.ownFiles
        let isOwn = try ArchiveError.storing { () throws(FileError) -> Bool in
            let place = try absolute(path)
            for file in own { if try absolute(file) == place { return true } }
            return false
        }
        guard !isOwn else {
            throw ArchiveError(.storage, "\(path.display): this is the name of a file that belongs to the archive")
        }
        try Companions.checkNone(beside: path)
    }

    /// Removes what dead processes left of backups of this archive.
    static func removeUnfinished(_ path: Path, of archive: borrowing Archive) throws(ArchiveError) {
        let prefix = [UInt8(ascii: ".")] + archive.file.name.prefix(180) + [UInt8(ascii: ".")]
        let end = Array(".partial".utf8)
        try ArchiveError.storing { () throws(FileError) in
            try PendingFile.removeAbandoned(destination: path)
            for name in try names(in: archive.file.directory)
            where name.starts(with: prefix) && name.suffix(end.count).elementsEqual(end) {
                guard let dot = name.dropLast(end.count).lastIndex(of: UInt8(ascii: ".")),
                    Purpose.allCases.contains(where: { isSuffix($0.suffix, of: name[..<dot]) })
                else { continue }
                try PendingFile.removeAbandoned(destination: archive.file.directory.appending(Array(name[1..<dot])))
            }
        }
    }

    private static func isSuffix(_ suffix: String, of name: ArraySlice<UInt8>) -> Bool {
        name.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// Copies an archive whose write lock is held and to which nothing was written.
    ///
    /// - Parameter tables: the content of the tables that are going to change.
    static func make(_ path: Path, of archive: borrowing Archive, tables: [(name: String, content: TableContent)])
        throws(ArchiveError) -> ArchiveBackup
    {
        guard !FileStatus.exists(path) else {
            throw ArchiveError(
                .storage,
                "\(path.display): a file of that name exists; a backup replaces nothing")
        }
        try archive.requireNoExpressions()
        let token = String(UInt64.random(in: .min ... .max), radix: 36)
        var file = try ArchiveError.storing { () throws(FileError) in try PendingFile(destination: path, token: token) }
        try copy(archive, to: file.temporary, named: path)
        try verify(file.temporary, named: path, archive, tables)
        let temporary = file.temporary
        let hash = try ArchiveError.storing { () throws(FileError) in try digest(of: temporary) }
        try ArchiveError.storing { () throws(FileError) in
            try file.synchronize()
            try file.publish(replacing: false)
        }
        return ArchiveBackup(path: path, hash: hash)
    }

    private static func copy(_ archive: borrowing Archive, to file: Path, named name: Path) throws(ArchiveError) {
        let source = try Connection.open(archive.file, named: archive.path, mode: .readWrite, wait: archive.wait)
        guard archive.isInPlace() else {
            throw ArchiveError(
                .storage,
                "\(archive.path.display): the archive was moved away or replaced")
        }
        // The copy has no name yet; nothing need be undone in it.
        let target = try Connection.open(file, named: name, mode: .readWrite, wait: archive.wait)
        try target.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
        try source.copy(into: target, shouldStop: archive.wait.shouldStop)
        try target.close()
    }

    private static func verify(
        _ file: Path, named name: Path, _ archive: borrowing Archive, _ tables: [(name: String, content: TableContent)]
    ) throws(ArchiveError) {
        func opened() throws(ArchiveError) -> Connection {
            try Connection.open(file, named: name, mode: .immutable, wait: archive.wait)
        }
        let copy = try opened()
        func fail(_ what: String) -> ArchiveError {
            ArchiveError(
                .storage,
                "\(name.display): the backup is not what was copied: \(what)")
        }
        // Nobody writes to it: any connection sees the same.
        guard try copy.isIntact(beside: { try? opened() }) else {
            // Is it the copy that is damaged, or what was copied?
            try archive.checkIntegrity()
            throw fail("integrity_check")
        }
        for table in Schema.tables.map(\.name) {
            let count = "SELECT count(*) FROM main.\(table)"
            guard try copy.integer(count) == archive.connection.integer(count) else {
                throw fail("number of rows of \(table)")
            }
        }
        for table in tables {
            guard try TableContent.read(table.name, copy) == table.content else {
                throw fail("content of \(table.name)")
            }
        }
    }

    private static func digest(of file: Path) throws(FileError) -> String {
        let input = try Descriptor.reading(file)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var hash = SHA256()
        while true {
            let count = try input.read(into: &buffer)
            if count == 0 { return hash.finish().hex }
            hash.update(buffer.span.extracting(first: count))
        }
    }
}
