import Archive
import Build
import Files
import Salvage
import Tool

/// `hp-verify salvage`.
enum SalvageCommand {
    static let command = Tool.Command(
        "salvage", "recover the intact lines of a damaged bundle", usage: ["FILE… -o FILE [OPTIONS]"],
        about: [
            .text(
                "Recovers the intact items of a damaged bundle or report into a new file, which says what it is and "
                    + "what is missing. Works without header, manifest and seek table, with holes in the middle, and "
                    + "on what a decompressor or an editor left: lines, JSON or a table, cut anywhere. Of several "
                    + "damaged copies of one export it takes what they hold together. Files are only read.")
        ], operands: [Tool.Operand(.file, isRepeatable: true)],
        options: [
            Tool.Option("-o", .output(), "the new file; it appears complete or not at all"),
            Tool.Option(
                "--archive", .file("ARCHIVE"),
                "say which items of the recorded export are missing; ARCHIVE is only read"),
            Tool.Option("--force", "replace an existing file"), VerifyOptions.findings("identities of each kind"),
            VerifyOptions.maxLine, VerifyOptions.maxFrame, VerifyOptions.json, VerifyOptions.quiet, Progress.option,
        ], example: "damaged.jsonl.zst -o recovered.jsonl.zst --archive archive.sqlite",
        exitStatus: [
            Tool.Term("0", "nothing is missing or damaged"), Tool.Term("1", "something is"),
            Tool.Term("2", "could not be done"), Tool.Term("128+n", "stopped by signal n"),
        ], run: run)

    private static func run(_ arguments: Arguments, _ voice: Voice) async throws -> ExitStatus {
        let files = arguments.operands
        guard !files.isEmpty else { throw UsageError("name a bundle") }
        guard let output = try arguments.path("-o") else { throw UsageError("-o FILE is missing") }
        guard output.bytes != Array("-".utf8) else {
            throw UsageError(
                "a salvage goes to a file, not to standard output")
        }
        var options = SalvageOptions(generator: ("hp-verify", Build.version))
        options.isReplacing = arguments.has("--force")
        if let limit = try arguments.integer("--max-findings") { options.identityLimit = limit }
        if let limit = try arguments.integer("--max-line") { options.lineLimit = limit }
        if let limit = try arguments.integer("--max-frame") { options.frameLimit = limit }
        let progress = Progress("items", total: nil, form: try Progress.Form(arguments))
        options.progress = { progress.update($0) }
        options.shouldStop = { Signals.first != nil }
        defer { progress.end() }
        let archive = try arguments.path("--archive")
        let result = try await salvage(files, output, archive, options)
        progress.end()
        let salvaged = Salvaged(output: output, archive: archive, result: result)
        var standardOutput = try StandardOutput()
        try standardOutput.write(arguments.has("--json") ? SalvageOutput.json(salvaged) : SalvageOutput.text(salvaged))
        try standardOutput.flush()
        return result.isWhole ? .good : .findings
    }

    private static func salvage(_ files: [Path], _ output: Path, _ archivePath: Path?, _ options: SalvageOptions)
        async throws -> SalvageResult
    {
        guard let archivePath else { return try await Salvager.run(files, to: output, options: options) }
        let archive = try Archive.open(archivePath, for: .evidence, wait: LockWait(shouldStop: options.shouldStop))
        return try await Salvager.run(files, to: output, archive: archive, options: options)
    }
}

/// What was read, and what came of it.
struct Salvaged {
    let output: Path
    let archive: Path?
    let result: SalvageResult
}
