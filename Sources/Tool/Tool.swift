/// What both command-line tools share: how they speak, read their arguments, stop, and end.
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
    /// What it is, in a line.
    public let summary: String
    /// What stands behind its name on the command line.
    public let usage: String
    /// What it does, in paragraphs of its manual page.
    public let about: [Paragraph]
    /// What each exit status means.
    public let exitStatus: [Term]
    /// What it does that other tools do not.
    let ownCommands: [Command]

    /// A tool.
    public init(
        name: String, libraries: [(name: String, version: String)], libraryFolders: [String] = [], summary: String,
        usage: String, about: [Paragraph], exitStatus: [Term],
        commands: [Command]
    ) {
        (self.name, self.libraries, self.summary, self.usage) = (name, libraries, summary, usage)
        self.libraryFolders = libraryFolders
        (self.about, self.exitStatus, ownCommands) = (about, exitStatus, commands)
    }
}
