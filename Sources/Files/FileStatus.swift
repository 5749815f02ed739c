internal import Platform

/// The system's facts about a file.
public struct FileStatus: Sendable, Equatable {
    /// Device and inode: the file itself, whatever it is called.
    public let device: UInt64
    /// Inode number.
    public let inode: UInt64
    /// Size in bytes.
    public let size: Int64
    /// Time of the last change: seconds since 1970, and nanoseconds of that second.
    ///
    /// Not one number of nanoseconds: a file system takes times that 64 bits of them do not reach.
    public let modified: Time
    /// Kind and permissions (`st_mode`).
    public let mode: UInt32
    /// The number of names of the file.
    public let nameCount: UInt64
    private let owner: UInt32

    /// Returns `true` if nothing shows that a file was changed. Another name of it, or one less, is no change.
    public static func == (one: FileStatus, other: FileStatus) -> Bool {
        one.isSameFile(as: other) && one.size == other.size && one.modified == other.modified && one.mode == other.mode
            && one.owner == other.owner
    }

    /// A moment as a file system keeps it.
    public struct Time: Sendable, Equatable {
        /// Seconds since 1970, negative before.
        public let seconds: Int64
        /// Nanoseconds of the second.
        public let nanoseconds: Int64
    }

    init(_ raw: stat) {
        device = UInt64(truncatingIfNeeded: raw.st_dev)
        inode = UInt64(raw.st_ino)
        size = Int64(raw.st_size)
        let time = modificationTime(of: raw)
        modified = Time(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
        nameCount = UInt64(raw.st_nlink)
        // Where this is a smaller number, so are the constants that it is compared with.
        mode = UInt32(raw.st_mode)
        owner = raw.st_uid
    }

    /// `true` if it belongs to the user of this process.
    public var isOwn: Bool { owner == geteuid() }
    /// `true` if it belongs to root, who may read and write everything anyway.
    public var isRoots: Bool { owner == 0 }

    /// `true` if it is a regular file: no folder, FIFO, socket or device.
    public var isRegular: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFREG) }
    /// `true` if it is a pipe, with a name or without.
    public var isPipe: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFIFO) }
    /// `true` if it is a symbolic link; only what `ofName` returns can be.
    public var isLink: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFLNK) }
    /// `true` if it is a folder.
    public var isDirectory: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }

    /// Returns `true` if two names lead to the same file.
    public func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }

    /// Returns the status of the file that a name leads to, links followed; `nil` if there is none.
    public static func of(_ path: Path) throws(FileError) -> FileStatus? {
        var raw = stat()
        let result = unsafe path.withCString { name in unsafe stat(name, &raw) }
        if result == 0 { return FileStatus(raw) }
        guard errno == ENOENT else { throw FileError("examine", path) }
        return nil
    }

    /// Returns the status of a name itself, links not followed; `nil` if there is none. Any other refusal is thrown:
    /// what cannot be seen is not gone.
    public static func ofName(_ path: Path) throws(FileError) -> FileStatus? {
        var raw = stat()
        if unsafe path.withCString({ name in unsafe lstat(name, &raw) }) == 0 { return FileStatus(raw) }
        guard errno == ENOENT else { throw FileError("examine", path) }
        return nil
    }

    /// Returns `true` if anything has this name, a dangling link included.
    public static func exists(_ path: Path) -> Bool {
        var raw = stat()
        return unsafe path.withCString { name in unsafe lstat(name, &raw) } == 0
    }

    /// The kind of the file, for messages.
    public var kind: String {
        switch mode_t(mode) & S_IFMT {
        case S_IFREG: "a regular file"
        case S_IFDIR: "a folder"
        case S_IFIFO: "a FIFO"
        case S_IFSOCK: "a socket"
        case S_IFLNK: "a symbolic link"
        default: "a device"
        }
    }
}
