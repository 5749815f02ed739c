package import Files

/// A copy of an archive with its log or journal, in a folder that only its owner can read.
///
/// SQLite folds a `-wal` or a hot journal into the main file when it opens a database, and `immutable` ignores both
/// without a word. So where there is one, reading without touching the evidence means reading a copy. The
/// shared-memory file is not copied: it is an index that SQLite builds anew.
///
/// Health records must not lie about: what a killed process left is removed when the next archive is opened.
package struct PrivateCopy: ~Copyable {
    /// The copied main file.
    package let path: Path
    /// The status of main file, log and journal when they were copied.
    let source: [FileStatus?]
    private let folder: PrivateFolder

    /// Makes a copy of one moment. If the main file or the beginning of the log changes meanwhile, the copy is made
    /// again, some times or as long as `wait` says. A log may grow: SQLite uses it up to the last transaction that is
    /// whole.
    ///
    /// Only regular files are copied, none through a link, and of each as many bytes as it had when it was opened, but
    /// no holes: the copy never takes more space than main file, log and journal did then. Where the folder has no room
    /// for them, it is not begun.
    ///
    /// - Parameters:
    ///   - facts: what was seen of the archive; another file under its name is refused.
    ///   - path: what errors call the archive.
    static func make(
        of archive: Path, _ facts: ArchiveFile.Facts, named path: Path, _ wait: LockWait
    ) throws(ArchiveError) -> PrivateCopy {
        var attempts = 0
        while true {
            let before = try settled(archive)
            if let copy = try attempt(archive, facts, before, named: path, wait) { return copy }
            attempts += 1
            guard attempts < mostAttempts, Double(attempts) * moment < wait.seconds, !wait.shouldStop() else {
                throw changed(path)
            }
            SystemClock.wait(seconds: moment)
        }
    }

    /// Copies that are made until one is of one moment.
    private static let mostAttempts = 50
    /// The seconds after which a second write has a later time: a file system may take times from a clock that ticks.
    private static let moment = 0.02

    /// Returns main file, log and journal as they are, if possible a moment after the last write to the main file.
    private static func settled(_ archive: Path) throws(ArchiveError) -> [FileStatus?] {
        for _ in 0..<16 {
            let found = try statuses(of: archive)
            guard let modified = found[0]?.modified else { return found }
            let age = SystemClock.now() - Double(modified.seconds) - Double(modified.nanoseconds) / 1e9
            guard (0..<moment).contains(age) else { return found }
            SystemClock.wait(seconds: moment / 4)
        }
        return try statuses(of: archive)
    }

    /// Returns main file, log and journal of an archive; `nil` for one that is not there.
    static func statuses(of archive: Path) throws(ArchiveError) -> [FileStatus?] {
        var found: [FileStatus?] = []
        for suffix in [""] + Companions.pending {
            found.append(
                try ArchiveError.wrapping { () throws(FileError) in try FileStatus.ofName(archive.withSuffix(suffix)) })
        }
        return found
    }

    /// Makes a copy; `nil` if the archive changed meanwhile so that it is not of one moment.
    private static func attempt(
        _ archive: Path, _ facts: ArchiveFile.Facts, _ before: [FileStatus?], named path: Path, _ wait: LockWait
    ) throws(ArchiveError) -> PrivateCopy? {
        let main = try source(archive, "", named: path)
        guard let main, main.status.isSameFile(as: facts.status) else {
            throw ArchiveError(.storage, "\(path.display): the archive was moved away or replaced")
        }
        let log = try source(archive, "-wal", named: path)
        let journal = try source(archive, "-journal", named: path)
        let beginning = try log?.beginning()
        let parent = Path.temporaryFolder
        var needed: UInt64 = 0
        for source in [main, log, journal].compactMap({ $0 }) { needed += try source.dataSize(wait) }
        if let free = parent.freeSpace, free < needed {
            throw ArchiveError(
                .storage,
                "\(path.display): no space left for a private copy in \(parent.display): \(needed) bytes",
                hint: "TMPDIR names another folder for temporary files")
        }
        let copy = try ArchiveError.storing { () throws(FileError) in try empty(in: parent, copying: before) }
        let output = try main.copy(to: copy.path, wait)
        // A hole at the end of the main file is pages; at the end of the others it is what stands behind their end.
        try ArchiveError.storing { () throws(FileError) in try output.resize(to: main.status.size) }
        _ = try log?.copy(to: copy.path.withSuffix("-wal"), wait)
        _ = try journal?.copy(to: copy.path.withSuffix("-journal"), wait)
        // A checkpoint writes to the main file; after it, the log begins anew with other salts.
        let (after, beginningAfter) = (try statuses(of: archive), try log?.beginning())
        guard after[0] == before[0], beginningAfter == beginning else { return nil }
        return copy
    }

    /// Makes a copy of an archive that nobody wrote to meanwhile: of one moment, so that it can be written to.
    package static func makeStill(
        of archive: Path, _ facts: ArchiveFile.Facts, named path: Path, _ wait: LockWait
    ) throws(ArchiveError) -> PrivateCopy {
        let copy = try make(of: archive, facts, named: path, wait)
        guard try statuses(of: archive) == copy.source else { throw changed(path) }
        return copy
    }

    /// Returns a folder in which a database may begin, at `path`.
    package static func scratch() throws(ArchiveError) -> PrivateCopy {
        removeAbandoned()
        return try ArchiveError.storing { () throws(FileError) in try empty(in: .temporaryFolder) }
    }

    private static func changed(_ path: Path) -> ArchiveError {
        ArchiveError(.storage, "\(path.display): the archive was changed while it was copied", hint: "run it again")
    }

    /// A file that is copied, open, and what it was then.
    private final class Source {
        let file: Descriptor
        let status: FileStatus
        /// The archive's name in errors.
        let name: Path

        init(file: consuming Descriptor, status: FileStatus, name: Path) {
            self.file = file
            self.status = status
            self.name = name
        }

        /// Returns the number of bytes that are not holes. They take space, so their sum is a number.
        func dataSize(_ wait: LockWait) throws(ArchiveError) -> UInt64 {
            var sum: UInt64 = 0
            var next = try data(from: 0, wait)
            while let range = next {
                sum += UInt64(range.count)
                next = try data(from: range.upperBound, wait)
            }
            return sum
        }

        /// Returns the header of a log, which changes when the log is used anew.
        func beginning() throws(ArchiveError) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: 32)
            let count = try ArchiveError.wrapping { () throws(FileError) in
                try file.read(into: &bytes, at: 0, count: bytes.count)
            }
            return Array(bytes.prefix(count))
        }

        /// Copies what is no hole, to the same place of a new file.
        func copy(to target: Path, _ wait: LockWait) throws(ArchiveError) -> Descriptor {
            let output = try ArchiveError.storing { () throws(FileError) in try Descriptor.creating(target) }
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            var next = try data(from: 0, wait)
            while let range = next {
                let wanted = min(buffer.count, range.count)
                let count = try ArchiveError.wrapping { () throws(FileError) in
                    try file.read(into: &buffer, at: range.lowerBound, count: wanted)
                }
                guard count == wanted else { throw PrivateCopy.changed(name) }
                try ArchiveError.storing { () throws(FileError) in
                    try output.write(buffer.span.extracting(first: count), at: range.lowerBound)
                }
                next = try data(from: range.lowerBound + Int64(count), wait)
            }
            return output
        }

        private func data(from offset: Int64, _ wait: LockWait) throws(ArchiveError) -> Range<Int64>? {
            guard !wait.shouldStop() else { throw ArchiveError(.interrupted, "\(name.display): interrupted") }
            return try ArchiveError.wrapping { () throws(FileError) in
                try file.data(from: offset, below: status.size)
            }
        }
    }

    /// Returns a file of an archive; `nil` if there is none.
    private static func source(_ archive: Path, _ suffix: String, named path: Path) throws(ArchiveError) -> Source? {
        let place = archive.withSuffix(suffix)
        do throws(FileError) {
            guard FileStatus.exists(place) else { return nil }
            let file = try Descriptor.readingName(place)
            let status = try file.status()
            if status.isRegular { return Source(file: file, status: status, name: path) }
            throw FileError("copy", place, number: FileError.invalid)
        } catch {
            if error.isMissing { return nil }
            throw ArchiveError(.unreadable, error.description)
        }
    }

    private init(folder: consuming PrivateFolder, copying source: [FileStatus?]) {
        path = folder.path.appending(PrivateFolder.mainFile)
        self.source = source
        self.folder = folder
    }

    /// Returns a new folder with its lock.
    private static func empty(in parent: Path, copying source: [FileStatus?] = []) throws(FileError) -> PrivateCopy {
        PrivateCopy(folder: try PrivateFolder.make(in: parent), copying: source)
    }

    /// Removes what dead processes left. Whoever opens an archive does it.
    package static func removeAbandoned() { PrivateFolder.removeAbandoned(in: .temporaryFolder) }
}

