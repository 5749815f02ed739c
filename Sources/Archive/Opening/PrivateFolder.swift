internal import Files

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

    /// The lock of a folder of this user; `nil` if another process has it, or the folder is gone or a link.
    private static func lock(_ path: Path) throws(FileError) -> Descriptor? {
        guard let named = try FileStatus.ofName(path), named.isDirectory, named.isOwn else { return nil }
        let lock = try Descriptor.directory(path)
        guard try lock.lock(), try FileStatus.ofName(path)?.isSameFile(as: lock.status()) == true else { return nil }
        return lock
    }

    /// `true` if a process of ours made the folder. One that was killed before its marker was complete left no copy.
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

    /// `true` for the copy, or a file that becomes one, and what SQLite has beside it.
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
