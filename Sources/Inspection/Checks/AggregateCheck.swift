internal import Archive
internal import Codes
internal import Derivation
internal import Manifest
internal import SQLite

/// Summaries and daily buckets beside what ranges, versions and events give.
enum AggregateCheck {
    static func run(_ reader: borrowing EvidenceReader, _ subject: Subject, _ log: inout CheckLog) throws(ArchiveError)
    {
        let hasRows =
            try reader.integer(
                "SELECT EXISTS (SELECT 1 FROM observation_type_summaries) "
                    + "OR EXISTS (SELECT 1 FROM daily_type_aggregates)") == 1
        guard hasRows || subject.statesIdentityRules else { return log.withhold("the archive has no aggregates") }
        guard let observations = try ObservationTable(reader.connection) else {
            return log.withhold("more than \(ObservationTable.limit) observations")
        }
        if !subject.statesIdentityRules {
            log.note(
                "sums may differ by rounding, and absent rows are allowed: the archive does not state identity_rules")
        }
        var rows = try StoredAggregates(reader, isExact: subject.statesIdentityRules, log)
        defer { log = rows.log }
        let skipped = try AggregateWalk.run(&rows, observations, subject.identityRules, reader.connection)
        guard skipped > 0 else { return }
        let what = skipped == 1 ? "1 row of daily_type_aggregates was" : "\(skipped) rows of daily_type_aggregates were"
        rows.log.withhold("\(what) not recomputed: more than \(BucketSweep.limit) of one type and day")
    }
}

/// The aggregates of an archive, each compared with what it should say.
private struct StoredAggregates: ~Copyable, AggregateRows {
    /// The name of a bucket of a type.
    private struct Name: Hashable {
        let observation: Int64
        let start: Double
        let revision: Int64?
    }

    var log: CheckLog
    private var buckets: Statement
    private var summaries: Statement
    private var hasher: AggregateHasher
    private let isExact: Bool
    /// The buckets of a type that are known to be missing.
    private var reported: (type: Int64?, names: Set<Name>) = (nil, [])
    private static let bucketTable = "daily_type_aggregates"
    private static let summaryTable = "observation_type_summaries"

    init(_ reader: borrowing EvidenceReader, isExact: Bool, _ log: CheckLog) throws(ArchiveError) {
        let buckets = try reader.prepare(
            """
            SELECT rowid, sample_type_id, observation_id, bucket_start, bucket_end, visible_record_count,
                value_sum, value_max, source_revision_id, aggregate_hash \
            FROM daily_type_aggregates NOT INDEXED WHERE typeof(sample_type_id) = 'integer' ORDER BY 2, 4, 3
            """)
        let summaries = try reader.prepare(
            """
            SELECT rowid, sample_type_id, observation_id, visible_record_count, appeared_count, disappeared_count,
                representation_changed_count, earliest_start_date, latest_end_date, \
            value_sum, value_max, aggregate_hash FROM observation_type_summaries NOT INDEXED
                WHERE typeof(sample_type_id) = 'integer' ORDER BY 2, 3
            """)
        hasher = try AggregateHasher(reader.connection)
        self.buckets = buckets
        self.summaries = summaries
        self.isExact = isExact
        self.log = log
    }

    mutating func countRow() { log.countRow() }

    // MARK: Buckets

    mutating func nextBucket() throws(ArchiveError) -> BucketSweep.Row? {
        while try buckets.step() {
            log.countRow()
            guard let type = buckets.exactInteger(1), let observation = buckets.exactInteger(2),
                let start = buckets.real(3), let end = buckets.real(4),
                buckets.isNull(8) || buckets.exactInteger(8) != nil
            else { continue }
            return BucketSweep.Row(
                id: buckets.exactInteger(0), type: type, observation: observation, start: start, end: end,
                revision: buckets.exactInteger(8),
                stored: AggregateValues(
                    count: buckets.exactInteger(5) ?? -1, sum: buckets.real(6), maximum: buckets.real(7)))
        }
        return nil
    }

    mutating func begin(_ row: BucketSweep.Row, _ type: AggregateWalk.TypeName) throws(ArchiveError) {
        guard isExact, let type = type.carryable, Self.isWhole(buckets, counts: 5...5, numbers: 6...7) else { return }
        let digest = try hasher.bucket(row.stored, start: row.start, end: row.end, type: type, revision: row.revision)
        Self.compare(digest, with: buckets, 9, of: Self.bucketTable, &log)
    }

    mutating func end(_ row: BucketSweep.Row, _ derived: AggregateWalk.Derived) {
        guard let column = difference(row.stored, derived) else { return }
        log.add(.aggregatesBucket, Self.bucketTable, row: row.id, column: column, expected: "what the ranges give")
    }

