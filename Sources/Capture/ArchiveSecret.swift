public import Archive
public import Files
internal import Bytes
internal import Manifest

/// The secret of an archive, and the seed of its device chains (`Spec/identity.md`, "Private identifiers").
///
///     healthprobe-secret 1
///     secret <64 hex digits>
///     chain <64 hex digits>
///
/// Neither is ever printed, stored in an archive, or part of an error.
public struct ArchiveSecret: Sendable {
    /// 32 bytes: the key of every HMAC.
    let key: [UInt8]
    /// 64 hex digits.
    private let chainSeed: [UInt8]
    /// `true` if there was no file.
    public let isNew: Bool
    /// Its place.
    public let path: Path

    /// Longest file that is looked at; a secret is 158 bytes.
    private static let sizeLimit: Int64 = 512

    /// Reads the secret, or makes one where there is no file.
    ///
    /// A name may be a link to the file, which is looked at through one descriptor: what was checked is what is read.
    ///
    /// - Parameter archive: the archive that it belongs to, if there is one; none of its own files is a place for a
    ///   secret.
    /// - Throws: `CaptureError` with the code `secret` where the file is not a secret, not a regular file, somebody
    ///   else's, or open to others than its owner.
    public static func open(_ path: Path, for archive: Path? = nil) throws(CaptureError) -> ArchiveSecret {
        let secret = try find(path, for: archive)
        if secret.isNew { try secret.save() }
        return secret
    }

    /// Reads the secret, or draws one where there is no file: it has none until `save`.
    ///
    /// - Parameter changesNothing: whether what a dead process left beside it stays.
    public static func find(_ path: Path, for archive: Path? = nil, changesNothing: Bool = false)
        throws(CaptureError) -> ArchiveSecret
    {
        if let archive { try checkPlace(path, archive) }
        let file = try wrapping { () throws(FileError) in try resolved(path) }
        guard try wrapping({ () throws(FileError) in try FileStatus.ofName(file) }) != nil else { return draw(path) }
        // Whoever made it may have ended between the second name and the removal of the first.
        // Where the folder cannot be changed, nobody made it there just now.
        if !changesNothing { try? PendingFile.removeAbandoned(destination: path) }
        return try read(file, named: path)
    }

    /// Throws where the place is the archive's, or one that SQLite or a lock has beside it.
    private static func checkPlace(_ path: Path, _ archive: Path) throws(CaptureError) {
        let isTaken = try wrapping { () throws(FileError) -> Bool in
            let place = try absolute(path)
            for file in try Archive.databaseFiles(of: archive) + Archive.databaseFiles(of: resolved(archive)) {
                if try absolute(file) == place { return true }
            }
            return false
        }
        guard !isTaken else {
            throw CaptureError(.secret, "\(path.display): is the archive or a file that belongs to it, not its secret")
        }
    }

    private static func wrapping<Result: ~Copyable>(
        _ body: () throws(FileError) -> Result
    ) throws(CaptureError) -> Result {
        do {
            return try body()
        } catch {
            throw CaptureError(.secret, error.description)
        }
    }

    /// Returns the hash that names the device chain of a kind of source.
    public func deviceChainHash(_ kind: SourceKind) -> [UInt8] {
        let seed = chainSeed + [UInt8(ascii: ":")] + Array(kind.rawValue.utf8)
        var hashes = PrivateHasher(self)
        return Array(hashes.digest(of: seed.span, in: .deviceChain).hex.utf8)
    }

    private static func read(_ file: Path, named path: Path) throws(CaptureError) -> ArchiveSecret {
        let descriptor = try wrapping { () throws(FileError) in try Descriptor.readingName(file) }
        let status = try wrapping { () throws(FileError) in try descriptor.status() }
        guard status.isRegular else {
            throw CaptureError(
                .secret,
                "\(path.display): \(status.kind), not a regular file")
        }
        guard status.mode & 0o077 == 0 else {
            throw CaptureError(
                .secret, "\(path.display): others than the owner can read or write it",
                hint: "chmod 600 \(path.display)")
        }
        guard status.isOwn || status.isRoots else {
            throw CaptureError(.secret, "\(path.display): belongs to another user")
        }
        guard status.size <= sizeLimit else { throw CaptureError(.secret, "\(path.display): not an archive secret") }
        var bytes = [UInt8](repeating: 0, count: Int(sizeLimit))
        let count = try wrapping { () throws(FileError) in
            try descriptor.read(into: &bytes, at: 0, count: bytes.count)
        }
        let lines = bytes[..<count].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count == 4, lines[0].elementsEqual(SecretFile.heading.utf8.dropLast()), lines[3].isEmpty,
            let key = value(lines[1], "secret "), let seed = value(lines[2], "chain ")
        else { throw CaptureError(.secret, "\(path.display): not an archive secret") }
        return ArchiveSecret(key: bytesOf(key), chainSeed: Array(seed), isNew: false, path: path)
    }

