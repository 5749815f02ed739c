import Archive
import Files
import Salvage
import Tool

/// `hp-verify salvage`.
enum SalvageCommand {
    static let command = Tool.Command(name: "salvage", help: help, run: run)

    private static let help = """
        usage: hp-verify salvage FILE -o FILE [OPTIONS]

        Recovers the intact items of a damaged bundle into a new file, which says what it is and what is missing.
        Works without header, manifest and seek table, and with holes in the middle. FILE is only read.

          -o FILE            the new file; it appears complete or not at all
          --archive ARCHIVE  say which items of the recorded export are missing; ARCHIVE is only read
          --force            replace an existing file
          --max-findings N   list at most N identities of each kind, count the others (default 1000)
          --max-line BYTES   longest line (default 67108864)
          --max-frame BYTES  largest text of a frame (default 69206016)
          --json             print one JSON object
          --quiet            no progress
          --progress json    progress as a line of JSON each second, on standard error

        example: hp-verify salvage damaged.jsonl.zst -o recovered.jsonl.zst --archive archive.sqlite
        exit status: 0 nothing is missing or damaged, 1 something is, 2 could not be done, 128+n stopped by signal n

        """

    private static func run(_ words: [[UInt8]], _ voice: Voice) async throws -> ExitStatus {
        let arguments = try Arguments(
            words, options: ["-o", "--archive", "--max-findings", "--max-line", "--max-frame", Progress.option],
            flags: ["--force", "--json", "--quiet"])
        guard arguments.operands.count == 1, let file = arguments.operands.first else {
            throw UsageError("name one bundle")
        }
        guard let output = try arguments.path("-o") else { throw UsageError("-o FILE is missing") }
        guard output.bytes != Array("-".utf8) else {
            throw UsageError(
                "a salvage goes to a file, not to standard output")
        }
        var options = SalvageOptions(generator: ("hp-verify", version))
        options.isReplacing = arguments.has("--force")
        if let limit = try arguments.integer("--max-findings", in: 0...1_000_000) { options.identityLimit = limit }
        if let limit = try arguments.integer("--max-line", in: 1...(1 << 30)) { options.lineLimit = limit }
        if let limit = try arguments.integer("--max-frame", in: 1...(1 << 30)) { options.frameLimit = limit }
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
