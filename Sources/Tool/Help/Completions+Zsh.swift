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

    /// One option: once unless it may be repeated; with `=` or a blank before its value.
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
