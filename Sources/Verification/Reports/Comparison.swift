/// A row of a comparison, and what follows from its members (`Spec/changes.md`, Comparison and Labels).
struct Comparison {
    private let values: ReportValues
    private let form: Forms
    private let before, after: Side
    private let appeared, disappeared, changed: Int64

    init(_ values: ReportValues, _ form: Forms) {
        self.values = values
        self.form = form
        before = Side(values, "before")
        after = Side(values, "after")
        appeared = values.count("appeared_count") ?? 0
        disappeared = values.count("disappeared_count") ?? 0
        changed = values.count("representation_changed_count") ?? 0
    }

    /// The first member, in the order of pointers, that contradicts other counts.
    func wrongCount() -> String? {
        guard form != .allTypes else { return nil }
        if !isRight(after, changes: appeared, values.sources?.after) { return "after/record_count" }
        if after.valueCount > after.recordCount { return "after/value_count" }
        if form == .window, appeared == 0, disappeared == 0, changed == 0 { return "appeared_count" }
        if !isRight(before, changes: disappeared, values.sources?.before) { return "before/record_count" }
        return before.valueCount > before.recordCount ? "before/value_count" : nil
    }

    /// Whether a side has as many records as its changes and its sources say. Counts are below 2^53, so that sums
    /// of two fit.
    private func isRight(_ side: Side, changes: Int64, _ sources: Int64?) -> Bool {
        guard side.recordCount == sources else { return false }
        return form != .window || (changes + min(changed, 1)...changes + changed).contains(side.recordCount)
    }

    /// The first member, in the order of pointers, that is not what others give.
    func wrongEvidence() -> String? {
        guard form != .allTypes else { return nil }
        if let wrong = after.wrongMember { return "after/" + wrong }
        if let wrong = before.wrongMember { return "before/" + wrong }
        guard form == .window else { return nil }
        if values.number("evidence.coverage_overlap") != overlap { return "evidence/coverage_overlap" }
        if values.count("evidence.record_count_delta") != after.recordCount - before.recordCount {
            return "evidence/record_count_delta"
        }
        if values.flag("evidence.sources_compatible") != values.sources?.areCompatible {
            return "evidence/sources_compatible"
        }
        return values.number("evidence.value_sum_delta") == sums.flatMap { ($0.after - $0.before).written }
            ? nil : "evidence/value_sum_delta"
    }

    private var overlap: Double? {
        guard let firstStart = before.start, let firstEnd = before.end, let start = after.start, let end = after.end
        else { return nil }
        let whole = max(firstEnd, end) - min(firstStart, start)
        return whole == 0 ? 1 : (max(0, min(firstEnd, end) - max(firstStart, start)) / whole).written
    }

    /// The sums, where they can be compared.
    private var sums: (before: Double, after: Double)? {
        guard let first = before.sum, let second = after.sum, before.unit == after.unit else { return nil }
        return (first, second)
    }

    /// The member that does not follow; nil where label and reasons do, or where coverage does not say.
    func wrongLabel(_ context: ReportContext) -> String? {
        guard form == .window, let incomplete = context.reasons(values.text("sample_type")) else { return nil }
        let (label, reasons) = label(
            incomplete + (values.text("window_start") == nil ? ["dates_missing"] : []), context)
        if values.text("label") != Array(label.utf8) { return "label" }
        return values.reasons == reasons.sorted() ? nil : "reasons"
    }

    private func label(_ incomplete: [String], _ context: ReportContext) -> (String, reasons: [String]) {
        if !incomplete.isEmpty { return ("uncertain", incomplete) }
        if disappeared == 0, changed == 0 { return ("appeared", []) }
        if appeared == 0, changed == 0 { return ("disappeared", []) }
        let haveValues = before.valueCount > 0 && after.valueCount > 0
        let isWithin =
            sums.map {
                abs($0.after - $0.before) <= context.threshold("sum_tolerance") * max(abs($0.before), abs($0.after))
            } ?? false
        if disappeared == 0, appeared == 0 {
            if isWithin || (haveValues && sums == nil) || (before.valueCount == 0 && after.valueCount == 0) {
                return ("representationChanged", [])
            }
            if !haveValues || before.isPartial || after.isPartial { return ("uncertain", ["values_incomplete"]) }
        } else {
            if before.valueCount == 0, after.valueCount == 0 { return ("uncertain", ["values_missing"]) }
            if !haveValues || before.isPartial || after.isPartial { return ("uncertain", ["values_incomplete"]) }
            if sums == nil { return ("uncertain", ["units_differ"]) }
        }
        if !isWithin { return ("aggregateChanged", []) }
        return (isConsolidation(context) ? "consolidationLikely" : "representationChanged", [])
    }

    /// Fewer and longer records with the same sum.
    private func isConsolidation(_ context: ReportContext) -> Bool {
        guard Double(disappeared) >= context.threshold("minimum_disappeared"),
            Double(after.recordCount) <= context.threshold("count_ratio") * Double(before.recordCount),
            let overlap = values.number("evidence.coverage_overlap"), overlap >= context.threshold("coverage_overlap"),
            let densityBefore = before.density, let densityAfter = after.density, densityAfter < densityBefore,
            let meanBefore = before.mean, let meanAfter = after.mean, meanAfter > meanBefore
        else { return false }
        return values.flag("evidence.sources_compatible") ?? false
    }
}

/// `before` or `after` of a row.
private struct Side {
    let recordCount, valueCount: Int64
    let sum, density, mean, start, end: Double?
    let unit: [UInt8]?
    private let hasMaximum: Bool

    init(_ values: ReportValues, _ name: String) {
        recordCount = values.count(name + ".record_count") ?? 0
        valueCount = values.count(name + ".value_count") ?? 0
        sum = values.number(name + ".value_sum")
        density = values.number(name + ".records_per_hour")
        mean = values.number(name + ".mean_interval_seconds")
        start = values.seconds(name + ".earliest_start_date")
        end = values.seconds(name + ".latest_end_date")
        unit = values.text(name + ".unit")
        hasMaximum = values.number(name + ".value_max") != nil
    }

    /// Whether some records have a value and others not.
    var isPartial: Bool { valueCount > 0 && valueCount < recordCount }

    /// A member that others contradict.
    var wrongMember: String? {
        let span = start.flatMap { start in end.map { $0 - start } }
        let expected = span.flatMap { $0 > 0 ? (Double(recordCount) * 3600 / $0).written : nil }
        if density != expected { return "records_per_hour" }
        guard valueCount == 0 else { return nil }
        return hasMaximum ? "value_max" : sum != nil ? "value_sum" : nil
    }
}
