internal import Archive
internal import Bytes
internal import Files
internal import Manifest
internal import Verification

/// The file that is salvaged, and where the salvage goes.
struct SalvagePlace: ~Copyable {
    /// The source, open.
    let file: Descriptor
    let isReplacing: Bool
    private let status: FileStatus
    private let destination: Path
    private let token: String

    /// - Parameter inputs: what else is read.
    init(_ source: Path, _ destination: Path, apart inputs: [Path], isReplacing: Bool) throws {
        let file = try Descriptor.reading(source)
        let status = try file.status()
        guard status.isRegular else { throw SalvageError(source, "\(status.kind), not a regular file") }
        let given = destination
        let destination = try outputPath(given, replacing: isReplacing, apart: [source] + inputs)
        guard !SecretFile.isThere(destination) else { throw OutputError.isInput(given) }
        // What an export left beside the same name may be recorded in its archive, so it stays.
        try PendingFile.removeAbandoned(destination: destination, of: Self.owner)
        self.file = file
        self.status = status
        self.destination = destination
        self.isReplacing = isReplacing
        token = PendingFile.token(of: Self.owner)
    }

    /// Whose the temporary files are: no archive has this number.
    private static let owner: UInt64 = 0

    /// A file for frames that wait.
    borrowing func spool() throws(FileError) -> Spool { try Spool(beside: destination, token: token + "s") }

    /// The file that comes out.
    borrowing func output() throws(FileError) -> PendingFile { try PendingFile(destination: destination, token: token) }

    /// Size and SHA-256 of the source, and whether the magic of a frame stands anywhere in it.
    borrowing func hashed(shouldStop: () -> Bool) throws -> (source: SalvageSource, holdsFrame: Bool) {
        var hash = SHA256()
        var magic = MagicSearch(SalvageForm.frameMagic)
        var offset: Int64 = 0
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        while offset < status.size {
            if shouldStop() { throw CancellationError() }
            let count = try file.read(
                into: &piece, at: offset, count: Int(min(Int64(piece.count), status.size - offset)))
            if count == 0 { break }
            hash.update(piece.span.extracting(first: count))
            magic.look(in: piece.span.extracting(first: count))
            offset += Int64(count)
        }
        return (SalvageSource(size: status.size, sha256: hash.finish().hex), magic.isFound)
    }

    /// Makes sure that what was read is what was hashed.
    borrowing func checkUnchanged() throws {
        guard try file.status() == status else { throw SalvageError(file.path, "the file changed while it was read") }
    }
}

/// Looks for a few bytes in pieces of a file.
private struct MagicSearch {
    private let magic: [UInt8]
    private var matched = 0
    private(set) var isFound = false

    /// - Parameter magic: bytes of which the first stands nowhere else among them.
    init(_ magic: [UInt8]) { self.magic = magic }

    mutating func look(in piece: Span<UInt8>) {
        var index = 0
        while !isFound, index < piece.count {
            if matched == 0 {
                guard let found = piece.firstIndex(of: magic[0], from: index) else { return }
                index = found
            }
            if piece[index] == magic[matched] {
                matched += 1
                index += 1
                isFound = matched == magic.count
            } else {
                matched = 0
            }
        }
    }
}
