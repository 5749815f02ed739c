public import Archive
internal import Bytes
internal import Files
internal import Measures
internal import SQLite
internal import Timestamps

/// Streams findings in order: by sample type, and by kind within a type (`Spec/changes.md`).
public struct FindingCursor: ~Copyable {
    private let context: ExportContext
    private let measures: [Measure]
    private let counts: [FindingScan.Counts]
    private let elapsed: Double?
    private let days: DivergenceDays?
    private let path: Path
    private var stream: FindingStream
    /// The earlier forms of records; `nil` if no record is late.
    private var forms: EarlierForms?
    /// Tells what samples that are alike say of themselves; nil where there are none.
    private var alike: AlikeReader?
    private let typeIDs: [Int64]
    /// The place of the type that is next, from 1; of types without an identifier first.
    private var place = 0
    private var step = Step.disappearance
    /// `true` if the finding that a type has at most one of was looked for.
    private var isLookedFor = false
    /// The payloads that several samples of the type have, by their dates.
    private var duplicates: RowMerge?
    /// The sources that differ, in order: they stand with the types without an identifier.
    private var sources: [SourceChange]

    /// Kinds in the order of their names.
    private enum Step: CaseIterable {
        case disappearance, divergence, exactDuplicate, lateArrival, semanticDuplicate, source
    }

    init(
        _ connection: borrowing Connection, _ other: consuming Connection?, _ query: ChangeQuery,
        _ context: ExportContext, thresholds: [Threshold: Double], _ path: Path
    ) throws(ArchiveError) {
        let (from, to) = (
            query.records.scope.fromObservationID ?? query.records.scope.observationID,
            query.records.scope.observationID
        )
        let moments = (from: try Self.observation(connection, from).moment, to: try Self.observation(connection, to))
        let days = moments.to.moment.map { DivergenceDays(observedAt: $0, moments.to.days, thresholds) }
        let limits = FindingScan.Limits(
            days: days, lateArrivalSeconds: Threshold.lateArrivalSeconds.value(in: thresholds),
            lateBefore: try Self.lateBefore(connection, query, context, at: min(from, to)), older: min(from, to),
            identityRules: try IdentityRules.stated(in: connection))
        var scans = try ScanRunner.run(connection, other) { connection, isSliced throws(ArchiveError) in
            try FindingScan(connection, query, context, limits, path, isSliced: isSliced)
        }
        let hasAlike = try query.alike.prepare(connection, scans.flatMap(\.notes))
        var alike: AlikeReader?
        if hasAlike {
            alike = .some(try AlikeReader(connection))
            var own = try FindingScan(connection, query, context, limits, path, isSliced: false, .alike)
            own.read(nil)
            var matched = try FindingScan(connection, query, context, limits, path, isSliced: false, .matched)
            matched.read(nil)
            scans[0].take(try matched.found.get(), for: try own.found.get())
        }
        var forms: EarlierForms?
        if scans.contains(where: \.hasLate) {
            var undecided = scans.reduce(into: Set<Int>()) { $0.formUnion($1.undecided) }
            if hasAlike || query.records.fromChainID != nil {
                undecided = Set(context.typeNames.indices.map { $0 + 1 })
            }
            let payloads = try PayloadForms(scans.flatMap(\.forms), undecided: undecided, connection)
            forms = .some(try EarlierForms(connection, query, context, payloads, hasAlike: hasAlike, path))
        }
        let sources = try Self.sources(connection, query, context, scans, from: moments.from)
        var stream = try FindingStream(scans.flatMap(\.runs))
        try stream.begin()
        self.stream = stream
        self.sources = sources
        self.forms = forms
        self.alike = alike
        typeIDs = context.typeIDs
        self.days = days
        self.context = context
        self.path = path
        measures = context.measuresByPlace
        counts = measures.indices.map { place in
            scans.map { $0.counts[place] }.reduce(into: FindingScan.Counts()) { $0.add($1) }
        }
        elapsed = if let before = moments.from, let after = moments.to.moment { after - before } else { nil }
    }

