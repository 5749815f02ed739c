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

    /// How words, files and words between commas are offered.
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

    /// The case of a command that names its options with a value.
    private func bashValued(_ command: Tool.Command) -> String {
        let names = command.options.filter { $0.value != nil }.map(\.name)
        return "        \(command.name)) valued=\" \(Self.listed(names)) \" ;;"
    }

    /// The case of a command that offers its options.
    private func bashOptions(_ command: Tool.Command) -> String {
        let names = Self.listed(command.allOptions.map(\.name))
        return "            \(command.name)) _\(identifier)_words \"$cur\" \"\(names)\" ;;"
    }

    /// The cases of a command's options that have a value.
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

    /// The cases of a command's operands. Where `HP_ARCHIVE` names the archive, the words after it come first.
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
