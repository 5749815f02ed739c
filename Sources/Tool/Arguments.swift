public import Files

/// A mistake in how a tool was called.
public struct UsageError: Error, Sendable {
    /// What is wrong.
    public let description: String

    /// What is likely meant; without it, the hint is where the help is.
    public let hint: String?

    /// A mistake.
    public init(_ description: String, hint: String? = nil) {
        self.description = description
        self.hint = hint
    }
}

/// What stands on a command line, as bytes: file names need not be text.
public struct Arguments: Sendable {
    private var options: [String: [[UInt8]]] = [:]
    private var flags: Set<String> = []
    /// What is no option, in order.
    public private(set) var operands: [Path] = []

    /// The process's arguments, without the program's name.
    public static func ofProcess() -> [[UInt8]] {
        var arguments: [[UInt8]] = []
        let count = Int(CommandLine.argc)
        for index in 1..<max(count, 1) {
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { continue }
            var bytes: [UInt8] = []
            var position = 0
            while unsafe argument[position] != 0 {
                unsafe bytes.append(UInt8(bitPattern: argument[position]))
                position += 1
            }
            arguments.append(bytes)
        }
        return arguments
    }

    /// Sorts arguments into options with a value, flags and operands. `--` ends the options; `-` is an operand;
    /// `--name=value` is one argument.
    public init(_ arguments: some Sequence<[UInt8]>, options known: Set<String>, flags knownFlags: Set<String>)
        throws(UsageError)
    {
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
            if knownFlags.contains(name) {
                guard parts.count == 1 else { throw UsageError("option \(name) accepts no value") }
                flags.insert(name)
            } else if known.contains(name) {
                if parts.count == 2 {
                    options[name, default: []].append(Array(parts[1]))
                } else {
                    guard let value = rest.popFirst() else { throw UsageError("option \(name) needs a value") }
                    options[name, default: []].append(value)
                }
            } else {
                throw UsageError("unknown option \(printable(parts[0]))")
            }
        }
    }

    /// Whether a flag is there.
    public func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// All values of an option that may be repeated, nil where it is absent. They must be UTF-8.
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

    /// The value of an option that may be there once.
    public func text(_ option: String) throws(UsageError) -> String? {
        guard let values = try texts(option) else { return nil }
        guard values.count == 1 else { throw UsageError("option \(option) is given more than once") }
        return values[0]
    }

    /// The value of an option that names a file.
    public func path(_ option: String) throws(UsageError) -> Path? {
        guard let values = options[option] else { return nil }
        guard values.count == 1 else { throw UsageError("option \(option) is given more than once") }
        return Path(bytes: values[0])
    }

    /// The value of an option that is a whole number in a range.
    public func integer(_ option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = try text(option) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw UsageError("option \(option) accepts a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }
}
