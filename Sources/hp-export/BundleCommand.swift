import Archive
import Exports
import Tool

/// `hp-export bundle`.
enum BundleCommand {
    static let command = Tool.Command(
        "bundle", "export records into one compressed, hashed bundle and record it in the archive",
        usage: ["ARCHIVE -o FILE [OPTIONS]"],
        about: [
            .text(
                "Writes the records that were visible at an observation, with everything that the archive knows of "
                    + "them, into one bundle (JSON Lines, Zstandard), and records the export in the archive.")
        ], operands: [Tool.Operand(.archive)],
        options: [
            Tool.Option("-o", .output(), "where to; - is standard output"), ExportArguments.at,
            Tool.Option("--history", "all samples, versions, events and ranges up to OBS"),
            ExportArguments.withRelated,
            Tool.Option(
                "--profile", .words("PROFILE", of: ["share"]),
                "share: to be given to others, without device, device chain, other apps' metadata and links, and "
                    + "without hashes that cover these"),
        ] + ExportArguments.options,
        example: "archive.sqlite -o march.jsonl.zst --since 2024-03-01 --until 2024-04-01",
        exitStatus: ExitStatus.ofExports, onlyReads: { $0.has("--no-record") }, run: run)

    private static func run(_ arguments: Arguments, _ voice: Voice) async throws -> ExitStatus {
        guard !arguments.has("--history") || !arguments.has("--with-related") else {
            throw UsageError("--history and --with-related contradict each other")
        }
        let isShared = try arguments.words("--profile") != nil
        for option in ["--history", "--with-related"] where isShared && arguments.has(option) {
            throw UsageError("\(option) and --profile share contradict each other")
        }
        let export = try ExportArguments(arguments, voice)
        let container = try export.container("bundle")
        let (choice, selection) = (try export.observation("--at") ?? .latest, try export.scope())
        let archive = try export.open(recording: export.isRecorded)
        let observation = try archive.observationID(choice)
        let scope = Scope(
            mode: arguments.has("--history") ? .history : .pointInTime, observationID: observation,
            filter: try selection.filter(of: observation, in: archive))
        return try await export.run(isShared ? .sharedBundle : .recoveryBundle, scope, container, of: archive)
    }
}
