import Archive
import Exports
import Files
import Tool

/// `hp-export report`.
enum ReportCommand {
    static let command = Tool.Command(
        "report", "export what changed between two observations as one page to read",
        usage: ["ARCHIVE -o FILE.html [OPTIONS]"],
        about: [
            .text(
                "Writes the summary of a diff as one HTML page: what appeared, what is no longer visible, each type's "
                    + "measure, windows of time with labels and their evidence, and what was asked for. It needs no "
                    + "script, no network and no other file. No cause is inferred."),
            .text(
                "The page carries the items of diff --summary, and its manifest has the hash of what is read in it: "
                    + "hp-verify bundle verifies both. It is recorded as other exports are."),
        ], operands: [Tool.Operand(.archive)], options: options + exportOptions,
        example: "archive.sqlite --from 2024-03-01 --to 2024-04-01 -o march.html",
        exitStatus: ExitStatus.ofExports, onlyReads: { $0.has("--no-record") }, run: run)

    private static let options = [
        Tool.Option("-o", .file(), "where to; - is standard output"),
        Tool.Option(
            "--from", ExportArguments.observation,
            "compare with OBS: an id, latest, previous, or a date, month or year (default: the observation before --to)"
        ),
        Tool.Option(
            "--to", ExportArguments.observation,
            "the observation that is compared (default latest); may be the older one"
        ),
    ]

    /// A page is not compressed.
    private static let exportOptions = ExportArguments.options.filter { $0.name != "--level" }

    private static func run(_ arguments: Arguments, _ voice: Voice) async throws -> ExitStatus {
        let export = try ExportArguments(arguments, voice)
        let (from, to, selection) = (
            try export.observation("--from"), try export.observation("--to") ?? .latest, try export.scope()
        )
        let archive = try export.open(recording: export.isRecorded)
        let observations = try archive.observationIDs(from: from, to: to)
        let scope = Scope(
            changesFrom: observations.from, to: observations.to, kinds: nil, labels: nil,
            filter: try selection.filter(of: observations.to, in: archive))
        return try await export.run(.pageReport, scope, .page, thresholds: Threshold.ofSummaries, of: archive)
    }
}
