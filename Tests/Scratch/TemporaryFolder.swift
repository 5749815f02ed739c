public import Files
import Foundation

/// A folder that is removed with everything in it when nobody refers to it any more.
public final class TemporaryFolder: Sendable {
    private let url: URL

    /// Creates an empty folder.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "hp-tests.\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The folder itself.
    public var path: Path { Path(url.path) }

    /// The path of a file in the folder.
    public func path(_ name: String) -> Path { path.appending(Array(name.utf8)) }

    /// Writes a file and returns its path.
    @discardableResult
    public func write(_ bytes: [UInt8], as name: String) throws -> Path {
        try Data(bytes).write(to: url.appending(path: name))
        return path(name)
    }

    /// Copies a fixture into the folder and returns the path of the copy.
    @discardableResult
    public func copy(_ fixture: String, as name: String) throws -> Path { try write(Fixture.bytes(fixture), as: name) }

    /// Makes a symbolic link.
    public func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: url.appending(path: name).path, withDestinationPath: target)
    }

    /// Makes a FIFO that nobody writes to.
    public func fifo(_ name: String) throws {
        _ = try Program.run("mkfifo", [url.appending(path: name).path])
    }

    /// The bytes of a file in the folder.
    public func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url.appending(path: name))) }

    /// The names of the files in the folder, sorted by bytes; those that are not UTF-8 are repaired.
    public func names() throws -> [String] {
        try Files.names(in: path).map { String(decoding: $0, as: UTF8.self) }.filter { $0 != "." && $0 != ".." }.sorted
        { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// All files with their bytes: what must be the same before and after.
    public func contents() throws -> [String: [UInt8]] {
        Dictionary(uniqueKeysWithValues: try names().map { ($0, try bytes($0)) })
    }
}
