internal import Measures

/// A row of a comparison, and what follows from its members (`Spec/changes.md`, Comparison and Labels).
struct Comparison {
    private let values: ReportValues
    private let form: Forms
    private let measure: Measure
    private let before, after: ComparedSide
    private let appeared, disappeared, changed: Int64

    init(_ values: ReportValues, _ form: Forms) {
        self.values = values
        self.form = form
        measure = values.text("sample_type").map { Measure(of: $0) } ?? .unknown
        before = ComparedSide(values, "before")
        after = ComparedSide(values, "after")
        appeared = values.count("appeared_count") ?? 0
        disappeared = values.count("disappeared_count") ?? 0
        changed = values.count("representation_changed_count") ?? 0
    }

    // MARK: Counts

    /// The first member, in the order of pointers, that contradicts other counts.
    func wrongCount() -> String? {
        guard form != .allTypes else { return nil }
        var wrong: [String] = []
        for (name, side, changes, sources) in [
            ("after", after, appeared, values.sources?.after), ("before", before, disappeared, values.sources?.before),
        ] {
            if !isRight(side, changes: changes, sources) { wrong.append(name + "/record_count") }
            if side.valueCount + side.otherUnitCount > side.recordCount { wrong.append(name + "/value_count") }
            if let parts = side.parts, parts.recordCount != side.valueCount || parts.areCountsOver {
                wrong.append(name + "/parts")
            }
        }
        if let calendar = values.calendar {
            let stated = ["appeared_count": appeared, "disappeared_count": disappeared]
                .merging(["representation_changed_count": changed], uniquingKeysWith: max)
            let isOver = stated.contains { calendar.sums[$0.key] ?? 0 > $0.value }
            if isOver || !calendar.arePairsWithin { wrong.append("calendar/buckets") }
            if ![1, 7].contains(values.count("calendar.bucket_days")) { wrong.append("calendar/bucket_days") }
        }
        if form == .window, appeared == 0, disappeared == 0, changed == 0 { wrong.append("appeared_count") }
        if let within = values.count("evidence.instants_within"),
            within > values.count("evidence.instants_before") ?? 0
        {
            wrong.append("evidence/instants_within")
        }
        return wrong.min()
    }

    /// Whether a side has as many records as its changes and its sources say. Counts are below 2^53, so that sums
    /// of two fit.
    private func isRight(_ side: ComparedSide, changes: Int64, _ sources: Int64?) -> Bool {
        guard side.recordCount == sources else { return false }
        return form != .window || (changes + min(changed, 1)...changes + changed).contains(side.recordCount)
    }

    // MARK: Evidence

    /// The first member, in the order of pointers, that is not what others give.
    func wrongEvidence() -> String? {
        guard form != .allTypes else { return nil }
        var wrong = [("after", after), ("before", before)].flatMap { name, side in
            side.wrongMembers(measure).map { name + "/" + $0 }
        }
        if values.text("measure") != Array(measure.kind.rawValue.utf8) { wrong.append("measure") }
        if values.text("method") != Array(measure.method.rawValue.utf8) { wrong.append("method") }
        if form == .window { wrong += wrongPieces().map { "evidence/" + $0 } }
        return wrong.min()
    }

    private func wrongPieces() -> [String] {
        var wrong: [String] = []
        func expect(_ name: String, _ expected: Double?) {
            if values.number("evidence." + name) != expected.flatMap(Double.written) { wrong.append(name) }
        }
        func number(_ name: String) -> Double? { values.number("evidence." + name) }
        let (common, covered) = (number("common_seconds"), number("covered_seconds_before"))
        if let common, common > covered ?? .infinity || common > number("covered_seconds_after") ?? .infinity {
            wrong.append("common_seconds")
        }
        expect("coverage_overlap", covered.flatMap { $0 > 0 ? $0 : nil }.flatMap { whole in common.map { $0 / whole } })
        let instants = number("instants_before").flatMap { $0 > 0 ? $0 : nil }
        expect("instant_overlap", instants.flatMap { whole in number("instants_within").map { $0 / whole } })
        expect("measure_delta", compared?.delta)
        if values.flag("evidence.peaks_kept") != arePeaksKept { wrong.append("peaks_kept") }
        expect("record_count_delta", Double(after.recordCount - before.recordCount))
        if values.flag("evidence.sources_compatible") != values.sources?.areCompatible {
            wrong.append("sources_compatible")
        }
        return wrong
    }

