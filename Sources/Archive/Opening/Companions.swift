package import Files

/// The files that SQLite has beside a database, and what it must not find there (SQLite manual, "Database File Format",
/// 3 and 4).
///
/// Unless a database is opened as immutable, SQLite acts on the files beside it: a hot journal is
/// played back, and where its last bytes name a super-journal, SQLite reads that file and removes it, wherever it is.
/// A log or an index of a log is written to, whatever other name it has, and a FIFO is waited for.
///
///     end of a journal with a super-journal: … │ name │ 4: length │ 4: checksum │ 8: magic number
package enum Companions {
    /// The suffixes of the files that hold what is not in the main file yet.
    static let pending = ["-wal", "-journal"]
    /// The suffixes of all files that SQLite has beside a database.
    static let all = ["-wal", "-shm", "-journal"]

    /// The first bytes of a journal, and the last of one that names a super-journal.
    private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

    /// Throws where one of the files that are read is no regular file, or the journal names a super-journal.
    ///
    /// The last eight bytes decide, whatever stands before them: SQLite also wants a length and a checksum that fit.
    ///
    /// - Returns: whether one of them has content.
    static func examine(_ file: Path, named path: Path) throws(ArchiveError) -> Bool {
        var hasContent = false
        for suffix in pending {
            guard let size = try size(of: file, suffix, named: path) else { continue }
            hasContent = hasContent || size > 0
        }
        try checkJournal(of: file, named: path)
        return hasContent
    }

    /// Throws where a connection that may write would write to another file, or remove one.
    static func checkBeforeOpening(_ file: Path, named path: Path) throws(ArchiveError) {
        for suffix in all {
            guard let status = try status(of: file, suffix, named: path) else { continue }
            guard status.nameCount == 1 else {
                let text = "\(path.display): its \(suffix) file has another name too, and would be written under it"
                throw ArchiveError(.unreadable, text)
            }
        }
        try checkJournal(of: file, named: path)
    }

    /// Throws if a file is next to a name at which a database is going to begin. SQLite would take any log that is
    /// whole, of whatever database, for a part of the new one.
    package static func checkNone(beside path: Path) throws(ArchiveError) {
        for suffix in all {
            let companion = path.withSuffix(suffix)
            let found = try ArchiveError.wrapping { () throws(FileError) in try FileStatus.ofName(companion) }
            guard found == nil else {
                throw ArchiveError(
                    .unreadable, "\(path.display): a new archive cannot begin beside \(companion.display)",
                    hint: "SQLite would take that file for a part of it: move it away, or restore its archive")
            }
        }
    }

    private static func size(of file: Path, _ suffix: String, named path: Path) throws(ArchiveError) -> Int64? {
        try status(of: file, suffix, named: path)?.size
    }

    private static func status(of file: Path, _ suffix: String, named path: Path) throws(ArchiveError) -> FileStatus? {
        let found = try ArchiveError.wrapping { () throws(FileError) in try FileStatus.ofName(file.withSuffix(suffix)) }
        guard let found, !found.isRegular else { return found }
        throw ArchiveError(.unreadable, "\(path.display): its \(suffix) file is \(found.kind), not a regular file")
    }

    private static func checkJournal(of file: Path, named path: Path) throws(ArchiveError) {
        let journal = file.withSuffix("-journal")
        let end = try ArchiveError.wrapping { () throws(FileError) -> [UInt8]? in
            let descriptor: Descriptor
            do throws(FileError) {
                descriptor = try Descriptor.readingName(journal)
            } catch {
                // It may have gone meanwhile: another connection had it.
                if error.isMissing { return nil }
                throw error
            }
            let status = try descriptor.status()
            guard status.isRegular, status.size >= Int64(magic.count) else { return nil }
            var bytes = [UInt8](repeating: 0, count: magic.count)
            let count = try descriptor.read(into: &bytes, at: status.size - Int64(magic.count), count: magic.count)
            return Array(bytes.prefix(count))
        }
        guard end != magic else {
            throw ArchiveError(
                .unreadable,
                "\(path.display): its -journal file names a super-journal, a file that SQLite would remove",
                hint: "these tools never write to two databases at once: something else made this journal")
        }
    }
}