    /// Returns the sources that differ; none if the compared observation is not the newer one.
    private static func sources(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext,
        _ scans: [FindingScan.Found], from: Double?
    ) throws(ArchiveError) -> [SourceChange] {
        guard query.records.from < query.records.scope.observationID else { return [] }
        let runs = try TypeRuns(connection, query, context)
        var names = try SourceNames(connection)
        var types: [SourceChange.TypeSources] = []
        for place in scans[0].sources.indices {
            var tally = SourceTally()
            for scan in scans { tally.add(scan.sources[place]) }
            let isComplete = runs.incompleteness(of: place == 0 ? nil : place - 1).isEmpty
            types.append(SourceChange.TypeSources(counts: try tally.counts(&names), isComplete: isComplete))
        }
        return SourceChange.found(in: types, from: from)
    }

    /// Returns the times when the older observation's runs looked for the records of each type, by its place; `nil` if
    /// no run did.
    private static func lateBefore(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext, at older: Int64
    ) throws(ArchiveError) -> [Double?] {
        let runs = try TypeRuns.statuses(connection, query, context, at: older)
        let verified = try TypeRuns.moments(connection, query, context, at: older)
        return ([nil] + context.typeNames.indices.map { Optional($0) }).map { type in
            runs[type] == "completed" ? verified[type] : nil
        }
    }

    /// Returns the time when an observation was made, in Unix seconds, and the days of its zone.
    private static func observation(_ connection: borrowing Connection, _ id: Int64) throws(ArchiveError)
        -> (moment: Double?, days: LocalDays)
    {
        var zones = try ObservationZones(connection)
        guard let zone = try zones.zone(of: id) else { return (nil, LocalDays(TimeZoneRules(secondsFromGMT: 0))) }
        return (zone.moment, zone.days)
    }

    /// Returns the next finding; `nil` after the last.
    public mutating func next() throws(ArchiveError) -> ChangeFinding? {
        while place < measures.count {
            if let content = try found(place) {
                return ChangeFinding(type: place == 0 ? nil : place - 1, content: content)
            }
            isLookedFor = false
            if let next = Step.allCases.firstIndex(of: step).map({ $0 + 1 }), next < Step.allCases.count {
                step = Step.allCases[next]
            } else {
                try stream.skip(place)
                place += 1
                step = .disappearance
            }
        }
        return nil
    }

    private mutating func found(_ place: Int) throws(ArchiveError) -> ChangeFinding.Content? {
        switch step {
        case .disappearance, .divergence:
            guard !isLookedFor else { return nil }
            isLookedFor = true
            return step == .disappearance ? disappearance(place) : try divergence(place).map { .divergence($0) }
        case .exactDuplicate: return try exactDuplicate(place)
        case .lateArrival:
            while let record = try stream.nextLate(place) {
                if !record.isMatched, try alike?.contains(.integer(record.sample)) == true { continue }
                if try forms?.contains(record, place, of: place == 0 ? nil : typeIDs[place - 1]) != true {
                    return .lateArrival(record.found)
                }
            }
            return nil
        case .source: return place == 0 && !sources.isEmpty ? .source(sources.removeFirst()) : nil
        case .semanticDuplicate:
            return try stream.nextFingerprint(place).map {
                .semanticDuplicate(fingerprint: $0.fingerprint, payloadCount: $0.payloads, recordCount: $0.records)
            }
        }
    }

    private func disappearance(_ place: Int) -> ChangeFinding.Content? {
        let counts = counts[place]
        guard counts.disappeared > 0 else { return nil }
        return .disappearance(
            before: counts.before, after: counts.after, disappeared: counts.disappeared, elapsedSeconds: elapsed)
    }

    private mutating func divergence(_ place: Int) throws(ArchiveError) -> ChangeFinding.Divergence? {
        guard let days else { return nil }
        var tally = DivergenceTally(measures[place], days)
        while let version = try stream.nextVersion(place) {
            if let start = version.start { tally.add(version, start: start) }
        }
        return tally.result()
    }

    /// Payloads come by their bytes; they are put in the order of their dates first.
    private mutating func exactDuplicate(_ place: Int) throws(ArchiveError) -> ChangeFinding.Content? {
        if !isLookedFor {
            isLookedFor = true
            duplicates = .some(try RowMerge(sortedDuplicates(place)))
        }
        var row = ByteBuffer()
        var companion = ByteBuffer()
        guard try duplicates!.next(into: &row, companion: &companion) else {
            duplicates = nil
            return nil
        }
        var reader = CompactReader(companion.span)
        let (start, end) = (reader.optional { $0.double() }, reader.optional { $0.double() })
        let count = Int(reader.integer())
        return .exactDuplicate(
            start: start, end: end, payloadHash: reader.text(), recordCount: count)
    }

