import Answer
import Archive
import Changes
import Exports
import Files
import Timestamps
import Tool

/// The answer of `diff --summary` on the screen: what is missing first, then what that rests on, the rest as counts.
struct AnswerText {
    private let answer: Answer
    private let words: AnswerWords
    private let place: AnswerPlace
    private var lines = AnswerLines()

    init(_ answer: Answer, _ words: AnswerWords, _ place: AnswerPlace) {
        (self.answer, self.words, self.place) = (answer, words, place)
    }

    /// Prints the answer, and ends the archive's transaction.
    static func show(
        _ archive: borrowing Archive, _ scope: Scope, _ thresholds: [Threshold: Double], _ call: Call,
        isNewestPair: Bool
    ) throws -> ExitStatus {
        let context = try archive.context(of: scope)
        let answer = try archive.answer(of: scope, in: context, thresholds: thresholds)
        if Signals.first != nil { throw ExportError.interrupted }
        let place = try AnswerPlace(archive, scope, context, isNewestPair: isNewestPair)
        archive.rollBack()
        return try call.show(text(answer, try AnswerWords(call), place))
    }

    /// The whole text.
    static func text(_ answer: Answer, _ words: AnswerWords, _ place: AnswerPlace) -> String {
        var text = AnswerText(answer, words, place)
        text.write()
        return text.lines.text
    }

    private mutating func write() {
        let headline = AnswerHeadline(answer, words, place)
        lines.add(headline.first)
        let basis = [headline.second, place.basis].compactMap { $0 }
        let isShort = TextWidth.columns(basis.joined(separator: " ")) <= AnswerLines.width
        for line in isShort ? [basis.joined(separator: " ")] : basis { lines.add(line) }
        if place.isSelection { lines.add("Only the selected records were compared; nothing follows for the others.") }
        lines.add("Gone", list(answer.gone) { gone($0) })
        lines.add("Replaced", list(answer.replaced) { replaced($0) })
        let lost = answer.goneCount + answer.replacedCount
        if lost > 0 {
            let count = lost == 1 ? "this record" : "all \(AnswerNumbers.text(lost))"
            lines.add("Kept", ["\(count) in this archive: \(words.command("diff", "--gone", options: place.gone))"])
        }
        lines.add("Changed", list(answer.changed) { changed($0) })
        lines.add("Sources", sources)
        lines.add("New", [new])
        if answer.hasLinkChanges { lines.add("Links", [links]) }
        lines.add("Unchanged", [unchanged])
        lines.add("Not known", unknown)
        lines.add("To know", toKnow)
        if let rejected = answer.rejected, rejected > 0 {
            lines.add(
                "Not stored",
                ["\(AnswerNumbers.records(rejected)) could not be read: \(words.command("list", "rejected"))"])
        }
        lines.add("Earlier", earlier)
        let hasDifference = !answer.isUnchanged || !answer.sources.isEmpty || answer.hasLinkChanges
        let report = words.command("report", "-o \(place.page)", options: place.options)
        lines.add((hasDifference ? "Cause not inferred. " : "") + "Next: " + report)
        if place.isFirstPair {
            lines.add("What was gone before the first \(place.noun) (\(place.earlier)) cannot be seen.")
        }
    }

    // MARK: Stretches

    /// A row for each of the largest stretches; the others are counted.
    private func list(_ stretches: [Answer.Stretch], _ row: (Answer.Stretch) -> String) -> [String] {
        let shown = stretches.prefix(Answer.shownStretches)
        let rest = stretches.dropFirst(shown.count)
        guard !rest.isEmpty else { return shown.map(row) }
        var counts: [Int: Int] = [:]
        for stretch in rest { counts[stretch.type, default: 0] += stretch.count }
        let (largest, most) = counts.max { ($0.value, $1.key) < ($1.value, $0.key) } ?? (0, 0)
        let total = rest.reduce(0) { $0 + $1.count }
        let what = counts.count == 1 ? "of" : "most (\(AnswerNumbers.text(most))) of"
        return shown.map(row) + [
            "and \(AnswerNumbers.records(total)) in \(AnswerNumbers.counted(rest.count, "more stretch", "es")), "
                + "\(what) \(name(largest))"
        ]
    }

