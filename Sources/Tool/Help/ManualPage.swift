import Build

/// A manual page in the man(7) form. It has no date: the same tool has the same page.
struct ManualPage {
    private(set) var text = ""

    /// The page of a tool.
    init(_ tool: Tool) {
        begin(tool.name, tool, summary: tool.summary)
        section("SYNOPSIS")
        synopsis(tool.name, [tool.usage])
        section("DESCRIPTION")
        paragraphs(tool.about)
        section("COMMANDS")
        terms(tool.commands.map { Tool.Term($0.name, $0.summary) })
        section("EXIT STATUS")
        terms(tool.exitStatus)
        section("ENVIRONMENT")
        terms(tool.environment)
        seeAlso(tool.commands.map { "\(tool.name)-\($0.name)" })
    }

    /// The page of a command.
    init(_ command: Tool.Command, of tool: Tool) {
        begin("\(tool.name)-\(command.name)", tool, summary: command.summary)
        section("SYNOPSIS")
        synopsis("\(tool.name) \(command.name)", command.usage)
        section("DESCRIPTION")
        paragraphs(command.about)
        if !command.options.isEmpty {
            section("OPTIONS")
            for option in command.options {
                let value = option.value.map { " \\fI\(Self.escaped($0.name))\\fP" } ?? ""
                text += ".TP\n\\fB\(Self.escaped(option.name))\\fP\(value)\n"
                line(option.help + (option.isRepeatable ? "; may be repeated" : ""))
            }
        }
        section("EXIT STATUS")
        terms(command.exitStatus)
        if case .archive = command.operands.first?.kind {
            section("ENVIRONMENT")
            terms(tool.environment.filter { $0.name == "HP_ARCHIVE" })
        }
        section("EXAMPLE")
        // Not broken into lines: it is what is typed.
        text += ".EX\n\(Self.escaped(HelpText.example(command, of: tool.name)))\n.EE\n"
        seeAlso([tool.name])
    }

    private mutating func begin(_ name: String, _ tool: Tool, summary: String) {
        let title = Self.escaped(name.uppercased())
        text += ".TH \(title) 1 \"\" \"healthprobe \(Self.escaped(Build.version))\" \"HealthProbe\"\n"
        section("NAME")
        line("\(name) - \(summary)")
    }

    private mutating func section(_ title: String) { text += ".SH \"\(title)\"\n" }

    private mutating func synopsis(_ name: String, _ usage: [String]) {
        for (number, form) in usage.enumerated() {
            if number > 0 { text += ".br\n" }
            text += "\\fB\(Self.escaped(name))\\fP \(Self.escaped(form))\n"
        }
    }

    private mutating func paragraphs(_ paragraphs: [Tool.Paragraph]) {
        for (number, paragraph) in paragraphs.enumerated() {
            switch paragraph {
            case .text(let sentences):
                if number > 0 { text += ".PP\n" }
                line(sentences)
            case .terms(let list): terms(list)
            }
        }
    }

    private mutating func terms(_ terms: [Tool.Term]) {
        for term in terms {
            text += ".TP\n\\fB\(Self.escaped(term.name))\\fP\n"
            line(term.meaning)
        }
    }

    private mutating func seeAlso(_ pages: [String]) {
        section("SEE ALSO")
        for (number, page) in pages.enumerated() {
            text += ".BR \(Self.escaped(page)) (1)\(number < pages.count - 1 ? " ," : "")\n"
        }
    }

    /// Adds text that is no request: one that begins with a point would be (groff(7)).
    private mutating func line(_ sentences: String) {
        for part in HelpText.lines(sentences, width: 64) {
            text += (part.first == "." ? "\\&" : "") + Self.escaped(part) + "\n"
        }
    }

    /// Characters that roff reads as another one, by their names (groff_char(7)).
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "'": escaped += "\\(aq"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            case "\"": escaped += "\\(dq"
            case _ where !character.isASCII: escaped += "\\[u\(hexadecimal(character.value))]"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
