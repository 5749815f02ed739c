/// Scripts by which shells complete a tool's command lines. All of them know the same: the commands, the options of
/// each, the words of closed sets, and where a file goes.
struct Completions {
    /// The shells that there are scripts for.
    static let shells = ["bash", "zsh", "fish"]

    let tool: Tool
    let commands: [Tool.Command]

    /// Completions of a tool.
    init(_ tool: Tool) { (self.tool, commands) = (tool, tool.commands) }

    /// Returns the script of a shell; `nil` if there is none.
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

    /// Returns text as one word of a shell.
    static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

    /// Words as the words of one text.
    static func listed(_ words: [String]) -> String { words.joined(separator: " ") }

    /// Returns the description of an option, as short as a list of completions has it: up to the first semicolon, colon
    /// or bracket.
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

    /// Returns the words of the operand at a place, counted from 0; `nil` for a file, empty if nothing goes there.
    func words(at place: Int) -> [String]? {
        guard let operand = place < operands.count ? operands[place] : operands.last(where: \.isRepeatable) else {
            return []
        }
        guard case .word(let words) = operand.kind else { return nil }
        return words
    }
}

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

extension Completions {
    /// For zsh 5: a file of the name `_` and the tool's, in a folder of `fpath`.
    var zsh: String {
        """
        #compdef \(tool.name)
        # zsh completion of \(tool.name), written by: \(tool.name) completions zsh
        _\(identifier)() {
            local -a commands=(
        \(commands.map { "        " + Self.quoted("\($0.name):\($0.summary)") }.joined(separator: "\n"))
            )
            if ((CURRENT == 2)); then
                if [[ $words[2] == -* ]]; then
                    compadd -- --help --version
                else
                    _describe -t commands 'command' commands
                fi
                return
            fi
            local command=$words[2]
            shift words
            ((CURRENT--))
            case $command in
        \(commands.map(zshCase).joined(separator: "\n"))
            esac
        }
        _\(identifier) "$@"

        """
    }

    private func zshCase(_ command: Tool.Command) -> String {
        let specifications = command.allOptions.map(zshOption) + zshOperands(command)
        return "        \(command.name))\n            _arguments "
            + specifications.map(Self.quoted).joined(separator: " \\\n                ") + " ;;"
    }

    /// Returns one option: once unless it may be repeated; with `=` or a blank before its value.
    private func zshOption(_ option: Tool.Option) -> String {
        let start = option.isRepeatable ? "*" : ""
        let help = "[\(Self.brief(option.help))]"
        guard let value = option.value else { return start + option.name + help }
        let name = option.name.hasPrefix("--") ? option.name + "=" : option.name
        let action =
            switch value.kind {
            case .file, .output: "_files"
            case .word(let words): "(\(Self.listed(words)))"
            case .text(let words): words.isEmpty ? " " : "(\(Self.listed(words)))"
            case .words(let words): "_values -s , \(value.name.filter(\.isLetter)) \(Self.listed(words))"
            case .number: " "
            }
        return "\(start)\(name)\(help):\(value.name.lowercased().filter(\.isLetter)):\(action)"
    }

    private func zshOperands(_ command: Tool.Command) -> [String] {
        command.operands.enumerated().map { place, operand in
            let start = operand.isRepeatable ? "*" : operand.isOptional ? "\(place + 1):" : "\(place + 1)"
            return switch operand.kind {
            case .archive:
                if let words = command.words(at: place + 1), !words.isEmpty {
                    "\(start):archive:{ _files; [[ -z $HP_ARCHIVE ]] || compadd -- \(Self.listed(words)) }"
                } else {
                    "\(start):archive:_files"
                }
            case .file: "\(start):file:_files"
            case .word(let words): "\(start):word:(\(Self.listed(words)))"
            }
        }
    }
}

