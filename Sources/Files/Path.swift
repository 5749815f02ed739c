/// The name of a file: bytes, as the system has them. Not every name is UTF-8.
public struct Path: Sendable, Hashable {
    /// The bytes of the name, without the terminating NUL.
    public let bytes: [UInt8]

    /// Creates a path from its bytes. A NUL ends it, as it does for the system.
    public init(bytes: [UInt8]) {
        self.bytes = Array(bytes.prefix { $0 != 0 })
    }

    /// Creates a path from text.
    public init(_ text: String) {
        self.init(bytes: Array(text.utf8))
    }

    /// The folder that holds the file, `.` where the name has none.
    public var directory: Path {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return Path(".") }
        return slash == 0 ? Path("/") : Path(bytes: Array(bytes[..<slash]))
    }

    /// The last component.
    public var name: [UInt8] {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return bytes }
        return Array(bytes[(slash + 1)...])
    }

    /// Returns a file in this folder.
    public func appending(_ name: [UInt8]) -> Path {
        Path(bytes: bytes + (bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name)
    }

    /// Returns the same path with bytes at its end.
    public func withSuffix(_ suffix: String) -> Path {
        Path(bytes: bytes + Array(suffix.utf8))
    }

    /// The name for people. Control characters and bytes that are not UTF-8 are escaped, and it is cut at 300 bytes, so
    /// that no name can draw on a terminal or forge a line.
    public var display: String { printable(bytes, limit: 300) }

    /// Calls `body` with the NUL-terminated name.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let name = bytes.map { CChar(bitPattern: $0) } + [0]
        return unsafe name.withUnsafeBufferPointer { buffer in unsafe body(buffer.baseAddress!) }
    }
}
