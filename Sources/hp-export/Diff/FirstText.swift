import Answer
import Archive
import Changes
import Exports
import Files
import Timestamps
import Tool

/// The answer of `diff --summary` where nothing is before the observation.
enum FirstText {
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
        var records = FirstRecords()
        var days = try archive.localDays(of: observation)
        while let comparison = try comparisons.next() {
            if Signals.first != nil { throw ExportError.interrupted }
            records.add(comparison)
        }
        let types = records.types.map { (identifier: $0.type.map { names[$0] } ?? "", count: $0.count) }
        let texts = ObservationTexts(archive, context)
        let text = try text(
            types, records.span(&days), records, isSelection: scope.filter != Filter(), isNewest: choice == .latest,
            texts, observation, AnswerWords(call))
        archive.rollBack()
        return try call.show(text)
    }

    private static func text(
        _ types: [(identifier: String, count: Int)], _ span: ClosedRange<Int64>?, _ records: FirstRecords,
        isSelection: Bool, isNewest: Bool, _ texts: ObservationTexts, _ observation: Int64, _ words: AnswerWords
    ) throws -> String {
        let (sources, rejected) = (records.sources.count, records.rejected)
        let noun = texts.isExport(observation) ? "export" : "observation"
        let count = types.reduce(0) { $0 + $1.count }
        var lines = AnswerLines()
        lines.add(
            AnswerLines.fitting(AnswerFirst.headlines("First \(noun)", records: count, types: types.count, span)))
        lines.add(AnswerFirst.nothingBefore(noun))
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
        if noun == "export" { lines.add("Not stored", [AnswerFirst.notStored]) }
        let file = noun == "export" ? "export.zip" : "FILE"
        let page = "-o \(try texts.month(of: observation)).html"
        lines.add("Next", [words.command("report", page, options: isNewest ? nil : "--to \(observation)")])
        lines.add("Later", ["capture the next \(noun): \(words.command("capture", file))"])
        return lines.text
    }
}
