internal import Platform

extension Path {
    /// The folder for temporary files: `TMPDIR`, byte by byte, else `/tmp`.
    public static var temporaryFolder: Path { named("TMPDIR") ?? Path("/tmp") }

    /// The folder for temporary files that may become large: the one where SQLite has its own (manual, "Temporary
    /// Files Used By SQLite", 5).
    ///
    /// That is the first of `SQLITE_TMPDIR`, `TMPDIR`, `/var/tmp`, `/usr/tmp`, `/tmp` and the working folder in
    /// which we may make files.
    public static var sortingFolder: Path {
        let folders = [named("SQLITE_TMPDIR"), named("TMPDIR"), Path("/var/tmp"), Path("/usr/tmp"), Path("/tmp")]
        return folders.compactMap { $0 }.first(where: isForFiles) ?? Path(".")
    }

    /// The number of bytes that may still be written in the folder's file system; `nil` if the system does not report
    /// it.
    public var freeSpace: UInt64? {
        var facts = statvfs()
        guard unsafe withCString({ name in unsafe statvfs(name, &facts) }) == 0 else { return nil }
        let (bytes, isTooLarge) = UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize))
        return isTooLarge ? .max : bytes
    }

    /// Returns the path in an environment variable; `nil` if that is missing or empty.
    public static func named(_ variable: String) -> Path? {
        guard let value = unsafe getenv(variable), unsafe value.pointee != 0 else { return nil }
        return unsafe Path(bytes: Array(UnsafeRawBufferPointer(start: value, count: strlen(value))))
    }

    /// The target of a symbolic link, as the link states it; `nil` if this is not a link.
    public var target: Path? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe withCString { name in
            unsafe bytes.withUnsafeMutableBytes { unsafe readlink(name, $0.baseAddress!, $0.count) }
        }
        return count > 0 ? Path(bytes: Array(bytes[..<count])) : nil
    }

    private static func isForFiles(_ folder: Path) -> Bool {
        guard let status = try? FileStatus.of(folder), status.isDirectory else { return false }
        return unsafe folder.withCString { name in unsafe access(name, W_OK | X_OK) == 0 }
    }
}

extension Descriptor {
    /// Returns the first part of the file that holds data, at or after an offset and before an end; `nil` if there is
    /// none.
    ///
    /// What lies between such parts is a hole: it takes no space, and reads as zeros (`lseek(2)`, `SEEK_DATA`). Where
    /// the file system does not know of holes, all is data.
    public func data(from offset: Int64, below end: Int64) throws(FileError) -> Range<Int64>? {
        guard offset < end else { return nil }
        let start = Int64(lseek(number, off_t(offset), seekData))
        if start < 0, errno == ENXIO { return nil }
        if start < 0, errno == EINVAL { return offset..<end }
        guard start >= 0 else { throw FileError("read", path) }
        guard start < end else { return nil }
        let hole = Int64(lseek(number, off_t(start), seekHole))
        return start..<(hole > start ? min(hole, end) : end)
    }

    /// Writes all bytes at an offset. What was never written before it is a hole.
    public func write(_ bytes: Span<UInt8>, at offset: Int64) throws(FileError) {
        var done = 0
        while done < bytes.count {
            done += try checked("write", path) {
                unsafe bytes.extracting(droppingFirst: done).withUnsafeBytes {
                    unsafe pwrite(number, $0.baseAddress, $0.count, off_t(offset) + off_t(done))
                }
            }
        }
    }

    /// Makes the file so large; what is added is a hole.
    public func resize(to size: Int64) throws(FileError) {
        _ = try checked("write", path) { Int(ftruncate(number, off_t(size))) }
    }

    /// Returns a file for reading and writing that has no name and is gone when it is closed, in the folder for
    /// temporary files or another one.
    public static func unnamed(in folder: Path = .temporaryFolder) throws(FileError) -> Descriptor {
        let token = String(UInt64.random(in: .min ... .max), radix: 36)
        let path = folder.appending(Array("healthprobe.\(token)".utf8))
        let file = try creating(path)
        try remove(path)
        return file
    }

    /// Returns a copy without a name of what can still be read from a pipe, after bytes that were read from it already;
    /// `nil` if that is more than a limit. Stops at the next piece when asked to, with what it has.
    public static func unnamedCopy(
        of input: borrowing Descriptor, after begun: Span<UInt8>, limit: Int64, shouldStop: () -> Bool
    ) throws(FileError) -> Descriptor? {
        let copy = try unnamed()
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var size = Int64(begun.count)
        try copy.write(begun)
        while size <= limit, try input.waitForInput(shouldStop) {
            let count = try input.read(into: &buffer)
            if count == 0 { break }
            try copy.write(buffer.span.extracting(0..<count))
            size += Int64(count)
        }
        guard size <= limit else { return nil }
        return copy
    }

    /// Gives up the descriptor for the use of a C library that closes it.
    public consuming func relinquished() throws(FileError) -> Int32 {
        // A duplicate, because what `deinit` closes cannot be taken out of it.
        let number = try checked("open", path) { Int(fcntl(self.number, F_DUPFD_CLOEXEC, 0)) }
        return Int32(number)
    }

    /// Closes a descriptor that was given up and that the library did not take.
    public static func close(relinquished number: Int32) { _ = Platform.close(number) }
}

extension Descriptor {
    /// Opens a file for reading; `/dev/fd/N` is a copy of a descriptor that the process was started with.
    ///
    /// The system finds such names in `/proc`, which belongs to root once a process forbids others to look into it.
    public static func readingOrInherited(_ path: Path) throws(FileError) -> Descriptor {
        let prefix = Array("/dev/fd/".utf8)
        guard path.bytes.starts(with: prefix),
            let number = Int32(String(decoding: path.bytes.dropFirst(prefix.count), as: UTF8.self)), number >= 0
        else { return try reading(path) }
        return Descriptor(owning: Int32(try checked("open", path) { Int(dup(number)) }), path: path)
    }

    /// Runs a body while a terminal does not show what is typed; the end of a line is shown.
    public func withoutEcho<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        var settings = termios()
        _ = try checked("examine", path) { unsafe Int(tcgetattr(number, &settings)) }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        silent.c_lflag |= tcflag_t(ECHONL)
        _ = try checked("set", path) { unsafe Int(tcsetattr(number, TCSAFLUSH, &silent)) }
        defer { unsafe tcsetattr(number, TCSAFLUSH, &settings) }
        return try body()
    }
}
