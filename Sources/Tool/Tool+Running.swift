import Build
internal import CProcess
import CanonicalJSON
import Files
internal import Pipeline
internal import Platform

extension Tool {
    /// The commands of the tool, with those that every tool has.
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
                        ExitStatus(of: command.explained(call.explained(error), of: name), voice).exit()
                    }
                }
            }
        } catch {
            ExitStatus(of: error, voice).exit()
        }
        while true { pause() }
    }

    /// The request of the arguments.
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
        do throws(UsageError) {
            var parsed = try Arguments(rest, options: command.options)
            try parsed.addArchive(of: command)
            try command.check(parsed.operands)
            return .command(command, parsed)
        } catch {
            throw command.explained(error, of: name)
        }
    }

    /// Returns the command of a name.
    func command(_ word: [UInt8]) throws(UsageError) -> Command {
        let commands = commands
        if let command = commands.first(where: { word.elementsEqual($0.name.utf8) }) { return command }
        let isOption = word.first == UInt8(ascii: "-")
        let other = otherNames.first { word.elementsEqual($0.key.utf8) }.map { "did you mean \($0.value)?" }
        throw UsageError(
            "unknown \(isOption ? "option" : "command") \(Path(bytes: word).display)",
            hint: other
                ?? NearestName.hint(for: word, among: isOption ? ["--help", "--version"] : commands.map(\.name)))
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

/// The source of the memory of all threads.
enum ProcessMemory {
    /// Has all threads share one pool, before there are any. With a pool for each, what one thread freed stays with its
    /// pool while the next takes new memory: an archive of three exports was checked in 79 MiB, and is in 57 so. The
    /// tools take memory seldom: waiting for each other costs a capture 2 % of its time, the rest 1 % or less.
    static func begin() { hp_share_memory_pool() }
}

/// Keeps health records out of core dumps.
enum ProcessPrivacy {
    /// Forbids core dumps, before anything is read: the limit counts for files, the other switch also where a program
    /// is given the dump (`core(5)`). Where one of the two cannot be set, the other is enough, and the work goes on.
    static func begin() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        #if canImport(Glibc)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        #else
            unsafe setrlimit(RLIMIT_CORE, &limit)
        #endif
        _ = hp_forbid_dumping()
    }
}

/// The number of files that the process may have open at a time.
///
/// With too few, SQLite and OpenSSL fail in ways that name no reason; so the limit is looked at before they start.
enum OpenFiles {
    private static let needed: rlim_t = 16

    /// Raises the limit if that is needed and allowed; says so where it is too low all the same.
    static func problem() -> String? {
        guard var limit = openFileLimit(), limit.rlim_cur < needed else { return nil }
        limit.rlim_cur = min(limit.rlim_max, 64)
        setOpenFileLimit(limit)
        return limit.rlim_cur < needed
            ? "only \(limit.rlim_cur) files may be open at a time, and \(needed) are needed" : nil
    }
}

/// The build of a tool: its version, the commit that it was built from, and the libraries that it runs with.
enum VersionText {
    /// Returns the text, with a line for each.
    static func text(_ tool: Tool) -> String {
        let (commit, source) = Build.origin
        let origin =
            switch source {
            case .checkout: "commit \(commit!)"
            case .changedCheckout: "commit \(commit!), with changes"
            case .sourceArchive: "commit \(commit!), from a source archive"
            case .unknown: "commit unknown: the build was not told"
            }
        let libraries = tool.libraries.map { "\($0.name) \($0.version)\n" }
        return "\(tool.name) \(Build.version)\n\(origin)\n" + libraries.joined()
    }

    /// Returns one object (`Spec/schemas/version-result.json`).
    static func json(_ tool: Tool, _ sandbox: Sandbox) -> String {
        let (commit, source) = Build.origin
        let libraries = tool.libraries.map { ($0.name, $0.version) }
        let json: JSONObject = [
            "commit": commit, "libraries": JSONObject(libraries),
            "sandbox": ["landlock": Int(sandbox.landlock), "seccomp": sandbox.filtersCalls] as JSONObject,
            "source": source.rawValue, "tool": tool.name, "version": Build.version,
        ]
        return json.text + "\n"
    }
}

extension Tool.Command {
    /// Returns a mistake in a call with the usage of the command; any other error as it is.
    func explained(_ error: any Error, of tool: String) -> any Error {
        (error as? UsageError).map { explained($0, of: tool) } ?? error
    }

    fileprivate func explained(_ error: UsageError, of tool: String) -> UsageError {
        let usage = "usage: \(tool) \(name) \(usage.first ?? "")"
        switch error.hint {
        case nil: return UsageError(error.description, hint: usage)
        case let hint? where hint.hasPrefix("did you mean "):
            return UsageError(error.description, hint: "\(hint) \(usage)")
        default: return error
        }
    }

    /// Returns the access that a call needs, by the command's declarations of its operands and options.
    func reach(of arguments: Arguments) -> Sandbox.Reach {
        if runsPrograms { return .programs }
        if case .archive = operands.first?.kind, access(arguments).isWriting { return .anyFile }
        var files = Sandbox.NamedFiles()
        for (index, path) in arguments.operands.enumerated() where path != Path("-") {
            switch index < operands.count ? operands[index].kind : operands.last?.kind {
            case .archive: files.archives.append(path)
            case .file: files.read.append(path)
            case .word, nil: break
            }
        }
        for option in options {
            let paths = arguments.paths(option.name).filter { $0 != Path("-") }
            switch option.value?.kind {
            case .file:
                files.read += paths
                files.archives += paths
            case .output: files.written += paths
            default: break
            }
        }
        return .files(files)
    }
}
