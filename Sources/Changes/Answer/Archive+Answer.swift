public import Answer
public import Archive
internal import Measures
internal import SQLite
internal import Timestamps

extension Archive {
    /// Answers what a comparison comes to. The later observation of the scope is the newer one.
    ///
    /// - Complexity: that of `comparisons`, and a look at each range that had ended before, up to a bound.
    ///
    /// - Parameters:
    ///   - pairs: of a page; `each` then takes comparisons as a page has them.
    ///   - each: takes each comparison as it is read.
    public func answer(
        of scope: Scope, in context: ExportContext, thresholds: [Threshold: Double], pairs: PairDays? = nil,
        each: (Comparison) -> Void = { _ in }
    ) throws(ArchiveError) -> Answer {
        let query = ChangeQuery(records: try query(for: scope))
        try connection.add(DateKeyFunction(), as: "hp_date", count: 1)
        var zones = try ObservationZones(connection)
        let (from, to) = (try zones.zone(of: query.records.from), try zones.zone(of: scope.observationID))
        var days = to?.days ?? LocalDays(TimeZoneRules(secondsFromGMT: 0))
        let lateBefore = from?.moment.map { days.date(of: $0 - 604_800) }
        var reader = AnswerReader(context, lateBefore: lateBefore)
        var comparisons = try comparisons(
            of: scope, in: context, thresholds: thresholds, pairs: pairs, countsDays: true)
        while let comparison = try comparisons.next() {
            reader.add(comparison)
            each(comparison)
        }
        var answer = reader.finish(from: from?.moment, &days)
        var dates = try ObservationDates(connection)
        (answer.fromDay, answer.toDay) = (
            try dates.date(of: scope.fromObservationID ?? scope.observationID), try dates.date(of: scope.observationID)
        )
        try lookBetween(&answer, query, context, days, reader.typeIndices)
        // The charts are those of a page, of all records.
        if pairs != nil, scope.filter == Filter() {
            let charts = StretchCharts(query: query, days: days, months: reader.months)
            try draw(charts, &answer.gone, context, reader.typeIndices)
            try draw(charts, &answer.replaced, context, reader.typeIndices)
        }
        answer.earlier = try EarlierLosses.read(self, query, context, days)
        answer.isEarlierPartial = try EarlierLosses.isPartial(connection, query)
        return answer
    }

    /// Draws the stretches that are shown.
    private func draw(
        _ charts: StretchCharts, _ stretches: inout Answer.Stretches, _ context: ExportContext, _ types: [Int?]
    ) throws(ArchiveError) {
        for place in stretches.largest.indices.prefix(Answer.shownStretches) {
            let stretch = stretches.largest[place]
            guard let type = types[stretch.type] else { continue }
            stretches.largest[place].chart = try charts.chart(
                of: stretch, Measure(of: context.typeNames[type]), typeID: context.typeIDs[type], connection)
        }
    }

    /// Looks whether records of the type remain between the days of the stretches that are shown.
    private func lookBetween(
        _ answer: inout Answer, _ query: ChangeQuery, _ context: ExportContext, _ days: LocalDays, _ types: [Int?]
    ) throws(ArchiveError) {
        for place in answer.gone.largest.indices.prefix(Answer.shownStretches) {
            let stretch = answer.gone.largest[place]
            guard let span = stretch.span, let type = types[stretch.type] else { continue }
            if answer.types[stretch.type].after == 0 {
                answer.gone.largest[place].hasOthersBetween = false
                continue
            }
            var rows = try connection.prepare(query.visibleBetween)
            let days = days.counting(isDated: Measure(of: context.typeNames[type]).isDated)
            rows.bind(1, Double(days.start(of: span.lowerBound)))
            rows.bind(2, Double(days.start(of: span.upperBound + 1)))
            rows.bind(3, context.typeIDs[type])
            var (count, isFound) = (0, false)
            while !isFound, try rows.step() {
                count += 1
                isFound = rows.integer(0) == 1
            }
            if isFound || count < ChangeQuery.mostBetween { answer.gone.largest[place].hasOthersBetween = isFound }
        }
    }
}

/// Makes an answer of comparisons.
private struct AnswerReader {
    private let context: ExportContext
    private let names: [String]
    private var builder: AnswerBuilder
    private var places: [Int?: Int] = [:]
    /// Indices into the types of the context, by place in the answer.
    private(set) var typeIndices: [Int?] = []
    /// Months of types with changes, by place in the answer.
    private(set) var months: [Int: [Comparison.StripMonth]] = [:]
    private var sources: [SourceChange.TypeSources] = []
    private var all: Comparison?
    /// Types with a note of what their query came to at both observations.
    private let noted: Set<String>

    init(_ context: ExportContext, lateBefore: Int64?) {
        self.context = context
        names = context.typeNames.map { String(decoding: $0, as: UTF8.self) }
        builder = AnswerBuilder(lateBefore: lateBefore)
        noted = Self.noted(context.coverage).intersection(Self.noted(context.fromCoverage ?? context.coverage))
    }

    private static func noted(_ coverage: PackedTable) -> Set<String> {
        var types: Set<String> = []
        for row in 0..<coverage.count {
            let values = coverage.values(row)
            guard values[CoverageColumn.state.rawValue] != .null,
                case .text(let range) = values[CoverageColumn.sampleType.rawValue]
            else { continue }
            types.insert(String(decoding: coverage.bytes[range], as: UTF8.self))
        }
        return types
    }

