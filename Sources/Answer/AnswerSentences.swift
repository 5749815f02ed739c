/// The sentences of an answer about stretches, sources and counts: the screen wraps them, the page puts them in boxes.
public struct AnswerSentences {
    private let answer: Answer
    private let names: AnswerNames
    private let frame: AnswerFrame

    public init(_ answer: Answer, _ names: AnswerNames, _ frame: AnswerFrame) {
        (self.answer, self.names, self.frame) = (answer, names, frame)
    }

    private func name(_ type: Int) -> String { names.type(answer.types[type].identifier) }

    // MARK: Stretches

    /// Returns a subject such as `18 records of step count`.
    public func subject(_ stretch: Answer.Stretch) -> String {
        "\(AnswerNumbers.records(stretch.count)) of \(name(stretch.type))"
    }

    /// Tells a stretch in a sentence.
    public func text(_ stretch: Answer.Stretch) -> String {
        let text = "\(subject(stretch))\(by(stretch)), \(AnswerDates.text(stretch))"
        let parts = parts(stretch)
        guard let first = parts.first, stretch.isReplaced || !first.isEmpty else {
            return ([text] + parts.dropFirst()).joined(separator: "; ")
        }
        return ([text + (stretch.isReplaced ? ": " : ", ") + first] + parts.dropFirst()).joined(separator: "; ")
    }

    /// Returns ` by 20`, of records that were replaced.
    public func by(_ stretch: Answer.Stretch) -> String {
        stretch.isReplaced ? " by \(AnswerNumbers.text(stretch.became))" : ""
    }

    /// Tells of a stretch all beside its count, type and dates.
    public func details(_ stretch: Answer.Stretch) -> String {
        parts(stretch).filter { !$0.isEmpty }.joined(separator: "; ")
    }

    /// Tells of the records of a stretch, which may be nothing, and of others at that time.
    private func parts(_ stretch: Answer.Stretch) -> [String] {
        switch stretch.part {
        case .gone: [facts(stretch)] + [others(stretch)].compactMap { $0 }
        case .replaced(let pair, let outcome):
            [AnswerNames.outcome(pair, outcome, answer.types[stretch.type].measure)]
        case .changed: [AnswerNames.change(stretch.label)]
        }
    }

    private func facts(_ stretch: Answer.Stretch) -> String {
        let type = answer.types[stretch.type]
        guard let sum = stretch.sum.flatMap({ AnswerUnits.text($0, type, names) }) else { return "" }
        return "\(sum) in total" + (overlap(stretch).map { " (\($0))" } ?? "")
    }

    /// Tells that sources count the same time in a sum; `nil` if they do not.
    private func overlap(_ stretch: Answer.Stretch) -> String? {
        guard let share = stretch.overlap, share > 0 else { return nil }
        let percent = Int((share * 100).rounded())
        let text = percent == 0 ? "less than 1 %" : "\(percent) %"
        let who = stretch.isOverlapOfPhoneAndWatch ? "phone and watch" : "sources"
        return "\(who) overlap: \(text) of the time; hp-export days counts each moment once"
    }

    private func others(_ stretch: Answer.Stretch) -> String? {
        guard stretch.inPlace > 0 else { return nil }
        let verb = stretch.inPlace == 1 ? "is" : "are"
        return "\(AnswerNumbers.counted(stretch.inPlace, "other record")) \(verb) new at that time"
    }

    /// Counts the stretches that are not shown; `nil` if all are.
    public func rest(_ all: Answer.Stretches, after shown: Int) -> String? {
        let shown = all.largest.prefix(shown)
        guard all.stretchCount > shown.count else { return nil }
        var counts = all.types
        for stretch in shown { counts[stretch.type, default: 0] -= stretch.count }
        counts = counts.filter { $0.value > 0 }
        guard let most = Answer.most(counts) else { return nil }
        let total = all.count - shown.reduce(0) { $0 + $1.count }
        let what = counts.count == 1 ? "of" : "most (\(AnswerNumbers.text(most.count))) of"
        return "and \(AnswerNumbers.records(total)) in "
            + "\(AnswerNumbers.counted(all.stretchCount - shown.count, "more stretch", "es")), "
            + "\(what) \(name(most.type))"
    }

    // MARK: Sources

