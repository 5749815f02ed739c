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
        ], operands: [Tool.Operand(.file, isRepeatable: true)], wanted: "name a bundle",
        options: [
            Tool.Option("-o", .output(), "the new file; it appears complete or not at all"),
            Tool.Option(
                "--archive", .file("ARCHIVE"),
                "say which items of the recorded export are missing; ARCHIVE is only read"),
            Tool.Option("--force", "replace an existing file"), VerifyOptions.findings("identities of each kind"),
        ] + VerifyOptions.reading, example: "damaged.jsonl.zst -o recovered.jsonl.zst --archive archive.sqlite",
        exitStatus: Tool.Term.statuses("nothing is missing or damaged", findings: "something is"), run: run)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
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
        let progress = try call.begin("items")
        options.progress = { progress.update($0) }
        options.shouldStop = Signals.shouldStop
        let (files, archive) = (arguments.operands, try arguments.path("--archive"))
        let result =
            if let archive {
                try await Salvager.run(files, to: output, archive: call.open(archive), options: options)
            } else {
                try await Salvager.run(files, to: output, options: options)
            }
        let salvaged = Salvaged(output: output, archive: archive, result: result)
        return try call.show(SalvageOutput.text(salvaged), json: SalvageOutput.json(salvaged), isGood: result.isWhole)
    }
}

/// What was read, and what came of it.
struct Salvaged {
    let output: Path
    let archive: Path?
    let result: SalvageResult
}
