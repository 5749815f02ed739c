import Files
import Tool

/// `hp-export sign`.
enum SignCommand {
    static let command = Tool.Command(
        "sign", "sign a bundle or a report with an SSH key", usage: ["FILE --key KEY [--name NAME] [--force]"],
        about: [
            .text(
                "Runs hp-verify statement FILE, has ssh-keygen -Y sign sign the text that it prints, and writes the "
                    + "signature to FILE.sig. FILE is verified and not changed. Only ssh-keygen reads the key; it asks "
                    + "for a passphrase, or asks an agent if KEY is a public key."),
            .text(
                "The signature proves who signed, not that the records are true. Its receiver checks it with "
                    + "hp-verify bundle FILE --allowed-signers SIGNERS."),
        ], operands: [Tool.Operand(.file)], wanted: "name one file",
        options: [
            Tool.Option("--key", .file("KEY"), "the key: Ed25519, ECDSA, or RSA of at least 2048 bits"),
            Tool.Option("--name", .text("NAME"), "write FILE.NAME.sig, if several people sign FILE"),
            Tool.Option("--force", "replace an existing signature"),
        ],
        example: "march.jsonl.zst --key ~/.ssh/id_ed25519",
        exitStatus: Tool.Term.statuses("FILE.sig was written", findings: "FILE is invalid, so it cannot be signed"),
        runsPrograms: true, run: run)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let file = arguments.operands[0]
        guard let key = try arguments.path("--key") else { throw UsageError("--key KEY is missing") }
        guard file != Path("-") else { throw UsageError("a signature goes next to a file, not to standard output") }
        let signature = file.withSuffix(try arguments.text("--name").map { ".\(try part(of: $0)).sig" } ?? ".sig")
        let isReplacing = arguments.has("--force")
        let destination = try outputPath(signature, replacing: isReplacing, apart: [file, key])
        let verifier = Program.sibling("hp-verify")
        let statement = try Program.run(
            [verifier.bytes] + words(["statement", "--quiet", "--"]) + [file.bytes], input: [])
        if let signal = Signals.first { return .stopped(by: signal) }
        // It said why on standard error.
        guard statement.status == 0 else { return statement.status == 1 ? .findings : .failed }
        guard statement.output.starts(with: "healthprobe-export 1\n".utf8), statement.output.count <= 4096 else {
            throw OutputError.place(verifier, "did not print a statement")
        }
        let signed = try Program.run(
            words(["ssh-keygen", "-q", "-Y", "sign", "-n", "healthprobe-export", "-f"]) + [key.bytes],
            input: statement.output)
        if let signal = Signals.first { return .stopped(by: signal) }
        guard signed.status == 0, signed.output.starts(with: "-----BEGIN SSH SIGNATURE-----\n".utf8) else {
            throw OutputError.place(key, "ssh-keygen did not sign with it")
        }
        try PendingFile.write(signed.output, to: destination, replacing: isReplacing)
        return .good
    }

    /// Returns the name of a signer as a part of a file name.
    private static func part(of name: String) throws(UsageError) -> String {
        let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        guard let first = name.first, letters.contains(first), name.count <= 64,
            name.allSatisfy({ letters.contains($0) || "._-".contains($0) })
        else { throw UsageError("--name has letters, digits, points, _ and -, and begins with a letter or a digit") }
        return name
    }

    private static func words(_ words: [String]) -> [[UInt8]] { words.map { Array($0.utf8) } }
}
