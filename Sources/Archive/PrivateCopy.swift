internal import Files
import Glibc

/// A copy of an archive with its log or journal, in a folder that only its owner can read.
///
/// SQLite folds a `-wal` or a hot journal into the main file when it opens a database, and `immutable` ignores both without a word. So where there is one,
/// reading without touching the evidence means reading a copy. The shared-memory file is not copied: it is an index that SQLite builds anew.
struct PrivateCopy: ~Copyable {
    /// The copied main file.
    let path: Path
    private let folder: Path

    static func make(of archive: Path) throws(FileError) -> PrivateCopy {
        let parent = Path.temporaryFolder
        var template = parent.appending(Array("hp-archive.XXXXXX".utf8)).bytes.map { CChar(bitPattern: $0) } + [0]
        guard unsafe mkdtemp(&template) != nil else { throw FileError("create a private copy in", parent) }
        let copy = PrivateCopy(folder: Path(bytes: template.dropLast().map { UInt8(bitPattern: $0) }))
        try Self.copy(archive, to: copy.path)
        for suffix in ["-wal", "-journal"] where FileStatus.exists(archive.withSuffix(suffix)) {
            try Self.copy(archive.withSuffix(suffix), to: copy.path.withSuffix(suffix))
        }
        return copy
    }

    private init(folder: Path) {
        self.folder = folder
        path = folder.appending(Array("archive.sqlite".utf8))
    }

    deinit {
        for suffix in ["", "-wal", "-journal", "-shm"] { try? remove(path.withSuffix(suffix)) }
        removeFolder(folder)
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
