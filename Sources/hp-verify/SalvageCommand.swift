import Archive
import Build
import Files
import Salvage
import Tool

/// `hp-verify salvage`.
enum SalvageCommand {
    static let command = Tool.Command(
        "salvage", "recover the intact lines of a damaged bundle", usage: ["FILE -o FILE [OPTIONS]"],
        about: [
            .text(
                "Recovers the intact items of a damaged bundle into a new file, which says what it is and what is "
                    + "missing. Works without header, manifest and seek table, and with holes in the middle. FILE is "
                    + "only read.")
        ], operands: [Tool.Operand(.file)],
        options: [
            Tool.Option("-o", .file(), "the new file; it appears complete or not at all"),
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
        guard arguments.operands.count == 1, let file = arguments.operands.first else {
            throw UsageError("name one bundle")
        }
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
        let result = try await salvage(file, output, archive, options)
        progress.end()
        let salvaged = SalvagedFile(file: file, output: output, archive: archive, result: result)
        var standardOutput = try StandardOutput()
        try standardOutput.write(arguments.has("--json") ? SalvageOutput.json(salvaged) : SalvageOutput.text(salvaged))
        try standardOutput.flush()
        return result.isWhole ? .good : .findings
    }

    private static func salvage(_ file: Path, _ output: Path, _ archivePath: Path?, _ options: SalvageOptions)
        async throws -> SalvageResult
    {
        guard let archivePath else { return try await Salvager.run(file, to: output, options: options) }
        let archive = try Archive.open(archivePath, for: .evidence, wait: LockWait(shouldStop: options.shouldStop))
        return try await Salvager.run(file, to: output, archive: archive, options: options)
    }
}

/// What became of one file.
struct SalvagedFile {
    let file, output: Path
    let archive: Path?
    let result: SalvageResult
}
