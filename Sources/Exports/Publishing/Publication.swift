public import Archive
internal import Files
internal import Manifest

/// The way of a file from nothing to its name (measured against power loss at every write):
///
///     temporary file beside the destination ─► fsync file and folder ─► rows and intent, one transaction
///     ─► rename, fsync folder ─► drop the intent
///
/// A crash before the commit leaves a temporary file that nobody speaks of; after it, an intent. Both are looked
/// for at every start.
struct Publication: ~Copyable {
    private var file: PendingFile
    private let isReplacing: Bool

    /// Starts a file, if its place is free.
    ///
    /// - Parameters:
    ///   - inputs: files that it must not be.
    ///   - owner: a number for the archive. What other archives left beside the same name may be recorded there, so
    ///     it stays.
    ///   - kept: temporary files that recorded exports still wait for.
    init(to destination: Path, replacing: Bool, apart inputs: [Path], owner: UInt64, keeping kept: Set<Path>) throws {
        let given = destination
        let destination = try outputPath(given, replacing: replacing, apart: inputs)
        guard !SecretFile.isThere(destination) else { throw OutputError.isInput(given) }
        try PendingFile.removeAbandoned(destination: destination, of: owner, except: kept)
        file = try PendingFile(destination: destination, token: PendingFile.token(of: owner))
        isReplacing = replacing
    }

    /// The name that the file is going to have.
    var name: [UInt8] { file.destination.name }

    mutating func write(_ bytes: Span<UInt8>) throws(FileError) { try file.write(bytes) }

    func synchronize() throws(FileError) { try file.synchronize() }

    func intent(exportID: String) -> PublishIntent {
        PublishIntent(
            exportID: exportID, temporary: file.temporary, destination: file.destination, isReplacing: isReplacing)
    }

    mutating func keep() { file.keep() }

    mutating func publish() throws(FileError) { try file.publish(replacing: isReplacing) }
}

/// Completes what processes that ended after their commit left to do.
///
/// An intent is a row of a database that may come from anywhere, together with the files that it names. It is followed
/// only where the temporary file is one that this user made on this machine for this archive (`PublicationOwner`), lies
/// beside its destination without a link in the way, and is to become none of the archive's own files. Any other is
/// told, and all files stay as they are.
public enum PublicationRecovery {
    /// Gives recorded files their names and forgets fulfilled intents. Returns a line for each file that it
    /// completed or could not complete.
    public static func run(_ archive: borrowing Archive) throws(ExportError) -> [String] {
        let intents = try asExportError { try archive.publishIntents() }
        var lines: [String] = []
        // What others say of files here: how many such files there are, and those that are not.
        var foreign = 0
        var done: [PublishIntent] = []
        let owner = PublicationOwner.number(of: archive.status)
        for intent in intents {
            // What is left is looked at by the next command.
            if archive.isAskedToStop { break }
            do {
                guard try isOurs(intent, owner, archive) else {
                    // Where there is no file, nothing is left to be done. What cannot be looked at stays, too.
                    if case .some(.none) = try? FileStatus.ofName(intent.temporary) {
                        done.append(intent)
                    } else {
                        foreign += 1
                    }
                    continue
                }
                switch try complete(intent) {
                case .living: continue
                case .fulfilled: break
                case .completed:
                    lines.append(
                        "\(intent.destination.display): completed an export that was interrupted after it was recorded")
                }
                try archive.drop(intent)
            } catch let error as FileError {
                // It stays for another time: a medium that is not there, a folder of somebody else.
                lines.append("an export that was interrupted after it was recorded is not completed: \(error)")
            } catch {
                try asExportError { throw error }
            }
        }
        let dropped = done
        try asExportError { try archive.drop(dropped) }
        if foreign > 0 { lines.append(refusal(of: foreign)) }
        return lines
    }

    /// Returns the refusal, without any path that somebody else stored.
    private static func refusal(of count: Int) -> String {
        let what = count == 1 ? "a file" : "\(count) files"
        return "the archive gives \(what) another name, not made here for this archive: "
            + (count == 1 ? "it stays as it is" : "they stay as they are")
    }

    /// Returns `true` if an intent names only files that an export of this archive made.
    private static func isOurs(_ intent: PublishIntent, _ owner: UInt64, _ archive: borrowing Archive) throws -> Bool {
        let destination = intent.destination
        guard PendingFile.isTemporary(intent.temporary, of: destination, owner: owner) else { return false }
        // A folder that is not there is for another time; what is said of it is said by `complete`.
        guard try FileStatus.of(destination.directory) != nil else { return true }
        guard try absolute(destination) == destination, !SecretFile.isThere(destination) else { return false }
        let status = try FileStatus.ofName(destination)
        for own in archive.ownFiles {
            if try absolute(own) == destination { return false }
            if let status, let file = try FileStatus.of(own), file.isSameFile(as: status) { return false }
        }
        guard let temporary = try FileStatus.ofName(intent.temporary) else { return true }
        return temporary.isRegular && temporary.isOwn
    }

    /// The state of an intent.
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
        let file = try Descriptor.readingName(intent.temporary)
        guard try file.lock() else { return .living }
        guard try file.status().isSameFile(as: status) else {
            throw FileError("use", intent.temporary, number: FileError.busy)
        }
        let isTaken = try !intent.isReplacing && FileStatus.ofName(intent.destination) != nil
        if isTaken {
            // Either the second name was made already, or somebody else has it now. The record stays; the same
            // export can be written again.
            try remove(intent.temporary)
        } else {
            try rename(intent.temporary, to: intent.destination, replacing: intent.isReplacing)
        }
        try synchronizeDirectory(folder)
        try file.close()
        return isTaken ? .fulfilled : .completed
    }
}
