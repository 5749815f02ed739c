import Files
internal import Pipeline
internal import Platform

extension Tool {
    /// What it does, with what every tool does.
    public var commands: [Command] { ownCommands + [helpCommand, manualCommand, completionsCommand] }

    /// Runs the process's command and ends the process.
    ///
    /// Not asynchronous itself: the sandbox must be there before the first thread.
    public func main(errorText: @escaping @Sendable (any Error) -> (text: String, hint: String?)?) -> Never {
        ProcessPrivacy.begin()
        ProcessMemory.begin()
        Signals.listen()
        let voice = Voice(tool: name)
        if let problem = OpenFiles.problem() {
            voice.error(problem)
            ExitStatus.failed.exit()
        }
        do {
            switch try call(Arguments.ofProcess()) {
            case .text(let text):
                try say(text(Sandbox.enter(.files(Sandbox.NamedFiles()), libraryFolders: libraryFolders))).exit()
            case .command(let command, let arguments):
                Sandbox.enter(command.reach(of: arguments), libraryFolders: libraryFolders)
                Task.detached(executorPreference: Workers.shared) {
                    do {
                        try await command.run(arguments, voice).exit()
                    } catch {
                        Self.status(of: error, voice, errorText).exit()
                    }
                }
            }
        } catch {
            Self.status(of: error, voice, errorText).exit()
        }
        while true { pause() }
    }

    /// What the arguments ask for.
    private enum Call {
        /// A text about the tool.
        case text((Sandbox) -> String)
        case command(Command, Arguments)
    }

    private func call(_ arguments: [[UInt8]]) throws(UsageError) -> Call {
        guard let first = arguments.first else { throw UsageError("a command is missing") }
        switch String(decoding: first, as: UTF8.self) {
        case "--help", "-h": return .text { _ in HelpText(self).text }
        case "--version":
            let flags = try Arguments(arguments.dropFirst(), options: [Option("--json", "print one JSON object")])
            guard flags.operands.isEmpty else { throw UsageError("--version accepts --json and nothing else") }
            return .text { flags.has("--json") ? VersionText.json(self, $0) : VersionText.text(self) }
        default: break
        }
        let command = try command(first)
        let rest = Array(arguments.dropFirst())
        if rest.contains(where: { $0 == Array("--help".utf8) || $0 == Array("-h".utf8) }) {
            return .text { _ in HelpText(command, of: name).text }
        }
        var parsed = try Arguments(rest, options: command.options)
        try parsed.addArchive(of: command)
        return .command(command, parsed)
    }

    /// The command of a name.
    func command(_ word: [UInt8]) throws(UsageError) -> Command {
        let commands = commands
        if let command = commands.first(where: { word.elementsEqual($0.name.utf8) }) { return command }
        let isOption = word.first == UInt8(ascii: "-")
        throw UsageError(
            "unknown \(isOption ? "option" : "command") \(Path(bytes: word).display)",
            hint: NearestName.hint(for: word, among: isOption ? ["--help", "--version"] : commands.map(\.name)))
    }

    /// Prints a text as the result.
    func say(_ text: String) throws -> ExitStatus {
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