    mutating func add(_ comparison: Comparison) {
        switch comparison.subject {
        case .allTypes: all = comparison
        case .type(_, _, let reasons):
            sources.append(SourceChange.TypeSources(counts: comparison.sources, isComplete: reasons.isEmpty))
            add(
                comparison.type, comparison.type.map { names[$0] } ?? "", comparison, reasons.map(\.rawValue))
            months[typeIndices.count - 1] = comparison.months
        case .window(let window): add(window, comparison)
        }
    }

    private mutating func add(_ type: Int?, _ name: String, _ whole: Comparison?, _ reasons: [String]) {
        let unit = whole?.before.unit ?? whole?.after.unit
        places[type] = builder.add(
            Answer.TypeFacts(
                identifier: name, measure: whole?.measure ?? "event", unit: unit,
                before: whole?.before.recordCount ?? 0, after: whole?.after.recordCount ?? 0,
                appeared: whole?.appeared ?? 0, disappeared: whole?.disappeared ?? 0,
                changed: whole?.representationChanged ?? 0, reasons: reasons, isNoted: noted.contains(name)))
        typeIndices.append(type)
    }

    private mutating func add(_ window: Comparison.Window, _ comparison: Comparison) {
        guard let place = places[comparison.type] else { return }
        var found = AnswerBuilder.Window(
            type: place, label: window.label.rawValue, start: window.start, end: window.end)
        let (replacements, days) = (comparison.replacements, comparison.days)
        (found.gone, found.new) = (replacements.left.before, replacements.left.after)
        found.changed = comparison.representationChanged
        found.replacements = replacements.entries.map { entry in
            AnswerBuilder.Window.Replacement(
                pair: entry.kind.name, outcome: entry.outcome?.name, before: entry.sides.before,
                after: entry.sides.after,
                days: days.replaced[ReplacementMark(kind: entry.kind, outcome: entry.outcome)] ?? [:])
        }
        if comparison.measure == "cumulative", comparison.before.valueCount == comparison.before.recordCount {
            found.sum = comparison.before.sum
        }
        for count in comparison.sources where count.before > 0 {
            let source = count.source
            found.sources.insert(Answer.Source(bundle: source.bundleIdentifier, nameHash: source.sourceNameHash))
        }
        (found.goneDays, found.newDays, found.changedDays) = (days.gone, days.new, days.changed)
        builder.add(found)
    }

    mutating func finish(from: Double?, _ days: inout LocalDays) -> Answer {
        // Types that no run speaks of and that have no record.
        for row in 0..<context.coverage.count {
            guard case .text(let range) = context.coverage.values(row)[CoverageColumn.sampleType.rawValue] else {
                continue
            }
            let name = String(decoding: context.coverage.bytes[range], as: UTF8.self)
            guard let type = names.firstIndex(of: name), places[type] == nil else { continue }
            add(type, name, nil, ["from_never_queried", "to_never_queried"])
        }
        for name in context.unknownTypes { add(nil, name, nil, ["from_never_queried", "to_never_queried"]) }
        var answer = builder.finish()
        if let all {
            (answer.linksAppeared, answer.linksChanged) = (all.links.appeared, all.links.changed)
            answer.linksDisappeared = all.links.disappeared
            answer.rejected = all.rejected
        }
        for change in SourceChange.found(in: sources, from: from) {
            let moment = change.kind == .quiet ? change.end : change.start
            answer.sources.append(
                Answer.SourceFact(
                    kind: change.kind == .quiet ? .quiet : change.kind == .appeared ? .new : .product,
                    source: Answer.Source(bundle: change.bundleIdentifier, nameHash: change.sourceNameHash),
                    product: change.productType, before: change.before, after: change.after,
                    day: moment.map { days.date(of: $0) }))
        }
        answer.newVersions = newVersions()
        return answer
    }

    /// Versions of apps and systems of sources that were there before.
    private func newVersions() -> Int {
        var known: Set<Answer.Source> = []
        var counts: [SourceRevision: (before: Int, after: Int)] = [:]
        for count in sources.flatMap(\.counts) {
            counts[count.source, default: (0, 0)].before += count.before
            counts[count.source]!.after += count.after
            let source = count.source
            if count.before > 0 {
                known.insert(Answer.Source(bundle: source.bundleIdentifier, nameHash: source.sourceNameHash))
            }
        }
        return counts.count { revision, count in
            count.before == 0 && count.after > 0
                && (revision.version != nil || revision.operatingSystemVersion != nil)
                && known.contains(
                    Answer.Source(bundle: revision.bundleIdentifier, nameHash: revision.sourceNameHash))
        }
    }
}

extension ChangeQuery {
    /// Versions of all types that `visibleBetween` looks at.
    static let mostBetween = 200_000

    /// Of the versions that start between ?1 and ?2, whether each is of type ?3 and visible at the later observation.
    fileprivate var visibleBetween: String {
        """
        SELECT s.sample_type_id = ?3 AND EXISTS (SELECT 1 FROM sample_visibility_ranges r
            WHERE r.sample_id = v.sample_id AND r.version_id = v.id
            AND \(records.isVisible("r", at: records.scope.observationID)))
        FROM sample_versions v CROSS JOIN samples s ON s.id = v.sample_id
        WHERE v.start_date >= ?1 AND v.start_date < ?2 LIMIT \(Self.mostBetween)
        """
    }
}
