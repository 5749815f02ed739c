import Archive
import Files
import Pipeline
import Tool
import Verification

/// `hp-verify bundle`.
enum BundleCommand {
    static let command = Tool.Command(name: "bundle", help: help, run: run)

    private static let help = """
        usage: hp-verify bundle FILE... [OPTIONS]

        Verifies recovery bundles and reports: container, lines, canonical form, members, item hashes, order and \
        manifest.
        A report may be a bundle, lines, an envelope or a table; a table needs its sidecar FILE-metadata.json beside it.
        Every layer is checked; verification does not stop at the first finding.

        FILE - is standard input.

          --archive ARCHIVE  compare with what ARCHIVE recorded of the export, and with the evidence that it was \
        made of;
                             it is only read
          --recorded-only    leave the evidence out
          --jobs N           verify N files at a time (default 1); each uses two processors at most
          --junit FILE       write the results for build servers, too; an existing FILE is refused
          --force            replace it
          --max-findings N   list at most N findings a file, count the others (default 1000)
          --max-line BYTES   longest line (default 67108864)
          --max-frame BYTES  largest text of a frame (default 69206016)
          --json             print one JSON object
          --quiet            no progress
          --progress json    progress as a line of JSON each second, on standard error

        example: hp-verify bundle march.jsonl.zst --archive archive.sqlite
        exit status: 0 valid, 1 invalid: at least one finding, 2 could not be done, 128+n stopped by signal n

        """

    private static func run(_ words: [[UInt8]], _ voice: Voice) async throws -> ExitStatus {
        let arguments = try Arguments(
            words,
            options: [
                "--archive", "--jobs", "--junit", "--max-findings", "--max-line", "--max-frame", Progress.option,
            ], flags: ["--force", "--json", "--quiet", "--recorded-only"])
        let files = arguments.operands
        guard !files.isEmpty else { throw UsageError("name at least one bundle or report") }
        guard files.count(where: { $0.bytes.elementsEqual("-".utf8) }) <= 1 else {
            throw UsageError("standard input (-) can be named once")
        }
        var options = VerificationOptions()
        if let limit = try arguments.integer("--max-findings", in: 0...1_000_000) { options.findingLimit = limit }
        if let limit = try arguments.integer("--max-line", in: 1...(1 << 30)) { options.lineLimit = limit }
        if let limit = try arguments.integer("--max-frame", in: 1...(1 << 30)) { options.frameLimit = limit }
        let jobs = try arguments.integer("--jobs", in: 1...64) ?? 1
        let archive = try arguments.path("--archive")
        options.isRecordedOnly = arguments.has("--recorded-only")
        if options.isRecordedOnly, archive == nil { throw UsageError("--recorded-only needs --archive") }
        let verification = FileVerification(
            archive: archive, options: options, progress: try Progress.Form(arguments, isAlone: jobs == 1))
        var junit = try JUnitFile.begin(arguments, apart: files + (archive.map { Archive.ownFiles(of: $0) } ?? []))
        var output = try VerificationOutput(isJSON: arguments.has("--json"), suite: "bundle")
        try await verify(files, verification, jobs: jobs) { result in
            if case .unreadable(let text) = result.outcome { voice.error(text) }
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
