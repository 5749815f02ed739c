internal import Files
internal import Platform

/// What both command-line tools share: how they speak, read their arguments, stop, and end.
///
/// | type | what it settles |
/// |---|---|
/// | `Voice`, `StandardError`, `StandardOutput` | the voice, and that every byte of a result arrives |
/// | `Arguments`, `UsageError` | options, flags, operands |
/// | `Signals`, `ExitStatus` | stopping and ending |
/// | `Progress` | how far a long task is |
public struct Tool: Sendable {
    /// One thing that a tool does.
    public struct Command: Sendable {
        /// Its name on the command line.
        public let name: String
        /// Usage, options, an example, exit status.
        public let help: String
        /// Does it. What is thrown becomes one line on standard error and the status 2.
        public let run: @Sendable (_ arguments: [[UInt8]], _ voice: Voice) async throws -> ExitStatus

        /// A command.
        public init(
            name: String, help: String,
            run: @escaping @Sendable (_ arguments: [[UInt8]], _ voice: Voice) async throws -> ExitStatus
        ) {
            self.name = name
            self.help = help
            self.run = run
        }
    }

    /// The tool's name.
    public let name: String
    /// Its version.
    public let version: String
    /// The text of `--help`.
    public let help: String
    /// What it does.
    public let commands: [Command]

    /// A tool.
    public init(name: String, version: String, help: String, commands: [Command]) {
        self.name = name
        self.version = version
        self.help = help
        self.commands = commands
    }

    /// Runs the process's command and ends the process.
    ///
    /// Not asynchronous itself: then the concurrency runtime would be at work, and open files of its own, before
    /// anything could be looked at.
    public func main(errorText: @escaping @Sendable (any Error) -> (text: String, hint: String?)?) -> Never {
        ProcessPrivacy.begin()
        Signals.listen()
        let voice = Voice(tool: name)
        if let problem = OpenFiles.problem() {
            voice.error(problem)
            ExitStatus.failed.exit()
        }
        Task.detached { await status(voice, errorText).exit() }
        while true { pause() }
    }

    private func status(_ voice: Voice, _ errorText: (any Error) -> (text: String, hint: String?)?) async -> ExitStatus
    {
        do {
            return try await run(Arguments.ofProcess(), voice)
        } catch {
            return Self.status(of: error, voice, errorText)
        }
    }

    private func run(_ arguments: [[UInt8]], _ voice: Voice) async throws -> ExitStatus {
        guard let first = arguments.first else { throw UsageError("a command is missing") }
        let name = String(decoding: first, as: UTF8.self)
        switch name {
        case "help" where arguments.count > 1: return try say(command(arguments[1]).help)
        case "--help", "-h", "help": return try say(help)
        case "--version": return try say("\(self.name) \(version)\n")
        default: break
        }
        let command = try command(first)
        let rest = Array(arguments.dropFirst())
        if rest.contains(where: { $0 == Array("--help".utf8) || $0 == Array("-h".utf8) }) {
            return try say(command.help)
        }
        return try await command.run(rest, voice)
    }

    private func command(_ word: [UInt8]) throws(UsageError) -> Command {
        guard let command = commands.first(where: { word.elementsEqual($0.name.utf8) }) else {
            throw UsageError("unknown command \(Path(bytes: word).display)")
        }
        return command
    }

    private func say(_ text: String) throws -> ExitStatus {
        var output = try StandardOutput()
        try output.write(text)
        try output.flush()
        return .good
    }

    /// Says what went wrong. A closed pipe is no error: whoever reads has read enough.
    private static func status(
        of error: any Error, _ voice: Voice, _ errorText: (any Error) -> (text: String, hint: String?)?
    ) -> ExitStatus {
        if let signal = Signals.first { return .stopped(by: signal) }
        if let error = error as? any PipeError, error.isBrokenPipe { return .good }
        if let error = error as? UsageError {
            voice.error(error.description, hint: error.hint ?? "see \(voice.tool) --help")
        } else if let known = errorText(error) {
            voice.error(known.text, hint: known.hint)
        } else {
            voice.error("\(error)")
        }
        return .failed
    }
}
