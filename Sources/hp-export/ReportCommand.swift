import Archive
import Changes
import CanonicalJSON
import Exports
import Files
import ReportCache
import ReportPage
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
                "The page carries the items of diff --summary, and its manifest has the hash of what is read in it: "
                    + "hp-verify bundle verifies both. It is recorded as other exports are."),
            .text(
                "With --share the page has counts and dates alone, and sources have numbers. It cannot be verified by "
                    + "itself: it names the manifest hash that the archive recorded."),
        ], options: options, example: "archive.sqlite --from 2024-03-01 --to 2024-04-01 -o march.html",
        access: ExportArguments.access, run: run)

    /// A page is not compressed.
    private static let options =
        [
            ExportArguments.file,
            Tool.Option("--all", "a page for each observation and the one before it, and a list of them, in a folder"),
            Tool.Option("--share", "a page without values, names of sources and evidence"),
        ] + ExportArguments.pair + ExportArguments.options.filter { $0.name != "--level" }

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let export = try ExportArguments(arguments, call)
        let (from, to, selection) = (
            try export.observation("--from"), try export.observation("--to") ?? .latest, try export.scope()
        )
        if arguments.has("--all") { return try await writeAll(export, selection, arguments, call) }
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

    /// The two observations of a page; one twice if nothing is before it.
    private static func observations(
        from: ObservationChoice?, to: ObservationChoice, _ archive: borrowing Archive
    ) throws -> (from: Int64, to: Int64) {
        if from == nil {
            let observation = try archive.observationID(to)
            if try archive.finishedObservation(before: observation) == nil { return (observation, observation) }
        }
        return try archive.observationIDs(from: from, to: to)
    }

    // MARK: All pages

    /// Writes a page for each pair of neighbours, and the list last: where it is, all pages are.
    private static func writeAll(
        _ export: ExportArguments, _ selection: ScopeArguments, _ arguments: Arguments, _ call: Call
    ) async throws -> ExitStatus {
        guard try arguments.text("--from") == nil, try arguments.text("--to") == nil else {
            throw UsageError("--all compares every observation with the one before it: without --from and --to")
        }
        guard !export.isStream else { throw UsageError("--all writes a folder, not standard output") }
        let (pairs, counts) = try counts(export, selection)
        try makeFolder(export.output)
        let list = export.output.appending(Array("index.html".utf8))
        try checkPlaces([list] + pairs.map { name($0, in: export.output) }, arguments)
        var entries: [PageIndex.Entry] = []
        for (place, pair) in pairs.enumerated() {
            let archive = try export.open()
            let scope = Scope(
                changesFrom: pair.from, to: pair.to, kinds: nil, labels: nil,
                filter: try selection.filter(of: pair.to, in: archive))
            let times = (try archive.observationTime(pair.from), try archive.observationTime(pair.to))
            let counts = try counts?.byPair[place] ?? archive.changeSummary(of: scope).map { .init($0) }
            let result = try await export.writing(to: name(pair, in: export.output)).export(
                .pageReport, scope, container(arguments), thresholds: Threshold.ofSummaries, of: archive)
            entries.append(
                PageIndex.Entry(
                    from: pair.from, to: pair.to, observedBefore: times.0, observedAfter: times.1,
                    appeared: counts.reduce(0) { $0 + Int($1.appeared) },
                    disappeared: counts.reduce(0) { $0 + Int($1.disappeared) },
                    changed: counts.reduce(0) { $0 + Int($1.representationChanged) }, exportID: result.exportID))
        }
        var file = try PendingFile(destination: list, token: PendingFile.token(of: 0))
        let html = PageIndex.html(of: entries)
        try file.write(html.span)
        try file.synchronize()
        try file.publish(replacing: arguments.has("--force"))
        if !arguments.has("--json") {
            call.note("\(export.output.display): \(entries.count) page\(entries.count == 1 ? "" : "s") and index.html")
        }
        return try call.show(
            json: [
                "counts_from": counts?.isCached == true ? "cache" : "archive", "folder": export.output.display,
                "pages": entries.map { entry -> JSONObject in
                    [
                        "export_id": entry.exportID, "file": entry.name, "from_observation_id": entry.from,
                        "to_observation_id": entry.to,
                    ]
                },
            ])
    }

    /// The pairs of neighbours, and what changed in each; nil where a selection is asked for.
    private static func counts(_ export: ExportArguments, _ selection: ScopeArguments) throws -> (
        pairs: [(from: Int64, to: Int64)], counts: (byPair: [[ReportCache.Changes]], isCached: Bool)?
    ) {
        let archive = try export.open()
        let pairs = try archive.neighbours()
        let isWhole = try pairs.allSatisfy { try selection.filter(of: $0.to, in: archive) == Filter() }
        return (pairs, isWhole ? try ReportCache.changes(of: pairs, in: archive) : nil)
    }

    private static func name(_ pair: (from: Int64, to: Int64), in folder: Path) -> Path {
        folder.appending(Array("\(pair.from)-\(pair.to).html".utf8))
    }

    /// Before the first page is written, all names are free.
    private static func checkPlaces(_ paths: [Path], _ arguments: Arguments) throws {
        guard !arguments.has("--force") else { return }
        for path in paths where FileStatus.exists(path) {
            throw UsageError("\(path.display): the file exists", hint: "use --force to replace it")
        }
    }
}
