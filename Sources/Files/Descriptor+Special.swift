import Glibc

extension Path {
    /// The folder for temporary files: `TMPDIR`, byte by byte, else `/tmp`.
    public static var temporaryFolder: Path {
        let named = unsafe getenv("TMPDIR").map { unsafe Path(bytes: Array(UnsafeRawBufferPointer(start: $0, count: strlen($0)))) }
        return named.flatMap { $0.bytes.isEmpty ? nil : $0 } ?? Path("/tmp")
    }
}

extension Descriptor {
    /// A file for reading and writing that has no name and is gone when it is closed, in the folder for temporary files.
    public static func unnamed() throws(FileError) -> Descriptor {
        let token = String(UInt64.random(in: .min ... .max), radix: 36)
        let path = Path.temporaryFolder.appending(Array("healthprobe.\(token)".utf8))
        let file = try creating(path)
        try remove(path)
        return file
    }

    /// Gives up the descriptor for the use of a C library that closes it.
    public consuming func relinquished() throws(FileError) -> Int32 {
        // A duplicate, because what `deinit` closes cannot be taken out of it.
        let number = try checked("open", path) { Int(fcntl(self.number, F_DUPFD_CLOEXEC, 0)) }
        return Int32(number)
    }

    /// Closes a descriptor that was given up and that the library did not take.
    public static func close(relinquished number: Int32) { _ = Glibc.close(number) }
}