    private var arePeaksKept: Bool? {
        guard let least = before.minimum, let greatest = before.maximum, let other = after.minimum,
            let last = after.maximum
        else { return nil }
        func areEqual(_ one: Double, _ other: Double) -> Bool { abs(one - other) <= 1e-6 * max(abs(one), abs(other)) }
        return areEqual(least, other) && areEqual(greatest, last)
    }

    /// The measure before and after: the difference, and pairs of numbers that are to be within tolerance; nil where
    /// it cannot be compared.
    private var compared: (delta: Double, pairs: [(Double, Double)], areCountsEqual: Bool)? {
        for side in [before, after] {
            guard side.recordCount > 0, measure.kind == .event || side.valueCount == side.recordCount else {
                return nil
            }
        }
        switch measure.kind {
        case .cumulative: return before.sum.flatMap { one in after.sum.map { ($0 - one, [(one, $0)], true) } }
        case .discrete: return before.mean.flatMap { one in after.mean.map { ($0 - one, [(one, $0)], true) } }
        case .event:
            let delta = Double(after.recordCount - before.recordCount)
            return (delta, [], delta == 0)
        case .category, .workout: return comparedParts
        }
    }

    private var comparedParts: (delta: Double, pairs: [(Double, Double)], areCountsEqual: Bool)? {
        guard let one = before.parts, let other = after.parts else { return nil }
        var (delta, areCountsEqual) = (0.0, true)
        var pairs: [(Double, Double)] = []
        for value in Set(one.records.keys).union(other.records.keys).sorted() {
            guard let first = one.records[value] == nil ? 0 : one.seconds[value],
                let second = other.records[value] == nil ? 0 : other.seconds[value]
            else { return nil }
            delta += abs(second - first)
            pairs.append((first, second))
            for case (let was?, let now?) in zip(one.stated(value), other.stated(value)) { pairs.append((was, now)) }
            if first == 0, second == 0, one.records[value] ?? 0 != other.records[value] ?? 0 { areCountsEqual = false }
        }
        return (delta, pairs, areCountsEqual)
    }

    // MARK: Label

    /// The member that does not follow; nil where label and reasons do, or where coverage does not say.
    func wrongLabel(_ context: ReportContext) -> String? {
        guard let incomplete = context.reasons(values.text("sample_type")) else { return nil }
        if form == .wholeType { return wrongStanding(incomplete, context) }
        guard form == .window else { return nil }
        let tolerance = context.threshold("measure_tolerance")
        let isKept = compared.map { compared in
            compared.areCountsEqual
                && compared.pairs.allSatisfy { abs($1 - $0) <= tolerance * max(abs($0), abs($1)) }
        }
        let isDated = values.text("window_start") != nil
        let (label, reasons) = label(incomplete + (isDated ? [] : ["dates_missing"]), isKept, context)
        var wrong: [String] = []
        if values.flag("evidence.measure_kept") != isKept { wrong.append("evidence/measure_kept") }
        let isReplaced = appeared > 0 && disappeared > 0
        if texts("against") != (isReplaced ? against(isKept, context) : []) { wrong.append("against") }
        if texts("look_alikes") != (isDated ? lookAlikes(context) : []) { wrong.append("look_alikes") }
        if values.text("label") != Array(label.utf8) {
            wrong.append("label")
        } else if texts("reasons") != reasons.sorted() {
            wrong.append("reasons")
        }
        if isOld(context) != values.flag("signatures.older_than_90_days") {
            wrong.append("signatures/older_than_90_days")
        }
        return wrong.min()
    }

