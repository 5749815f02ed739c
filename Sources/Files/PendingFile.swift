internal import Platform

/// A file that is being written. It gets its name when it is complete, and leaves nothing behind when it is not.
///
///     create       .NAME.TOKEN.partial beside the final name, O_EXCL, mode 0600, locked while we live
///     write        …
///     synchronize  fsync the file and its folder: from here on a power loss keeps the bytes
///     publish      rename to NAME, fsync the folder
///
/// Dropping it without `publish` or `keep` removes the temporary file.
public struct PendingFile: ~Copyable {
    /// The name that the file will have.
    public let destination: Path
    /// The name that it has while it is written.
    public let temporary: Path
    private let descriptor: Descriptor
    /// `true` if dropping it removes nothing: it has its name, or is noted to get it.
    private var isKept = false
    /// Bytes so far, and how many of them the system was asked to write to the medium.
    private var written: Int64 = 0
    private var started: Int64 = 0
    private static let writebackStep: Int64 = 8 << 20

    /// The number of further attempts at a name that somebody who cleaned up got hold of first.
    private static let attempts = 100

    /// Starts a file beside `destination`. `token` makes the temporary name unique among the processes that write
    /// to the same name.
    public init(destination: Path, token: String) throws(FileError) {
        let locked = try Self.locked(destination, token)
        self.destination = destination
        temporary = locked.path
        descriptor = locked.descriptor
    }

    /// A new file, and ours.
    private struct Locked: ~Copyable {
        let path: Path
        let descriptor: Descriptor
    }

    /// Makes a file and locks it. Whoever cleans up may find it before that, and removes it: then another name is
    /// tried.
    private static func locked(_ destination: Path, _ token: String) throws(FileError) -> Locked {
        var token = token
        for _ in 1..<attempts {
            let path = temporary(destination, token)
            let descriptor = try Descriptor.creating(path)
            do throws(FileError) {
                if try descriptor.lock(), try FileStatus.ofName(path)?.isSameFile(as: descriptor.status()) == true {
                    return Locked(path: path, descriptor: descriptor)
                }
            } catch {
                try? remove(path)
                throw error
            }
            token = another(token)
        }
        throw FileError("keep", temporary(destination, token), number: EAGAIN)
    }

    private static func temporary(_ destination: Path, _ token: String) -> Path {
        destination.directory.appending(prefix(destination) + Array(token.utf8) + suffix)
    }

    deinit {
        if !isKept { try? remove(temporary) }
    }

    /// Appends bytes.
    public mutating func write(_ bytes: Span<UInt8>) throws(FileError) {
        try descriptor.write(bytes)
        written += Int64(bytes.count)
        // The medium works while the rest is computed; otherwise `synchronize` waits for all of it.
        guard written - started >= Self.writebackStep else { return }
        descriptor.startWriteback(of: started..<written)
        started = written
    }

    /// Makes the bytes and the temporary name durable.
    public func synchronize() throws(FileError) {
        try descriptor.synchronize()
        try synchronizeDirectory(destination.directory)
    }

    /// Keeps the file under its temporary name, whatever happens from here on: somebody has noted that it is to get
    /// its name, and will give it.
    public mutating func keep() { isKept = true }

    /// Gives the file its name and makes that durable.
    public mutating func publish(replacing: Bool) throws(FileError) {
        try rename(temporary, to: destination, replacing: replacing)
        isKept = true
        try synchronizeDirectory(destination.directory)
    }

    /// Returns a token that is no other's, and that identifies its owner: of an `owner`, by any number that stays the
    /// same for it.
    public static func token(of owner: UInt64) -> String { digits(owner) + digits(.random(in: .min ... .max)) }

    /// Returns another token of the same owner.
    private static func another(_ token: String) -> String {
        let owner = token.utf8.count == 2 * ownerSize ? String(token.prefix(ownerSize)) : ""
        return owner + digits(.random(in: .min ... .max))
    }

    private static func digits(_ number: UInt64) -> String {
        let text = String(number, radix: 36)
        return String(repeating: "0", count: ownerSize - text.utf8.count) + text
    }

    /// The length of the greatest number in base 36.
    private static let ownerSize = 13

    /// Removes what dead processes left of files with this destination; the files of living ones are locked and stay.
    ///
    /// - Parameter owner: where it is given, files of other owners stay: only they know whether somebody waits for
    ///   them.
    public static func removeAbandoned(destination: Path, of owner: UInt64? = nil, except kept: Set<Path> = [])
        throws(FileError)
    {
        for name in try names(in: destination.directory) {
            let path = destination.directory.appending(name)
            guard isTemporary(path, of: destination), !kept.contains(path),
                owner.map({ isOthers(path, of: destination, than: $0) }) != true,
                let file = try? Descriptor.readingName(path), (try? file.status().isRegular) == true,
                (try? file.lock()) == true
            else { continue }
            try remove(path)
        }
    }

    /// Returns `true` if a name is one that a file of this owner with this destination has while it is written.
    public static func isTemporary(_ path: Path, of destination: Path, owner: UInt64) -> Bool {
        guard isTemporary(path, of: destination) else { return false }
        let token = path.name.dropFirst(prefix(destination).count).dropLast(suffix.count)
        return token.count == 2 * ownerSize && token.starts(with: digits(owner).utf8)
    }

    private static func isOthers(_ path: Path, of destination: Path, than owner: UInt64) -> Bool {
        let token = path.name.dropFirst(prefix(destination).count).dropLast(suffix.count)
        return token.count == 2 * ownerSize && !token.starts(with: digits(owner).utf8)
    }

    /// Returns `true` if a name is one that a file with this destination has while it is written: same folder,
    /// `.NAME.TOKEN.partial`, a token of small letters and digits.
    public static func isTemporary(_ path: Path, of destination: Path) -> Bool {
        let prefix = prefix(destination)
        let name = path.name
        guard path.directory == destination.directory, name.count > prefix.count + suffix.count,
            name.starts(with: prefix), name.suffix(suffix.count).elementsEqual(suffix)
        else { return false }
        return name.dropFirst(prefix.count).dropLast(suffix.count).allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
        }
    }

    private static func prefix(_ destination: Path) -> [UInt8] {
        [UInt8(ascii: ".")] + destination.name.prefix(180) + [UInt8(ascii: ".")]
    }
    private static let suffix = Array(".partial".utf8)
}
