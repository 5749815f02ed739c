import Archive
import Exports
import Tool

/// `hp-export bundle`.
enum BundleCommand {
    static let command = Tool.Command(name: "bundle", help: help, run: run)

    private static let help = """
        usage: hp-export bundle ARCHIVE -o FILE [OPTIONS]

        Writes the records that were visible at an observation, with everything that the archive knows of
        them, into one bundle (JSON Lines, Zstandard), and records the export in the archive.

          -o FILE            where to; - is standard output
          --at OBS           observation: an id, latest (default), previous, or a date, month or year
          --history          all samples, versions, events and ranges up to OBS
        \(ExportArguments.help)

        example: hp-export bundle archive.sqlite -o march.jsonl.zst --since 2024-03-01 --until 2024-04-01
        exit status: 0 done, 2 could not be done, 128+n stopped by signal n

        """

    private static func run(_ words: [[UInt8]], _ voice: Voice) async throws -> ExitStatus {
        let arguments = try Arguments(
            words, options: ExportArguments.options.union(["--at"]), flags: ExportArguments.flags.union(["--history"]))
        let export = try ExportArguments(arguments, voice)
        let container = try export.container("bundle")
        let (choice, selection) = (try export.observation("--at") ?? .latest, try export.scope())
        let archive = try export.open(recording: export.isRecorded)
        let observation = try archive.observationID(choice)
        let scope = Scope(
            mode: arguments.has("--history") ? .history : .pointInTime, observationID: observation,
            filter: try selection.filter(of: observation, in: archive))
        return try await export.run(.recoveryBundle, scope, container, of: archive)
    }
}
