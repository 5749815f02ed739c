import Files

extension Tool {
    private static let done = [Term("0", "done"), Term("2", "could not be done")]

    /// `help`, of the tool or of a command.
    var helpCommand: Command {
        Command(
            "help", "say what the tool or a command does", usage: ["[COMMAND]"],
            about: [.text("Says what \(name) --help or \(name) COMMAND --help says.")],
            operands: [Operand(.word(commandNames), isOptional: true)], wanted: "name one command at most",
            example: ownExample, exitStatus: Self.done
        ) { arguments, _ in
            guard let word = arguments.operands.first else { return try say(HelpText(self).text) }
            return try say(HelpText(command(word.bytes), of: name).text)
        }
    }

    /// `manual`, from which packages make the manual pages.
    var manualCommand: Command {
        Command(
            "manual", "print a manual page, in the form that man reads", usage: ["[COMMAND]", "--list"],
            about: [
                .text(
                    "Prints the manual page of the tool, or of a command, in the form that man(1) reads. Packages "
                        + "install these pages: \(name)(1) and \(name)-COMMAND(1).")
            ], operands: [Operand(.word(commandNames), isOptional: true)], wanted: "name one command at most",
            options: [Option("--list", "print the names of the commands that have a page, one a line")],
            example: "\(name) manual \(ownExample) | man -l -", exitStatus: Self.done
        ) { arguments, _ in
            if arguments.has("--list") {
                return try say(commands.map { $0.name + "\n" }.joined())
            }
            guard let word = arguments.operands.first else { return try say(ManualPage(self).text) }
            return try say(ManualPage(command(word.bytes), of: self).text)
        }
    }

    /// `completions`, from which packages make those of the shells.
    var completionsCommand: Command {
        Command(
            "completions", "print the completions of a shell", usage: ["bash|zsh|fish"],
            about: [
                .text(
                    "Prints a script by which the shell completes commands, options, words of closed sets and files. "
                        + "Packages install it where the shell looks for it.")
            ],
            operands: [
                Operand(
                    .word(Completions.shells), unknown: { "there are completions of bash, zsh and fish, not of \($0)" })
            ], wanted: "name one shell: bash, zsh or fish",
            example: "source <(\(name) completions bash)", exitStatus: Self.done
        ) { arguments, _ in
            try say(Completions(self).text(for: arguments.operands[0].display) ?? "")
        }
    }

    /// The names of all commands. Not by way of `commands`: some of those have them as operands.
    private var commandNames: [String] { ownCommands.map(\.name) + ["help", "manual", "completions"] }
    private var ownExample: String { ownCommands[0].name }
}

extension Tool {
    /// The variables, and what they do.
    var environment: [Term] {
        [
            Term(
                "HP_ARCHIVE",
                "the archive of calls that only read one and do not name it, never of those that write; empty is not "
                    + "set"
            ),
            Term(
                "NO_COLOR", "status words are coloured on terminals only, and nowhere where this is set and not empty"),
        ]
    }
}