extension Completions {
    /// For bash 4 and later, and without the package bash-completion. Bash cuts `--name=value` at the sign.
    var bash: String {
        """
        # bash completion of \(tool.name), written by: \(tool.name) completions bash
        \(bashOffers)
        _\(identifier)() {
            local cur="${COMP_WORDS[COMP_CWORD]}" option="${COMP_WORDS[COMP_CWORD-1]}" command="${COMP_WORDS[1]}"
            local valued= place=0 i
            COMPREPLY=()
            if ((COMP_CWORD == 1)); then
                _\(identifier)_words "$cur" "\(Self.listed(commands.map(\.name))) --help --version"
                return
            fi
            if [[ $cur == '=' ]]; then
                cur=
            elif [[ $option == '=' ]]; then
                option="${COMP_WORDS[COMP_CWORD-2]}"
            fi
            case "$command" in
        \(commands.map(bashValued).joined(separator: "\n"))
            esac
            if [[ $valued == *" $option "* ]]; then
                case "$command $option" in
        \(commands.flatMap(bashValues).map { "            " + $0 }.joined(separator: "\n"))
                esac
                return
            fi
            for ((i = 2; i < COMP_CWORD; i++)); do
                case "${COMP_WORDS[i]}" in
                    =) ((i++)) ;;
                    -?*) [[ $valued != *" ${COMP_WORDS[i]} "* || ${COMP_WORDS[i+1]} == '=' ]] || ((i++)) ;;
                    *) ((place++)) ;;
                esac
            done
            if [[ $cur == -* ]]; then
                case "$command" in
        \(commands.map(bashOptions).joined(separator: "\n"))
                esac
                return
            fi
            case "$command $place" in
        \(commands.flatMap(bashOperands).map { "        " + $0 }.joined(separator: "\n"))
            esac
        }
        complete -F _\(identifier) \(tool.name)

        """
    }

    /// The functions that offer words, files and words between commas.
    private var bashOffers: String {
        """
        _\(identifier)_offer() {
            COMPREPLY=()
            [[ -z $1 ]] || mapfile -t COMPREPLY <<<"$1"
        }
        _\(identifier)_files() {
            compopt -o filenames 2>/dev/null
            _\(identifier)_offer "$(compgen -f -- "$1"; compgen -W "${2-}" -- "$1")"
        }
        _\(identifier)_words() {
            _\(identifier)_offer "$(compgen -W "$2" -- "$1")"
        }
        _\(identifier)_list() {
            local before=
            [[ $1 != *,* ]] || before="${1%,*},"
            compopt -o nospace 2>/dev/null
            _\(identifier)_offer "$(compgen -P "$before" -W "$2" -- "${1##*,}")"
        }
        """
    }

    /// Returns the case of a command that names its options with a value.
    private func bashValued(_ command: Tool.Command) -> String {
        let names = command.options.filter { $0.value != nil }.map(\.name)
        return "        \(command.name)) valued=\" \(Self.listed(names)) \" ;;"
    }

    /// Returns the case of a command that offers its options.
    private func bashOptions(_ command: Tool.Command) -> String {
        let names = Self.listed(command.allOptions.map(\.name))
        return "            \(command.name)) _\(identifier)_words \"$cur\" \"\(names)\" ;;"
    }

    /// Returns the cases of a command's options that have a value.
    private func bashValues(_ command: Tool.Command) -> [String] {
        command.options.compactMap { option in
            guard let value = option.value else { return nil }
            let does =
                switch value.kind {
                case .file, .output: "_\(identifier)_files \"$cur\""
                case .word(let words): "_\(identifier)_words \"$cur\" \"\(Self.listed(words))\""
                case .text(let words) where !words.isEmpty:
                    "_\(identifier)_words \"$cur\" \"\(Self.listed(words))\""
                case .words(let words): "_\(identifier)_list \"$cur\" \"\(Self.listed(words))\""
                case .text, .number: ":"
                }
            return "'\(command.name) \(option.name)') \(does) ;;"
        }
    }

    /// Returns the cases of a command's operands. If `HP_ARCHIVE` names the archive, the words after it come first.
    private func bashOperands(_ command: Tool.Command) -> [String] {
        var cases: [String] = []
        for (place, operand) in command.operands.enumerated() {
            let pattern = operand.isRepeatable ? "\"\(command.name) \"*" : "\"\(command.name) \(place)\""
            switch operand.kind {
            case .word(let words):
                cases.append("\(pattern)) _\(identifier)_words \"$cur\" \"\(Self.listed(words))\" ;;")
            case .archive, .file:
                var does = "_\(identifier)_files \"$cur\""
                if case .archive = operand.kind, let words = command.words(at: place + 1), !words.isEmpty {
                    does += " \"${HP_ARCHIVE:+\(Self.listed(words))}\""
                }
                cases.append("\(pattern)) \(does) ;;")
            }
        }
        return cases
    }
}