    /// What is known of a whole type follows from its changes and from coverage.
    private func wrongStanding(_ incomplete: [String], _ context: ReportContext) -> String? {
        let hasChanges = ["appeared_count", "disappeared_count", "representation_changed_count"].contains {
            values.count($0) ?? 0 > 0
        }
        let state = context.stateAfter(values.text("sample_type")).map { String(decoding: $0, as: UTF8.self) }
        let known = state == "verified" || state == "continued" ? state! : "unchanged"
        let standing = hasChanges ? "changed" : incomplete.isEmpty ? known : "unknown"
        if values.text("standing") != Array(standing.utf8) { return "standing" }
        return texts("standing_reasons") == incomplete.sorted() ? nil : "standing_reasons"
    }

    private func texts(_ name: String) -> [String] { values.lists[name]?.texts ?? [] }

    private func label(_ incomplete: [String], _ isKept: Bool?, _ context: ReportContext) -> (
        String, reasons: [String]
    ) {
        if !incomplete.isEmpty { return ("uncertain", incomplete) }
        if disappeared == 0, changed == 0 { return ("appeared", []) }
        if appeared == 0, changed == 0 { return ("disappeared", []) }
        let haveNone = [before, after].allSatisfy { $0.valueCount + $0.otherUnitCount == 0 }
        if disappeared == 0, appeared == 0, haveNone || isKept == true { return ("representationChanged", []) }
        guard let isKept else {
            if before.otherUnitCount + after.otherUnitCount > 0 { return ("uncertain", ["units_differ"]) }
            return ("uncertain", [haveNone ? "values_missing" : "values_incomplete"])
        }
        if !isKept { return ("aggregateChanged", []) }
        if disappeared > 0, appeared > 0, values.flag("evidence.sources_compatible") != true {
            return ("uncertain", ["sources_differ"])
        }
        let isConsolidated = disappeared > 0 && against(isKept, context).isEmpty
        return (isConsolidated ? "consolidationLikely" : "representationChanged", [])
    }

    /// The pieces of evidence that do not hold.
    private func against(_ isKept: Bool?, _ context: ReportContext) -> [String] {
        var pieces: [String] = []
        let isFewer =
            Double(disappeared) >= context.threshold("minimum_disappeared")
            && Double(after.recordCount) <= context.threshold("count_ratio") * Double(before.recordCount)
        if !isFewer { pieces.append("count") }
        let shares = ["evidence.coverage_overlap", "evidence.instant_overlap"].compactMap { values.number($0) }
        if shares.isEmpty || shares.contains(where: { !($0 >= context.threshold("coverage_overlap")) }) {
            pieces.append("coverage")
        }
        var isSparser = false
        if let first = before.density, let second = after.density, let mean = before.length, let other = after.length {
            isSparser = second < first && other > mean
        }
        if !isSparser { pieces.append("density") }
        if isKept != true { pieces.append("measure") }
        if values.flag("evidence.metadata_compatible") != true { pieces.append("metadata") }
        if values.flag("evidence.sources_compatible") != true { pieces.append("sources") }
        return pieces
    }

    private static let replacedTypes = [
        "HKQuantityTypeIdentifierRestingHeartRate", "HKQuantityTypeIdentifierWalkingHeartRateAverage",
    ].map { Array($0.utf8) }

    private func lookAlikes(_ context: ReportContext) -> [String] {
        guard let start = values.seconds("window_start"), let end = values.seconds("window_end") else { return [] }
        var found: [String] = []
        let isReplaced = values.text("sample_type").map { Self.replacedTypes.contains($0) } ?? false
        if isReplaced, appeared > 0, disappeared > 0, let from = context.from, start >= from - 172_800 {
            found.append("daily_replacement")
        }
        guard context.isForward, appeared == 0, changed == 0 else { return found }
        let first = values.seconds("evidence.visible_start")
        let last = values.seconds("evidence.visible_end")
        let isNarrowed = first.map { end <= $0 } ?? false
        if isNarrowed { found.append("narrowed_permission") }
        if last.map({ start >= $0 }) ?? (first == nil) { found.append("truncated_export") }
        if isNarrowed, let first, let to = context.to, first >= to - 691_200 { found.append("watch_week") }
        return found
    }

    /// Whether the window is old; nil where that is not said.
    private func isOld(_ context: ReportContext) -> Bool? {
        guard values.flag("signatures.within_five_minutes") != nil, let to = context.to,
            let end = values.seconds("window_end")
        else { return nil }
        return end <= to - 7_776_000
    }
}
