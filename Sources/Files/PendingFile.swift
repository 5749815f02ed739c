import Glibc

/// A file that is being written. It gets its name when it is complete, and leaves nothing behind when it is not.
///
///     create     .NAME.TOKEN.partial beside the final name, O_EXCL, mode 0600, locked while we live
///     write      …
///     settle     fsync the file and its folder: from here on a power loss keeps the bytes
///     publish    rename to NAME, fsync the folder
///
/// Dropping it without `publish` removes the temporary file.
public struct PendingFile: ~Copyable {
    /// The name that the file will have.
    public let destination: Path
    /// The name that it has while it is written.
    public let temporary: Path
    private let descriptor: Descriptor
    private var published = false
    /// Bytes so far, and how many of them the system was asked to write to the medium.
    private var written: Int64 = 0
    private var started: Int64 = 0
    private static let writebackStep: Int64 = 8 << 20

    /// Starts a file beside `destination`. `token` makes the temporary name unique among the processes that write to the same name.
    public init(destination: Path, token: String) throws(FileError) {
        let temporary = destination.directory.appending(Self.prefix(destination) + Array(token.utf8) + Self.suffix)
        let descriptor = try Descriptor.creating(temporary)
        do throws(FileError) {
            // Whoever cleans up may have found the file before it was locked.
            guard try descriptor.lock(), try FileStatus.of(temporary)?.isSameFile(as: descriptor.status()) == true else { throw FileError("keep", temporary, number: EAGAIN) }
        } catch {
            try? remove(temporary)
            throw error
        }
        self.destination = destination
        self.temporary = temporary
        self.descriptor = descriptor
    }

    deinit {
        if !published { try? remove(temporary) }
    }

    /// Appends bytes.
    public mutating func write(_ bytes: Span<UInt8>) throws(FileError) {
        try descriptor.write(bytes)
        written += Int64(bytes.count)
        // The medium works while the rest is computed; otherwise `settle` waits for all of it.
        guard written - started >= Self.writebackStep else { return }
        descriptor.startWriteback(of: started..<written)
        started = written
    }

    /// Makes the bytes and the temporary name durable.
    public func settle() throws(FileError) {
        try descriptor.synchronize()
        try synchronizeDirectory(destination.directory)
    }

    /// Gives the file its name and makes that durable.
    public mutating func publish(replacing: Bool) throws(FileError) {
        try rename(temporary, to: destination, replacing: replacing)
        published = true
        try synchronizeDirectory(destination.directory)
    }

    /// Removes what dead processes left of files with this destination; the files of living ones are locked and stay.
    public static func removeAbandoned(destination: Path, except kept: Set<Path> = []) throws(FileError) {
        for name in try names(in: destination.directory) {
            let path = destination.directory.appending(name)
            guard isTemporary(path, of: destination), !kept.contains(path), let file = try? Descriptor.reading(path), (try? file.lock()) == true else { continue }
            try remove(path)
        }
    }

    /// Whether a name is one that a file with this destination has while it is written: same folder, `.NAME.TOKEN.partial`, a token of small letters and digits.
    public static func isTemporary(_ path: Path, of destination: Path) -> Bool {
        let prefix = prefix(destination)
        let name = path.name
        guard path.directory == destination.directory, name.count > prefix.count + suffix.count, name.starts(with: prefix), name.suffix(suffix.count).elementsEqual(suffix) else { return false }
        return name.dropFirst(prefix.count).dropLast(suffix.count).allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    }

    private static func prefix(_ destination: Path) -> [UInt8] { [0x2E] + destination.name.prefix(180) + [0x2E] }
    private static let suffix = Array(".partial".utf8)
}
