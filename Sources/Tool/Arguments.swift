internal import CProcess
public import Files

/// A mistake in how a tool was called.
public struct UsageError: HintedError, Sendable {
    /// The description of the mistake.
    public let description: String

    /// The likely intent; without it, the hint is where the help is.
    public let hint: String?

    /// A mistake.
    public init(_ description: String, hint: String? = nil) {
        self.description = description
        self.hint = hint
    }
}

/// The words of a command line, as bytes: file names need not be text.
public struct Arguments: Sendable {
    private let known: [String: Tool.Option]
    private var options: [String: [[UInt8]]] = [:]
    private var flags: Set<String> = []
    /// The words that are not options, in order.
    public internal(set) var operands: [Path] = []

    /// Returns the process's arguments, without the program's name.
    public static func ofProcess() -> [[UInt8]] {
        var arguments: [[UInt8]] = []
        if unsafe hp_argument(0) != nil {
            while let argument = unsafe hp_argument(Int32(arguments.count + 1)) {
                unsafe arguments.append(bytes(argument))
            }
        } else {
            for index in 1..<max(Int(CommandLine.argc), 1) {
                guard let argument = unsafe CommandLine.unsafeArgv[index] else { continue }
                unsafe arguments.append(bytes(argument))
            }
        }
        return arguments
    }

    private static func bytes(_ argument: UnsafePointer<CChar>) -> [UInt8] {
        var bytes: [UInt8] = []
        while unsafe argument[bytes.count] != 0 {
            unsafe bytes.append(UInt8(bitPattern: argument[bytes.count]))
        }
        return bytes
    }

    /// Sorts arguments into options with a value, flags and operands. `--` ends the options; `-` is an operand;
    /// `--name=value` is one argument. A value of a closed set is one of its words.
    public init(_ arguments: some Sequence<[UInt8]>, options known: [Tool.Option]) throws(UsageError) {
        self.known = Dictionary(uniqueKeysWithValues: known.map { ($0.name, $0) })
        var rest = Array(arguments)[...]
        var isLiteral = false
        while let argument = rest.popFirst() {
            guard !isLiteral, argument.count > 1, argument[0] == UInt8(ascii: "-") else {
                operands.append(Path(bytes: argument))
                continue
            }
            if argument == Array("--".utf8) {
                isLiteral = true
                continue
            }
            let parts = argument.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(decoding: parts[0], as: UTF8.self)
            guard let option = self.known[name] else {
                throw UsageError(
                    "unknown option \(printable(parts[0]))",
                    hint: NearestName.hint(for: parts[0], among: known.map(\.name) + ["--help"]))
            }
            if option.value == nil {
                guard parts.count == 1 else { throw UsageError("option \(name) accepts no value") }
                flags.insert(name)
            } else {
                guard let value = parts.count == 2 ? Array(parts[1]) : rest.popFirst() else {
                    throw UsageError("option \(name) needs a value")
                }
                try option.check(value)
                options[name, default: []].append(value)
            }
        }
    }

    /// Returns `true` if the command has an option.
    public func declares(_ option: String) -> Bool { known[option] != nil }

    /// Returns `true` if a flag is there.
    public func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// Returns `true` if an option with a value is there.
    public func hasValue(_ option: String) -> Bool { options[option] != nil }

    /// Returns all values of an option that may be repeated, `nil` if it is absent. They must be UTF-8.
    public func texts(_ option: String) throws(UsageError) -> [String]? {
        guard let values = options[option] else { return nil }
        var texts: [String] = []
        for value in values {
            guard let text = String(validating: value, as: UTF8.self), !value.contains(0) else {
                throw UsageError("the value of \(option) is not UTF-8 text")
            }
            texts.append(text)
        }
        return texts
    }

    /// Returns the value of an option that may be there once.
    public func text(_ option: String) throws(UsageError) -> String? {
        guard let values = try texts(option) else { return nil }
        guard values.count == 1 else { throw UsageError("option \(option) is given more than once") }
        return values[0]
    }

    /// Returns the value of an option that names a file.
    public func path(_ option: String) throws(UsageError) -> Path? {
        guard let values = options[option] else { return nil }
        guard values.count == 1 else { throw UsageError("option \(option) is given more than once") }
        return Path(bytes: values[0])
    }

    /// Returns every value of an option that names a file, however often it is given.
    func paths(_ option: String) -> [Path] { (options[option] ?? []).map { Path(bytes: $0) } }

    /// Returns the value of an option that is a whole number, in the range that the option states.
    public func integer(_ option: String) throws(UsageError) -> Int? {
        guard case .number(let range) = known[option]?.value?.kind else {
            preconditionFailure("\(option) is declared as a number")
        }
        guard let text = try text(option) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw UsageError("option \(option) accepts a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Returns the words of an option whose value is some of a closed set; `nil` if it is absent.
    public func words(_ option: String) throws(UsageError) -> [String]? {
        try texts(option)?.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }
}

extension Arguments {
    /// Puts the archive that `HP_ARCHIVE` names before the operands, where it is missing there and the call only reads
    /// it. A variable that is empty counts as not set.
    mutating func addArchive(of command: Tool.Command) throws(UsageError) {
        let needed = command.operands.count { !$0.isOptional }
        guard case .archive = command.operands.first?.kind, operands.count == needed - 1,
            let archive = Environment.value(of: "HP_ARCHIVE")
        else { return }
        guard !command.access(self).isWriting else {
            throw UsageError(
                "name one archive", hint: "HP_ARCHIVE is for calls that only read an archive, and this one writes to it"
            )
        }
        operands.insert(Path(bytes: archive), at: 0)
    }
}

extension Tool.Option {
    /// Refuses a value that is none of a closed set.
    fileprivate func check(_ value: [UInt8]) throws(UsageError) {
        let (words, given, manner): ([String], [ArraySlice<UInt8>], String)
        switch self.value?.kind {
        case .word(let closed): (words, given, manner) = (closed, [value[...]], "or")
        case .words(let closed):
            let parts = value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            (words, given, manner) = (closed, parts, "and")
        default: return
        }
        guard let wrong = given.first(where: { word in !words.contains { word.elementsEqual($0.utf8) } }) else {
            return
        }
        let list = words.count > 1 ? words.dropLast().joined(separator: ", ") + " \(manner) \(words.last!)" : words[0]
        let separated = manner == "and" ? ", separated by commas" : ""
        throw UsageError(
            "\(name) accepts \(list)\(separated), not \(printable(wrong))",
            hint: NearestName.hint(for: wrong, among: words))
    }
}
