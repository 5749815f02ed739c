import Archive
import Exports
import Files
import Tool

/// `hp-export records`.
enum RecordsCommand {
    static let command = Tool.Command(name: "records", help: help, run: run)

    private static let help = """
        usage: hp-export records ARCHIVE [-o FILE] [OPTIONS]

        Writes the table of the records that were visible at an observation, and records the export in the
        archive. Beside a CSV file goes its sidecar, FILE-metadata.json; hp-verify needs both.

          -o FILE            where to; - is standard output (default)
          --format F         csv (default), jsonl, json or bundle
          --at OBS           observation: an id, latest (default), previous, or a date, month or year
        \(ExportArguments.helpOfViews)
        \(ExportArguments.help)

        example: hp-export records archive.sqlite --at 2024-04-01 -o april.csv
        exit status: 0 done, 2 could not be done, 128+n stopped by signal n

        """

    private static func run(_ words: [[UInt8]], _ voice: Voice) async throws -> ExitStatus {
        let arguments = try Arguments(
            words, options: ExportArguments.optionsOfViews.union(["--at", "--format"]), flags: ExportArguments.flags)
        let export = try ExportArguments(arguments, voice, output: Path("-"))
        let container = try export.container("csv")
        let (choice, selection) = (try export.observation("--at") ?? .latest, try export.scope())
        let archive = try export.open(recording: export.isRecorded)
        let observation = try archive.observationID(choice)
        let scope = Scope(
            mode: .pointInTime, observationID: observation,
            filter: try selection.filter(of: observation, in: archive))
        let view = try export.view(container, zone: archive.timeZone(of: observation))
        return try await export.run(.recordTable, scope, container, view: view, of: archive)
    }
}
