import Archive
import Exports
import Files
import Tool

/// `hp-export records`.
enum RecordsCommand {
    static let command = Tool.Command(
        "records", "export the table of records that were visible at an observation, or of all versions: CSV or JSON",
        usage: ["ARCHIVE [-o FILE] [OPTIONS]"],
        about: [
            .text(
                "Writes the table of the records that were visible at an observation, and records the export in the "
                    + "archive. Beside a CSV file goes its sidecar, FILE-metadata.json; hp-verify needs both."),
            .text(
                "With --history it is the table of all versions up to the observation, with when each was visible "
                    + "and what was noticed of it. Relationships, and what names a sample but no version, are in a "
                    + "bundle."),
        ], operands: [Tool.Operand(.archive)],
        options: [
            ExportArguments.output, ExportArguments.format(usual: "csv"), ExportArguments.at,
            Tool.Option("--history", "all versions up to OBS, visible or not"), ExportArguments.withRelated,
        ] + ExportArguments.optionsOfViews + ExportArguments.options,
        example: "archive.sqlite --at 2024-04-01 -o april.csv",
        exitStatus: ExitStatus.ofExports, onlyReads: { $0.has("--no-record") }, run: run)

    private static func run(_ arguments: Arguments, _ voice: Voice) async throws -> ExitStatus {
        let isOfVersions = arguments.has("--history")
        guard !isOfVersions || !arguments.has("--with-related") else {
            throw UsageError("--history and --with-related contradict each other")
        }
        let hasView = try arguments.text("--view") != nil
        guard !isOfVersions || !hasView else {
            throw UsageError("--view people shows records and changes, not a history")
        }
        let export = try ExportArguments(arguments, voice, output: Path("-"))
        let container = try export.container("csv")
        let (choice, selection) = (try export.observation("--at") ?? .latest, try export.scope())
        let archive = try export.open(recording: export.isRecorded)
        let observation = try archive.observationID(choice)
        let scope = Scope(
            mode: isOfVersions ? .history : .pointInTime, observationID: observation,
            filter: try selection.filter(of: observation, in: archive), isOfVersions: isOfVersions)
        let view = try export.view(container, zone: archive.timeZone(of: observation))
        return try await export.run(
            isOfVersions ? .versionTable : .recordTable, scope, container, view: view, of: archive)
    }
}
