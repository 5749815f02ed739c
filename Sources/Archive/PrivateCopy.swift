internal import Files
import Glibc

/// A copy of an archive with its log or journal, in a folder that only its owner can read.
///
/// SQLite folds a `-wal` or a hot journal into the main file when it opens a database, and `immutable` ignores both without a word. So where there is one,
/// reading without touching the evidence means reading a copy. The shared-memory file is not copied: it is an index that SQLite builds anew.
///
/// The folder is locked while its process lives. Health records must not lie about: what a killed process left is removed when the next copy is made.
struct PrivateCopy: ~Copyable {
    /// The copied main file.
    let path: Path
    private let folder: Path
    private let lock: Descriptor

    static func make(of archive: Path) throws(FileError) -> PrivateCopy {
        let parent = Path.temporaryFolder
        removeAbandoned(in: parent)
        let copy = try empty(in: parent)
        try Self.copy(archive, to: copy.path)
        for suffix in ["-wal", "-journal"] where FileStatus.exists(archive.withSuffix(suffix)) {
            try Self.copy(archive.withSuffix(suffix), to: copy.path.withSuffix(suffix))
        }
        return copy
    }

    private init(folder: Path, lock: consuming Descriptor) {
        self.folder = folder
        self.lock = lock
        path = Self.file(in: folder)
    }

    deinit { Self.remove(folder) }

    private static let prefix = Array("hp-archive.".utf8)

    private static func file(in folder: Path) -> Path { folder.appending(Array("archive.sqlite".utf8)) }

    private static func remove(_ folder: Path) {
        for suffix in ["", "-wal", "-journal", "-shm"] { try? Files.remove(file(in: folder).withSuffix(suffix)) }
        removeFolder(folder)
    }

    /// A new folder with its lock.
    private static func empty(in parent: Path) throws(FileError) -> PrivateCopy {
        while true {
            var template = parent.appending(prefix + Array("XXXXXX".utf8)).bytes.map { CChar(bitPattern: $0) } + [0]
            guard unsafe mkdtemp(&template) != nil else { throw FileError("create a private copy in", parent) }
            let folder = Path(bytes: template.dropLast().map { UInt8(bitPattern: $0) })
            // Whoever cleans up may have found it before it was locked; then there is another one.
            if let lock = try Self.lock(folder) { return PrivateCopy(folder: folder, lock: lock) }
        }
    }

    /// The lock of a folder of ours; nil where another process has it or the folder is gone.
    private static func lock(_ folder: Path) throws(FileError) -> Descriptor? {
        guard let named = try FileStatus.ofName(folder), named.isDirectory, named.isOwn else { return nil }
        let lock = try Descriptor.directory(folder)
        guard try lock.lock(), try FileStatus.ofName(folder)?.isSameFile(as: lock.status()) == true else { return nil }
        return lock
    }

    private static func removeAbandoned(in parent: Path) {
        guard let names = try? names(in: parent) else { return }
        for name in names where name.count == prefix.count + 6 && name.starts(with: prefix) {
            let folder = parent.appending(name)
            // What cannot be looked at belongs to somebody else, or is gone.
            guard let lock = try? Self.lock(folder) else { continue }
            remove(folder)
            try? lock.close()
        }
    }

    private static func copy(_ source: Path, to target: Path) throws(FileError) {
        let input = try Descriptor.reading(source)
        let output = try Descriptor.creating(target)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = try input.read(into: &buffer)
            if count == 0 { break }
            try output.write(buffer.span.extracting(first: count))
        }
        try output.close()
    }
}