    private static func value(_ line: ArraySlice<UInt8>, _ name: String) -> ArraySlice<UInt8>? {
        guard line.starts(with: name.utf8) else { return nil }
        let digits = line.dropFirst(name.utf8.count)
        let isHex = digits.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
        return digits.count == 64 && isHex ? digits : nil
    }

    private static func bytesOf(_ digits: ArraySlice<UInt8>) -> [UInt8] {
        guard let bytes = Hexadecimal.bytes(digits) else { preconditionFailure("only digits are asked for") }
        return bytes
    }

    private static func draw(_ path: Path) -> ArchiveSecret {
        // The system's generator; it does not fail.
        var random = SystemRandomNumberGenerator()
        func digits() -> [UInt8] {
            Hexadecimal.digits((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        }
        let (key, seed) = (digits(), digits())
        return ArchiveSecret(key: bytesOf(key[...]), chainSeed: seed, isNew: true, path: path)
    }

    /// Gives a secret that was drawn its file: written beside its name, synchronized, and renamed, since half a
    /// secret would lose the chain.
    public func save() throws(CaptureError) {
        precondition(isNew, "a secret that was read has its file")
        let lines = [
            Array(SecretFile.heading.utf8.dropLast()), Array("secret ".utf8) + Hexadecimal.digits(key),
            Array("chain ".utf8) + chainSeed, [],
        ]
        let text = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
        try Self.wrapping { () throws(FileError) in
            try PendingFile.removeAbandoned(destination: path)
            var file = try PendingFile(destination: path, token: String(UInt64.random(in: .min ... .max), radix: 36))
            try file.write(text.span)
            try file.synchronize()
            try file.publish(replacing: false)
        }
    }

    /// The key of the commitments of a history that begins with this secret (`Spec/history.md`).
    public var historySalt: HistorySalt {
        var hashes = PrivateHasher(self)
        return HistorySalt(hashes.digest(of: [UInt8]().span, in: .historySalt))
    }

    /// Returns the hash of a source's name: 64 hex digits.
    public func sourceNameHash(_ name: [UInt8]) -> String {
        var hashes = PrivateHasher(self)
        return hashes.digest(of: name.span, in: .sourceName).hex
    }

    /// Returns the hash of a person's birth date (`Spec/identity.md`): 64 hex digits.
    func personHash(_ birthDate: [UInt8]) -> [UInt8] {
        var hashes = PrivateHasher(self)
        return Array(hashes.digest(of: birthDate.span, in: .person).hex.utf8)
    }

    /// Returns the hash of a phone's target identifier (`Spec/identity.md`): 64 hex digits.
    func phoneHash(_ identifier: [UInt8]) -> [UInt8] {
        var hashes = PrivateHasher(self)
        return Array(hashes.digest(of: identifier.span, in: .phone).hex.utf8)
    }
}

/// The source of a capture. Each kind has a device chain of its own.
public enum SourceKind: String, Sendable {
    /// A capture feed of a health store.
    case healthStore = "health_store"
    /// An Apple Health export.
    case appleHealthExport = "apple_health_export"
    /// The health databases of an iPhone backup.
    case iPhoneBackup = "iphone_backup"

    /// The kind of an observation of a feed: a backup that was converted belongs to the chain of backups.
    init(ofFeed triggerReason: [UInt8]) {
        self = triggerReason == Array(Self.iPhoneBackup.rawValue.utf8) ? .iPhoneBackup : .healthStore
    }

    /// Its trigger reason, if one alone tells it; a health store has any other.
    var triggerReason: String? { self == .healthStore ? nil : rawValue }

    /// Its name in messages.
    var plural: String {
        switch self {
        case .healthStore: "a health store"
        case .appleHealthExport: "Apple Health exports"
        case .iPhoneBackup: "iPhone backups"
        }
    }
}
