import Archive
import Exports
import Files
import Tool

/// `hp-export diff`.
enum DiffCommand {
    static let command = Tool.Command(name: "diff", help: help, run: run)

    private static let help = """
        usage: hp-export diff ARCHIVE [-o FILE] [OPTIONS]

        Writes what changed between two observations of one device chain: records that appeared, that are no
        longer visible, and whose representation changed, with both versions and the events that are the
        evidence. The export is recorded in the archive. No cause is inferred.

          -o FILE            where to; - is standard output (default)
          --format F         csv (default), jsonl, json or bundle
          --from OBS         compare with OBS: an id, latest, previous, or a date, month or year (default: the
                             observation before --to)
          --to OBS           the observation that is compared (default latest); may be the older one
          --changes KIND,…   only appeared, disappeared or changed records
          --summary          totals of types and windows of time, with a label each; without --format a text
          --findings         evidence worth a look: late arrivals, disappearances, duplicates, divergence; without \
        --format a text
          --pairs            records that came again under another identity or were condensed, inferred from what
                             they say, beside the changes; without --format a text
          --threshold N=X    sets threshold N of labels or findings (Spec/changes.md); may be repeated
        \(ExportArguments.helpOfViews)
        \(ExportArguments.help)
                             (with --summary or --findings: --format json)

        example: hp-export diff archive.sqlite --from 2024-03-01 --to 2024-04-01 -o march.csv
        exit status: 0 done, 2 could not be done, 128+n stopped by signal n

        """

    /// What is written.
    private enum Question { case changes, summary, findings, pairs }

    private static func run(_ words: [[UInt8]], _ voice: Voice) async throws -> ExitStatus {
        let arguments = try Arguments(
            words,
            options: ExportArguments.optionsOfViews.union([
                "--from", "--to", "--format", "--changes", "--threshold",
            ]),
            flags: ExportArguments.flags.union(["--summary", "--findings", "--pairs"]))
        let export = try ExportArguments(arguments, voice, output: Path("-"))
        let question = try question(arguments)
        let kinds = try kinds(arguments)
        if kinds != nil, question != .changes {
            throw UsageError(
                "--changes selects changes, not a summary, findings or pairs")
        }
        let thresholds = try thresholds(arguments, question)
        let (from, to, selection) = (
            try export.observation("--from"), try export.observation("--to") ?? .latest, try export.scope()
        )
        let isText = try question != .changes && arguments.text("--format") == nil && !arguments.has("--json")
        if isText, try arguments.path("-o") != nil {
            throw UsageError(
                "-o needs --format: the text for people goes to standard output")
        }
        let container = try export.container(question == .changes ? "csv" : "json")
        let archive = try export.open(recording: export.isRecorded && !isText)
        let observations = try archive.observationIDs(from: from, to: to)
        let scope = Scope(
            changesFrom: observations.from, to: observations.to, kinds: kinds,
            filter: try selection.filter(of: observations.to, in: archive))
        if isText {
            if question == .pairs {
                try PairText.show(archive, scope)
            } else {
                try DiffText.show(archive, scope, isSummary: question == .summary, thresholds ?? [:])
            }
            return .good
        }
        let view = try export.view(container, zone: archive.timeZone(of: observations.to))
        guard view == nil || question == .changes else {
            throw UsageError("--view people is for records and changes, not for a summary, findings or pairs")
        }
        return try await export.run(
            kind(question, kinds), scope, container, thresholds: thresholds, view: view, of: archive)
    }

    private static func question(_ arguments: Arguments) throws -> Question {
        let asked = [("--summary", Question.summary), ("--findings", .findings), ("--pairs", .pairs)].filter {
            arguments.has($0.0)
        }
        guard asked.count < 2 else { throw UsageError("ask for \(asked.map(\.0).joined(separator: " or for "))") }
        return asked.first?.1 ?? .changes
    }

    private static func kind(_ question: Question, _ kinds: [ChangeKind]?) -> ExportKind {
        switch question {
        case .changes: kinds == nil ? .diffReport : .changeSet
        case .summary: .diffSummary
        case .findings: .findingReport
        case .pairs: .pairReport
        }
    }

    private static func kinds(_ arguments: Arguments) throws -> [ChangeKind]? {
        guard let text = try arguments.text("--changes") else { return nil }
        return try text.split(separator: ",", omittingEmptySubsequences: false).map { name in
            switch name {
            case "appeared": .appeared
            case "disappeared": .disappeared
            case "changed": .representationChanged
            default:
                let kinds = "appeared, disappeared and changed, separated by commas"
                throw UsageError("--changes accepts \(kinds), not \(printable(name.utf8))")
            }
        }
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