/// A folder of ours for a private copy, in the folder for temporary files. Dropping it removes it.
///
///     hp-archive.XXXXXX/                 only its owner can use it; locked while its process lives
///         healthprobe-private-copy       the marker: made first, removed last
///         archive.sqlite                 the copy, and what SQLite and a pending file have beside it
///
/// A folder of the same name that somebody else made has no marker, and stays as it is. In a folder with a marker, only
/// regular files with our names are removed.
struct PrivateFolder: ~Copyable {
    /// The path of the folder.
    let path: Path
    private let lock: Descriptor

    /// The name of the copied main file.
    static let mainFile = Array("archive.sqlite".utf8)
    private static let prefix = Array("hp-archive.".utf8)
    private static let marker = Array("healthprobe-private-copy".utf8)
    private static let markerText = Array("A tool of HealthProbe made this folder and removes it.\n".utf8)
    private static let suffixes = ["", "-wal", "-shm", "-journal"].map { Array($0.utf8) }

    private init(path: Path, lock: consuming Descriptor) {
        self.path = path
        self.lock = lock
    }

    deinit { Self.remove(path) }

    /// Makes a folder of a new name, with its lock and its marker.
    static func make(in parent: Path) throws(FileError) -> PrivateFolder {
        while true {
            let path = try makeFolder(in: parent, prefix: prefix, for: "create a private copy in")
            // Another process that cleans up may hold the lock for a moment; then there is another folder.
            guard let lock = try lock(path) else { continue }
            do throws(FileError) {
                try Descriptor.creating(path.appending(marker)).write(markerText.span)
            } catch {
                try? Files.remove(path.appending(marker))
                removeFolder(path)
                throw error
            }
            return PrivateFolder(path: path, lock: lock)
        }
    }

