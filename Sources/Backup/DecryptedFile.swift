internal import Archive
internal import Files
internal import Manifest
internal import SQLite
internal import Synchronization

/// An encrypted file of a backup (AES-256-CBC from a block of zeros on), decrypted where it is read.
///
/// No decrypted byte leaves memory, and memory holds one stretch of the file.
final class DecryptedFile: SuppliedFile {
    let byteCount: Int64
    /// The encrypted file, for errors.
    let path: Path
    private let encryptedCount: Int64
    private let status: FileStatus
    private let state: Mutex<State>

    private struct State: ~Copyable {
        let file: Descriptor
        var cipher: BlockDecryption
        var stretch = [UInt8](repeating: 0, count: stretchSize)
        private var before = [UInt8](repeating: 0, count: block)

        init(_ file: consuming Descriptor, _ cipher: consuming BlockDecryption) {
            self.file = file
            self.cipher = cipher
        }

        /// Decrypts whole blocks of the file, a stretch at most, into the front of `stretch`; `false` if the file is
        /// shorter now.
        mutating func decrypt(_ range: Range<Int64>) throws(FileError) -> Bool {
            for index in 0..<block { before[index] = 0 }
            if range.lowerBound > 0 {
                let place = range.lowerBound - Int64(block)
                guard try file.read(into: &before, at: place, count: block) == block else { return false }
            }
            guard try file.read(into: &stretch, at: range.lowerBound, count: range.count) == range.count else {
                return false
            }
            return cipher.decrypt(&stretch, count: range.count, after: before)
        }
    }

    /// Checks that a file is encrypted.
    ///
    /// - Throws: `ArchiveError` if it begins as a database does: another program decrypted it where it is.
    static func requireEncrypted(_ file: borrowing Descriptor) throws(ArchiveError) {
        var front = [UInt8](repeating: 0, count: databaseFront.count)
        let count: Int
        do { count = try file.read(into: &front, at: 0, count: front.count) } catch {
            throw ArchiveError(.unreadable, error.description)
        }
        guard count == front.count, front == databaseFront else { return }
        throw ArchiveError(
            .unreadable, "\(file.path.display): the file is decrypted, and the backup is encrypted",
            hint: "another program decrypted it: read the backup as the phone wrote it, or name a folder with "
                + "\(HealthSource.names[0]) and \(HealthSource.names[1])")
    }

    /// The bytes with which a database begins.
    static let databaseFront = Array("SQLite format 3\0".utf8)
    private static let block = BlockDecryption.blockSize
    private static let stretchSize = 64 << 10

    /// Opens a file. Its last byte says how many bytes of padding it has.
    ///
    /// - Throws: `ArchiveError` if it is decrypted, or has no padding: it is cut short, or the key is not its own.
    init(_ file: consuming Descriptor, _ key: Secret) throws(ArchiveError) {
        let path = file.path
        let status: FileStatus
        do { status = try file.status() } catch { throw ArchiveError(.unreadable, error.description) }
        guard status.size > 0 else {
            throw ArchiveError(
                .unreadable, "\(path.display): the file is empty: the backup was running or is not whole",
                hint: "wait until the backup has finished, and copy it again")
        }
        try Self.requireEncrypted(file)
        let block = Int64(Self.block)
        guard status.size.isMultiple(of: block) else {
            throw ArchiveError(.unreadable, "\(path.display): the file is cut short: not whole blocks")
        }
        guard let cipher = key.blockDecryption() else { throw ArchiveError(.memory, "\(path.display): no cipher") }
        var state = State(file, cipher)
        let isRead: Bool
        do { isRead = try state.decrypt(status.size - block..<status.size) } catch {
            throw ArchiveError(.unreadable, error.description)
        }
        let last = state.stretch[..<Self.block]
        let padding = last.last ?? 0
        guard isRead, (1...UInt8(Self.block)).contains(padding),
            last.suffix(Int(padding)).allSatisfy({ $0 == padding })
        else {
            throw ArchiveError(
                .unreadable, "\(path.display): the file has no padding: it is cut short, or its key is another")
        }
        self.path = path
        self.status = status
        encryptedCount = status.size
        byteCount = status.size - Int64(padding)
        self.state = Mutex(state)
    }

    func read(into buffer: inout MutableRawSpan, at offset: Int64) -> Bool {
        guard offset >= 0, Int64(buffer.byteCount) <= byteCount - offset else { return false }
        let (block, end) = (Int64(Self.block), offset + Int64(buffer.byteCount))
        return state.withLock { state in
            var place = offset
            while place < end {
                let start = place / block * block
                let stop = min((end + block - 1) / block * block, start + Int64(Self.stretchSize))
                guard let isDone = try? state.decrypt(start..<stop), isDone else { return false }
                let count = Int(min(stop, end) - place), from = Int(place - start), to = Int(place - offset)
                unsafe buffer.withUnsafeMutableBytes { target in
                    let part = unsafe UnsafeMutableRawBufferPointer(rebasing: target[to..<to + count])
                    unsafe part.copyBytes(from: state.stretch[from..<from + count])
                }
                place += Int64(count)
            }
            return true
        }
    }

    /// `true` if the file is still the one that was opened.
    var isUnchanged: Bool {
        state.withLock { state in
            guard let now = try? state.file.status() else { return false }
            return now == status
        }
    }
}
