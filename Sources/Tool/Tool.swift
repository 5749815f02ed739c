import Files

/// The common parts of both command-line tools: how they print, read their arguments, stop, and end.
///
/// | type | what it settles |
/// |---|---|
/// | `Command`, `Option`, `Operand`, `Value` | what a command is called with: the one table of it |
/// | `HelpText`, `ManualPage`, `Completions` | what is made of the table |
/// | `Arguments`, `UsageError`, `NearestName` | options, flags, operands, and mistakes in them |
/// | `Access`, `Call` | how an archive is opened, progress, and the result: a text or JSON |
/// | `Voice`, `StandardError`, `StandardOutput` | the voice, and that every byte of a result arrives |
/// | `Signals`, `ExitStatus` | stopping and ending |
/// | `Progress` | how far a long task is |
public struct Tool: Sendable {
    /// The tool's name.
    public let name: String
    /// The libraries of the system that it uses, with their versions as they are at run time.
    public let libraries: [(name: String, version: String)]
    /// Folders that these libraries read while it works.
    let libraryFolders: [String]
    /// The description of the tool, in a line.
    public let summary: String
    /// The words after its name on the command line.
    public let usage: String
    /// The description of the tool, in paragraphs of its manual page.
    public let about: [Paragraph]
    /// The meaning of each exit status.
    public let exitStatus: [Term]
    /// The commands that other tools do not have.
    let ownCommands: [Command]
    /// The names that people use for its commands, each with the name that it has.
    let otherNames: [String: String]

    /// A tool.
    public init(
        name: String, libraries: [(name: String, version: String)], libraryFolders: [String] = [], summary: String,
        usage: String, about: [Paragraph], exitStatus: [Term],
        commands: [Command], otherNames: [String: String] = [:]
    ) {
        (self.name, self.libraries, self.summary, self.usage) = (name, libraries, summary, usage)
        (self.libraryFolders, self.otherNames) = (libraryFolders, otherNames)
        (self.about, self.exitStatus, ownCommands) = (about, exitStatus, commands)
    }
}

extension Tool {
    /// One thing that a tool does. What it says of itself is the one place from which its arguments are parsed and its
    /// help, its manual page and its completions are made.
    public struct Command: Sendable {
        /// Its name on the command line.
        public let name: String
        /// The description of the command, in a line of the tool's help.
        public let summary: String
        /// The words after its name on the command line, a line for each form.
        public let usage: [String]
        /// The description of the command, in paragraphs.
        public let about: [Paragraph]
        /// The words that are not options, in order.
        public let operands: [Operand]
        /// The message for a call with too few or too many operands.
        public let wanted: String
        /// Its options, as the help lists them.
        public let options: [Option]
        /// A command line that works, without the tool's name.
        public let example: String
        /// The meaning of each exit status.
        public let exitStatus: [Term]
        /// The way in which a call uses the archive, its first operand.
        public let access: @Sendable (_ arguments: Arguments) -> Access
        /// `true` if it runs other programs, which need what a sandbox would forbid them: it has none, and reads no
        /// file that somebody else made.
        let runsPrograms: Bool
        /// Does it. What is thrown becomes one line on standard error and the status 2.
        public let run: @Sendable (_ arguments: Arguments, _ call: Call) async throws -> ExitStatus

        /// A command.
        public init(
            _ name: String, _ summary: String, usage: [String] = ["ARCHIVE [OPTIONS]"], about: [Paragraph],
            operands: [Operand] = [.archive], wanted: String = "name one archive", options: [Option] = [],
            example: String, exitStatus: [Term] = Term.statuses("done"),
            access: @escaping @Sendable (_ arguments: Arguments) -> Access = { _ in .evidence },
            runsPrograms: Bool = false,
            run: @escaping @Sendable (_ arguments: Arguments, _ call: Call) async throws -> ExitStatus
        ) {
            (self.name, self.summary, self.usage, self.about) = (name, summary, usage, about)
            (self.operands, self.wanted, self.options, self.example) = (operands, wanted, options, example)
            (self.exitStatus, self.access, self.run) = (exitStatus, access, run)
            self.runsPrograms = runsPrograms
        }

        /// Refuses operands that are too few, too many, or not among the words of a closed set.
        func check(_ given: [Path]) throws(UsageError) {
            let needed = operands.count { !$0.isOptional }
            guard given.count >= needed, given.count <= operands.count || operands.last?.isRepeatable == true else {
                throw UsageError(wanted)
            }
            for (index, path) in given.enumerated() {
                let operand = operands[min(index, operands.count - 1)]
                guard case .word(let words) = operand.kind, let unknown = operand.unknown,
                    !words.contains(where: { path.bytes.elementsEqual($0.utf8) })
                else { continue }
                throw UsageError(unknown(path.display), hint: NearestName.hint(for: path.bytes, among: words))
            }
        }
    }

