import Answer
import Tool

/// The first sentences: what is missing.
struct AnswerHeadline {
    private let answer: Answer
    private let place: AnswerPlace
    private(set) var first = ""
    private(set) var second: String?

    init(_ answer: Answer, _ words: AnswerWords, _ place: AnswerPlace) {
        (self.answer, self.place) = (answer, place)
        if answer.goneCount > 0 {
            first = gone
            second = others
        } else if answer.replacedCount > 0 {
            first = replaced
            second = answer.unknown.isEmpty ? "No other record is gone." : others
        } else if !answer.unknown.isEmpty {
            (first, second) = unknown
        } else {
            (first, second) = nothing
        }
    }

    private func name(_ type: Int) -> String { AnswerWords.type(answer.types[type].identifier) }

    private var verb: String { answer.goneCount == 1 ? "is" : "are" }

    private var gone: String {
        let records = "\(AnswerNumbers.records(answer.goneCount)) \(verb) \(place.missing)"
        return AnswerLines.fitting(Self.tails(answer.gone, name).map { "\(records): \($0)." } + ["\(records)."])
    }

    private var replaced: String {
        let became = answer.replacingCount
        let verb = answer.replacedCount == 1 ? "was" : "were"
        let records =
            "\(AnswerNumbers.records(answer.replacedCount)) \(verb) replaced by \(AnswerNumbers.text(became))"
        return AnswerLines.fitting(Self.tails(answer.replaced, name).map { "\(records): \($0)." } + ["\(records)."])
    }

    /// What stretches are of, from long to short.
    private static func tails(_ stretches: [Answer.Stretch], _ name: (Int) -> String) -> [String] {
        let types = Set(stretches.map(\.type))
        if stretches.count == 1, let stretch = stretches.first {
            return [true, false].map { "\(name(stretch.type)), \(AnswerDates.text(stretch, isLong: $0))" } + [
                name(stretch.type)
            ]
        }
        let spans = stretches.compactMap(\.span)
        var dates = ["", ""]
        if spans.count == stretches.count, let first = spans.map(\.lowerBound).min(),
            let last = spans.map(\.upperBound).max()
        {
            let count = Set(stretches.flatMap(\.days.keys)).count
            dates = [true, false].map { isLong in
                let span = AnswerDates.text(first...last, isLong: isLong)
                return ", " + (count == 1 ? span : "\(count) days from \(span)")
            }
        }
        if types.count == 1, let type = types.first { return dates.map { name(type) + $0 } + [name(type)] }
        var counts: [Int: Int] = [:]
        for stretch in stretches { counts[stretch.type, default: 0] += stretch.count }
        let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? 0
        let of = "\(types.count) types, most \(name(most))"
        return dates.map { of + $0 } + [of, "\(types.count) types"]
    }

    /// What else differs, after what is gone.
    private var others: String? {
        var parts: [String] = []
        if answer.goneCount > 0, answer.replacedCount > 0 {
            let verb = answer.replacedCount == 1 ? "was" : "were"
            parts.append(
                "\(AnswerNumbers.records(answer.replacedCount)) \(verb) replaced by "
                    + "\(AnswerNumbers.text(answer.replacingCount)).")
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
            return ("Nothing can be missing: the earlier \(place.noun) has no records.", nil)
        }
        guard answer.isUnchanged else {
            return ("No record is gone: all \(AnswerNumbers.text(before)) of \(place.earlier) are there.", differences)
        }
        let all = AnswerNumbers.text(before)
        return (
            before == 1
                ? "Nothing is missing: the record of \(place.earlier) is there, unchanged."
                : "Nothing is missing: all \(all) records of \(place.earlier) are there, unchanged.", nil
        )
    }

    /// What differs where no record is gone or replaced.
    private var differences: String? {
        var parts: [String] = []
        if answer.changedCount > 0 {
            let verb = answer.changedCount == 1 ? "has" : "have"
            parts.append("\(AnswerNumbers.text(answer.changedCount)) \(verb) changed.")
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
