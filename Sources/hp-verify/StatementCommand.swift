import Archive
import Files
import Inspection
import Signatures
import Tool
import Verification

/// `hp-verify statement`.
enum StatementCommand {
    static let command = Tool.Command(
        "statement", "verify a file or a history, and print the text to sign",
        usage: ["FILE [-o STATEMENT] [OPTIONS]", "--archive ARCHIVE [-o STATEMENT] [OPTIONS]"],
        about: [
            .text(
                "Verifies a bundle or a report and prints a short text that follows from what was computed: kind, "
                    + "export id, number of items, manifest hash. With --archive it checks an archive and prints the "
                    + "head of its history instead: archive, length, link. Sign the text with ssh-keygen(1); "
                    + "hp-verify bundle --allowed-signers checks the signature."),
            .text(
                "An invalid file has no statement. Neither have a page, a view for people and a salvage: they show "
                    + "more, or less, than the hashes of an export cover."),
        ], operands: [Tool.Operand(.file, isOptional: true)], wanted: "name one file at most",
        options: [
            Tool.Option("-o", .output("STATEMENT"), "write the text to a file"),
            Tool.Option("--force", "replace an existing file"),
            Tool.Option("--archive", .file("ARCHIVE"), "print the head of the history of ARCHIVE, which is only read"),
            VerifyOptions.maxLine, VerifyOptions.maxFrame, VerifyOptions.quiet, Progress.option,
        ], example: "march.jsonl.zst | ssh-keygen -Y sign -n healthprobe-export -f KEY > march.jsonl.zst.sig",
        exitStatus: Tool.Term.statuses("the statement was printed", findings: "invalid, so there is no statement"),
        run: run)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let (file, archive) = (arguments.operands.first, try arguments.path("--archive"))
        let inputs = (file.map { [$0] } ?? []) + (archive.map { Archive.ownFiles(of: $0) } ?? [])
        guard (file == nil) != (archive == nil) else { throw UsageError("name one file, or --archive") }
        let isReplacing = arguments.has("--force")
        let output = try arguments.path("-o").map { try outputPath($0, replacing: isReplacing, apart: inputs) }
        let statement =
            if let archive { try history(of: archive, call) } else { try await export(of: file!, arguments, call) }
        guard let statement else { return .findings }
        guard let output else { return try call.show(statement.text) }
        try PendingFile.write(Array(statement.text.utf8), to: output, replacing: isReplacing)
        return .good
    }

    /// Returns the statement of a bundle or a report; says why there is none.
    private static func export(of file: Path, _ arguments: Arguments, _ call: Call) async throws -> SignedStatement? {
        let options = try VerificationOptions(arguments)
        let progress = try call.begin("items")
        let report = try await BundleVerifier.verify(
            FileVerification.open(file), options: options, progress: { progress.update($0) },
            shouldStop: Signals.shouldStop)
        progress.end()
        if let statement = SignedStatement(report) { return statement }
        let reason =
            !report.isGood
            ? "\(report.verdict), so it has no statement"
            : report.isView
                ? "a view for people has no statement: its hashes do not cover its cells"
                : report.isPage
                    ? "a page has no statement: its hashes do not cover what is read in it"
                    : "a salvage has no statement: it is not the export"
        call.voice.error(
            "\(file.display): \(reason)",
            hint: report.isGood ? "sign the bundle of the same export" : "hp-verify bundle \(file.display)")
        return nil
    }

    /// Returns the statement of an archive's history; says why there is none.
    private static func history(of path: Path, _ call: Call) throws -> SignedStatement? {
        let archive = try call.open(path)
        var options = InspectionOptions()
        options.checks = InspectionOptions.checksOfHead
        let head = try archive.historyHead()
        let progress = try call.begin("rows")
        let report = try ArchiveInspection.run(archive, options) { progress.add($0) }
        progress.end()
        if Signals.first != nil { throw CancellationError() }
        try archive.checkReading()
        guard report.isGood, report.checks.allSatisfy({ $0.status == .ok }) else {
            let checks = InspectionOptions.checksOfHead.map(\.rawValue).sorted().joined(separator: ",")
            call.voice.error(
                "\(path.display): invalid, so its history has no statement",
                hint: "hp-verify archive \(path.display) --only \(checks)")
            return nil
        }
        guard let head else {
            call.voice.error("\(path.display): it has no history", hint: "hp-export seal \(path.display)")
            return nil
        }
        return SignedStatement(historyHead: head.text)
    }
}
