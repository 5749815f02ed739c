import Archive
import CanonicalJSON
import Changes
import Exports
import Files
import ReportCache
import Timestamps
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
            .text(
                "--summary answers what is missing, and --gone lists each record that is no longer visible. An archive "
                    + "of one observation has nothing to compare: --summary prints what that one has."),
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
        Tool.Option("--summary", "what is missing, replaced, changed, new and not known, with what that rests on"),
        Tool.Option("--details", "with --summary: tables of types and windows of time, with a label each"),
        Tool.Option("--gone", "each record that is no longer visible, by time, and whether it was replaced"),
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

    /// Returns `true` if a text for people is asked for, which is no export.
    private static func isText(_ arguments: Arguments) -> Bool {
        ["--summary", "--findings", "--pairs", "--gone", acrossChains].contains { arguments.has($0) }
            && !arguments.has("--json") && !arguments.hasValue("--format")
    }

    /// The question that is answered.
    private enum Question { case changes, summary, findings, pairs, gone }

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
        guard !arguments.has("--details") || isText && question == .summary else {
            throw UsageError("--details is of the text of a summary: diff --summary --details")
        }
        guard question != .gone || isText else {
            throw UsageError("--gone is a text for people; --changes disappeared is the export of these records")
        }
        let container = try export.container(question == .changes ? "csv" : "json")
        let archive = try export.open()
        if isText, question == .summary, from == nil, !arguments.has("--details"),
            let status = try FirstText.show(archive, to, selection, call)
        {
            return status
        }
        let observations =
            arguments.has(acrossChains)
            ? try archive.observationIDsAcrossChains(from: from, to: to)
            : try archive.observationIDs(from: from, to: to)
        let scope = Scope(
            changesFrom: observations.from, to: observations.to,
            kinds: labels == nil ? kinds : kinds ?? [.appeared, .disappeared, .representationChanged], labels: labels,
            filter: try selection.filter(of: observations.to, in: archive))
        if isText {
            return try showText(
                archive, scope, question, thresholds ?? [:], arguments, call,
                isNewestPair: from == nil && to == .latest)
        }
        let view = try export.view(container, zone: archive.timeZone(of: observations.to))
        guard view == nil || question == .changes else {
            throw UsageError("--view people is for records and changes, not for a summary, findings or pairs")
        }
        return try await export.run(
            kind(question, scope), scope, container, thresholds: thresholds, view: view, of: archive)
    }

    /// Prints a text for people, which is no export.
    private static func showText(
        _ archive: borrowing Archive, _ scope: Scope, _ question: Question, _ thresholds: [Threshold: Double],
        _ arguments: Arguments, _ call: Call, isNewestPair: Bool
    ) throws -> ExitStatus {
        if let note = try archive.noteOfDays(of: scope.observationID) { call.note(note) }
        // A comparison with a later observation, or with itself, has no losses.
        let isForward = scope.fromObservationID.map { $0 < scope.observationID } ?? false
        switch question {
        case .pairs: return try PairText.show(archive, scope, call)
        case .gone: return try GoneText.show(archive, scope, call)
        case .summary where !arguments.has("--details") && isForward:
            return try AnswerText.show(archive, scope, thresholds, call, isNewestPair: isNewestPair)
        default: return try DiffText.show(archive, scope, isSummary: question == .summary, thresholds, call)
        }
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
            ("--gone", .gone),
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
        case .changes, .gone: scope.changes == nil ? .diffReport : .changeSet
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
        if question == .changes || question == .pairs || question == .gone {
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

/// The counts of a summary alone: by sample type, from the report cache where it has them (`Spec/cache.md`).
enum DiffCounts {
    /// Prints them; `hp-export diff --summary --counts`.
    static func show(_ archive: borrowing Archive, _ from: Int64, _ to: Int64, isJSON: Bool, _ call: Call) throws
        -> ExitStatus
    {
        let (found, isCached) = try ReportCache.changes(of: [(from, to)], in: archive)
        return try call.show(
            text(archive, from, to, found[0], isCached: isCached),
            json: [
                "counts_from": isCached ? "cache" : "archive", "from_observation_id": from, "to_observation_id": to,
                "types": found[0].map(json),
            ], asJSON: isJSON)
    }

    private static func json(_ type: ReportCache.Changes) -> JSONObject {
        [
            "appeared_count": type.appeared, "consolidation_likely": type.isConsolidationLikely,
            "disappeared_count": type.disappeared, "reasons": type.reasons,
            "relationship_appeared_count": type.linksAppeared, "relationship_changed_count": type.linksChanged,
            "relationship_disappeared_count": type.linksDisappeared,
            "representation_changed_count": type.representationChanged, "sample_type": type.type,
        ]
    }

    private static func text(
        _ archive: borrowing Archive, _ from: Int64, _ to: Int64, _ types: [ReportCache.Changes], isCached: Bool
    ) throws -> String {
        var table = TextTable([
            ("type", false), ("appeared", true), ("changed", true), ("no longer visible", true),
            ("links changed", true), ("consolidation", false), ("uncertain", false),
        ])
        for type in types {
            table.add([
                type.type.map { printable($0.utf8, limit: 60) } ?? "-", String(type.appeared),
                String(type.representationChanged), String(type.disappeared),
                String(type.linksAppeared + type.linksChanged + type.linksDisappeared),
                type.isConsolidationLikely ? "likely" : "-",
                type.reasons.isEmpty
                    ? "-" : type.reasons.map { $0.replacing("_", with: " ") }.joined(separator: ", "),
            ])
        }
        let head = "\(try archive.observationLabel(to)) compared with \(try archive.observationLabel(from))\n\n"
        let source = isCached ? "from the cache\n" : ""
        return head + (table.isEmpty ? "no changes\n" : table.text + "cause not inferred\n") + source
    }
}

/// The pairs of a diff for people.
enum PairText {
    /// Pairs of one kind that are listed; the others are counted.
    private static let listed = 20

    /// Prints the pairs, and ends the archive's transaction.
    static func show(_ archive: borrowing Archive, _ scope: Scope, _ call: Call) throws -> ExitStatus {
        let context = try archive.context(of: scope)
        let names = context.typeNames.map { printable($0, limit: 60) }
        let from = try archive.observationLabel(scope.fromObservationID ?? scope.observationID)
        var text = "\(try archive.observationLabel(scope.observationID)) compared with \(from)\n\n"
        var pairs = try archive.pairs(of: scope, in: context)
        if let standing = pairs.standing {
            text += """
                two device chains: \(standing.before) and \(standing.after) visible, \(standing.both) of them on both \
                under one identity


                """
        }
        text += try Self.text(&pairs, names)
        archive.rollBack()
        return try call.show(text)
    }

    private static func text(_ pairs: inout PairCursor, _ names: [String]) throws -> String {
        var table = TextTable([
            ("pair", false), ("type", false), ("from", false), ("to", false), ("before", true), ("after", true),
            ("by", false),
        ])
        var counts: [(kind: String, pairs: Int, before: Int, after: Int)] = []
        while let pair = try pairs.next() {
            if Signals.first != nil { throw ExportError.interrupted }
            let kind = wording(pair.kind)
            let place = counts.firstIndex { $0.kind == kind } ?? counts.count
            if place == counts.count { counts.append((kind, 0, 0, 0)) }
            counts[place].pairs += 1
            counts[place].before += pair.before.count
            counts[place].after += pair.after.count
            guard counts[place].pairs <= listed else { continue }
            let by = pair.rule.replacing("_", with: " ") + (pair.isTied ? ", tied" : "")
            table.add([
                kind, names[pair.type], TimestampText.shown(pair.start), TimestampText.shown(pair.end),
                String(pair.before.count),
                String(pair.after.count), by,
            ])
        }
        guard !table.isEmpty else { return "no pairs\n" }
        var text = table.text + "\n"
        for (kind, pairs, before, after) in counts.sorted(by: { $0.kind < $1.kind }) {
            text += "\(kind): \(pairs) pairs, \(before) before, \(after) after\n"
            if pairs > listed { text += "\(pairs - listed) more of \(kind): --format csv has all of them\n" }
        }
        return text + "identity inferred from content, cause not inferred\n"
    }

    private static func wording(_ kind: Pair.Kind) -> String {
        switch kind {
        case .ambiguous: "ambiguous"
        case .condensedInto: "condensed into"
        case .expandedInto: "expanded into"
        case .reIdentified: "re-identified"
        case .regrouped: "regrouped"
        }
    }
}
