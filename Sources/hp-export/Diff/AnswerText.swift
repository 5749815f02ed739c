import Answer
import Archive
import Changes
import Days
import Exports
import Files
import Timestamps
import Tool

/// The answer of `diff --summary` on the screen: what is missing first, then what that rests on, the rest as counts.
struct AnswerText {
    private let answer: Answer
    private let words: AnswerWords
    private let place: AnswerPlace
    private let sentences: AnswerSentences
    private var lines = AnswerLines()

    init(_ answer: Answer, _ words: AnswerWords, _ place: AnswerPlace) {
        (self.answer, self.words, self.place) = (answer, words, place)
        sentences = AnswerSentences(answer, words.names, place.frame)
    }

    /// Prints the answer, and ends the archive's transaction.
    static func show(
        _ archive: borrowing Archive, _ scope: Scope, _ thresholds: [Threshold: Double], _ call: Call,
        isNewestPair: Bool
    ) throws -> ExitStatus {
        let context = try archive.context(of: scope)
        var answer = try archive.answer(of: scope, in: context, thresholds: thresholds)
        if Signals.first != nil { throw ExportError.interrupted }
        try archive.addOverlaps(to: &answer, of: scope)
        let place = try AnswerPlace(archive, scope, context, isNewestPair: isNewestPair)
        archive.rollBack()
        return try call.show(text(answer, try AnswerWords(call), place))
    }

    /// Returns the whole text.
    static func text(_ answer: Answer, _ words: AnswerWords, _ place: AnswerPlace) -> String {
        var text = AnswerText(answer, words, place)
        text.write()
        return text.lines.text
    }

    private mutating func write() {
        let headline = AnswerHeadline(answer, words.names, place.frame, fitting: AnswerLines.fitting)
        lines.add(headline.first)
        let basis = [headline.second, place.basis].compactMap { $0 }
        let isShort = TextWidth.columns(basis.joined(separator: " ")) <= AnswerLines.width
        for line in isShort ? [basis.joined(separator: " ")] : basis { lines.add(line) }
        if place.isSelection { lines.add("Only the selected records were compared; nothing follows for the others.") }
        lines.add("Gone", list(answer.gone))
        lines.add("Replaced", list(answer.replaced))
        let lost = answer.gone.count + answer.replaced.count
        if lost > 0 {
            let count = lost == 1 ? "this record" : "all \(AnswerNumbers.text(lost))"
            let options = place.isSelection ? ", with the options of this selection" : ""
            let command = words.command("diff", "--gone", options: place.options)
            lines.add("Kept", ["\(count) in this archive\(options): \(command)"])
        }
        lines.add("Changed", list(answer.changed))
        lines.add("Sources", sentences.sources)
        if sentences.hasHiddenName {
            let command = words.command("capture", "--labels-only export.zip")
            lines.add("To name", ["an archive holds no names of sources; to show them: \(command)"])
        }
        lines.add("New", [sentences.new])
        if let links = sentences.links { lines.add("Links", [links]) }
        lines.add("Unchanged", [sentences.unchanged])
        lines.add("Not known", sentences.unknown(place.reasons))
        lines.add("To know", toKnow)
        if let rejected = answer.rejected, rejected > 0 {
            lines.add("Rejected", [words.rejected(rejected)])
        }
        lines.add("Earlier", sentences.earlier)
        let hasDifference = !answer.isUnchanged || !answer.sources.isEmpty || answer.hasLinkChanges
        let report = words.command("report", "-o \(place.page)", options: place.options)
        lines.add((hasDifference ? "Cause not inferred. " : "") + "Next: " + report)
        if place.isFirstPair {
            lines.add("What was gone before the first \(place.frame.noun) (\(place.frame.earlier)) cannot be seen.")
        }
    }

    /// Returns a row for each of the largest stretches; the others are counted.
    private func list(_ all: Answer.Stretches) -> [String] {
        let rest = sentences.rest(all, after: Answer.shownStretches)
        return all.largest.prefix(Answer.shownStretches).map(sentences.text) + [rest].compactMap { $0 }
    }

    private var toKnow: [String] {
        var rows: [String] = []
        for row in answer.unknown.map({ place.hint($0, words) }) where !rows.contains(row) { rows.append(row) }
        return rows
    }
}
