import CanonicalJSON
import Files
import Tool

/// `hp-verify canonicalize`.
enum CanonicalizeCommand {
    static let command = Tool.Command(
        "canonicalize", "print the canonical form (RFC 8785) of a JSON text", usage: ["[FILE] [--framed]"],
        about: [
            .text(
                "Prints the canonical form (RFC 8785) of one JSON text, without a line end. Without FILE, or with -, "
                    + "the text is read from standard input.")
        ], operands: [Tool.Operand(.file, isOptional: true)], wanted: "name one file at most",
        options: [CanonicalInput.framed],
        example: "echo '{\"b\":1.50,\"a\":[]}' | hp-verify canonicalize",
        exitStatus: [Tool.Term("0", "done"), Tool.Term("2", "the text cannot be accepted or could not be read")],
        run: run)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let input = CanonicalInput(arguments)
        if input.isFramed {
            return try input.answer { text in
                do throws(JSONError) { return (0, try canonicalize(text)) } catch {
                    return (1, Array(error.description.utf8))
                }
            }
        }
        let text = try input.text()
        let canonical: [UInt8]
        do throws(JSONError) { canonical = try canonicalize(text.span) } catch {
            throw NotReadable(description: "\(input.name): \(error.description)")
        }
        try Call.print(canonical)
        return .good
    }
}

/// `hp-verify check-canonical`.
enum CheckCanonicalCommand {
    static let command = Tool.Command(
        "check-canonical", "say whether a JSON text is canonical, and where it first deviates",
        usage: ["[FILE] [--framed]"],
        about: [
            .text(
                "Says whether one JSON text is canonical (RFC 8785). If it is not, names the first deviation and its "
                    + "byte offset. Without FILE, or with -, the text is read from standard input.")
        ], operands: [Tool.Operand(.file, isOptional: true)], wanted: "name one file at most",
        options: [CanonicalInput.framed],
        example: "metadata.json",
        exitStatus: [
            Tool.Term("0", "canonical"), Tool.Term("1", "not canonical"), Tool.Term("2", "could not be read"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let input = CanonicalInput(arguments)
        if input.isFramed {
            return try input.answer { text in
                guard let error = Validator.firstDeviation(in: text) else { return (0, []) }
                return (1, Array(error.description.utf8))
            }
        }
        let text = try input.text()
        let deviation = Validator.firstDeviation(in: text.span)
        return try call.show(
            "\(input.name): \(deviation?.description ?? "canonical")\n", isGood: deviation == nil)
    }
}

/// The JSON texts that a command is given: one file, standard input, or framed requests.
struct CanonicalInput {
    private let path: Path?
    /// `true` if many texts come as framed requests.
    let isFramed: Bool

    /// The option that says so.
    static let framed = Tool.Option("--framed", "read many texts in one process: see Spec/canonical-json.md")

    /// Longest text, in bytes. A canonical form is at most six times as long.
    private static let limit = 1 << 30

    /// Reads the command line.
    init(_ arguments: Arguments) {
        path = arguments.operands.first.flatMap { $0.bytes == Array("-".utf8) ? nil : $0 }
        isFramed = arguments.has("--framed")
    }

    /// The name of the input in errors.
    var name: String { path?.display ?? "standard input" }

    private func open() throws(FileError) -> Descriptor {
        if let path { return try Descriptor.reading(path) }
        return try Descriptor.standardInput()
    }

    /// Returns the whole input as one text.
    func text() throws -> [UInt8] {
        let file = try open()
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try file.read(into: &piece)
            if count == 0 { return text }
            text += piece[..<count]
            guard text.count <= Self.limit else { throw UsageError("\(name): longer than \(Self.limit) bytes") }
        }
    }

    /// Answers framed requests one by one: status byte, length, bytes.
    func answer(_ body: (Span<UInt8>) -> (status: UInt8, bytes: [UInt8])) throws -> ExitStatus {
        let file = try open()
        var output = try StandardOutput()
        var number = 0
        while let length = try read(file, count: 4, isFirst: true) {
            number += 1
            let count = length.reduce(0) { $0 << 8 | Int($1) }
            guard count <= Self.limit, let text = try read(file, count: count, isFirst: false) else {
                throw UsageError("\(name): request \(number) ends early or is longer than \(Self.limit) bytes")
            }
            let answer = body(text.span)
            let size = UInt32(answer.bytes.count)
            try output.write(
                [answer.status] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + answer.bytes)
            try output.flush()
        }
        return .good
    }

    /// Reads exactly so many bytes; `nil` at the end of the input.
    private func read(_ file: borrowing Descriptor, count: Int, isFirst: Bool) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(max(count, 1), 1 << 16))
        while bytes.count < count {
            let got = try file.read(into: &piece, count: count - bytes.count)
            if got == 0 {
                if isFirst, bytes.isEmpty { return nil }
                throw UsageError("\(name): a request ends early")
            }
            bytes += piece[..<got]
        }
        return bytes
    }
}
