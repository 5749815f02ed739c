import Archive
import Changes
import Exports
import Files
import Timestamps
import Tool

/// The summary and the findings of a diff for people: aligned, neutral, short.
enum DiffText {
    /// Windows and findings of one kind that are listed; the others are counted.
    private static let listed = 20

    /// Prints a summary, or findings, and ends the archive's transaction.
    static func show(
        _ archive: borrowing Archive, _ scope: Scope, isSummary: Bool, _ thresholds: [Threshold: Double], _ call: Call
    ) throws -> ExitStatus {
        let context = try archive.context(of: scope)
        let names = TypeIdentifiers(context)
        let from = scope.fromObservationID ?? scope.observationID
        let labels = (try archive.observationLabel(scope.observationID), try archive.observationLabel(from))
        var text = "\(labels.0) compared with \(labels.1)\n\n"
        if isSummary {
            var comparisons = try archive.comparisons(of: scope, in: context, thresholds: thresholds)
            text += try summary(&comparisons, names, DiffStandings(context, scope), AnswerWords(call))
        } else {
            var findings = try archive.findings(of: scope, in: context, thresholds: thresholds)
            text += try self.findings(&findings, names)
        }
        archive.rollBack()
        return try call.show(text)
    }

    // MARK: Summary

    private static func summary(
        _ comparisons: inout ComparisonCursor, _ names: TypeIdentifiers, _ standings: DiffStandings,
        _ words: AnswerWords
    ) throws -> String {
        var types = TextTable([
            ("type", false), ("before", true), ("after", true), ("appeared", true), ("changed", true),
            ("no longer visible", true), ("measure", false), ("was", true), ("is", true), ("unit", false),
        ])
        var windows = TextTable([
            ("type", false), ("from", false), ("to", false), ("before", true), ("after", true), ("label", false),
        ])
        var all: Comparison?
        var standings = standings
        var changed: Set<Int> = []
        var count = 0
        while let comparison = try comparisons.next() {
            if Signals.first != nil { throw ExportError.interrupted }
            switch comparison.subject {
            case .allTypes: all = comparison
            case .type(_, let standing, let reasons):
                if comparison.before.recordCount + comparison.after.recordCount > 0 || comparison.changeCount > 0 {
                    types.add(row(comparison, names))
                }
                if comparison.changeCount > 0, let type = comparison.type { changed.insert(type) }
                if let type = comparison.type { standings.add(standing, reasons, of: type) }
            case .window(let window):
                count += 1
                guard count <= listed else { continue }
                let side = (comparison.before.recordCount, comparison.after.recordCount)
                let why =
                    window.reasons.isEmpty
                    ? "" : " (\(window.reasons.map { $0.rawValue.replacing("_", with: " ") }.joined(separator: ", ")))"
                windows.add([
                    names.name(comparison.type), TimestampText.shown(window.start), TimestampText.shown(window.end),
                    String(side.0),
                    String(side.1), wording(window.label) + why + replaced(comparison, after: "; "),
                ])
            }
        }
        var text = types.isEmpty ? "" : types.text + "\n"
        if let all { text += sentences(all, words) }
        if !windows.isEmpty { text += "\n" + windows.text }
        if count > listed { text += "\(count - listed) more windows: --format csv has all of them\n" }
        return text + standings.text(without: changed)
    }

    private static func row(_ comparison: Comparison, _ names: TypeIdentifiers) -> [String] {
        let (before, after) = (comparison.before, comparison.after)
        return [
            names.name(comparison.type), String(before.recordCount), String(after.recordCount),
            String(comparison.appeared), String(comparison.representationChanged),
            String(comparison.disappeared), measureName(comparison), measured(before, comparison),
            measured(after, comparison), unit(comparison),
        ]
    }

    /// Returns the measure of a type, in a word.
    private static func measureName(_ comparison: Comparison) -> String {
        switch comparison.measure {
        case "cumulative": "sum"
        case "discrete": comparison.method == "equivalent_level" ? "level" : "mean"
        case "category", "workout": "duration"
        default: "-"
        }
    }

    private static func measured(_ side: Comparison.Side, _ comparison: Comparison) -> String {
        switch comparison.measure {
        case "cumulative": number(side.sum)
        case "discrete": number(side.mean)
        case "category", "workout": side.parts.isEmpty ? "-" : number(hours(side))
        default: "-"
        }
    }

    private static func hours(_ side: Comparison.Side) -> Double {
        side.parts.reduce(0) { $0 + ($1.seconds ?? .nan) } / 3600
    }

    private static func unit(_ comparison: Comparison) -> String {
        switch comparison.measure {
        case "category", "workout": "h"
        default: comparison.after.unit ?? comparison.before.unit ?? "-"
        }
    }

    private static func sentences(_ all: Comparison, _ words: AnswerWords) -> String {
        var text = ""
        if all.appeared > 0 { text += "\(records(all.appeared)) appeared\n" }
        if all.representationChanged > 0 {
            text += "\(records(all.representationChanged)) with a changed representation\n"
        }
        if all.disappeared > 0 { text += "\(records(all.disappeared)) no longer visible\n" }
        text +=
            replaced(all, after: "")
            + (all.replacements.entries.isEmpty ? "" : "\n")
        let links = [
            (all.links.appeared, "appeared"), (all.links.changed, "with other metadata"),
            (all.links.disappeared, "no longer visible"),
        ]
        for (count, what) in links where count > 0 {
            text += "\(count) link\(count == 1 ? "" : "s") between records \(what)\n"
        }
        text += text.isEmpty ? "no changes\n" : "cause not inferred\n"
        if let rejected = all.rejected, rejected > 0 {
            text += "rejected: \(AnswerLines.plain(words.rejected(rejected)))\n"
        }
        return text
    }

