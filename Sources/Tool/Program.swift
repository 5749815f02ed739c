internal import CProcess
public import Files

/// Another program, which is run and waited for. Only a command that declares `runsPrograms` can do that.
public enum Program {
    /// The result of the program.
    public struct Result: Sendable {
        /// Its exit status, or 128 + the signal that ended it.
        public let status: Int32
        /// The bytes that it wrote to standard output.
        public let output: [UInt8]
    }

    /// The most bytes of output.
    private static let outputLimit = 65_536

    /// Runs a program.
    ///
    /// - Parameters:
    ///   - words: its name, looked for in `PATH` if it has no slash, and its arguments.
    ///   - input: what it reads from standard input, at most 4,096 bytes.
    /// - Throws: `FileError` if it cannot be run, or writes more than `outputLimit`.
    public static func run(_ words: [[UInt8]], input: [UInt8]) throws(FileError) -> Result {
        precondition(input.count <= 4096, "input must fit into a pipe")
        // A NUL ends a word, as it does for the system.
        let texts = words.flatMap { $0.prefix { $0 != 0 } + [0] }
        var output = [UInt8](repeating: 0, count: outputLimit)
        var size = 0
        let status = unsafe hp_run_program(
            texts, Int32(words.count), input, input.count, &output, outputLimit, &size)
        guard status >= 0 else { throw FileError("run", Path(bytes: words[0]), number: -status) }
        return Result(status: status, output: Array(output.prefix(size)))
    }

    /// Returns the name of a tool of the same installation: next to this program, else the one in `PATH`.
    public static func sibling(_ name: String) -> Path {
        guard let own = try? resolved(Path("/proc/self/exe")) else { return Path(name) }
        let path = own.directory.appending(Array(name.utf8))
        return FileStatus.exists(path) ? path : Path(name)
    }
}
