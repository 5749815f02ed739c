import Archive
import Exports
import Files
import Tool

/// `hp-export records`.
enum RecordsCommand {
    static let command = Tool.Command(
        "records", "export the table of records that were visible at an observation: CSV or JSON",
        usage: ["ARCHIVE [-o FILE] [OPTIONS]"],
        about: [
            .text(
                "Writes the table of the records that were visible at an observation, and records the export in the "
                    + "archive. Beside a CSV file goes its sidecar, FILE-metadata.json; hp-verify needs both.")
        ], operands: [Tool.Operand(.archive)],
        options: [
            ExportArguments.output, ExportArguments.format(usual: "csv"), ExportArguments.at,
            ExportArguments.withRelated,
        ] + ExportArguments.optionsOfViews + ExportArguments.options,
        example: "archive.sqlite --at 2024-04-01 -o april.csv",
        exitStatus: ExitStatus.ofExports, onlyReads: { $0.has("--no-record") }, run: run)

    private static func run(_ arguments: Arguments, _ voice: Voice) async throws -> ExitStatus {
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
