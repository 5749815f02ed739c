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
        ],
        options: [
            ExportArguments.output, ExportArguments.format(usual: "csv"), ExportArguments.at,
            Tool.Option("--history", "all versions up to OBS, visible or not"), ExportArguments.withRelated,
        ] + ExportArguments.optionsOfViews + ExportArguments.options,
        example: "archive.sqlite --at 2024-04-01 -o april.csv",
        access: ExportArguments.access, run: run)

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let isOfVersions = arguments.has("--history")
        guard !isOfVersions || !arguments.has("--with-related") else {
            throw UsageError("--history and --with-related contradict each other")
        }
        let hasView = try arguments.text("--view") != nil
        guard !isOfVersions || !hasView else {
            throw UsageError("--view people shows records and changes, not a history")
        }
        return try await ExportArguments(arguments, call, output: Path("-")).runAtObservation(
            isOfVersions ? .versionTable : .recordTable, "csv", isHistory: isOfVersions)
    }
}
