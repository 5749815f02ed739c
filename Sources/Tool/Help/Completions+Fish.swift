extension Completions {
    /// For fish 3: a file of the tool's name in a folder of completions.
    var fish: String {
        """
        # fish completion of \(tool.name), written by: \(tool.name) completions fish
        function __\(identifier)_is
            set -l words (commandline -opc)
            test (count $words) -gt 1; and test $words[2] = $argv[1]
        end
        function __\(identifier)_begins
            test (count (commandline -opc)) -eq 1
        end
        complete -c \(tool.name) -f
        complete -c \(tool.name) -n __\(identifier)_begins -l help -d 'say what the tool does'
        complete -c \(tool.name) -n __\(identifier)_begins -l version -d 'print the version'
        \(commands.flatMap(fishLines).joined(separator: "\n"))

        """
    }

    private func fishLines(_ command: Tool.Command) -> [String] {
        let start = "complete -c \(tool.name) -n '__\(identifier)_is \(command.name)'"
        var lines = [
            "complete -c \(tool.name) -n __\(identifier)_begins -a \(command.name) "
                + "-d \(Self.quoted(Self.brief(command.summary)))"
        ]
        for operand in command.operands {
            switch operand.kind {
            case .archive, .file: lines.append("\(start) -F")
            case .word(let words): lines.append("\(start) -a \(Self.quoted(Self.listed(words)))")
            }
        }
        for option in command.allOptions {
            let name = option.name.hasPrefix("--") ? "-l \(option.name.dropFirst(2))" : "-s \(option.name.dropFirst())"
            let value =
                switch option.value?.kind {
                case nil: ""
                case .file, .output: " -r -F"
                case .word(let words): " -x -a \(Self.quoted(Self.listed(words)))"
                case .text(let words): words.isEmpty ? " -x" : " -x -a \(Self.quoted(Self.listed(words)))"
                case .words(let words): " -x -a \(Self.quoted("(__fish_append , \(Self.listed(words)))"))"
                case .number: " -x"
                }
            lines.append("\(start) \(name)\(value) -d \(Self.quoted(Self.brief(option.help)))")
        }
        return lines
    }
}
