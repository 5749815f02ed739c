internal import Codes
internal import Measures

/// Holds the numbers of a comparison or a finding against each other, and the label against them (`Spec/changes.md`).
struct ReportVerifier {
    /// What is invalid, with a pointer; `at` says where.
    struct Fault {
        let code: Code
        let pointer: String

        /// A finding of a line.
        func at(_ line: Int) -> Finding { Finding(code, line: line, pointer: "/item/" + pointer) }
    }

    /// `reasons` of a window, which its label requires or does not have. Where the label is not known they are judged
    /// by themselves.
    func judgeReasons(in item: Span<UInt8>, _ faults: inout [ShapeFault]) {
        let values = ReportValues(item)
        guard let label = values.text("label").map({ String(decoding: $0, as: UTF8.self) }),
            ShapeTables.labels.contains(label)
        else { return }
        let pointer = "/item/reasons"
        if label == "uncertain" {
            let isAbsent = values.lists["reasons"] == nil && !faults.contains { $0.pointer == pointer }
            if isAbsent { faults.append(ShapeFault(code: .shapeMemberMissing, pointer: pointer)) }
        } else if values.lists["reasons"] != nil {
            // What stands in a member that is not to be there is not looked at.
            faults.removeAll { $0.pointer == pointer || $0.pointer.hasPrefix(pointer + "/") }
            faults.append(ShapeFault(code: .shapeMemberUnknown, pointer: pointer))
        }
    }

    /// Members of a whole type or a window that are right by themselves but not beside each other.
    func contradictions(in item: Span<UInt8>, _ form: Forms) -> [ShapeFault] {
        let values = ReportValues(item)
        var found: [String] = []
        if form == .window || form == .wholeType {
            for name in WindowTexts.names where values.lists[name]?.areSorted == false { found.append(name) }
        }
        for side in ["after", "before"] where values.parts[side]?.areSorted == false { found.append(side + "/parts") }
        if let sources = values.sources, !sources.areSorted { found.append("sources") }
        if let calendar = values.calendar, !calendar.areSorted { found.append("calendar/buckets") }
        return found.map { ShapeFault(code: .shapeValue, pointer: "/item/" + $0) }
    }

    /// The first thing that is invalid; nil where everything is valid.
    func check(_ item: Span<UInt8>, _ form: Forms, _ context: ReportContext?) -> Fault? {
        if Forms.change.isSuperset(of: form) {
            let change = ChangeVerifier(item)
            return change.wrongMember(in: item, context).map { Fault(code: .itemEvidence, pointer: $0) }
                ?? change.wrongLabel(in: item, context).map { Fault(code: .itemLabel, pointer: $0) }
        }
        if Forms.pair.isSuperset(of: form) {
            let pair = PairVerifier(item, form, isAcrossChains: context?.isAcrossChains ?? true)
            guard pair.hasRightCounts else { return Fault(code: .itemCounts, pointer: "before") }
            return pair.wrongEvidence().map { Fault(code: .itemEvidence, pointer: $0) }
                ?? pair.wrongLabel().map { Fault(code: .itemLabel, pointer: $0) }
        }
        let values = ReportValues(item)
        let judging = context.flatMap { $0.judged.isSuperset(of: form) ? $0 : nil }
        if Forms.comparison.isSuperset(of: form) {
            let comparison = Comparison(values, form)
            return (comparison.wrongCount().map { Fault(code: .itemCounts, pointer: $0) }) ?? comparison.wrongEvidence()
                .map { Fault(code: .itemEvidence, pointer: $0) }
                ?? judging.flatMap { comparison.wrongLabel($0) }.map { Fault(code: .itemLabel, pointer: $0) }
        }
        return (Self.wrongCount(values, form).map { Fault(code: .itemCounts, pointer: $0) }) ?? Self.wrongEvidence(
            values, form, context
        ).map { Fault(code: .itemEvidence, pointer: $0) }
            ?? (judging.map { Self.follows(values, form, $0) } ?? true
                ? nil : Fault(code: .itemLabel, pointer: "finding"))
    }

    private static func wrongCount(_ values: ReportValues, _ form: Forms) -> String? {
        func isMore(_ name: String, than other: String) -> Bool {
            values.count(name).flatMap { count in values.count(other).map { count > $0 } } ?? false
        }
        switch form {
        case .disappearance:
            return isMore("disappeared_count", than: "before_count") ? "disappeared_count" : nil
        case .semanticDuplicate: return isMore("payload_count", than: "record_count") ? "payload_count" : nil
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
            return wrongMeasure(values)
                ?? (values.number("ratio") == quotient("current_standard_deviation", "baseline_standard_deviation")
                    ? nil : "ratio")
        case .lateArrival:
            let delay = values.seconds("first_seen_at").flatMap { seen in values.seconds("start_date").map { seen - $0 }
            }
            return values.number("delay_seconds") == delay?.written ? nil : "delay_seconds"
        default: return nil
        }
    }

    /// Which of the members of a divergence that say how its type is measured is not that of the type. Those of older
    /// versions say nothing of it.
    private static func wrongMeasure(_ values: ReportValues) -> String? {
        guard let said = values.text("measure") else { return nil }
        let measure = values.text("sample_type").map { Measure(of: $0) } ?? .unknown
        if said != Array(measure.kind.rawValue.utf8) { return "measure" }
        if values.text("method") != Array(measure.method.rawValue.utf8) { return "method" }
        return values.text("unit") == measure.unit.map { Array($0.utf8) } ? nil : "unit"
    }

    /// Whether both dates of a late arrival lie so long before its type was looked for that it was missed then, and it
    /// was seen first between the two observations.
    private static func wasMissed(_ values: ReportValues, _ context: ReportContext) -> Bool {
        if let seen = values.count("first_seen_observation_id"), !context.isBetween(seen) { return false }
        guard let verified = context.olderMoment(values.text("sample_type")) else { return true }
        return ["start_date", "end_date"].compactMap { values.seconds($0) }.allSatisfy {
            verified - $0 > context.threshold("late_arrival_seconds")
        }
    }

    private static let completed = Array("completed".utf8)

    /// Whether a finding is one by its thresholds and by coverage.
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
        case .lateArrival:
            let run = context.olderRun(values.text("sample_type"))
            return isOver("delay_seconds", "late_arrival_seconds") && run.map { $0 == completed } ?? true
                && wasMissed(values, context)
        default: return true
        }
    }
}

extension Double {
    /// The number as a report has it: nothing where it is not finite, and 0 for −0.
    var written: Double? { Self.written(self) }

    static func written(_ value: Double) -> Double? { value.isFinite ? value + 0 : nil }
}
