internal import Platform

/// An error that may be a closed pipe, which is none for a tool: whoever reads has read enough.
public protocol PipeError: Error {
    /// `true` if the reader of a pipe went away.
    var isBrokenPipe: Bool { get }
}

/// A file operation that the system refused.
public struct FileError: PipeError, Sendable, CustomStringConvertible {
    /// The operation that was tried, as it reads in a sentence: `write`, `open`, `rename`.
    public let operation: String
    /// The file.
    public let path: Path
    /// The system's error number.
    public let number: Int32

    /// Creates an error from the system's `errno`.
    public init(_ operation: String, _ path: Path) {
        self.init(operation, path, number: errno)
    }

    /// The system's number for data that is not there although it should be.
    public static let inputOutput = EIO
    /// The system's number for something that cannot be used that way.
    public static let invalid = EINVAL
    /// The system's number for something that was in use just now.
    public static let busy = EAGAIN

    /// Creates an error with a number.
    public init(_ operation: String, _ path: Path, number: Int32) {
        self.operation = operation
        self.path = path
        self.number = number
    }

    /// One line: the file, what was tried, why not.
    public var description: String { "\(path.display): cannot \(operation): \(reason)" }

    /// The system's own words for the error number.
    public var reason: String {
        var buffer = [CChar](repeating: 0, count: 256)
        let count = buffer.count
        guard unsafe strerror_r(number, &buffer, count) == 0 else { return "error \(number)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).lowercased()
    }

    public var isBrokenPipe: Bool { number == EPIPE }
    /// `true` if the file was not there.
    public var isMissing: Bool { number == ENOENT }
    /// `true` if no file can have the name.
    public var isNameTooLong: Bool { number == ENAMETOOLONG }
    /// `true` if the file was there already.
    public var isExisting: Bool { number == EEXIST }
}

/// Repeats a system call that a signal interrupted, and turns −1 into an error.
func checked(_ operation: String, _ path: Path, _ call: () -> Int) throws(FileError) -> Int {
    while true {
        let result = call()
        if result >= 0 { return result }
        if errno != EINTR { throw FileError(operation, path) }
    }
}

/// An error that may say what the user can do about it.
public protocol HintedError: Error, CustomStringConvertible {
    /// The advice, as one line; `nil` if there is none.
    var hint: String? { get }
}
