import CanonicalJSON
import Files
import Tool

/// `hp-verify canonicalize`.
enum CanonicalizeCommand {
    static let command = Tool.Command(name: "canonicalize", help: help, run: run)

    private static let help = """
        usage: hp-verify canonicalize [FILE] [--framed]

        Prints the canonical form (RFC 8785) of one JSON text, without a line end. Without FILE, or with -, the \
        text is read from
        standard input. --framed reads many texts in one process: see Spec/canonical-json.md.

        example: echo '{"b":1.50,"a":[]}' | hp-verify canonicalize
        exit status: 0 done, 2 the text cannot be accepted or could not be read

        """

    private static func run(_ words: [[UInt8]], _ voice: Voice) async throws -> ExitStatus {
        let input = try CanonicalInput(words)
        if input.isFramed {
            return try input.answer { text in
                do throws(JSONError) { return (0, try canonicalize(text)) } catch {
                    return (1, Array(error.description.utf8))
                }
            }
        }
        let text = try input.text()
        let canonical: [UInt8]
        do throws(JSONError) {
            canonical = try canonicalize(text.span)
        } catch {
            voice.error("\(input.name): \(error.description)")
            return .failed
        }
        var output = try StandardOutput()
        try output.write(canonical)
        try output.flush()
        return .good
    }
}

/// `hp-verify check-canonical`.
enum CheckCanonicalCommand {
    static let command = Tool.Command(name: "check-canonical", help: help, run: run)

    private static let help = """
        usage: hp-verify check-canonical [FILE] [--framed]

        Says whether one JSON text is canonical (RFC 8785). If it is not, names the first deviation and its byte \
        offset. Without FILE,
        or with -, the text is read from standard input. --framed reads many texts in one process: see \
        Spec/canonical-json.md.

        example: hp-verify check-canonical metadata.json
        exit status: 0 canonical, 1 not canonical, 2 could not be read

        """

    private static func run(_ words: [[UInt8]], _ voice: Voice) async throws -> ExitStatus {
        let input = try CanonicalInput(words)
        if input.isFramed {
            return try input.answer { text in
                guard let error = Validator.firstDeviation(in: text) else { return (0, []) }
                return (1, Array(error.description.utf8))
            }
        }
        let text = try input.text()
        let deviation = Validator.firstDeviation(in: text.span)
        var output = try StandardOutput()
        try output.write("\(input.name): \(deviation?.description ?? "canonical")\n")
        try output.flush()
        return deviation == nil ? .good : .findings
    }
}
