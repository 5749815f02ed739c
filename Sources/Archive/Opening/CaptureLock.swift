public import Files

/// Keeps two captures from writing to one archive at once: each page is a transaction of its own, and an
/// observation is many pages.
///
/// A file beside the archive, locked while the capture lives (`flock(2)`) and removed at its end. One that a dead
/// process left locks nobody out.
public struct CaptureLock: ~Copyable {
    private let path: Path
    private let file: Descriptor

    /// Takes the lock, and waits for it as `wait` says.
    public static func take(for archive: Path, _ wait: LockWait) throws(ArchiveError) -> CaptureLock {
        let (step, path) = (0.02, try place(of: archive))
        var attempts = 0
        while true {
            do throws(FileError) {
                let file = try Descriptor.lockFile(path)
                // Whoever had it may have removed the name meanwhile.
                if try file.lock(), let named = try FileStatus.ofName(path), try named.isSameFile(as: file.status()) {
                    return CaptureLock(path: path, file: file)
                }
            } catch {
                throw ArchiveError(.storage, error.description)
            }
            guard Double(attempts) * step < wait.seconds, !wait.shouldStop() else { throw taken(archive) }
            attempts += 1
            if attempts == Int(1 / step) { wait.onWait() }
            SystemClock.wait(seconds: step)
        }
    }

    /// Waits until nobody captures into an archive, and creates nothing beside it.
    public static func waitUntilFree(_ archive: Path, _ wait: LockWait) throws(ArchiveError) {
        let (step, path) = (0.02, try place(of: archive))
        var attempts = 0
        while try !isFree(path) {
            guard Double(attempts) * step < wait.seconds, !wait.shouldStop() else { throw taken(archive) }
            attempts += 1
            if attempts == Int(1 / step) { wait.onWait() }
            SystemClock.wait(seconds: step)
        }
    }

    private static func isFree(_ path: Path) throws(ArchiveError) -> Bool {
        do throws(FileError) {
            guard try FileStatus.ofName(path) != nil else { return true }
            return try Descriptor.readingName(path).lock()
        } catch {
            if error.isMissing { return true }
            throw ArchiveError(.storage, error.description)
        }
    }

    /// Returns the place of the lock; two names of one archive lead to one lock.
    private static func place(of archive: Path) throws(ArchiveError) -> Path {
        do throws(FileError) {
            return Archive.lockPath(of: try resolved(archive))
        } catch {
            throw ArchiveError(.storage, error.description)
        }
    }

    private static func taken(_ archive: Path) -> ArchiveError {
        ArchiveError(
            .locked, "\(archive.display): another capture is running", hint: "wait longer with --wait SECONDS")
    }

    private init(path: Path, file: consuming Descriptor) {
        self.path = path
        self.file = file
    }

    deinit { try? remove(path) }
}
