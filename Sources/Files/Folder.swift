internal import Platform

/// A folder that is open: what is in it is found from here, one name at a time, and no name leads out of it.
///
/// A name is one component. A symbolic link is never followed, so that a chain of folders stays below the first.
public struct Folder: ~Copyable {
    private let descriptor: Descriptor

    private init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    /// Opens the folder that a path leads to, links followed: whoever calls names it.
    public static func open(_ path: Path) throws(FileError) -> Folder { Folder(try Descriptor.directory(path)) }

    /// The path of the folder when it was opened.
    public var path: Path { descriptor.path }

    /// Opens a folder in this one.
    public func folder(_ name: [UInt8]) throws(FileError) -> Folder {
        Folder(try opened(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW))
    }

    /// Opens a file in this folder for reading. What is no regular file is refused, and never waited for.
    public func file(_ name: [UInt8]) throws(FileError) -> Descriptor {
        let file = try opened(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
        guard try file.status().isRegular else { throw FileError("open", file.path, number: FileError.invalid) }
        return file
    }

    /// Returns the status of a name in this folder, of a link itself; `nil` if there is none.
    public func status(_ name: [UInt8]) throws(FileError) -> FileStatus? {
        let place = path.appending(name)
        guard Self.isComponent(name) else { throw FileError("examine", place, number: FileError.invalid) }
        var raw = stat()
        let result = unsafe Path(bytes: name).withCString { text in
            unsafe fstatat(descriptor.number, text, &raw, AT_SYMLINK_NOFOLLOW)
        }
        if result == 0 { return FileStatus(raw) }
        guard errno == ENOENT else { throw FileError("examine", place) }
        return nil
    }

    /// Returns the names in it but `.` and `..`, in no particular order.
    public func names() throws(FileError) -> [[UInt8]] {
        // A descriptor of its own, because reading moves its place and the stream closes it.
        let number = try checked("read", path) {
            unsafe Path(".").withCString { name in Int(unsafe openat(descriptor.number, name, Self.listing)) }
        }
        guard let stream = unsafe fdopendir(Int32(number)) else {
            Descriptor.close(relinquished: Int32(number))
            throw FileError("read", path)
        }
        defer { unsafe closedir(stream) }
        var found: [[UInt8]] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe entryName(entry)
            if Self.isComponent(name) { found.append(name) }
        }
        return found
    }

    private static let listing = O_RDONLY | O_DIRECTORY | O_CLOEXEC

    private func opened(_ name: [UInt8], _ flags: Int32) throws(FileError) -> Descriptor {
        let place = path.appending(name)
        guard Self.isComponent(name) else { throw FileError("open", place, number: FileError.invalid) }
        let number = try checked("open", place) {
            unsafe Path(bytes: name).withCString { text in Int(unsafe openat(descriptor.number, text, flags)) }
        }
        return Descriptor(owning: Int32(number), path: place)
    }

    /// Returns `true` if a name is that of something in a folder.
    private static func isComponent(_ name: [UInt8]) -> Bool {
        !name.isEmpty && !name.contains(UInt8(ascii: "/")) && !name.contains(0) && !name.elementsEqual(".".utf8)
            && !name.elementsEqual("..".utf8)
    }
}