    /// A part of what is said about a command.
    public enum Paragraph: Sendable {
        /// Sentences; they are broken into lines where they are shown.
        case text(String)
        /// Words and what they mean, one a line.
        case terms([Term])
    }

    /// A word, and what it means.
    public struct Term: Sendable {
        /// The word.
        public let name: String
        /// The meaning of the term.
        public let meaning: String

        /// A word with its meaning.
        public init(_ name: String, _ meaning: String) { (self.name, self.meaning) = (name, meaning) }

        /// Returns the exit statuses of most commands.
        ///
        /// - Parameter findings: the meaning of 1; `nil` if the command never ends with 1.
        public static func statuses(_ good: String, findings: String? = nil) -> [Term] {
            [Term("0", good)] + (findings.map { [Term("1", $0)] } ?? [])
                + [Term("2", "could not be done"), Term("128+n", "stopped by signal n")]
        }
    }

    /// A word that a command accepts and that is not an option.
    public struct Operand: Sendable {
        /// The kind of its value, for completions.
        public enum Kind: Sendable {
            /// An archive; as the first operand of a call that only reads it may come from `HP_ARCHIVE`.
            case archive
            case file
            case word([String])
        }

        /// The kind of its value.
        public let kind: Kind
        /// `true` if it may be there more than once, and `true` if it may be missing.
        public let isRepeatable, isOptional: Bool

        /// The message for a call with a word that is not in a closed set; `nil` if the command checks the word.
        let unknown: (@Sendable (_ word: String) -> String)?

        /// An operand.
        public init(
            _ kind: Kind, isRepeatable: Bool = false, isOptional: Bool = false,
            unknown: (@Sendable (_ word: String) -> String)? = nil
        ) {
            (self.kind, self.isRepeatable, self.isOptional) = (kind, isRepeatable, isOptional)
            self.unknown = unknown
        }

        /// An archive.
        public static let archive = Operand(.archive)
    }

    /// An option of a command.
    public struct Option: Sendable {
        /// Its name: `-o`, `--at`.
        public let name: String
        /// The value that it needs; nil of a flag.
        public let value: Value?
        /// The description of the option; it is broken into lines where it is shown.
        public let help: String
        /// `true` if it may be there more than once.
        public let isRepeatable: Bool

        /// An option with a value.
        public init(_ name: String, _ value: Value, isRepeatable: Bool = false, _ help: String) {
            (self.name, self.value, self.isRepeatable, self.help) = (name, value, isRepeatable, help)
        }

        /// A flag.
        public init(_ name: String, _ help: String) {
            (self.name, value, isRepeatable, self.help) = (name, nil, false, help)
        }

        /// The time that a call waits for a locked archive.
        public static let wait = Option(
            "--wait", .number("SECONDS", in: 0...86_400), "how long to wait for a locked archive (default 60)")

        /// Its name with that of its value.
        var form: String { value.map { "\(name) \($0.name)" } ?? name }
    }

    /// The value of an option.
    public struct Value: Sendable {
        enum Kind: Sendable {
            case file
            /// A file or folder that the command writes.
            case output
            /// Any text; some that are worth offering.
            case text([String])
            case number(ClosedRange<Int>)
            /// One of a closed set.
            case word([String])
            /// Some of a closed set, separated by commas.
            case words([String])
        }

        /// The name of the value in the help.
        let name: String
        let kind: Kind

        /// Returns the value of an option that names a file that the command reads.
        public static func file(_ name: String = "FILE") -> Value { Value(name: name, kind: .file) }
        /// Returns the value of an option that names a file or folder that the command writes.
        public static func output(_ name: String = "FILE") -> Value { Value(name: name, kind: .output) }
        /// Returns the value of an option that takes any text, with what completions offer.
        public static func text(_ name: String, offering: [String] = []) -> Value {
            Value(name: name, kind: .text(offering))
        }
        /// Returns the value of an option that takes a whole number.
        public static func number(_ name: String, in range: ClosedRange<Int>) -> Value {
            Value(name: name, kind: .number(range))
        }
        /// Returns the value of an option that takes one of some words.
        public static func word(_ name: String, of words: [String]) -> Value { Value(name: name, kind: .word(words)) }
        /// Returns the value of an option that takes some of some words, separated by commas.
        public static func words(_ name: String, of words: [String]) -> Value { Value(name: name, kind: .words(words)) }
    }
}