    private func name(_ type: Int) -> String { AnswerWords.type(answer.types[type].identifier) }

    private func start(_ stretch: Answer.Stretch) -> String {
        "\(AnswerNumbers.records(stretch.count)) of \(name(stretch.type))"
    }

    private func gone(_ stretch: Answer.Stretch) -> String {
        var text = "\(start(stretch)), \(AnswerDates.text(stretch))"
        if stretch.hasOthersBetween == false, let span = stretch.span, span.count > stretch.days.count {
            text += ", on \(AnswerNumbers.counted(stretch.days.count, "day"))"
        }
        if let sum = stretch.sum.flatMap({ AnswerNumbers.text($0) }) {
            let unit = answer.types[stretch.type].unit
            text += ", \(sum)\(unit == nil || unit == "count" ? "" : " " + printable(unit!.utf8, limit: 20)) in total"
        }
        let others = stretch.inPlace
        return text
            + (others == 0
                ? ""
                : "; \(AnswerNumbers.counted(others, "other record")) \(others == 1 ? "is" : "are") new at that time")
    }

    private func replaced(_ stretch: Answer.Stretch) -> String {
        guard case .replaced(let pair, let outcome) = stretch.part else { return "" }
        let what = AnswerWords.outcome(pair, outcome, answer.types[stretch.type].measure)
        return "\(start(stretch)) by \(AnswerNumbers.text(stretch.became)), \(AnswerDates.text(stretch)): \(what)"
    }

    private func changed(_ stretch: Answer.Stretch) -> String {
        "\(start(stretch)), \(AnswerDates.text(stretch)), \(AnswerWords.change(stretch.label))"
    }

    // MARK: Sources

    private var sources: [String] {
        var rows = answer.sources.prefix(Answer.shownStretches).map { fact in
            let name = words.source(fact.source)
            let day = fact.day.map { AnswerDates.text($0) }
            switch fact.kind {
            case .new: return "new\(day.map { " from " + $0 } ?? ""): \(name) (\(AnswerNumbers.records(fact.after)))"
            case .quiet: return "quiet after \(day ?? "an unknown day"): \(name)"
            case .product:
                let product = printable(fact.product ?? [], limit: 40)
                return "\(name) is also \(product)\(day.map { " from " + $0 } ?? "") "
                    + "(\(AnswerNumbers.records(fact.after)))"
            }
        }
        let rest = answer.sources.dropFirst(rows.count)
        if !rest.isEmpty {
            let (new, quiet) = (rest.count { $0.kind == .new }, rest.count { $0.kind == .quiet })
            rows.append("and \(new) more new, \(quiet) more quiet, \(rest.count - new - quiet) with another product")
        }
        if rows.isEmpty { rows = ["none new, none gone quiet"] }
        if answer.newVersions > 0 {
            rows.append("\(AnswerNumbers.counted(answer.newVersions, "new version")) of known sources")
        }
        return rows
    }

    // MARK: Counts

