import Archive
import Exports
import Files
import Tool

/// `hp-export manifest`.
enum ManifestCommand {
    static let command = Tool.Command(name: "manifest", help: help, run: run)

    private static let help = """
        usage: hp-export manifest ARCHIVE [-o FILE] [OPTIONS]

        Writes the manifest of an observation: for each sample type how many records were visible, and a hash
        over all of them. Two observations with the same hash showed the same records.

          -o FILE            where to; - is standard output (default)
          --format F         json (default), jsonl, csv or bundle
          --at OBS           observation: an id, latest (default), previous, or a date, month or year
        \(ExportArguments.help)

        example: hp-export manifest archive.sqlite --at previous
        exit status: 0 done, 2 could not be done, 128+n stopped by signal n

        """

    private static func run(_ words: [[UInt8]], _ voice: Voice) async throws -> ExitStatus {
        let arguments = try Arguments(
            words, options: ExportArguments.options.union(["--at", "--format"]), flags: ExportArguments.flags)
        let export = try ExportArguments(arguments, voice, output: Path("-"))
        let container = try export.container("json")
        let (choice, selection) = (try export.observation("--at") ?? .latest, try export.scope())
        let archive = try export.open(recording: export.isRecorded)
        let observation = try archive.observationID(choice)
        let scope = Scope(
            mode: .pointInTime, observationID: observation,
            filter: try selection.filter(of: observation, in: archive))
        return try await export.run(.observationManifest, scope, container, of: archive)
    }
}
