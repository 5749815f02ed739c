/// Scripts by which shells complete a tool's command lines. All of them know the same: the commands, the options of
/// each, the words of closed sets, and where a file goes.
struct Completions {
    /// The shells that there are scripts for.
    static let shells = ["bash", "zsh", "fish"]

    let tool: Tool
    let commands: [Tool.Command]

    /// Completions of a tool.
    init(_ tool: Tool) { (self.tool, commands) = (tool, tool.commands) }

    /// The script of a shell; nil where there is none.
    func text(for shell: String) -> String? {
        switch shell {
        case "bash": bash
        case "zsh": zsh
        case "fish": fish
        default: nil
        }
    }

    /// The tool's name as a shell's function can have it.
    var identifier: String { tool.name.replacing("-", with: "_") }

    /// Text as one word of a shell.
    static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

    /// Words as the words of one text.
    static func listed(_ words: [String]) -> String { words.joined(separator: " ") }

    /// What an option does, as short as a list of completions has it: up to the first semicolon, colon or bracket.
    static func brief(_ help: String) -> String {
        let end = help.indices.first { ";:([".contains(help[$0]) || help[$0] == "\n" } ?? help.endIndex
        var brief = String(help[..<end])
        while brief.last == " " { brief.removeLast() }
        return brief
    }
}

extension Tool.Command {
    /// Options with those that every command has.
    var allOptions: [Tool.Option] { options + [Tool.Option("--help", "say what the command does")] }

    /// The words of the operand at a place, counted from 0; nil where a file goes, empty where nothing does.
    func words(at place: Int) -> [String]? {
        guard let operand = place < operands.count ? operands[place] : operands.last(where: \.isRepeatable) else {
            return []
        }
        guard case .word(let words) = operand.kind else { return nil }
        return words
    }
}
