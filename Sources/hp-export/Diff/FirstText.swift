import Answer
import Archive
import Changes
import Exports
import Files
import Timestamps
import Tool

/// The answer of `diff --summary` where nothing is before the observation.
enum FirstText {
    /// What the records of a type come to.
    private struct TypeCount {
        let identifier: String
        let count: Int
    }

    /// Prints what the observation has, and ends the archive's transaction.
    ///
    /// - Returns: `nil` if an observation is before it.
    static func show(
        _ archive: borrowing Archive, _ choice: ObservationChoice, _ selection: ScopeArguments, _ call: Call
    ) throws -> ExitStatus? {
        let observation = try archive.observationID(choice)
        guard try archive.finishedObservation(before: observation) == nil else { return nil }
        // The comparison with itself counts what is visible.
        let scope = Scope(
            changesFrom: observation, to: observation, filter: try selection.filter(of: observation, in: archive))
        let context = try archive.context(of: scope)
        let names = context.typeNames.map { String(decoding: $0, as: UTF8.self) }
        var comparisons = try archive.comparisons(of: scope, in: context, thresholds: Threshold.ofSummaries)
        var types: [TypeCount] = []
        var sources: Set<Answer.Source> = []
        var days = try archive.localDays(of: observation)
        var (first, last, rejected) = (Double.infinity, -Double.infinity, 0)
        while let comparison = try comparisons.next() {
            if Signals.first != nil { throw ExportError.interrupted }
            if case .allTypes = comparison.subject { rejected = comparison.rejected ?? 0 }
            guard case .type = comparison.subject, comparison.after.recordCount > 0 else { continue }
            types.append(
                TypeCount(
                    identifier: comparison.type.map { names[$0] } ?? "", count: comparison.after.recordCount))
            first = min(first, comparison.after.earliestStart ?? first)
            last = max(last, comparison.after.latestEnd ?? last)
            for count in comparison.sources where count.after > 0 {
                let source = count.source
                sources.insert(Answer.Source(bundle: source.bundleIdentifier, nameHash: source.sourceNameHash))
            }
        }
        let span = first <= last ? days.date(of: first)...days.date(of: last) : nil
        let texts = ObservationTexts(archive, context)
        let text = try text(
            types, span, sources: sources.count, rejected: rejected, isSelection: scope.filter != Filter(), texts,
            observation, AnswerWords(call))
        archive.rollBack()
        return try call.show(text)
    }

    private static func text(
        _ types: [TypeCount], _ span: ClosedRange<Int64>?, sources: Int, rejected: Int, isSelection: Bool,
        _ texts: ObservationTexts, _ observation: Int64, _ words: AnswerWords
    ) throws -> String {
        let noun = texts.isExport(observation) ? "export" : "observation"
        let count = types.reduce(0) { $0 + $1.count }
        let what =
            "First \(noun): \(AnswerNumbers.records(count)) of \(AnswerNumbers.counted(types.count, "type"))"
        var lines = AnswerLines()
        lines.add(
            AnswerLines.fitting((span.map { ["\(what), \(AnswerDates.text($0))."] } ?? []) + ["\(what)."]))
        lines.add("Nothing to compare yet. What was gone before this \(noun) cannot be seen.")
        if isSelection { lines.add("Only the selected records were counted.") }
        let sorted = types.sorted { ($1.count, $0.identifier) < ($0.count, $1.identifier) }
        let most = sorted.prefix(3).enumerated().map { place, type in
            let name = place == 0 ? AnswerWords.title(type.identifier) : AnswerWords.type(type.identifier)
            return "\(name) \(AnswerNumbers.text(type.count))"
        }
        if !most.isEmpty {
            lines.add(
                "Most",
                ["\(most.joined(separator: ", ")). \(AnswerNumbers.counted(sources, "source"))"])
        }
        lines.add("Days", [try texts.zone(of: observation)])
        if rejected > 0 {
            lines.add("Rejected", [words.rejected(rejected)])
        }
        if noun == "export" { lines.add("Not stored", ["birth date, sex, blood type, skin type"]) }
        let file = noun == "export" ? "export.zip" : "FILE"
        lines.add("Next", ["capture the next \(noun): \(words.command("capture", file))"])
        return lines.text
    }
}