    private var new: String {
        guard answer.newCount > 0 else { return "none" }
        let days = answer.newDays.map { ", " + AnswerDates.text($0) } ?? ""
        let types = AnswerNumbers.counted(answer.newTypes.count, "type")
        var text = "\(AnswerNumbers.records(answer.newCount)) of \(types)\(days)"
        if answer.lateCount > 0, let span = answer.lateDays {
            text +=
                "; of these \(AnswerNumbers.text(answer.lateCount)) begin a week or more before "
                + "the earlier \(place.noun), \(AnswerDates.text(span))"
            if let most = answer.lateTypes.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) {
                text += answer.lateTypes.count == 1 ? " (\(name(most.key)))" : " (most \(name(most.key)))"
            }
        }
        let first = answer.types.filter(\.isFirstRead)
        if !first.isEmpty {
            let count = first.reduce(0) { $0 + $1.after }
            text +=
                "; \(AnswerNumbers.text(count)) of \(AnswerNumbers.counted(first.count, "type")) "
                + "that the earlier \(place.noun) did not have"
        }
        return text
    }

    private var links: String {
        let counts = [
            (answer.linksAppeared, "new"), (answer.linksDisappeared, "no longer there"),
            (answer.linksChanged, "with other metadata"),
        ]
        let parts = counts.filter { $0.0 > 0 }.map { "\(AnswerNumbers.text($0.0)) \($0.1)" }
        return "between records: " + parts.joined(separator: ", ")
    }

    private var unchanged: String {
        let count = answer.unchangedCount
        let text = count == 0 ? "none" : AnswerNumbers.records(count)
        return text + (count == 0 ? "" : " of \(AnswerNumbers.counted(answer.unchangedTypes, "type"))")
            + (answer.changed.isEmpty ? ". Changed: none" : "")
    }

    // MARK: Not known

    private var unknown: [String] {
        let unknown = answer.unknown.sorted { ($1.before, $0.identifier) < ($0.before, $1.identifier) }
        let (known, all) = (answer.known.count, answer.types.count)
        guard !unknown.isEmpty else {
            let first = all - known
            return [
                "nothing: \(known) of \(AnswerNumbers.counted(all, "type")) \(known == 1 ? "was" : "were") read "
                    + "completely both times"
                    + (first == 0 ? "" : "; \(AnswerNumbers.text(first)) \(first == 1 ? "is" : "are") new")
            ]
        }
        var rows = unknown.prefix(Answer.shownStretches).map { type in
            var text = AnswerWords.title(type.identifier)
            text += ", \(AnswerNumbers.text(type.before)) before"
            for (count, what) in [
                (type.disappeared, "no longer visible"), (type.changed, "changed"), (type.appeared, "new"),
            ] where count > 0 { text += ", \(AnswerNumbers.text(count)) \(what)" }
            return "\(text): \(place.reasons(type))"
        }
        let rest = unknown.dropFirst(rows.count)
        if !rest.isEmpty {
            let count = rest.reduce(0) { $0 + $1.before }
            rows.append(
                "and \(AnswerNumbers.counted(rest.count, "more type")), \(AnswerNumbers.text(count)) before, most of "
                    + AnswerWords.type(rest.first!.identifier))
        }
        return rows
    }

    private var toKnow: [String] {
        var rows: [String] = []
        for row in answer.unknown.flatMap({ place.hints($0, words) }) where !rows.contains(row) { rows.append(row) }
        return rows
    }

    // MARK: Earlier

    private var earlier: [String] {
        let groups = answer.earlier
        guard groups.count > 2 || answer.isEarlierPartial else { return groups.map(earlier) }
        guard !groups.isEmpty else { return ["too many records changed to look for earlier losses"] }
        let counts = [(true, "replaced"), (false, "gone")].compactMap { wasReplaced, what -> String? in
            let count = groups.filter { $0.wasReplaced == wasReplaced }.reduce(0) { $0 + $1.count }
            return count == 0 ? nil : "\(AnswerNumbers.text(count)) \(what)"
        }
        let open = groups.filter { $0.wasReplaced == nil }.reduce(0) { $0 + $1.count }
        let parts = counts.reversed() + (open == 0 ? [] : ["\(AnswerNumbers.text(open)) gone or replaced"])
        let days = groups.compactMap(\.since)
        let since = days.min().map { ", since \(AnswerDates.text($0))" } ?? ""
        let all = groups.reduce(0) { $0 + $1.count }
        return [
            (answer.isEarlierPartial ? "at least " : "")
                + "\(AnswerNumbers.records(all)) that earlier comparisons found missing "
                + "\(all == 1 ? "is" : "are") still not there: "
                + "\(parts.joined(separator: ", "))\(since); this archive keeps \(all == 1 ? "it" : "them")"
        ]
    }

    private func earlier(_ group: Answer.Earlier) -> String {
        let days = group.span.map { ", \(AnswerDates.text($0))" } ?? ""
        let verb =
            switch group.wasReplaced {
            case true?: "replaced"
            case false?: "gone"
            case nil: "gone or replaced"
            }
        let since = group.since.map { " (since \(AnswerDates.text($0)))" } ?? ""
        return "\(AnswerNumbers.records(group.count)) of \(AnswerWords.type(group.identifier))\(days): still "
            + "\(verb)\(since)"
    }
}
