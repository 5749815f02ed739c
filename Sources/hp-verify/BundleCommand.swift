import Archive
import Files
import Pipeline
import Tool
import Verification

/// `hp-verify bundle`.
enum BundleCommand {
    static let command = Tool.Command(
        "bundle", "verify recovery bundles and reports, alone or against an archive", usage: ["FILE... [OPTIONS]"],
        about: [
            .text(
                "Verifies recovery bundles and reports: container, lines, canonical form, members, item hashes, "
                    + "order and manifest. A report may be a bundle, lines, an envelope or a table; a table needs "
                    + "its sidecar FILE-metadata.json beside it. Every layer is checked; verification does not stop "
                    + "at the first finding."),
            .text("FILE - is standard input."),
        ], operands: [Tool.Operand(.file, isRepeatable: true)], wanted: "name at least one bundle or report",
        options: [
            Tool.Option(
                "--archive", .file("ARCHIVE"),
                "compare with what ARCHIVE recorded of the export, and with what it gives for it now; it is only read"),
            Tool.Option("--recorded-only", "compare with the record alone"),
            Tool.Option(
                "--jobs", .number("N", in: 1...64),
                "verify N files at a time (default 1); each uses two processors at most"),
            VerifyOptions.junit, VerifyOptions.force, VerifyOptions.findings("findings a file"),
        ] + VerifyOptions.reading, example: "march.jsonl.zst --archive archive.sqlite",
        exitStatus: VerifyOptions.exitStatus, run: run)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let files = try VerifyOptions.files(arguments)
        var options = try VerificationOptions(arguments)
        if let limit = try arguments.integer("--max-findings") { options.findingLimit = limit }
        let jobs = try arguments.integer("--jobs") ?? 1
        let archive = try arguments.path("--archive")
        let isRecordedOnly = arguments.has("--recorded-only")
        if isRecordedOnly, archive == nil { throw UsageError("--recorded-only needs --archive") }
        let verification = FileVerification(
            call: call, archive: archive, isRecordedOnly: isRecordedOnly, options: options,
            progress: try Progress.Form(arguments, isAlone: jobs == 1))
        var junit = try JUnitFile.begin(arguments, apart: files + (archive.map { Archive.ownFiles(of: $0) } ?? []))
        var output = try VerificationOutput(isJSON: arguments.has("--json"), suite: "bundle")
        try await verify(files, verification, jobs: jobs) { result in
            if case .unreadable(let text) = result.outcome { call.voice.error(text) }
            try output.add(result)
        }
        if let signal = Signals.first { return .stopped(by: signal) }
        try output.finish()
        try junit?.publish(output.report)
        return output.status
    }

    /// Verifies so many files at a time, and gives the results in the order of the files.
    private static func verify(
        _ files: [Path], _ verification: FileVerification, jobs: Int, _ body: (VerifiedFile) throws -> Void
    ) async throws {
        try await OrderedTasks<VerifiedFile>.run { tasks in
            for file in files {
                if Signals.first != nil { return }
                tasks.start { try await verification.verify(file) }
                while let result = try await tasks.next(leaving: jobs - 1) { try body(result) }
            }
            while let result = try await tasks.next(leaving: 0) { try body(result) }
        }
    }
}
