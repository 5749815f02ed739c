public import Archive
internal import Files
internal import Manifest
import Glibc

/// The way of a file from nothing to its name (measured against power loss at every write):
///
///     temporary file beside the destination ─► fsync file and folder ─► rows and intent, one transaction
///     ─► rename, fsync folder ─► drop the intent
///
/// A crash before the commit leaves a temporary file that nobody speaks of; after it, an intent. Both are looked for at every start.
struct Publication: ~Copyable {
    private var file: PendingFile
    private let isReplacing: Bool

    /// Starts a file, if its place is free.
    ///
    /// - Parameters:
    ///   - inputs: files that it must not be.
    ///   - owner: a number for the archive. What other archives left beside the same name may be recorded there, so it stays.
    ///   - kept: temporary files that recorded exports still wait for.
    init(to destination: Path, replacing: Bool, apart inputs: [Path], owner: UInt64, keeping kept: Set<Path>) throws {
        let destination = try outputPath(destination, replacing: replacing, apart: inputs)
        try PendingFile.removeAbandoned(destination: destination, of: owner, except: kept)
        file = try PendingFile(destination: destination, token: PendingFile.token(of: owner))
        isReplacing = replacing
    }

    /// The name that the file is going to have.
    var name: [UInt8] { file.destination.name }

    mutating func write(_ bytes: Span<UInt8>) throws(FileError) { try file.write(bytes) }

    func settle() throws(FileError) { try file.settle() }

    func intent(exportID: String) -> PublishIntent {
        PublishIntent(exportID: exportID, temporary: file.temporary, destination: file.destination, isReplacing: isReplacing)
    }

    mutating func keep() { file.keep() }

    mutating func publish() throws(FileError) { try file.publish(replacing: isReplacing) }
}

/// Completes what processes that ended after their commit left to do.
///
/// An intent is a row of a database that may come from anywhere. It is followed only where it speaks of names that `PendingFile` gives, and what is moved is a regular file.
public enum PublicationRecovery {
    /// Gives recorded files their names and forgets fulfilled intents. Returns a line for each file that it completed or could not complete.
    public static func run(_ archive: borrowing Archive) throws(ExportError) -> [String] {
        let intents = try asExportError { try archive.publishIntents() }
        var lines: [String] = []
        for intent in intents where PendingFile.isTemporary(intent.temporary, of: intent.destination) && !archive.ownFiles.contains(intent.destination) {
            do {
                switch try complete(intent) {
                case .living: continue
                case .fulfilled: break
                case .completed: lines.append("\(intent.destination.display): completed an export that was interrupted after it was recorded")
                }
                try archive.drop(intent)
            } catch let error as FileError {
                // It stays for another time: a medium that is not there, a folder of somebody else.
                lines.append("an export that was interrupted after it was recorded is not completed: \(error)")
            } catch {
                try asExportError { throw error }
            }
        }
        return lines
    }

    /// How an intent stands.
    private enum Standing {
        /// Its file belongs to a living process, which holds the lock.
        case living
        /// There was nothing to do.
        case fulfilled
        /// Its file has its name now.
        case completed
    }

    /// Gives a file its name. The lock is ours until the name is durable.
    private static func complete(_ intent: PublishIntent) throws -> Standing {
        let folder = intent.destination.directory
        guard let status = try FileStatus.ofName(intent.temporary) else {
            // Renamed already, or removed. Its folder must be there to say so.
            try synchronizeDirectory(folder)
            return .fulfilled
        }
        guard status.isRegular else { throw FileError("use", intent.temporary, number: EINVAL) }
        let file = try Descriptor.reading(intent.temporary)
        guard try file.lock() else { return .living }
        let isTaken = try !intent.isReplacing && FileStatus.ofName(intent.destination) != nil
        if isTaken {
            // Either the second name was made already, or somebody else has it now. The record stays; the same export can be written again.
            try remove(intent.temporary)
        } else {
            try rename(intent.temporary, to: intent.destination, replacing: intent.isReplacing)
        }
        try synchronizeDirectory(folder)
        try file.close()
        return isTaken ? .fulfilled : .completed
    }
}

/// Unix seconds now. Only `export_manifests.created_at` has it.
func now() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + (Double(time.tv_nsec) / 1e9 * 1e6).rounded() / 1e6
}
