/// Files as the tools need them: bytes in, bytes out, every error reported with the file's name.
///
/// | type | what it is |
/// |---|---|
/// | `Path` | a name, as bytes |
/// | `Descriptor` | an open file with one owner |
/// | `Folder` | an open folder, and what is below it |
/// | `PendingFile` | a file that appears under its name complete, or not at all |
/// | `FileStatus` | what the system says of a file |
/// | `FileError` | what the system refused |
///
/// Nothing here knows what the bytes mean.
internal import Platform

/// Gives a file another name. Without `replacing`, an existing file is left alone and the call fails with "file
/// exists".
///
/// `rename(2)` replaces. Where the system has a call that does not, that is used. `link(2)` does not replace either, so
/// elsewhere a second name is made and the first removed; a crash between the two leaves one file with both names.
/// Where a file system has no links, the name is looked up first, and a file that appears in that instant is replaced.
public func rename(_ old: Path, to new: Path, replacing: Bool) throws(FileError) {
    if !replacing {
        let renamed = unsafe old.withCString { from in
            unsafe new.withCString { to in unsafe renameExclusively(from, to) }
        }
        if let renamed {
            guard renamed == 0 else { throw FileError("create", new) }
            return
        }
        let result = unsafe old.withCString { from in unsafe new.withCString { to in unsafe link(from, to) } }
        if result == 0 { return try remove(old) }
        guard [EPERM, ENOTSUP, EMLINK, ENOSYS].contains(errno), !FileStatus.exists(new) else {
            throw FileError("create", new)
        }
    }
    _ = try checked("rename", new) {
        unsafe old.withCString { from in unsafe new.withCString { to in Int(unsafe Platform.rename(from, to)) } }
    }
}

/// Removes a file's name. A file that is not there is no error.
public func remove(_ path: Path) throws(FileError) {
    let result = unsafe path.withCString { name in unsafe unlink(name) }
    if result != 0, errno != ENOENT { throw FileError("remove", path) }
}

/// Waits until a folder's entries are on the medium, so that a new or renamed file survives a power loss.
public func synchronizeDirectory(_ path: Path) throws(FileError) {
    try Descriptor.directory(path).synchronize()
}

/// Returns the absolute form of a path, links in its folder resolved; the last component need not exist.
public func absolute(_ path: Path) throws(FileError) -> Path {
    guard let folder = realPath(path.directory) else { throw FileError("find the folder of", path) }
    return Path(bytes: folder).appending(path.name)
}

/// Returns the file that a name leads to, all links followed; the name itself if nothing is there.
public func resolved(_ path: Path) throws(FileError) -> Path {
    guard try FileStatus.of(path) != nil, let bytes = realPath(path) else { return path }
    return Path(bytes: bytes)
}

private func realPath(_ path: Path) -> [UInt8]? {
    unsafe path.withCString { name in
        guard let resolved = unsafe realpath(name, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe Array(UnsafeBufferPointer(start: resolved, count: strlen(resolved))).map { UInt8(bitPattern: $0) }
    }
}

/// Returns the names in a folder, in no particular order.
public func names(in folder: Path) throws(FileError) -> [[UInt8]] {
    guard let stream = unsafe folder.withCString({ name in unsafe opendir(name) }) else {
        throw FileError("read", folder)
    }
    defer { unsafe closedir(stream) }
    var found: [[UInt8]] = []
    while let entry = unsafe readdir(stream) {
        found.append(unsafe entryName(entry))
    }
    return found
}

/// Returns the name of an entry of a folder.
func entryName(_ entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: UInt8.self, capacity: 256) {
            unsafe Array(
                UnsafeBufferPointer(
                    start: $0, count: strnlen(UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self), 256)))
        }
    }
}

/// Makes a folder of a new name, beginning with `prefix`, that only its owner can use (`mkdtemp(3)`).
///
/// - Parameter operation: what it is made for, for the error.
public func makeFolder(in parent: Path, prefix: [UInt8], for operation: String) throws(FileError) -> Path {
    var template = parent.appending(prefix + Array("XXXXXX".utf8)).bytes.map { CChar(bitPattern: $0) } + [0]
    guard unsafe mkdtemp(&template) != nil else { throw FileError(operation, parent) }
    return Path(bytes: template.dropLast().map { UInt8(bitPattern: $0) })
}

/// Makes a folder where there is none of its name.
public func makeFolder(_ path: Path) throws(FileError) {
    let result = unsafe path.withCString { name in unsafe mkdir(name, 0o777) }
    guard result != 0 else { return }
    let error = FileError("create", path)
    guard errno == EEXIST, try FileStatus.of(path)?.isDirectory == true else { throw error }
}

/// Removes an empty folder; what cannot be removed stays.
public func removeFolder(_ path: Path) {
    _ = unsafe path.withCString { name in unsafe rmdir(name) }
}

/// Returns `true` if this process may write a file or a folder.
public func isWritable(_ path: Path) -> Bool {
    unsafe path.withCString { name in unsafe access(name, W_OK) } == 0
}
