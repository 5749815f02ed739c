import Archive
import Changes
import Exports
import Files
import Tool

/// `hp-export diff`.
enum DiffCommand {
    static let command = Tool.Command(
        "diff", "export what changed between two observations, or a summary of it, or findings",
        usage: ["ARCHIVE [-o FILE] [OPTIONS]"],
        about: [
            .text(
                "Writes what changed between two observations of one device chain: records that appeared, that are "
                    + "no longer visible, and whose representation changed, with both versions and the events that "
                    + "are the evidence; and relationships that did. The export is recorded in the archive. No cause "
                    + "is inferred."),
            .text(
                "With --summary, --findings, --pairs or --across-chains, and without --format, a text for people is "
                    + "printed, which is no export; --json is --format json there."),
        ],
        options: [ExportArguments.output, ExportArguments.format(usual: "csv")] + ExportArguments.pair + options
            + ExportArguments.optionsOfViews + ExportArguments.options,
        example: "archive.sqlite --from 2024-03-01 --to 2024-04-01 -o march.csv",
        access: { $0.has("--counts") || isText($0) ? .reading : ExportArguments.access($0) }, run: run)

    private static let options = [
        Tool.Option(
            "--changes", .words("KIND,...", of: kindNames.map(\.name)),
            "only appeared, disappeared or changed records, those that came again re-identified, or relationships that "
                + "appeared, changed or disappeared"),
        Tool.Option(
            "--label", .words("LABEL,...", of: WindowLabel.allCases.map(\.rawValue)),
            "only changes in windows with these labels (Spec/changes.md)"),
        Tool.Option("--summary", "totals of types and windows of time, with a label each"),
        Tool.Option(
            "--counts", "of a summary only the counts of types, at once where the cache of the archive has them"),
        Tool.Option("--findings", "evidence worth a look: late arrivals, disappearances, duplicates, divergence"),
        Tool.Option(
            "--pairs",
            "records that came again under another identity or were condensed, inferred from what they say, beside "
                + "the changes"),
        Tool.Option(
            "--across-chains",
            "the pairs of observations of two device chains, such as those of a phone and of its export; identity is "
                + "inferred"),
        Tool.Option(
            "--threshold", .text("N=X", offering: Threshold.allCases.map { "\($0.rawValue)=" }), isRepeatable: true,
            "sets threshold N of labels or findings (Spec/changes.md)"),
    ]

    private static let kindNames: [(name: String, kind: ChangeSelection)] = [
        ("appeared", .appeared), ("disappeared", .disappeared), ("changed", .representationChanged),
        ("re-identified", .reIdentified), ("relationship-appeared", .relationshipAppeared),
        ("relationship-changed", .relationshipChanged), ("relationship-disappeared", .relationshipDisappeared),
    ]

    private static let acrossChains = "--across-chains"

    /// Whether a text for people is asked for, which is no export.
    private static func isText(_ arguments: Arguments) -> Bool {
        ["--summary", "--findings", "--pairs", acrossChains].contains { arguments.has($0) }
            && !arguments.has("--json") && !arguments.hasValue("--format")
    }

    /// What is written.
    private enum Question { case changes, summary, findings, pairs }

