/// The text of `--help`: at most 100 characters a line, unless a word is longer.
struct HelpText {
    private(set) var text = ""
    private static let width = 100

    /// Creates the help of a tool.
    init(_ tool: Tool) {
        line("usage: \(tool.name) \(tool.usage)\n")
        terms(tool.commands.map { Tool.Term($0.name, $0.summary) })
        text += "\n"
        terms(tool.environment)
        line("\n\(tool.name) COMMAND --help says more; so does man \(tool.name)-COMMAND.")
        line("\(tool.name) --version [--json] says which build it is.")
        line("exit status: \(Self.joined(tool.exitStatus))")
    }

    /// Creates the help of a command.
    init(_ command: Tool.Command, of tool: String) {
        for (number, usage) in command.usage.enumerated() {
            text += "\(number == 0 ? "usage:" : "      ") \(tool) \(command.name) \(usage)\n"
        }
        text += "\n"
        for paragraph in command.about {
            switch paragraph {
            case .text(let sentences): line(sentences)
            case .terms(let list): terms(list)
            }
            text += "\n"
        }
        if !command.options.isEmpty {
            terms(command.options.map { Tool.Term($0.form, $0.help + ($0.isRepeatable ? "; may be repeated" : "")) })
            text += "\n"
        }
        line("example: \(Self.example(command, of: tool))")
        line("exit status: \(Self.joined(command.exitStatus))")
    }

    /// Returns a command line that works; one with another program before the tool is whole.
    static func example(_ command: Tool.Command, of tool: String) -> String {
        command.example.contains("\(tool) ") ? command.example : "\(tool) \(command.name) \(command.example)"
    }

    private static func joined(_ status: [Tool.Term]) -> String {
        status.map { "\($0.name) \($0.meaning)" }.joined(separator: ", ")
    }

    private mutating func line(_ sentences: String) {
        for line in Self.lines(sentences, width: Self.width) { text += line + "\n" }
    }

    /// Adds a column of words, and their meanings beside them; a word that is long for it has a line of its own.
    private mutating func terms(_ terms: [Tool.Term]) {
        let column = min(terms.map(\.name.count).max() ?? 0, 18)
        for term in terms {
            var head = "  " + term.name
            if term.name.count > column {
                text += head + "\n"
                head = "  "
            }
            for line in Self.lines(term.meaning, width: Self.width - column - 4) {
                text += head + String(repeating: " ", count: column + 4 - head.count) + line + "\n"
                head = ""
            }
        }
    }

    /// Sentences in lines; line ends that are there stay.
    static func lines(_ sentences: String, width: Int) -> [String] {
        sentences.split(separator: "\n", omittingEmptySubsequences: false).flatMap { part in
            var lines = [""]
            for word in part.split(separator: " ") {
                let last = lines[lines.count - 1]
                if !last.isEmpty, last.count + 1 + word.count > width {
                    lines.append(String(word))
                } else {
                    lines[lines.count - 1] = last.isEmpty ? String(word) : "\(last) \(word)"
                }
            }
            return lines
        }
    }
}