    /// Returns how many records of how many were replaced by how many.
    private static func replaced(_ comparison: Comparison, after start: String) -> String {
        let entries = comparison.replacements.entries
        guard !entries.isEmpty else { return "" }
        return start
            + entries.map { entry in
                "\(entry.sides.before) of \(comparison.disappeared) \(wording(entry.kind, entry.sides.after))"
                    + wording(entry.outcome)
            }.joined(separator: "; ")
    }

    private static func wording(_ kind: Pair.Kind, _ count: Int) -> String {
        switch kind {
        case .ambiguous: "in several possible pairs with \(count)"
        case .reIdentified: "under another identity"
        case .condensedInto, .expandedInto, .regrouped: "replaced by \(count)"
        }
    }

    private static func wording(_ outcome: Pair.Outcome?) -> String {
        switch outcome {
        case .changed: ", the measure changed"
        case .daysChanged: ", the measure of single days changed"
        case .notProvable: ", not provable"
        case .sourceChanged: ", from another source"
        case .kept, nil: ""
        }
    }

    private static func records(_ count: Int) -> String { count == 1 ? "1 record" : "\(count) records" }

    private static func wording(_ label: WindowLabel) -> String {
        switch label {
        case .aggregateChanged: "aggregate changed"
        case .appeared: "appeared"
        case .consolidationLikely: "consolidation likely"
        case .disappeared: "no longer visible"
        case .replacedNotProvable: "replaced, not provable"
        case .representationChanged: "representation changed"
        case .uncertain: "uncertain"
        }
    }

    // MARK: Findings

    private static func findings(_ findings: inout FindingCursor, _ names: TypeIdentifiers) throws -> String {
        var table = TextTable([("finding", false), ("type", false), ("evidence", false)])
        var counts: [String: Int] = [:]
        while let finding = try findings.next() {
            if Signals.first != nil { throw ExportError.interrupted }
            let (kind, evidence) = evidence(finding.content)
            counts[kind, default: 0] += 1
            if counts[kind]! <= listed { table.add([kind, names.name(finding.type), evidence]) }
        }
        guard !table.isEmpty else { return "no findings\n" }
        let more = counts.filter { $0.value > listed }.sorted { $0.key < $1.key }.map {
            "\($0.value - listed) more of \($0.key): --format csv has all of them\n"
        }
        return table.text + more.joined() + "cause not inferred\n"
    }

    private static func evidence(_ content: ChangeFinding.Content) -> (kind: String, evidence: String) {
        switch content {
        case .disappearance(let before, let after, let disappeared, _):
            ("disappearance", "\(records(disappeared)) of \(before) no longer visible, \(after) visible now")
        case .divergence(let found):
            (
                "divergence",
                "\(found.measure == "cumulative" ? "sums" : "means") of local days spread "
                    + "\(number(found.currentDeviation / found.baselineDeviation)) times as much over "
                    + "\(found.currentDayCount) days "
                    + "(\(spread(found.currentMean, found.currentDeviation, found.unit))) "
                    + "as over the baseline of \(found.baselineDayCount) days before "
                    + "(\(spread(found.baselineMean, found.baselineDeviation, found.unit)))"
            )
        case .exactDuplicate(let start, _, _, let count):
            ("exact duplicate", "\(records(count)) with one payload at \(TimestampText.shown(start))")
        case .lateArrival(let arrival):
            (
                "late arrival",
                "dated \(TimestampText.shown(arrival.start)), first seen "
                    + "\(TimestampText.shown(arrival.firstSeenAt)) at observation \(arrival.firstSeenObservationID)"
            )
        case .semanticDuplicate(_, let payloads, let count):
            ("semantic duplicate", "\(records(count)) with \(payloads) payloads")
        case .source(let change):
            (
                change.kind == .appeared
                    ? "source appeared" : change.kind == .quiet ? "source quiet" : "source changed",
                "\(name(change)): \(change.before) before, \(change.after) after, from "
                    + "\(TimestampText.shown(change.start)) to \(TimestampText.shown(change.end))"
            )
        }
    }

    private static func name(_ change: SourceChange) -> String {
        let parts = [change.bundleIdentifier, change.productType, change.sourceNameHash?.prefix(16).map { $0 }]
        return parts.compactMap { $0.map { printable($0, limit: 60) } }.joined(separator: ", ")
    }

    // MARK: Values

    /// Returns a mean and the deviation from it.
    private static func spread(_ mean: Double, _ deviation: Double, _ unit: String?) -> String {
        "\(number(mean)) ± \(number(deviation))" + (unit.map { " " + $0 } ?? "")
    }

    /// Returns a number with six digits, which are enough for a glance; the export has all of them.
    private static func number(_ value: Double?) -> String {
        guard let value, value.isFinite else { return "-" }
        let scale = 1e6 / max(1, magnitude(value))
        let rounded = (value * scale).rounded() / scale
        return rounded == rounded.rounded() && rounded.magnitude < 1e15 ? String(Int64(rounded)) : String(rounded)
    }

    /// Returns the power of ten at or below a number.
    private static func magnitude(_ value: Double) -> Double {
        var power = 1.0
        while power * 10 <= value.magnitude, power < 1e15 { power *= 10 }
        return power
    }
}

extension Comparison {
    fileprivate var changeCount: Int { appeared + disappeared + representationChanged + links.total }
}

/// The identifiers of sample types, for people.
private struct TypeIdentifiers {
    private let names: [String]

    init(_ context: ExportContext) { names = context.typeNames.map { printable($0, limit: 60) } }

    func name(_ index: Int?) -> String { index.map { names[$0] } ?? "-" }
}
