import Archive
import Files
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

          --archive ARCHIVE  compare with the export that ARCHIVE recorded; it is only read
          --max-findings N   list at most N findings a file, count the others (default 1000)
          --max-line BYTES   longest line (default 67108864)
          --max-frame BYTES  largest text of a frame (default 69206016)
          --json             print one JSON object
          --quiet            no progress

        example: hp-verify bundle march.jsonl.zst --archive archive.sqlite
        exit status: 0 valid, 1 invalid: at least one finding, 2 could not be done, 128+n stopped by signal n

        """

    private static func run(_ words: [[UInt8]], _ voice: Voice) async throws -> ExitStatus {
        let arguments = try Arguments(
            words, options: ["--archive", "--max-findings", "--max-line", "--max-frame"], flags: ["--json", "--quiet"])
        guard !arguments.operands.isEmpty else { throw UsageError("name at least one bundle or report") }
        var options = VerificationOptions()
        if let limit = try arguments.integer("--max-findings", in: 0...1_000_000) { options.findingLimit = limit }
        if let limit = try arguments.integer("--max-line", in: 1...(1 << 30)) { options.lineLimit = limit }
        if let limit = try arguments.integer("--max-frame", in: 1...(1 << 30)) { options.frameLimit = limit }
        let archive = try arguments.path("--archive")
        var results: [VerifiedFile] = []
        var status = ExitStatus.good
        for file in arguments.operands {
            do {
                let report = try await verify(file, archive, options, isQuiet: arguments.has("--quiet"))
                results.append(VerifiedFile(file: file, archive: archive, report: report))
                if !report.isGood, status == .good { status = .findings }
            } catch let error as FileError {
                voice.error(error.description)
                status = .failed
            } catch let error as NotRegular {
                voice.error(error.description)
                status = .failed
            }
            if let signal = Signals.first { return .stopped(by: signal) }
        }
        var output = try StandardOutput()
        try output.write(arguments.has("--json") ? VerificationOutput.json(results) : VerificationOutput.text(results))
        try output.flush()
        return status
    }

    private struct NotRegular: Error { let description: String }

    private static func verify(_ path: Path, _ archivePath: Path?, _ options: VerificationOptions, isQuiet: Bool)
        async throws -> Report
    {
        let file = try Descriptor.reading(path)
        let kind = try file.status()
        guard kind.isRegular else { throw NotRegular(description: "\(path.display): \(kind.kind), not a regular file") }
        let progress = Progress("items", total: nil, isQuiet: isQuiet)
        defer { progress.end() }
        let shouldStop: @Sendable () -> Bool = { Signals.first != nil }
        guard let archivePath else {
            return try await BundleVerifier.verify(
                file, options: options, progress: { progress.update($0) }, shouldStop: shouldStop)
        }
        let archive = try Archive.open(archivePath, for: .evidence, wait: LockWait(shouldStop: shouldStop))
        try archive.requireKeys()
        return try await BundleVerifier.verify(
            file, archive: archive, options: options, progress: { progress.update($0) }, shouldStop: shouldStop)
    }
}

/// What was found of one file.
struct VerifiedFile {
    let file: Path
    let archive: Path?
    let report: Report
}
