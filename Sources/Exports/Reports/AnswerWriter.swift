internal import Answer
internal import CanonicalJSON
internal import Timestamps

/// Writes the `answer` of a page (`Spec/report-page.md`, Answer).
enum AnswerWriter {
    /// Earlier losses that are written one by one; older ones are added up.
    private static let earlierLimit = 24

    private static func write(
        _ stretches: Answer.Stretches, _ answer: Answer, _ key: Key, _ writer: inout DocumentWriter
    ) {
        guard !stretches.isEmpty else { return }
        writer.put(key) { writer in
            writer.put("after_count", stretches.became)
            writer.put("day_count", stretches.dayCount)
            writer.put("first_date", dates(stretches.span)?.first)
            writer.put("largest", array: stretches.largest) { write($0, answer.types[$0.type].identifier, &$1) }
            writer.put("last_date", dates(stretches.span)?.last)
            writer.put("record_count", stretches.count)
            writer.put("stretch_count", stretches.stretchCount)
            write(stretches.types, answer, &writer)
        }
    }

    private static func write(_ types: [Int: Int], _ answer: Answer, _ writer: inout DocumentWriter) {
        writer.put("types", array: types.sorted { $0.key < $1.key }) { entry, writer in
            writer.put("record_count", entry.value)
            put(answer.types[entry.key].identifier, &writer)
        }
    }

    private static func write(
        _ count: Int, _ types: [Int: Int], _ days: ClosedRange<Int64>?, _ answer: Answer, _ key: Key,
        _ writer: inout DocumentWriter
    ) {
        guard count > 0 else { return }
        writer.put(key) { writer in
            put(days, &writer)
            writer.put("record_count", count)
            write(types, answer, &writer)
        }
    }

    static func write(_ answer: Answer, _ writer: inout DocumentWriter) {
        writer.put("after_date", answer.toDay.flatMap(date))
        writer.put("before_date", answer.fromDay.flatMap(date))
        write(answer.changed, answer, "changed", &writer)
        let earlier = summed(answer.earlier)
        if !earlier.isEmpty { writer.put("earlier", array: earlier, write) }
        if answer.isEarlierPartial { writer.put("earlier_partial", true) }
        write(answer.gone, answer, "gone", &writer)
        write(answer.lateCount, answer.lateTypes, answer.lateDays, answer, "late", &writer)
        write(answer.newCount, answer.newTypes, answer.newDays, answer, "new", &writer)
        if answer.newVersions > 0 { writer.put("new_version_count", answer.newVersions) }
        write(answer.replaced, answer, "replaced", &writer)
        if !answer.sources.isEmpty { writer.put("sources", array: answer.sources, write) }
    }

    /// Returns a local date; `nil` outside of the years 1 to 9999.
    static func date(_ day: Int64) -> String? {
        guard Calendar.days.contains(day) else { return nil }
        let date = Calendar.date(days: day)
        func padded(_ number: Int, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
    }

    private static func put(_ days: ClosedRange<Int64>?, _ writer: inout DocumentWriter) {
        writer.put("first_date", dates(days)?.first)
        writer.put("last_date", dates(days)?.last)
    }

    /// Returns both dates of a span; `nil` if it has one outside of the years 1 to 9999.
    private static func dates(_ days: ClosedRange<Int64>?) -> (first: String, last: String)? {
        guard let days, let first = date(days.lowerBound), let last = date(days.upperBound) else { return nil }
        return (first, last)
    }

    private static func put(_ identifier: String, _ writer: inout DocumentWriter) {
        if !identifier.isEmpty { writer.put("sample_type", identifier) }
    }

    private static func write(_ stretch: Answer.Stretch, _ type: String, _ writer: inout DocumentWriter) {
        writer.put("after_count", stretch.became)
        if let chart = stretch.chart {
            writer.put("chart") { writer in
                writer.put("bar_days", chart.barDays)
                writer.put("days", array: chart.days, write)
                writer.put("months", array: chart.months, write)
            }
        }
        writer.put("day_count", stretch.dayCount)
        writer.put("first_date", dates(stretch.span)?.first)
        writer.put("has_others", optional: stretch.hasOthersBetween)
        if stretch.inPlace > 0 { writer.put("in_place_count", stretch.inPlace) }
        writer.put("label", stretch.label)
        writer.put("last_date", dates(stretch.span)?.last)
        if case .replaced(_, let outcome) = stretch.part { writer.put("outcome", outcome) }
        if let share = stretch.overlap {
            writer.put("overlap", share)
            writer.put("overlap_of", stretch.isOverlapOfPhoneAndWatch ? "phone_and_watch" : "sources")
        }
        if case .replaced(let pair, _) = stretch.part { writer.put("pair", pair) }
        writer.put("record_count", stretch.count)
        put(type, &writer)
        writer.put("value_sum", stretch.sum)
    }

    private static func write(_ bar: Answer.Chart.Bar, _ writer: inout DocumentWriter) {
        writer.put("after_count", bar.after.count)
        writer.put("after_high", bar.after.high)
        writer.put("after_low", bar.after.low)
        writer.put("after_value", bar.after.value)
        writer.put("before_count", bar.before.count)
        writer.put("before_high", bar.before.high)
        writer.put("before_low", bar.before.low)
        writer.put("before_value", bar.before.value)
        writer.put("date", date(bar.day))
    }

    private static func write(_ loss: Answer.Earlier, _ writer: inout DocumentWriter) {
        put(loss.span, &writer)
        writer.put("record_count", loss.count)
        put(loss.identifier, &writer)
        writer.put("since_date", loss.since.flatMap(date))
        writer.put("was_replaced", optional: loss.wasReplaced)
    }

    private static func write(_ fact: Answer.SourceFact, _ writer: inout DocumentWriter) {
        writer.put("after_count", fact.after)
        writer.put("before_count", fact.before)
        writer.put("bundle_identifier", text: fact.source.bundle)
        writer.put("date", fact.day.flatMap(date))
        writer.put("finding", fact.kind.rawValue)
        writer.put("product_type", text: fact.product)
        writer.put("source_name_hash", text: fact.source.nameHash)
    }

    /// Returns the newest losses, and the sums of the others by whether they were replaced, of all types together.
    private static func summed(_ losses: [Answer.Earlier]) -> [Answer.Earlier] {
        guard losses.count > earlierLimit else { return losses }
        let (shown, rest) = (losses.prefix(earlierLimit), losses.dropFirst(earlierLimit))
        let sums = [false, true, nil].compactMap { wasReplaced -> Answer.Earlier? in
            let mine = rest.filter { $0.wasReplaced == wasReplaced }
            let spans = mine.compactMap(\.span)
            guard !mine.isEmpty else { return nil }
            return Answer.Earlier(
                identifier: "", since: mine.compactMap(\.since).min(), wasReplaced: wasReplaced,
                count: mine.reduce(0) { $0 + $1.count },
                span: spans.map(\.lowerBound).min().map { $0...spans.map(\.upperBound).max()! })
        }
        return shown + sums
    }
}
