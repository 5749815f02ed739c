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
        ],
        options: [
            ExportArguments.file, ExportArguments.at,
            Tool.Option("--history", "all samples, versions, events and ranges up to OBS"),
            ExportArguments.withRelated,
            Tool.Option(
                "--profile", .words("PROFILE", of: ["share"]),
                "share: to be given to others, without device, device chain, other apps' metadata and links, and "
                    + "without hashes that cover these"),
        ] + ExportArguments.options,
        example: "archive.sqlite -o march.jsonl.zst --since 2024-03-01 --until 2024-04-01",
        access: ExportArguments.access, run: run)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        guard !arguments.has("--history") || !arguments.has("--with-related") else {
            throw UsageError("--history and --with-related contradict each other")
        }
        let isShared = try arguments.words("--profile") != nil
        for option in ["--history", "--with-related"] where isShared && arguments.has(option) {
            throw UsageError("\(option) and --profile share contradict each other")
        }
        return try await ExportArguments(arguments, call).runAtObservation(
            isShared ? .sharedBundle : .recoveryBundle, "bundle", isHistory: arguments.has("--history"))
    }
}