    private static func run(_ arguments: Arguments, _ call: Call) async throws -> ExitStatus {
        let export = try ExportArguments(arguments, call, output: Path("-"))
        let question = try question(arguments)
        let kinds = try kinds(arguments)
        let labels = try arguments.words("--label")?.compactMap { WindowLabel(rawValue: $0) }
        if kinds != nil || labels != nil, question != .changes {
            throw UsageError(
                "\(kinds != nil ? "--changes" : "--label") selects changes, not a summary, findings or pairs")
        }
        let isCounts = arguments.has("--counts")
        guard !isCounts || question == .summary else {
            throw UsageError("--counts is of a summary: diff --summary --counts")
        }
        let thresholds = try thresholds(arguments, question)
        let (from, to, selection) = (
            try export.observation("--from"), try export.observation("--to") ?? .latest, try export.scope()
        )
        let isText = isText(arguments)
        if isCounts { return try showCounts(export, arguments, call, from, to, selection) }
        if isText, try arguments.path("-o") != nil {
            throw UsageError(
                "-o needs --format: the text for people goes to standard output")
        }
        let container = try export.container(question == .changes ? "csv" : "json")
        let archive = try export.open()
        let observations =
            arguments.has(acrossChains)
            ? try archive.observationIDsAcrossChains(from: from, to: to)
            : try archive.observationIDs(from: from, to: to)
        let scope = Scope(
            changesFrom: observations.from, to: observations.to,
            kinds: labels == nil ? kinds : kinds ?? [.appeared, .disappeared, .representationChanged], labels: labels,
            filter: try selection.filter(of: observations.to, in: archive))
        if isText {
            return try question == .pairs
                ? PairText.show(archive, scope, call)
                : DiffText.show(archive, scope, isSummary: question == .summary, thresholds ?? [:], call)
        }
        let view = try export.view(container, zone: archive.timeZone(of: observations.to))
        guard view == nil || question == .changes else {
            throw UsageError("--view people is for records and changes, not for a summary, findings or pairs")
        }
        return try await export.run(
            kind(question, scope), scope, container, thresholds: thresholds, view: view, of: archive)
    }

    /// Prints counts alone, which are no export.
    private static func showCounts(
        _ export: ExportArguments, _ arguments: Arguments, _ call: Call, _ from: ObservationChoice?,
        _ to: ObservationChoice, _ selection: ScopeArguments
    ) throws -> ExitStatus {
        guard try arguments.path("-o") == nil, try arguments.texts("--threshold") == nil,
            try arguments.text("--format") == nil || arguments.text("--format") == "json"
        else { throw UsageError("--counts prints counts at the usual thresholds, as a text or with --json") }
        let archive = try export.open()
        let observations = try archive.observationIDs(from: from, to: to)
        guard try selection.filter(of: observations.to, in: archive) == Filter() else {
            throw UsageError("--counts has whole sample types: without a selection")
        }
        let isJSON = arguments.has("--json") || arguments.hasValue("--format")
        return try DiffCounts.show(archive, observations.from, observations.to, isJSON: isJSON, call)
    }

    private static func question(_ arguments: Arguments) throws -> Question {
        let all = [
            ("--summary", Question.summary), ("--findings", .findings), (acrossChains, .pairs), ("--pairs", .pairs),
        ]
        let asked = all.filter { arguments.has($0.0) }
        // Pairs are all that is said across chains.
        guard asked.count < 2 || asked.allSatisfy({ $0.1 == .pairs }) else {
            throw UsageError("ask for \(asked.map(\.0).joined(separator: " or for "))")
        }
        return asked.first?.1 ?? .changes
    }

    private static func kind(_ question: Question, _ scope: Scope) -> ExportKind {
        switch question {
        case .changes: scope.changes == nil ? .diffReport : .changeSet
        case .summary: .diffSummary
        case .findings: .findingReport
        case .pairs: .pairReport
        }
    }

    private static func kinds(_ arguments: Arguments) throws -> [ChangeSelection]? {
        guard try arguments.text("--changes") != nil else { return nil }
        return try arguments.words("--changes")?.compactMap { word in kindNames.first { $0.name == word }?.kind }
    }

    private static func thresholds(_ arguments: Arguments, _ question: Question) throws -> [Threshold: Double]? {
        let settings = try arguments.texts("--threshold") ?? []
        var thresholds = question == .summary ? Threshold.ofSummaries : Threshold.ofFindings
        if question == .changes || question == .pairs {
            guard settings.isEmpty else { throw UsageError("--threshold is for --summary and --findings") }
            return nil
        }
        for setting in settings {
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let threshold = Threshold(rawValue: String(parts[0])), thresholds[threshold] != nil
            else {
                let names = thresholds.keys.map(\.rawValue).sorted().joined(separator: ", ")
                throw UsageError("--threshold accepts NAME=NUMBER with one of \(names), not \(printable(setting.utf8))")
            }
            guard let value = Double(String(parts[1])), threshold.accepts(value) else {
                throw UsageError("\(threshold.rawValue) cannot be \(printable(parts[1].utf8))")
            }
            thresholds[threshold] = value
        }
        return thresholds
    }
}
