public import Archive
internal import Files
internal import Manifest
import Glibc

/// The way of a file from nothing to its name (measured against power loss at every write):
///
///     temporary file beside the destination ─► fsync file and folder ─► rows and intent, one transaction ─► rename, fsync folder ─► drop the intent
///
/// A crash before the commit leaves a temporary file that nobody speaks of; after it, an intent. Both are looked for at every start.
struct Publication: ~Copyable {
    private var file: PendingFile
    private let isReplacing: Bool

    /// Starts a file, if its place is free.
    init(to destination: Path, replacing: Bool, beside archives: [Path], token: String) throws {
        let destination = try Self.checked(destination, replacing: replacing, beside: archives)
        try PendingFile.removeAbandoned(destination: destination)
        file = try PendingFile(destination: destination, token: token)
        isReplacing = replacing
    }

    private static func checked(_ destination: Path, replacing: Bool, beside archives: [Path]) throws -> Path {
        guard !destination.name.isEmpty, destination.name != Array(".".utf8), destination.name != Array("..".utf8) else { throw ExportError.output(destination, "is a folder, not a file name") }
        guard let folder = try FileStatus.of(destination.directory) else { throw ExportError.output(destination, "the folder \(destination.directory.display) does not exist") }
        guard folder.isDirectory else { throw ExportError.output(destination, "\(destination.directory.display) is not a folder") }
        let path = try absolute(destination)
        // A name that the system cannot have shows here, before anything is recorded.
        let output = try FileStatus.of(path)
        let companions = archives.flatMap { archive in ["", "-wal", "-shm", "-journal"].map { archive.withSuffix($0) } }
        for companion in companions {
            if try absolute(companion) == path { throw ExportError.outputIsArchive(destination) }
            if let output, let other = try? FileStatus.of(companion), other.isSameFile(as: output) { throw ExportError.outputIsArchive(destination) }
        }
        if FileStatus.exists(path) {
            if output?.isDirectory == true { throw ExportError.output(destination, "is a folder") }
            if !replacing { throw ExportError.outputExists(destination) }
        }
        return path
    }

    mutating func write(_ bytes: Span<UInt8>) throws(FileError) { try file.write(bytes) }

    func settle() throws(FileError) { try file.settle() }

    func intent(exportID: String) -> PublishIntent {
        PublishIntent(exportID: exportID, temporary: file.temporary, destination: file.destination, isReplacing: isReplacing)
    }

    mutating func publish() throws(FileError) { try file.publish(replacing: isReplacing) }
}

/// Completes what processes that ended after their commit left to do.
public enum PublicationRecovery {
    /// Gives recorded files their names and forgets fulfilled intents. Returns a line for each file that it completed.
    public static func run(_ archive: borrowing Archive) throws(ExportError) -> [String] {
        try asExportError {
            var completed: [String] = []
            for intent in try archive.publishIntents() {
                guard try isAbandoned(intent) else { continue }
                if FileStatus.exists(intent.temporary) { completed += try complete(intent) }
                try archive.drop(intent)
            }
            return completed
        }
    }

    /// A living process holds the lock of its temporary file.
    private static func isAbandoned(_ intent: PublishIntent) throws -> Bool {
        guard FileStatus.exists(intent.temporary) else { return true }
        return try Descriptor.reading(intent.temporary).lock()
    }

    private static func complete(_ intent: PublishIntent) throws -> [String] {
        if !intent.isReplacing, FileStatus.exists(intent.destination) {
            // Either the second name was made already, or somebody else has it now. The record stays; the same export can be written again.
            try remove(intent.temporary)
            return []
        }
        try rename(intent.temporary, to: intent.destination, replacing: intent.isReplacing)
        try synchronizeDirectory(intent.destination.directory)
        return ["\(intent.destination.display): completed an export that was interrupted after it was recorded"]
    }
}

/// Where frames go: a file that is published, or standard output.
struct FrameOutput: ~Copyable {
    private var publication: Publication?
    private let stream: Descriptor?
    private var table = SeekTable()

    init(publication: consuming Publication) {
        self.publication = consume publication
        stream = nil
    }

    init(standardOutput: ()) throws(FileError) {
        publication = nil
        stream = try Descriptor.standardOutput()
    }

    /// Appends a frame.
    mutating func write(frame: [UInt8], textSize: Int) throws(FileError) {
        try write(frame.span)
        table.add(compressedSize: frame.count, textSize: textSize)
    }

    /// Appends the seek table.
    mutating func finish() throws(FileError) {
        let bytes = table.frame()
        try write(bytes.span)
    }

    func settle() throws(FileError) { try publication?.settle() }

    func intent(exportID: String) -> PublishIntent? { publication?.intent(exportID: exportID) }

    mutating func publish() throws(FileError) { try publication?.publish() }

    private mutating func write(_ bytes: Span<UInt8>) throws(FileError) {
        if stream != nil { try stream!.write(bytes) } else { try publication!.write(bytes) }
    }
}

/// Unix seconds now. Only `export_manifests.created_at` has it.
func now() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + (Double(time.tv_nsec) / 1e9 * 1e6).rounded() / 1e6
}
