/// Why a file must not be written where it was asked for.
public enum OutputError: HintedError, Sendable {
    /// The place takes no file.
    case place(Path, String)
    /// There is one already.
    case exists(Path)
    /// The path is no file, nor a link to one: a FIFO, a socket, a device.
    case isSpecial(Path, kind: String)
    /// It is a file that is read.
    case isInput(Path)

    /// One line: the file, and why not.
    public var description: String {
        switch self {
        case .place(let path, let why): "\(path.display): \(why)"
        case .exists(let path): "\(path.display): the file exists"
        case .isSpecial(let path, let kind): "\(path.display): \(kind), not a regular file"
        case .isInput(let path): "\(path.display): the output is the archive, the input or a file that belongs to it"
        }
    }

    /// A hint of what the user may do about it.
    public var hint: String? {
        if case .exists = self { "use --force to replace it" } else { nil }
    }
}

/// Returns the absolute form of a path that a file may be written to.
///
/// - Parameters:
///   - replacing: whether a file of that name may be there.
///   - inputs: files that it must not be, by name or by another name of the same file.
/// - Throws: `OutputError`; `FileError` where the system cannot say, or cannot have such a name.
public func outputPath(_ destination: Path, replacing: Bool, apart inputs: [Path]) throws -> Path {
    guard !destination.name.isEmpty, destination.name != Array(".".utf8), destination.name != Array("..".utf8) else {
        throw OutputError.place(destination, "is a folder, not a file name")
    }
    guard let folder = try FileStatus.of(destination.directory) else {
        throw OutputError.place(destination, "the folder \(destination.directory.display) does not exist")
    }
    guard folder.isDirectory else {
        throw OutputError.place(
            destination,
            "\(destination.directory.display) is not a folder")
    }
    let path = try absolute(destination)
    // A file that took the place of /dev/stdout would be every program's.
    let systemFolders = ["/dev", "/dev/fd", "/proc"].map { Array($0.utf8) }
    guard !systemFolders.contains(path.directory.bytes) else {
        throw OutputError.isSpecial(destination, kind: "a name of the system")
    }
    // A name that the system cannot have shows here, before anything is written.
    let output = try FileStatus.of(path)
    for input in inputs {
        if try absolute(input) == path { throw OutputError.isInput(destination) }
        if let output, let other = try? FileStatus.of(input), other.isSameFile(as: output) {
            throw OutputError.isInput(destination)
        }
    }
    if let output {
        if output.isDirectory { throw OutputError.place(destination, "is a folder") }
        // Nobody who names a device wants a file in its place, whether it may be replaced or not.
        if !output.isRegular { throw OutputError.isSpecial(destination, kind: output.kind) }
    }
    if !replacing, FileStatus.exists(path) { throw OutputError.exists(destination) }
    return path
}
