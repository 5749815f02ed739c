/// The first sentences: what is missing.
public struct AnswerHeadline {
    private let answer: Answer
    private let names: AnswerNames
    private let frame: AnswerFrame
    /// Chooses from texts that say less and less the first that fits.
    private let fitting: ([String]) -> String
    public private(set) var first = ""
    public private(set) var second: String?

    public init(
        _ answer: Answer, _ names: AnswerNames, _ frame: AnswerFrame,
        fitting: @escaping ([String]) -> String = { $0[0] }
    ) {
        (self.answer, self.names, self.frame, self.fitting) = (answer, names, frame, fitting)
        if answer.gone.count > 0 {
            first = gone
            second = others
        } else if answer.replaced.count > 0 {
            first = replaced
            second = answer.unknown.isEmpty ? "No other record is gone." : others
        } else if !answer.unknown.isEmpty {
            (first, second) = unknown
        } else {
            (first, second) = nothing
        }
    }

    private func name(_ type: Int) -> String { names.type(answer.types[type].identifier) }

    private var verb: String { answer.gone.count == 1 ? "is" : "are" }

    private var gone: String {
        let records = "\(AnswerNumbers.records(answer.gone.count)) \(verb) \(frame.missing)"
        return fitting(tails(answer.gone).map { "\(records): \($0)." } + ["\(records)."])
    }

    private var replaced: String {
        let became = answer.replaced.became
        let verb = answer.replaced.count == 1 ? "was" : "were"
        let records =
            "\(AnswerNumbers.records(answer.replaced.count)) \(verb) replaced by \(AnswerNumbers.text(became))"
        return fitting(tails(answer.replaced).map { "\(records): \($0)." } + ["\(records)."])
    }

    /// Types and days of stretches, from long to short.
    private func tails(_ all: Answer.Stretches) -> [String] {
        if all.stretchCount == 1, let stretch = all.largest.first {
            return [true, false].map { "\(name(stretch.type)), \(AnswerDates.text(stretch, isLong: $0))" } + [
                name(stretch.type)
            ]
        }
        let dates = [true, false].map { isLong in
            guard let span = all.span.map({ AnswerDates.text($0, isLong: isLong) }) else { return "" }
            return ", " + (all.dayCount == 1 ? span : "\(all.dayCount) days from \(span)")
        }
        guard let most = all.most else { return [] }
        if all.types.count == 1 { return dates.map { name(most.type) + $0 } + [name(most.type)] }
        let of = "\(all.types.count) types, most \(name(most.type))"
        return dates.map { of + $0 } + [of, "\(all.types.count) types"]
    }

    /// The other differences, after what is gone.
    private var others: String? {
        var parts: [String] = []
        if answer.gone.count > 0, answer.replaced.count > 0 {
            parts.append(replaced)
        }
        let unknown = answer.unknown.count
        if unknown > 0 { parts.append("Not known for \(unknown) of \(answer.types.count) types.") }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    private var unknown: (String, String?) {
        let (unknown, all) = (answer.unknown.count, answer.types.count)
        let what = "Not known for \(unknown) of \(AnswerNumbers.counted(all, "type"))."
        guard unknown < all else { return (what, nil) }
        let others = all - unknown == 1 ? "In the other one" : "In the \(all - unknown) others"
        if answer.isUnchanged { return ("\(what) \(others) nothing is missing.", nil) }
        return ("\(what) \(others) no record is gone.", differences)
    }

    private var nothing: (String, String?) {
        let before = answer.before
        guard before > 0 else {
            return ("Nothing can be missing: the earlier \(frame.noun) has no records.", nil)
        }
        guard answer.isUnchanged else {
            return ("No record is gone: all \(AnswerNumbers.text(before)) of \(frame.earlier) are there.", differences)
        }
        let all = AnswerNumbers.text(before)
        guard answer.withoutNotes.isEmpty else {
            let records = before == 1 ? "the record" : "all \(all) records"
            return ("No loss is recorded: \(records) of \(frame.earlier) \(before == 1 ? "is" : "are") visible.", nil)
        }
        return (
            before == 1
                ? "Nothing is missing: the record of \(frame.earlier) is there, unchanged."
                : "Nothing is missing: all \(all) records of \(frame.earlier) are there, unchanged.", nil
        )
    }

    /// The differences where no record is gone or replaced.
    private var differences: String? {
        var parts: [String] = []
        if answer.changed.count > 0 {
            let verb = answer.changed.count == 1 ? "has" : "have"
            parts.append("\(AnswerNumbers.text(answer.changed.count)) \(verb) changed.")
        }
        if answer.linksDisappeared > 0 {
            parts.append(
                "\(AnswerNumbers.counted(answer.linksDisappeared, "link")) between records "
                    + "\(answer.linksDisappeared == 1 ? "is" : "are") gone.")
        }
        if answer.linksChanged > 0 {
            parts.append("\(AnswerNumbers.counted(answer.linksChanged, "link")) between records changed.")
        }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}

/// The two observations of an answer, and how sentences name them.
public struct AnswerFrame: Sendable {
    /// `export` or `observation`.
    public let noun: String
    /// The earlier and the later observation.
    public let earlier, later: String
    private let names: [Int64: String]

    /// Observations by their id and local day; the ids of two of one day are named.
    public init(areExports: Bool, _ from: (id: Int64, day: Int64?), _ to: (id: Int64, day: Int64?)) {
        let names = [from, to].map { side in side.day.map { AnswerDates.text($0) } ?? "observation \(side.id)" }
        noun = areExports ? "export" : "observation"
        let areAlike = names[0] == names[1]
        earlier = areAlike ? "\(names[0]) (observation \(from.id))" : names[0]
        later = areAlike ? "\(names[1]) (observation \(to.id))" : names[1]
        self.names = [from.id: names[0], to.id: names[1]]
    }

    /// Names an observation, after "at" and elsewhere.
    public func name(_ id: Int64, isPlace: Bool) -> String {
        (isPlace ? "in " : "") + "the \(noun) of \(names[id] ?? "observation \(id)")"
    }

    /// Returns "Days at UTC+02:00."
    public static func days(zone: String?, offset: String) -> String {
        if let zone, !zone.isEmpty { return "Days of \(zone)." }
        return "Days at \(offset)."
    }

    /// "no longer in the export".
    var missing: String { noun == "export" ? "no longer in the export" : "no longer visible" }

    /// "Export of …, compared with ….".
    public var compared: String { "\(AnswerNames.capitalized(noun)) of \(later), compared with \(earlier)." }
}
