import Archive
import Changes
import CanonicalJSON
import Exports
import Files
import Tool

/// `hp-export report`.
enum ReportCommand {
    static let command = Tool.Command(
        "report", "export what changed between two observations as one page to read",
        usage: ["ARCHIVE -o FILE.html [OPTIONS]", "ARCHIVE --all -o FOLDER [OPTIONS]"],
        about: [
            .text(
                "Writes the summary of a diff as one HTML page: what appeared, what is no longer visible, each type's "
                    + "measure, windows of time with labels and their evidence, and what was asked for. It needs no "
                    + "script, no network and no other file. No cause is inferred."),
            .text(
                "If no observation is before, the page shows what there is: types, stretches without a record, "
                    + "sources, nights, what is not stored, and each year by day."),
            .text(
                "With --all a folder gets a list of all observations, a page for each type, and pages of what is "
                    + "missing, changed or not known, and of the newest. Run again, it writes only what differs."),
            .text(
                "The page carries the items of diff --summary, and its manifest has the hash of what is read in it: "
                    + "hp-verify bundle verifies both. It is recorded as other exports are."),
            .text(
                "With --share the page has counts and dates alone, and sources have numbers. It cannot be verified by "
                    + "itself: it names the manifest hash that the archive recorded."),
        ], options: options, example: "archive.sqlite --from 2024-03-01 --to 2024-04-01 -o march.html",
        access: { $0.has("--no-record") || $0.has("--all") && !$0.has("--record") ? .reading : .recording }, run: run)

    /// A page is not compressed.
    private static let options =
        [
            ExportArguments.file,
            Tool.Option(
                "--all", "a folder: a list of all observations, a page for each type, and pages of what is notable"),
            Tool.Option("--record", "with --all: record its pages, which are else only written"),
            Tool.Option("--share", "a page without values, names of sources and evidence"),
        ] + ExportArguments.pair + ExportArguments.options.filter { $0.name != "--level" }

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let export = try ExportArguments(arguments, call)
        let (from, to, selection) = (
            try export.observation("--from"), try export.observation("--to") ?? .latest, try export.scope()
        )
        if arguments.has("--all") {
            return try await AllPages.write(export, selection, container(arguments), arguments, call)
        }
        guard !arguments.has("--record") else {
            throw UsageError("--record needs --all: one page is recorded anyway")
        }
        let archive = try export.open()
        let observations = try observations(from: from, to: to, archive)
        let scope = Scope(
            changesFrom: observations.from, to: observations.to, kinds: nil, labels: nil,
            filter: try selection.filter(of: observations.to, in: archive))
        return try await export.run(
            .pageReport, scope, container(arguments), thresholds: Threshold.ofSummaries, of: archive)
    }

    private static func container(_ arguments: Arguments) -> ExportContainer {
        .page(isShared: arguments.has("--share"))
    }

    /// Returns the two observations of a page; one twice if nothing is before it.
    private static func observations(
        from: ObservationChoice?, to: ObservationChoice, _ archive: borrowing Archive
    ) throws -> (from: Int64, to: Int64) {
        if from == nil {
            let observation = try archive.observationID(to)
            if try archive.finishedObservation(before: observation) == nil { return (observation, observation) }
        }
        return try archive.observationIDs(from: from, to: to)
    }
}
