/// Holds the numbers of a comparison or a finding against each other, and the label against them (`Spec/changes.md`).
struct ReportVerifier {
    /// What is invalid, with a pointer; `at` says where.
    struct Fault {
        let name: String
        let pointer: String

        /// A finding of a line.
        func at(_ line: Int) -> Finding { Finding(.item, name, line: line, pointer: "/item/" + pointer) }
    }

    /// Members of a whole type or a window that are right by themselves but not beside each other.
    func contradictions(in item: Span<UInt8>, _ form: Forms) -> [ShapeFault] {
        let values = ReportValues(item)
        var found: [String] = []
        let isUncertain = values.text("label") == Array("uncertain".utf8)
        if form == .window, isUncertain == values.reasons.isEmpty || !values.areReasonsSorted {
            found.append("reasons")
        }
        if let sources = values.sources, !sources.areSorted || (form == .window && sources.entryCount == 0) {
            found.append("sources")
        }
        let hasStart = values.text("window_start") != nil, hasEnd = values.text("window_end") != nil
        if hasStart != hasEnd { found.append(hasStart ? "window_start" : "window_end") }
        return found.map { ShapeFault(code: .value, pointer: "/item/" + $0) }
    }

    /// The first thing that is invalid; nil where everything is valid.
    func check(_ item: Span<UInt8>, _ form: Forms, _ context: ReportContext?) -> Fault? {
        let values = ReportValues(item)
        if Forms.comparison.isSuperset(of: form) {
            let comparison = Comparison(values, form)
            return (comparison.wrongCount().map { Fault(name: "counts", pointer: $0) }) ?? comparison.wrongEvidence()
                .map { Fault(name: "evidence", pointer: $0) }
                ?? context.flatMap { comparison.wrongLabel($0) }.map { Fault(name: "label", pointer: $0) }
        }
        return (Self.wrongCount(values, form).map { Fault(name: "counts", pointer: $0) }) ?? Self.wrongEvidence(
            values, form, context
        ).map { Fault(name: "evidence", pointer: $0) }
            ?? (context.map { Self.follows(values, form, $0) } ?? true ? nil : Fault(name: "label", pointer: "finding"))
    }

    private static func wrongCount(_ values: ReportValues, _ form: Forms) -> String? {
        func isBelow(_ name: String, _ least: Int64) -> Bool { values.count(name).map { $0 < least } ?? false }
        switch form {
        case .disappearance:
            let isTooMany =
                values.count("disappeared_count").flatMap { gone in values.count("before_count").map { gone > $0 } }
                ?? false
            return isTooMany || isBelow("disappeared_count", 1) ? "disappeared_count" : nil
        case .exactDuplicate: return isBelow("record_count", 2) ? "record_count" : nil
        case .semanticDuplicate: return isBelow("payload_count", 2) ? "payload_count" : nil
        default: return nil
        }
    }

    private static func wrongEvidence(_ values: ReportValues, _ form: Forms, _ context: ReportContext?) -> String? {
        func quotient(_ left: String, _ right: String) -> Double? {
            values.number(left).flatMap { left in values.number(right).map { left / $0 } }.flatMap(Double.written)
        }
        switch form {
        case .disappearance:
            if values.number("disappeared_share") != quotient("disappeared_count", "before_count") {
                return "disappeared_share"
            }
            guard let elapsed = context?.elapsed else { return nil }
            return values.number("elapsed_seconds") == elapsed.written ? nil : "elapsed_seconds"
        case .divergence:
            return values.number("ratio") == quotient("current_standard_deviation", "baseline_standard_deviation")
                ? nil : "ratio"
        case .lateArrival:
            let delay = values.seconds("first_seen_at").flatMap { seen in values.seconds("start_date").map { seen - $0 }
            }
            return values.number("delay_seconds") == delay?.written ? nil : "delay_seconds"
        default: return nil
        }
    }

    /// Whether a finding is one by its thresholds.
    private static func follows(_ values: ReportValues, _ form: Forms, _ context: ReportContext) -> Bool {
        func isOver(_ name: String, _ threshold: String) -> Bool {
            values.number(name).map { $0 > context.threshold(threshold) } ?? true
        }
        func isAtLeast(_ name: String, _ threshold: String) -> Bool {
            values.number(name).map { $0 >= context.threshold(threshold) } ?? true
        }
        switch form {
        case .divergence:
            return isOver("ratio", "divergence_ratio") && isAtLeast("baseline_day_count", "minimum_days")
                && isAtLeast("current_day_count", "minimum_days")
        case .lateArrival: return isOver("delay_seconds", "late_arrival_seconds")
        default: return true
        }
    }
}

extension Double {
    /// The number as a report has it: nothing where it is not finite, and 0 for −0.
    var written: Double? { Self.written(self) }

    static func written(_ value: Double) -> Double? { value.isFinite ? value + 0 : nil }
}