    /// Removes what dead processes left: their copies hold health records.
    static func removeAbandoned(in parent: Path) {
        guard let names = try? names(in: parent) else { return }
        for name in names where name.count == prefix.count + 6 && name.starts(with: prefix) {
            let path = parent.appending(name)
            // What cannot be looked at belongs to somebody else, or is gone.
            guard let lock = try? lock(path), hasMarker(path) else { continue }
            remove(path)
            try? lock.close()
        }
    }

    /// Returns the lock of a folder of this user; `nil` if another process has it, or the folder is gone or a link.
    private static func lock(_ path: Path) throws(FileError) -> Descriptor? {
        guard let named = try FileStatus.ofName(path), named.isDirectory, named.isOwn else { return nil }
        let lock = try Descriptor.directory(path)
        guard try lock.lock(), try FileStatus.ofName(path)?.isSameFile(as: lock.status()) == true else { return nil }
        return lock
    }

    /// Returns `true` if a process of ours made the folder. One that was killed before its marker was complete left no
    /// copy.
    private static func hasMarker(_ path: Path) -> Bool {
        let file = path.appending(marker)
        guard let status = try? FileStatus.ofName(file), status.isRegular, status.isOwn, status.nameCount == 1,
            let descriptor = try? Descriptor.readingName(file)
        else { return false }
        var bytes = [UInt8](repeating: 0, count: markerText.count + 1)
        let size = bytes.count
        guard let count = try? descriptor.read(into: &bytes, at: 0, count: size) else { return false }
        return bytes.prefix(count).elementsEqual(markerText)
    }

    /// Returns `true` for the copy, or a file that becomes one, and what SQLite has beside it.
    private static func isOurs(_ name: [UInt8], in path: Path) -> Bool {
        guard let status = try? FileStatus.ofName(path.appending(name)), status.isRegular, status.isOwn else {
            return false
        }
        let copy = path.appending(mainFile)
        return suffixes.contains { suffix in
            guard name.suffix(suffix.count).elementsEqual(suffix) else { return false }
            let file = path.appending(Array(name.dropLast(suffix.count)))
            return file == copy || PendingFile.isTemporary(file, of: copy)
        }
    }

    /// Removes our files, the marker last, and the folder if nothing else is in it.
    private static func remove(_ path: Path) {
        for name in (try? names(in: path)) ?? [] where isOurs(name, in: path) {
            try? Files.remove(path.appending(name))
        }
        let others = (try? names(in: path))?.filter { !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }
        // As long as anything is there, the marker stays: an interrupted removal continues at the next start.
        guard others?.allSatisfy({ $0 == marker }) == true else { return }
        try? Files.remove(path.appending(marker))
        removeFolder(path)
    }
}
