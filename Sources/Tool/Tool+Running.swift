import Files
internal import Pipeline
internal import Platform

extension Tool {
    /// What it does, with what every tool does.
    public var commands: [Command] { ownCommands + [helpCommand, manualCommand, completionsCommand] }

    /// Runs the process's command and ends the process.
    ///
    /// Not asynchronous itself: the sandbox must be there before the first thread.
    public func main() -> Never {
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
                    let call = Call(command, arguments, voice)
                    do {
                        let status = try await command.run(arguments, call)
                        call.end()
                        status.exit()
                    } catch {
                        call.end()
                        ExitStatus(of: error, voice).exit()
                    }
                }
            }
        } catch {
            ExitStatus(of: error, voice).exit()
        }
        while true { pause() }
    }

    /// What the arguments ask for.
    private enum Asked {
        /// A text about the tool.
        case text((Sandbox) -> String)
        case command(Command, Arguments)
    }

    private func call(_ arguments: [[UInt8]]) throws(UsageError) -> Asked {
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
        try command.check(parsed.operands)
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
        try Call.print(Array(text.utf8))
        return .good
    }
}

extension ExitStatus {
    /// Says what went wrong. A closed pipe is no error: whoever reads has read enough.
    init(of error: any Error, _ voice: Voice, signal: Int32? = Signals.first) {
        if let signal {
            self = .stopped(by: signal)
        } else if let error = error as? any PipeError, error.isBrokenPipe {
            self = .good
        } else {
            let hint = (error as? any HintedError)?.hint
            voice.error("\(error)", hint: hint ?? (error is UsageError ? "see \(voice.tool) --help" : nil))
            self = .failed
        }
    }
}