    mutating func require(observation: Int64, type: Int64, start: Double, revision: Int64?, isThere: Bool) {
        guard isExact, !isThere else { return }
        if reported.type != type { reported = (type, []) }
        let name = Name(observation: observation, start: start, revision: revision)
        guard reported.names.insert(name).inserted else { return }
        let records = revision.map { "source revision \($0)" } ?? "all records"
        log.add(
            .aggregatesMissing, Self.bucketTable,
            expected: "a row of observation \(observation), type \(type), for \(records) of a day")
        // A bound, not a rule: a name that is forgotten may be reported again.
        if reported.names.count > 100_000 { reported.names.removeAll() }
    }

    // MARK: Summaries

    mutating func nextSummary() throws(ArchiveError) -> AggregateWalk.Summary? {
        while try summaries.step() {
            guard let type = summaries.exactInteger(1), let observation = summaries.exactInteger(2) else { continue }
            return AggregateWalk.Summary(
                id: summaries.exactInteger(0), type: type, observation: observation,
                stored: AggregateValues(
                    count: summaries.exactInteger(3) ?? -1, earliestStart: summaries.real(7),
                    latestEnd: summaries.real(8), sum: summaries.real(9), maximum: summaries.real(10)),
                events: EventCounts(
                    appeared: summaries.exactInteger(4) ?? -1, disappeared: summaries.exactInteger(5) ?? -1,
                    representationChanged: summaries.exactInteger(6) ?? -1))
        }
        return nil
    }

    mutating func begin(_ row: AggregateWalk.Summary, _ type: AggregateWalk.TypeName) {
        guard isExact, let type = type.carryable, Self.isWhole(summaries, counts: 3...6, numbers: 9...10) else {
            return
        }
        let digest = hasher.summary(row.stored, row.events, type: type)
        Self.compare(digest, with: summaries, 11, of: Self.summaryTable, &log)
    }

    mutating func end(_ row: AggregateWalk.Summary?, of observation: Int64, _ derived: AggregateWalk.Derived) {
        guard let row else {
            if isExact {
                log.add(
                    .aggregatesMissing, Self.summaryTable,
                    expected: "a row of observation \(observation), type \(derived.type.id)")
            }
            return
        }
        guard let column = difference(row, derived) else { return }
        log.add(
            .aggregatesSummary, Self.summaryTable, row: row.id, column: column, expected: "what ranges and events give")
    }

    // MARK: Comparison

    /// Returns `true` if the counts and numbers of a row have a canonical form.
    private static func isWhole(
        _ row: borrowing Statement, counts: ClosedRange<Int32>, numbers: ClosedRange<Int32>
    ) -> Bool {
        for column in counts where row.canonicalInteger(column) == nil { return false }
        for column in numbers where !row.isNull(column) && !(row.real(column)?.isFinite ?? false) { return false }
        return true
    }

    private static func compare(
        _ digest: Digest?, with row: borrowing Statement, _ column: Int32, of table: String, _ log: inout CheckLog
    ) {
        guard let digest, !row.isHex(column, digest) else { return }
        log.add(
            .aggregatesHash, table, row: row.exactInteger(0), column: "aggregate_hash",
            expected: "the hash of what the row says")
    }

    /// Returns the first column in which a summary is not what it should be.
    private func difference(_ row: AggregateWalk.Summary, _ derived: AggregateWalk.Derived) -> String? {
        let events = derived.events ?? EventCounts()
        if row.stored.count != derived.values.count { return "visible_record_count" }
        if row.events.appeared != events.appeared { return "appeared_count" }
        if row.events.disappeared != events.disappeared { return "disappeared_count" }
        if row.events.representationChanged != events.representationChanged { return "representation_changed_count" }
        if row.stored.earliestStart != derived.values.earliestStart { return "earliest_start_date" }
        if row.stored.latestEnd != derived.values.latestEnd { return "latest_end_date" }
        return difference(row.stored, derived)
    }

    /// Returns the first column of values in which a row is not what it should be.
    private func difference(_ stored: AggregateValues, _ derived: AggregateWalk.Derived) -> String? {
        if stored.count != derived.values.count { return "visible_record_count" }
        if isExact ? stored.sum != derived.values.sum : !isNear(stored.sum, derived) { return "value_sum" }
        if isExact || stored.maximum != nil, stored.maximum != derived.values.maximum { return "value_max" }
        return nil
    }

    /// Returns `true` if a stored sum is that of an engine that rounds at each addition. Adding n numbers in any order
    /// is off by at most n − 1 roundings of a sum that is no larger than their magnitudes.
    private func isNear(_ stored: Double?, _ derived: AggregateWalk.Derived) -> Bool {
        guard let stored, let sum = derived.values.sum else {
            return (stored ?? 0) == 0 && (derived.values.sum ?? 0) == 0
        }
        return abs(stored - sum) <= Double(max(derived.values.count, 1)) * derived.magnitude * Double.ulpOfOne
    }
}

extension AggregateWalk.TypeName {
    /// The identifier, if canonical JSON can carry it.
    fileprivate var carryable: [UInt8]? { identifier.flatMap { isCarryable($0.span) ? $0 : nil } }
}