    /// The sources that differ, a sentence each, and the versions of known ones.
    public var sources: [String] {
        var rows = answer.sources.prefix(Answer.shownStretches).map(text)
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

    /// `true` if a source that is listed can only be shown by the hash of its name.
    public var hasHiddenName: Bool {
        answer.sources.prefix(Answer.shownStretches).contains { !names.hasName($0.source) }
    }

    private func text(_ fact: Answer.SourceFact) -> String {
        let name = names.source(fact.source)
        let day = fact.day.map { AnswerDates.text($0) }
        switch fact.kind {
        case .new: return "new\(day.map { " from " + $0 } ?? ""): \(name) (\(AnswerNumbers.records(fact.after)))"
        case .quiet: return "quiet after \(day ?? "an unknown day"): \(name)"
        case .product:
            return "\(name) is also \(names.product(fact.product))\(day.map { " from " + $0 } ?? "") "
                + "(\(AnswerNumbers.records(fact.after)))"
        }
    }

    // MARK: Counts

    public var new: String {
        let open = answer.unknown.filter { $0.appeared > 0 }
        guard !open.isEmpty else { return newOfKnown }
        let count = open.reduce(0) { $0 + $1.appeared }
        let types = open.count == 1 ? "a type that is not known" : "\(open.count) types that are not known"
        return "\(newOfKnown); \(AnswerNumbers.text(count)) of \(types) \(count == 1 ? "is" : "are") not counted here"
    }

    private var newOfKnown: String {
        guard answer.newCount > 0 else { return "none" }
        let days = answer.newDays.map { ", " + AnswerDates.text($0) } ?? ""
        let types = AnswerNumbers.counted(answer.newTypes.count, "type")
        var text = "\(AnswerNumbers.records(answer.newCount)) of \(types)\(days)"
        if answer.lateCount > 0, let span = answer.lateDays {
            text +=
                "; of these \(AnswerNumbers.text(answer.lateCount)) begin a week or more before "
                + "the earlier \(frame.noun), \(AnswerDates.text(span))"
            if let most = Answer.most(answer.lateTypes) {
                text += answer.lateTypes.count == 1 ? " (\(name(most.type)))" : " (most \(name(most.type)))"
            }
        }
        let first = answer.types.filter(\.isFirstRead)
        if !first.isEmpty {
            let count = first.reduce(0) { $0 + $1.after }
            text +=
                "; \(AnswerNumbers.text(count)) of \(AnswerNumbers.counted(first.count, "type")) "
                + "that the earlier \(frame.noun) did not have"
        }
        return text
    }

    /// Relationships that differ; `nil` if none does.
    public var links: String? {
        let counts = [
            (answer.linksAppeared, "new"), (answer.linksDisappeared, "no longer there"),
            (answer.linksChanged, "with other metadata"),
        ]
        let parts = counts.filter { $0.0 > 0 }.map { "\(AnswerNumbers.text($0.0)) \($0.1)" }
        return parts.isEmpty ? nil : "between records: " + parts.joined(separator: ", ")
    }

    public var unchanged: String {
        let count = answer.unchangedCount
        let text = count == 0 ? "none" : AnswerNumbers.records(count)
        return text + (count == 0 ? "" : " of \(AnswerNumbers.counted(answer.unchangedTypes, "type"))")
            + (answer.changed.isEmpty ? ". Changed: none" : "")
    }

    // MARK: Not known

    /// The types of which it is not known, those with the most records first.
    public var unknownTypes: [Answer.TypeFacts] {
        answer.unknown.sorted { ($1.before, $0.identifier) < ($0.before, $1.identifier) }
    }

    /// Says what is not known: a sentence for each of the largest types.
    ///
    /// - Parameter reasons: why, of a type.
    public func unknown(_ reasons: (Answer.TypeFacts) -> String) -> [String] {
        let unknown = unknownTypes
        let (known, all) = (answer.known.count, answer.types.count)
        guard !unknown.isEmpty else {
            let first = all - known
            if let withoutNotes { return [withoutNotes] }
            return [
                "nothing: \(known) of \(AnswerNumbers.counted(all, "type")) \(known == 1 ? "was" : "were") read "
                    + "completely both times"
                    + (first == 0 ? "" : "; \(AnswerNumbers.text(first)) \(first == 1 ? "is" : "are") new")
            ]
        }
        var rows = unknown.prefix(Answer.shownStretches).map { text($0, reasons($0)) }
        let rest = unknown.dropFirst(rows.count)
        if let most = rest.first {
            let count = rest.reduce(0) { $0 + $1.before }
            rows.append(
                "and \(AnswerNumbers.counted(rest.count, "more type")), \(AnswerNumbers.text(count)) before, most of "
                    + names.type(most.identifier))
        }
        return rows + [withoutNotes].compactMap { $0 }
    }

    /// Counts the types of which nothing but the status of a query states that they were read completely.
    public var withoutNotes: String? {
        let types = answer.withoutNotes
        guard let most = types.max(by: { ($0.before, $1.identifier) < ($1.before, $0.identifier) }) else { return nil }
        let what = (types.count == 1 ? "" : "most records: ") + names.type(most.identifier)
        return "\(AnswerNumbers.counted(types.count, "type")) (\(what)): the archive "
            + "states that the query was completed, not that every record was read"
    }

    private func text(_ type: Answer.TypeFacts, _ reasons: String) -> String { "\(counts(type)): \(reasons)" }

    /// Returns counts such as `Electrocardiogram, 12 before, 2 new`.
    public func counts(_ type: Answer.TypeFacts) -> String {
        var text = names.title(type.identifier) + ", \(AnswerNumbers.text(type.before)) before"
        for (count, what) in [
            (type.disappeared, "no longer visible"), (type.changed, "changed"), (type.appeared, "new"),
        ] where count > 0 { text += ", \(AnswerNumbers.text(count)) \(what)" }
        return text
    }

    // MARK: Earlier

    /// Losses of earlier comparisons that are still missing; empty if nothing is.
    public var earlier: [String] {
        let groups = answer.earlier
        guard groups.count > 2 || answer.isEarlierPartial else { return groups.map(text) }
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

    private func text(_ group: Answer.Earlier) -> String {
        let days = group.span.map { ", \(AnswerDates.text($0))" } ?? ""
        let verb =
            switch group.wasReplaced {
            case true?: "replaced"
            case false?: "gone"
            case nil: "gone or replaced"
            }
        let since = group.since.map { " (since \(AnswerDates.text($0)))" } ?? ""
        return "\(AnswerNumbers.records(group.count)) of \(names.type(group.identifier))\(days): still "
            + "\(verb)\(since)"
    }
}
