package import Files

/// Looks at an archive's file before SQLite does: SQLite waits for a FIFO, and calls an empty file or `/dev/zero` a
/// good database.
///
///     header, 100 bytes: "SQLite format 3\0" │ 16: page size │ 18: write version │ 24: change counter
///                        │ 28: pages │ 92: counter that 28 is valid for
package enum ArchiveFile {
    /// The facts that the file's header and its companions state.
    package struct Facts {
        let status: FileStatus
        /// `true` if a `-wal` or `-journal` next to the file has content that belongs to the archive.
        let hasPending: Bool
        /// `true` if this process may write the file and its folder.
        let isWritable: Bool
        /// `true` if changes go to a log (`-wal`), by the header.
        let hasLog: Bool
        /// `true` if another process has the file open as a database.
        let isInUse: Bool
    }

    /// Requires a regular file with a whole SQLite database in it.
    ///
    /// - Parameter path: what errors call the file.
    @discardableResult
    package static func examine(_ file: Path, named path: Path) throws(ArchiveError) -> Facts {
        guard let status = try ArchiveError.wrapping({ () throws(FileError) in try FileStatus.of(file) }) else {
            throw ArchiveError(.missing, "\(path.display): no such file")
        }
        guard status.isRegular else {
            throw ArchiveError(
                .unreadable,
                "\(path.display): \(status.kind), not a regular file")
        }
        let hasPending = try Companions.examine(file, named: path)
        let descriptor = try ArchiveError.wrapping { () throws(FileError) in try Descriptor.readingName(file) }
        let header = try header(of: descriptor, named: path, status, hasPending: hasPending)
        // A file system without locks has no users of them.
        let isInUse = (try? descriptor.isLockedByOthers()) ?? false
        return Facts(
            status: status, hasPending: hasPending, isWritable: isWritable(file) && isWritable(file.directory),
            hasLog: header[18] > 1 || header[19] > 1, isInUse: isInUse)
    }

    private static func header(
        of file: borrowing Descriptor, named path: Path, _ status: FileStatus, hasPending: Bool
    ) throws(ArchiveError) -> [UInt8] {
        guard status.size > 0 else { throw ArchiveError(.unreadable, "\(path.display): the file is empty") }
        var header = [UInt8](repeating: 0, count: 100)
        let count = try ArchiveError.wrapping { () throws(FileError) in
            try file.read(into: &header, at: 0, count: 100)
        }
        guard count == 100, header.starts(with: "SQLite format 3\0".utf8) else {
            throw ArchiveError(.unreadable, "\(path.display): not a SQLite database, or an encrypted one")
        }
        func number(_ index: Int, _ bytes: Int) -> Int64 {
            header[index..<index + bytes].reduce(0) { $0 << 8 | Int64($1) }
        }
        let pageSize = number(16, 2) == 1 ? 65_536 : number(16, 2)
        guard pageSize >= 512, pageSize & (pageSize - 1) == 0 else {
            throw ArchiveError(
                .unreadable, "\(path.display): byte 16: page size \(pageSize) is not one that SQLite has")
        }
        // With a log or a journal beside it the main file may be shorter; the header's count is only valid for its
        // own change counter.
        guard !hasPending, number(24, 4) == number(92, 4) else { return header }
        let expected = number(28, 4) * pageSize
        guard status.size == expected else {
            throw ArchiveError(
                .unreadable,
                "\(path.display): \(status.size) bytes where \(number(28, 4)) pages of \(pageSize) "
                    + "bytes make \(expected): \(status.size < expected ? "truncated" : "trailing bytes")")
        }
        return header
    }
}

extension ArchiveError {
    /// Runs file operations; what the system refuses makes the archive unreadable.
    package static func wrapping<Result: ~Copyable>(_ body: () throws(FileError) -> Result) throws(ArchiveError)
        -> Result
    {
        do {
            return try body()
        } catch {
            throw ArchiveError(.unreadable, error.description)
        }
    }

    /// Runs file operations that write; what the system refuses is a failure of the medium.
    package static func storing<Result: ~Copyable>(_ body: () throws(FileError) -> Result) throws(ArchiveError)
        -> Result
    {
        do {
            return try body()
        } catch {
            throw ArchiveError(.storage, error.description)
        }
    }
}
