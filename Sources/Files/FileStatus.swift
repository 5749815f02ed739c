import Glibc

/// What the system says of a file.
public struct FileStatus: Sendable, Equatable {
    /// Device and inode: the file itself, whatever it is called.
    public let device: UInt64
    /// Inode number.
    public let inode: UInt64
    /// Size in bytes.
    public let size: Int64
    /// Time of the last change, in nanoseconds since 1970.
    public let modified: Int64
    /// Kind and permissions (`st_mode`).
    public let mode: UInt32
    private let owner: UInt32

    init(_ raw: stat) {
        device = UInt64(raw.st_dev)
        inode = UInt64(raw.st_ino)
        size = Int64(raw.st_size)
        modified = Int64(raw.st_mtim.tv_sec) * 1_000_000_000 + Int64(raw.st_mtim.tv_nsec)
        mode = raw.st_mode
        owner = raw.st_uid
    }

    /// Whether it belongs to the user of this process.
    public var isOwn: Bool { owner == geteuid() }

    /// Whether it is a regular file: no folder, FIFO, socket or device.
    public var isRegular: Bool { mode & S_IFMT == S_IFREG }
    /// Whether it is a pipe, with a name or without.
    public var isPipe: Bool { mode & S_IFMT == S_IFIFO }
    /// Whether it is a folder.
    public var isDirectory: Bool { mode & S_IFMT == S_IFDIR }

    /// Whether two names lead to the same file.
    public func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }

    /// A number for the file, whatever it is called; two files rarely have the same.
    public var number: UInt64 { (device &* 0x9E37_79B9_7F4A_7C15) ^ inode }

    /// The status of the file that a name leads to, links followed; nil when there is none.
    public static func of(_ path: Path) throws(FileError) -> FileStatus? {
        var raw = stat()
        let result = unsafe path.withCString { name in unsafe stat(name, &raw) }
        if result == 0 { return FileStatus(raw) }
        guard errno == ENOENT else { throw FileError("examine", path) }
        return nil
    }

    /// The status of a name itself, links not followed; nil when there is none. Any other refusal is thrown: what cannot be seen is not gone.
    public static func ofName(_ path: Path) throws(FileError) -> FileStatus? {
        var raw = stat()
        if unsafe path.withCString({ name in unsafe lstat(name, &raw) }) == 0 { return FileStatus(raw) }
        guard errno == ENOENT else { throw FileError("examine", path) }
        return nil
    }

    /// Whether anything has this name, a dangling link included.
    public static func exists(_ path: Path) -> Bool {
        var raw = stat()
        return unsafe path.withCString { name in unsafe lstat(name, &raw) } == 0
    }

    /// What kind of thing it is, for messages.
    public var kind: String {
        switch mode & S_IFMT {
        case S_IFREG: "a regular file"
        case S_IFDIR: "a folder"
        case S_IFIFO: "a FIFO"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }
}
