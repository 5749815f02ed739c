internal import Platform

/// An open file: the one owner of a file descriptor.
///
/// Closing can report an error that writing did not (`close(2)`), so whoever wrote calls `close()`; `deinit` only
/// gives the descriptor back.
public struct Descriptor: ~Copyable, Sendable {
    let number: Int32
    /// The name that it was opened under, for errors.
    public let path: Path
    private var isOpen = true

    /// Takes over an open descriptor.
    init(owning number: Int32, path: Path) {
        self.number = number
        self.path = path
    }

    deinit {
        if isOpen { _ = Platform.close(number) }
    }

    /// Opens a file for reading. Never waits for a writer of a FIFO: that is `O_NONBLOCK`, which has no effect on a
    /// regular file.
    public static func reading(_ path: Path) throws(FileError) -> Descriptor {
        try opened(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, mode: 0)
    }

    /// Opens the file of a name for reading; a name that is a symbolic link is refused. Never waits, as `reading`.
    public static func readingName(_ path: Path) throws(FileError) -> Descriptor {
        try opened(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW, mode: 0)
    }

    /// Creates a file that must not exist yet, for reading and writing by its owner alone, whatever `umask` says.
    public static func creating(_ path: Path) throws(FileError) -> Descriptor {
        let file = try opened(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode: 0o600)
        // A mask may take away the owner's rights too, and a file that nobody can read again serves nobody. Where
        // modes are not kept, there is nothing to set.
        _ = fchmod(file.number, 0o600)
        return file
    }

    /// Opens a file that serves as a lock, and makes it where it is missing.
    public static func lockFile(_ path: Path) throws(FileError) -> Descriptor {
        try opened(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode: 0o600)
    }

    /// Opens a folder, to synchronize it.
    public static func directory(_ path: Path) throws(FileError) -> Descriptor {
        try opened(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, mode: 0)
    }

    private static func opened(_ path: Path, _ flags: Int32, mode: mode_t) throws(FileError) -> Descriptor {
        let number = try checked("open", path) {
            unsafe path.withCString { name in Int(unsafe open(name, flags, mode)) }
        }
        return Descriptor(owning: Int32(number), path: path)
    }

    /// `true` if it leads to a terminal.
    public var isTerminal: Bool { isatty(number) == 1 }

    /// Returns another descriptor of the same open file.
    public func duplicate() throws(FileError) -> Descriptor {
        Descriptor(owning: Int32(try checked("open", path) { Int(dup(number)) }), path: path)
    }

    /// Returns the kind and size of the file.
    public func status() throws(FileError) -> FileStatus {
        var raw = stat()
        _ = try checked("examine", path) { Int(unsafe fstat(number, &raw)) }
        return FileStatus(raw)
    }

    /// Reads up to `buffer.count` bytes at the current position; 0 at the end.
    public func read(into buffer: inout [UInt8], count: Int? = nil) throws(FileError) -> Int {
        let wanted = min(count ?? buffer.count, buffer.count)
        return try checked("read", path) {
            unsafe buffer.withUnsafeMutableBytes { unsafe Platform.read(number, $0.baseAddress, wanted) }
        }
    }

    /// Waits until a pipe has something to read, or ends; false where `shouldStop`, which is asked five times a second,
    /// says so first. A read would wait on, whatever signal comes.
    public func waitForInput(_ shouldStop: () -> Bool) throws(FileError) -> Bool {
        while !shouldStop() {
            var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            // An interrupted wait counts as one without input: then a signal is looked for.
            let count = unsafe poll(&request, 1, 200)
            if count > 0 { return true }
            guard count == 0 || errno == EINTR else { throw FileError("read", path) }
        }
        return false
    }

    /// Reads exactly `range` of the file into the buffer's front; returns how many bytes there were.
    public func read(into buffer: inout [UInt8], at offset: Int64, count: Int) throws(FileError) -> Int {
        var done = 0
        while done < count {
            let step = try checked("read", path) {
                unsafe buffer.withUnsafeMutableBytes {
                    unsafe pread(number, $0.baseAddress! + done, count - done, off_t(offset) + off_t(done))
                }
            }
            if step == 0 { break }
            done += step
        }
        return done
    }

    /// Writes all bytes, however many calls that takes.
    public func write(_ bytes: Span<UInt8>) throws(FileError) {
        var rest = bytes
        while !rest.isEmpty {
            let step = try checked("write", path) {
                unsafe rest.withUnsafeBytes { unsafe Platform.write(number, $0.baseAddress, $0.count) }
            }
            rest = rest.extracting(droppingFirst: step)
        }
    }

    /// Waits until the file's bytes are on the medium (`fsync(2)`, on Darwin `F_FULLFSYNC`).
    public func synchronize() throws(FileError) {
        _ = try checked("synchronize", path) { Int(synchronizeToMedium(number)) }
    }

    /// Asks the system to begin writing a part of the file to the medium, so that `synchronize` has less to wait for.
    /// Nothing depends on it.
    func startWriteback(of range: Range<Int64>) {
        Platform.startWriteback(number, range)
    }

    /// Takes the lock that marks the file as in use; false when another process has it (`flock(2)`).
    public func lock() throws(FileError) -> Bool {
        if flock(number, LOCK_EX | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw FileError("lock", path) }
        return false
    }

    /// Returns `true` if another process has locked a part of the file (`fcntl(2)`), as readers and writers of a
    /// database do.
    ///
    /// Closing any descriptor of a file gives up all such locks that this process has of it, so that this is only for
    /// a file that the process has not locked.
    public func isLockedByOthers() throws(FileError) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        _ = try checked("examine the locks of", path) { unsafe Int(fcntl(number, F_GETLK, &lock)) }
        return lock.l_type != Int16(F_UNLCK)
    }

    /// Closes the file and reports what closing found.
    public consuming func close() throws(FileError) {
        var file = self
        file.isOpen = false
        guard Platform.close(file.number) == 0 || errno == EINTR else { throw FileError("close", file.path) }
    }
}

extension Descriptor {
    /// Returns standard input, as a copy of its own that can be closed.
    public static func standardInput() throws(FileError) -> Descriptor {
        let path = Path("standard input")
        return Descriptor(owning: Int32(try checked("open", path) { Int(dup(STDIN_FILENO)) }), path: path)
    }

    /// Returns standard output, as a copy of its own that can be closed.
    public static func standardOutput() throws(FileError) -> Descriptor {
        let path = Path("standard output")
        return Descriptor(owning: Int32(try checked("open", path) { Int(dup(STDOUT_FILENO)) }), path: path)
    }
}
