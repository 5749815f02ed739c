internal import Archive
internal import Codes
internal import SQLite

/// Summaries and daily buckets, recomputed from ranges, versions and events.
///
/// Five sorted streams are merged type by type: types, records, stored summaries, stored buckets, and what events
/// and type runs ask for.
enum AggregateCheck {
    static func run(_ reader: borrowing EvidenceReader, _ subject: Subject, _ log: inout CheckLog) throws(ArchiveError)
    {
        let hasRows =
            try reader.integer(
                "SELECT EXISTS (SELECT 1 FROM observation_type_summaries) "
                    + "OR EXISTS (SELECT 1 FROM daily_type_aggregates)") == 1
        guard hasRows || subject.statesIdentityRules else { return log.withhold("the archive has no aggregates") }
        guard var observations = try ObservationTable(reader) else {
            return log.withhold("more than \(ObservationTable.limit) observations")
        }
        if !subject.statesIdentityRules {
            log.note(
                "sums may differ by rounding, and absent rows are allowed: the archive does not state identity_rules")
        }
        var records = try AggregateRecords(reader)
        var summaries = try SummaryCheck(reader, isExact: subject.statesIdentityRules, size: observations.ids.count)
        var buckets = try BucketSweep(reader, isExact: subject.statesIdentityRules)
        var types = try reader.prepare("SELECT id, type_identifier FROM sample_types NOT INDEXED ORDER BY id")
        var record = try records.next(observations, &log)
        while try types.step() {
            guard let type = types.exactInteger(0) else { continue }
            let identifier = types.storageClass(1) == .text && types.withBytes(1, isCarryable) ? types.bytes(1) : nil
            let rule = AmountRule(subject.identityRules, type: identifier)
            while let next = record, next.type <= type {
                if next.type == type {
                    summaries.add(next, rule)
                    try buckets.add(next, rule, identifier: identifier, &observations, &log)
                }
                record = try records.next(observations, &log)
            }
            try summaries.finish(type: type, rule, identifier: identifier, observations, &log)
            try buckets.finish(type: type, rule, identifier: identifier, observations, &log)
        }
        buckets.end(&log)
    }
}

/// Holds stored summaries beside those that records and events give.
private struct SummaryCheck: ~Copyable {
    private var sweep: SummarySweep
    private var stored: Statement
    private var wanted: Statement
    private var hashes: AggregateHashes
    private var isAtStored = false
    private var isAtWanted = false
    private let isExact: Bool
    private static let table = "observation_type_summaries"

    init(_ reader: borrowing EvidenceReader, isExact: Bool, size: Int) throws(ArchiveError) {
        let hashes = try AggregateHashes(reader)
        var stored = try reader.prepare(
            """
            SELECT rowid, sample_type_id, observation_id, visible_record_count, appeared_count, disappeared_count,
                representation_changed_count, earliest_start_date, latest_end_date, \
            value_sum, value_max, aggregate_hash FROM observation_type_summaries NOT INDEXED
                WHERE typeof(sample_type_id) = 'integer' ORDER BY 2, 3
            """)
        // Of each type and observation that had a run or an event: what its events count.
        var wanted = try reader.prepare(
            """
            SELECT type, observation, sum(appeared), sum(disappeared), sum(changed) FROM (\
            SELECT s.sample_type_id AS type, e.observation_id AS observation, e.event_kind = 'appeared' AS
                appeared, e.event_kind = 'disappeared' AND e.version_id IS NOT NULL AS disappeared, \
            e.event_kind = 'representation_changed' AS changed FROM sample_observation_events e NOT INDEXED
                CROSS JOIN samples s ON s.id = e.sample_id \
            UNION ALL SELECT sample_type_id, observation_id, 0, 0, 0 FROM observation_type_runs)
                WHERE typeof(type) = 'integer' GROUP BY 1, 2 ORDER BY 1, 2
            """)
        isAtStored = try stored.step()
        isAtWanted = try wanted.step()
        self.stored = stored
        self.wanted = wanted
        self.hashes = hashes
        self.isExact = isExact
        sweep = SummarySweep(size: size)
    }

    mutating func add(_ record: AggregateRecord, _ rule: AmountRule) { sweep.add(record, rule) }

    /// Ends a type: all its rows, and those that should be there.
    mutating func finish(
        type: Int64, _ rule: AmountRule, identifier: [UInt8]?, _ observations: ObservationTable, _ log: inout CheckLog
    ) throws(ArchiveError) {
        var events = try eventCounts(of: type, observations)
        var found: [Int: (row: Int64?, values: AggregateRow)] = [:]
        while isAtStored, let other = stored.exactInteger(1), other <= type {
            log.countRow()
            if other == type, let place = stored.exactInteger(2).flatMap({ observations.place(of: $0) }) {
                if isExact { hashes.check(summary: stored, type: identifier, &log) }
                found[place] = (stored.exactInteger(0), values())
            }
            isAtStored = try stored.step()
        }
        guard !found.isEmpty || !events.isEmpty else {
            // Types without anything may be as many as there are rows, and each pass goes over all observations.
            if !sweep.isEmpty { try sweep.finish(isSummed: false) { _, _ in } }
            return
        }
        let isExact = isExact
        try sweep.finish(isSummed: rule.isSummed) { place, values in
            let counts = events.removeValue(forKey: place)
            guard observations.isFinished[place] else { return }
            guard let row = found[place] else {
                if isExact, counts != nil {
                    log.add(
                        .aggregatesMissing, Self.table,
                        expected: "a row of observation \(observations.ids[place]), type \(type)")
                }
                return
            }
            var expected = values
            (expected.appeared, expected.disappeared, expected.representationChanged) = counts ?? (0, 0, 0)
            guard let column = expected.firstDifference(from: row.values, isExact: isExact, ofSummary: true) else {
                return
            }
            log.add(
                .aggregatesSummary, Self.table, row: row.row, column: column, expected: "what ranges and events give")
        }
    }

    private mutating func eventCounts(of type: Int64, _ observations: ObservationTable) throws(ArchiveError) -> [Int: (
        Int64, Int64, Int64
    )] {
        var counts: [Int: (Int64, Int64, Int64)] = [:]
        while isAtWanted, let other = wanted.exactInteger(0), other <= type {
            if other == type, let place = wanted.exactInteger(1).flatMap({ observations.place(of: $0) }) {
                counts[place] = (wanted.integer(2) ?? 0, wanted.integer(3) ?? 0, wanted.integer(4) ?? 0)
            }
            isAtWanted = try wanted.step()
        }
        return counts
    }

    private func values() -> AggregateRow {
        AggregateRow(
            count: stored.exactInteger(3) ?? -1, appeared: stored.exactInteger(4) ?? -1,
            disappeared: stored.exactInteger(5) ?? -1, representationChanged: stored.exactInteger(6) ?? -1,
            earliestStart: stored.real(7), latestEnd: stored.real(8), sum: stored.real(9), maximum: stored.real(10))
    }
}
