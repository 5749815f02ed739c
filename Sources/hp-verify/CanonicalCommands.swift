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