    private mutating func sortedDuplicates(_ place: Int) throws(ArchiveError) -> [RowRun] {
        var sorter = RowSorter(of: path, memory: 1 << 20)
        var row = ByteBuffer()
        var companion = ByteBuffer()
        while let (start, end, payload, records) = try stream.nextPayload(place) {
            row.removeAll()
            row.append(start == nil ? 0 : 1)
            if let start { row.append(bigEndian: OrderKeyFunction.orderedBits(start)) }
            row.append(copying: payload.span)
            companion.removeAll()
            companion.append(optional: start)
            companion.append(optional: end)
            companion.append(lowBytesOf: UInt64(records))
            companion.append(lowBytesOf: UInt64(payload.count), count: 4)
            companion.append(copying: payload.span)
            try sorter.add(row.span, companion: companion.span)
        }
        return try sorter.finish()
    }
}

extension FindingScan.Found {
    /// Takes what samples that are alike come to in place of what they say of themselves; their late records are left
    /// out when they are read.
    fileprivate mutating func take(_ matched: FindingScan.Found, for own: FindingScan.Found) {
        runs += matched.runs
        hasLate = hasLate || matched.hasLate
        for place in counts.indices {
            counts[place].disappeared += matched.counts[place].disappeared - own.counts[place].disappeared
        }
    }
}

extension FindingScan.Counts {
    fileprivate mutating func add(_ other: FindingScan.Counts) {
        before += other.before
        after += other.after
        disappeared += other.disappeared
    }
}

/// The daily figures of a type's values. Values come in the order of their dates.
struct DivergenceTally {
    private let measure: Measure
    private var days: DivergenceDays
    private var baseline: [Double] = []
    private var current: [Double] = []
    private var side: SideTally
    /// The day that is being filled, and whether it is of the newer span.
    private var day: (number: Int64, isCurrent: Bool)?
    private var isUsable = true

    init(_ measure: Measure, _ days: DivergenceDays) {
        self.measure = measure
        self.days = days
        side = SideTally(measure)
    }

    /// Adds a version that has a number.
    mutating func add(_ version: ComparedVersion, start: Double) {
        let number = days.day(of: start)
        if day?.number != number {
            endDay()
            day = (number, start >= days.currentStart)
        }
        side.add(version)
    }

    private mutating func endDay() {
        guard let day else { return }
        let result = side.result()
        side = SideTally(measure)
        guard result.otherUnitCount == 0, let value = measure.kind == .cumulative ? result.sum : result.mean else {
            isUsable = false
            return
        }
        if day.isCurrent { current.append(value) } else { baseline.append(value) }
    }

    /// Returns the figures of the two spans; `nil` if they are not worth a finding.
    mutating func result() -> ChangeFinding.Divergence? {
        endDay()
        day = nil
        guard isUsable, baseline.count >= days.minimumDays, current.count >= days.minimumDays,
            let before = Self.spread(baseline), let now = Self.spread(current), before.deviation > 0,
            now.deviation / before.deviation > days.ratio, (now.deviation / before.deviation).isFinite
        else { return nil }
        return ChangeFinding.Divergence(
            baselineStart: days.baselineStart, currentStart: days.currentStart, currentEnd: days.currentEnd,
            baselineDayCount: baseline.count, currentDayCount: current.count,
            measure: measure.kind.rawValue, method: measure.method.rawValue, unit: measure.unit,
            baselineMean: before.mean, currentMean: now.mean,
            baselineDeviation: before.deviation, currentDeviation: now.deviation)
    }

    private static func spread(_ values: [Double]) -> (mean: Double, deviation: Double)? {
        var sum = ExactSum()
        for value in values { sum.add(value) }
        guard let total = sum.value() else { return nil }
        let mean = total / Double(values.count)
        sum.reset()
        for value in values {
            let distance = value - mean
            guard (distance * distance).isFinite else { return nil }
            sum.add(distance * distance)
        }
        guard let squares = sum.value() else { return nil }
        let deviation = (squares / Double(values.count)).squareRoot()
        return deviation.isFinite ? (mean, deviation) : nil
    }
}
