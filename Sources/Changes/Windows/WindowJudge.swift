internal import Measures
internal import SQLite
internal import Timestamps
internal import Archive

/// Says of a window what its numbers are evidence of. Holds what that depends on beside the window.
struct WindowJudge {
    /// The first observation with a completed run of a type; its moment in Unix seconds.
    struct First {
        let observation: Int64
        let moment: Double
    }

    let firsts: [Int: First]
    private let labeling: Labeling
    private let runs: TypeRuns

    /// Returns the state of a type as a whole, and the reasons why no more is known.
    func standing(of type: Int?, hasChanges: Bool) -> (Comparison.Standing, reasons: [Comparison.Reason]) {
        runs.standing(of: type, hasChanges: hasChanges)
    }

    /// Types that a run speaks of at either observation.
    var asked: Set<Int> { runs.asked }

    /// The days at whose ends windows end.
    let bounds: DayBounds
    /// Returns the reasons why every window of a type is uncertain.
    func incompleteness(of type: Int?) -> [Comparison.Reason] { runs.incompleteness(of: type) }

    private let workouts: Workouts
    /// When the two observations were made, in Unix seconds.
    private let from, to: Double?
    private let isForward: Bool
    /// Types whose values of a day are replaced.
    private let replaced: Set<Int>

    init(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext, _ labeling: Labeling
    ) throws(ArchiveError) {
        self.labeling = labeling
        runs = try TypeRuns(connection, query, context)
        let observation = query.records.scope.observationID
        let older = query.records.scope.fromObservationID ?? observation
        isForward = older < observation
        var zones = try ObservationZones(connection)
        from = try zones.zone(of: older)?.moment
        let newer = try zones.zone(of: observation)
        to = newer?.moment
        bounds = DayBounds(
            newer?.days ?? LocalDays(TimeZoneRules(secondsFromGMT: 0)), count: labeling.windowBound)
        workouts = try Self.workouts(connection, query)
        firsts = try Self.firsts(connection, query, context)
        let names = [
            "HKQuantityTypeIdentifierRestingHeartRate", "HKQuantityTypeIdentifierWalkingHeartRateAverage",
        ].map { Array($0.utf8) }
        replaced = Set(context.typeNames.enumerated().filter { names.contains($0.element) }.map(\.offset))
    }

    private static func workouts(_ connection: borrowing Connection, _ query: ChangeQuery) throws(ArchiveError)
        -> Workouts
    {
        var rows = try connection.prepare(query.workouts())
        var spans: [(start: Double, end: Double)] = []
        while try rows.step() { if let start = rows.date(0), let end = rows.date(1) { spans.append((start, end)) } }
        return Workouts(spans)
    }

    private static func firsts(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext
    ) throws(ArchiveError) -> [Int: First] {
        var rows = try connection.prepare(query.firstRuns())
        var firsts: [Int: First] = [:]
        while try rows.step() {
            guard let type = context.typeIndex(rows.exactInteger(0)), let id = rows.exactInteger(1),
                let moment = rows.date(2)
            else { continue }
            if let known = firsts[type], known.observation <= id { continue }
            firsts[type] = First(observation: id, moment: moment)
        }
        return firsts
    }

    /// Puts the changes of a type into windows.
    func builder(_ measure: Measure, of type: Int?, countsDays: Bool = false) -> WindowBuilder {
        WindowBuilder(
            measure, gap: labeling.windowGap, bounds.counting(measure), workouts,
            incomplete: runs.incompleteness(of: type).sorted { $0.rawValue < $1.rawValue }, countsDays: countsDays)
    }

    /// Returns a tally of the changes of a type that have no dates.
    func undated(_ measure: Measure, of type: Int?) -> WindowTally {
        let reasons = (runs.incompleteness(of: type) + [.datesMissing]).sorted { $0.rawValue < $1.rawValue }
        return WindowTally(measure, Verdict(label: .uncertain, reasons: reasons))
    }

    /// Returns the window with its figures and label.
    func judged(
        _ window: WindowTally, isDated: Bool, _ changes: Comparison.Counts, _ before: Comparison.Side,
        _ after: Comparison.Side, _ sources: [Comparison.SourceCount], _ type: Int?, _ measure: Measure,
        visible: Comparison.Side?
    ) -> Comparison.Window {
        let (start, end) = isDated ? (window.start, window.end) : (nil, nil)
        var evidence = Comparison.Evidence(before, after, sources)
        if let compared = Labeling.compare(measure.kind, before, after) {
            evidence.isMeasureKept = compared.isKept
            evidence.measureDelta = compared.delta.flatMap { $0.isFinite ? $0 : nil }
        }
        evidence.isMetadataCompatible = window.metadata.isCompatible
        evidence.coverage = isDated ? window.coverage.result() : nil
        (evidence.visibleStart, evidence.visibleEnd) = (visible?.earliestStart, visible?.latestEnd)
        let isReplaced = changes.disappeared > 0 && changes.appeared > 0
        var signatures: Comparison.Signatures?
        if isDated, isReplaced, measure.kind == .cumulative || measure.kind == .discrete {
            signatures = window.signs.result(
                measure, hasFirst: type.flatMap { firsts[$0] } != nil, isOld: to.map { end! <= $0 - 7_776_000 })
        }
        var bounds = bounds.counting(measure)
        return Comparison.Window(
            start: start, end: end, crossesBound: isDated ? bounds.areCrossed(from: start!, to: end!) : nil,
            evidence: evidence, label: window.verdict.label, reasons: window.verdict.reasons, signatures: signatures,
            lookAlikes: isDated ? lookAlikes(changes, type, start!, end!, evidence) : [])
    }

    private func lookAlikes(
        _ changes: Comparison.Counts, _ type: Int?, _ start: Double, _ end: Double, _ evidence: Comparison.Evidence
    ) -> [Comparison.LookAlike] {
        var found: Set<Comparison.LookAlike> = []
        if let type, replaced.contains(type), changes.disappeared > 0, changes.appeared > 0,
            let from, start >= from - 172_800
        {
            found.insert(.dailyReplacement)
        }
        if isForward, changes.appeared == 0, changes.representationChanged == 0 {
            if let first = evidence.visibleStart, end <= first {
                found.insert(.narrowedPermission)
                if let to, first >= to - 691_200 { found.insert(.watchWeek) }
            }
            if evidence.visibleEnd.map({ start >= $0 }) ?? (evidence.visibleStart == nil) {
                found.insert(.truncatedExport)
            }
        }
        return Comparison.LookAlike.allCases.filter(found.contains)
    }
}

extension Comparison.Evidence {
    /// Derives the evidence of the sides and their sources.
    init(_ before: Comparison.Side, _ after: Comparison.Side, _ sources: [Comparison.SourceCount]) {
        recordCountDelta = after.recordCount - before.recordCount
        let known = sources.filter { $0.before > 0 }
        areSourcesCompatible = sources.allSatisfy { entry in
            entry.after == 0 || known.contains { entry.source.isCompatible(with: $0.source) }
        }
        if let least = before.minimum, let greatest = before.maximum, let other = after.minimum,
            let last = after.maximum
        {
            arePeaksKept = Extent.areEqual(least, other) && Extent.areEqual(greatest, last)
        }
    }
}
