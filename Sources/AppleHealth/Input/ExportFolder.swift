internal import Capture
internal import Files

/// A folder as a phone's zip unpacks to. Its files are found from the open folder on, and no link is followed.
final class ExportFolder {
    private let root: Folder
    private let limits: ZipLimits
    private let shouldStop: @Sendable () -> Bool
    /// The names of each file: those of the folders, and its own.
    private var paths: [[[UInt8]]] = []
    private var found: [ExportMember] = []
    /// Names that are neither a folder nor a regular file.
    private(set) var otherCount = 0

    /// The maximum depth of nested folders.
    private static let depthLimit = 8

    /// Looks through a folder.
    init(_ path: Path, _ limits: ZipLimits, _ shouldStop: @escaping @Sendable () -> Bool) throws(CaptureError) {
        root = try readingSource { () throws(FileError) in try Folder.open(path) }
        self.limits = limits
        self.shouldStop = shouldStop
        try list(root, [])
    }

    /// Its files, in the order of their names.
    var members: [ExportMember] { found }

    private func list(_ folder: borrowing Folder, _ outer: [[UInt8]]) throws(CaptureError) {
        guard outer.count < Self.depthLimit else {
            throw CaptureError(.format, "\(folder.path.display): more than \(Self.depthLimit) folders deep")
        }
        var names = try Self.names(folder)
        names.sort { $0.lexicographicallyPrecedes($1) }
        for name in names {
            if shouldStop() { throw CaptureError(.source, "\(root.path.display): stopped") }
            guard let status = try Self.status(folder, name) else { continue }
            if status.isDirectory {
                try list(Self.folder(folder, name), outer + [name])
            } else if status.isRegular {
                try add(outer + [name], status)
            } else {
                otherCount += 1
            }
        }
    }

    private func add(_ path: [[UInt8]], _ status: FileStatus) throws(CaptureError) {
        guard found.count < limits.files else {
            throw CaptureError(.format, "\(root.path.display): more than \(limits.files) files in this folder")
        }
        let size = UInt64(max(0, status.size))
        found.append(
            ExportMember(
                index: UInt64(found.count), name: Array(path.joined(separator: [UInt8(ascii: "/")])), size: size,
                packedSize: size, problem: nil))
        paths.append(path)
    }

    /// Opens a file for reading.
    func open(_ member: ExportMember) throws(CaptureError) -> ExportInput {
        let path = paths[Int(member.index)]
        return ExportInput(try Self.file(root, path[...]))
    }

    private static func file(_ folder: borrowing Folder, _ path: ArraySlice<[UInt8]>) throws(CaptureError)
        -> Descriptor
    {
        guard path.count > 1 else {
            return try readingSource { () throws(FileError) in try folder.file(path[path.startIndex]) }
        }
        return try file(Self.folder(folder, path[path.startIndex]), path.dropFirst())
    }

    private static func folder(_ folder: borrowing Folder, _ name: [UInt8]) throws(CaptureError) -> Folder {
        try readingSource { () throws(FileError) in try folder.folder(name) }
    }

    private static func names(_ folder: borrowing Folder) throws(CaptureError) -> [[UInt8]] {
        try readingSource { () throws(FileError) in try folder.names() }
    }

    private static func status(_ folder: borrowing Folder, _ name: [UInt8]) throws(CaptureError) -> FileStatus? {
        try readingSource { () throws(FileError) in try folder.status(name) }
    }
}
