internal import Archive
internal import Codes
internal import Derivation
internal import SQLite

/// Visibility ranges: each by itself, beside the others of its sample, and beside what events give.
///
/// Stored and derived ranges come sorted alike and are merged: nothing but the ranges that begin at one observation
/// is kept.
enum RangeCheck {
    private static let table = "sample_visibility_ranges"

    static func run(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        try checkObservations(reader, &log)
        var merge = RangeMerge(
            stored: try StoredRanges(reader), derived: try DerivedRanges(reader),
            unknown: UnknownLastSeen(
                try reader.prepare(UnknownLastSeen.query(try UnknownLastSeen.Facts(of: reader.connection)))))
        try merge.run(&log)
    }

    /// Checks observations: comparing ranges by observation id presumes that ids grow with time.
    private static func checkObservations(_ reader: borrowing EvidenceReader, _ log: inout CheckLog)
        throws(ArchiveError)
    {
        // A clock that ran backwards is stated.
        let isStated =
            try reader.hasCaptureFacts()
            ? "EXISTS (SELECT 1 FROM observation_facts f WHERE f.observation_id = o.id "
                + "AND f.clock_code = 'clock_backwards')" : "0"
        var rows = try reader.prepare(
            "SELECT id, device_chain_id, observed_at, \(isStated) FROM observations o ORDER BY device_chain_id, id")
        var before: (chain: Int64?, moment: Double?) = (nil, nil)
        while try rows.step() {
            log.countRow()
            let (chain, moment) = (rows.exactInteger(1), rows.real(2))
            if chain == before.chain, let earlier = before.moment, let moment, moment < earlier,
                rows.integer(3) != 1
            {
                log.add(
                    .rangesObservationOrder, "observations", row: rows.exactInteger(0), column: "observed_at",
                    expected: "a date at or after that of the observation before it")
            }
            before = (chain, moment ?? (chain == before.chain ? before.moment : nil))
        }
    }
}

/// The ranges of the archive, in the order of their keys, each looked at by itself.
private struct StoredRanges: ~Copyable {
    /// A range, and whether it has a fault that was reported already.
    typealias Checked = (range: VisibilityRange, hasFault: Bool)

    private var rows: Statement
    /// The sample and chain whose ranges come now, whether one of them is open, and where the last of them ends.
    private var reached: (key: RangeKey, isOpen: Bool, end: Int64)?
    private static let table = "sample_visibility_ranges"

    init(_ reader: borrowing EvidenceReader) throws(ArchiveError) {
        rows = try reader.prepare(
            """
            SELECT r.sample_id, o.device_chain_id, r.first_observation_id, r.last_observation_id IS NULL,
                r.last_observation_id, r.version_id, r.rowid, r.first_seen_at, r.last_seen_at, \
            (SELECT l.device_chain_id FROM observations l WHERE l.id = r.last_observation_id) IS NOT
                o.device_chain_id, \
            r.version_id IS NOT NULL AND (SELECT v.sample_id FROM sample_versions v
                WHERE v.id = r.version_id) <> r.sample_id \
            FROM sample_visibility_ranges r NOT INDEXED JOIN observations o ON o.id = r.first_observation_id \
            WHERE typeof(r.sample_id) = 'integer' AND typeof(o.device_chain_id) = 'integer' ORDER BY 1, 2, 3, 4, 5, 6, 7
            """)
    }

    mutating func next(_ log: inout CheckLog) throws(ArchiveError) -> Checked? {
        while try rows.step() {
            log.countRow()
            guard let sample = rows.exactInteger(0), let chain = rows.exactInteger(1), let first = rows.exactInteger(2)
            else { continue }
            // Ends and versions of another storage class are for the check of values.
            guard rows.isNull(4) || rows.exactInteger(4) != nil, rows.isNull(5) || rows.exactInteger(5) != nil else {
                continue
            }
            let range = VisibilityRange(
                key: RangeKey(sample: sample, chain: chain, first: first), version: rows.exactInteger(5),
                last: rows.exactInteger(4), firstSeenAt: rows.real(7), lastSeenAt: rows.real(8),
                row: rows.exactInteger(6))
            return (range, hasFault(range, &log))
        }
        return nil
    }

    /// Reports the faults of a range. Returns `true` if it has any.
    private mutating func hasFault(_ range: VisibilityRange, _ log: inout CheckLog) -> Bool {
        var hasFault = false
        func add(_ code: Code, _ column: String, expected: String) {
            log.add(code, Self.table, row: range.row, column: column, expected: expected)
            hasFault = true
        }
        if rows.integer(10) == 1 { add(.rangesVersion, "version_id", expected: "a version of the sample") }
        if let last = range.last {
            if rows.integer(9) == 1 {
                add(
                    .rangesOtherChain, "last_observation_id",
                    expected: "an observation of the chain that the range began on")
            }
            if last < range.key.first {
                add(.rangesInverted, "last_observation_id", expected: "an observation at or after the first")
                return true
            }
        }
        if (range.last == nil) != rows.isNull(8) {
            add(
                .rangesEnd, "last_seen_at",
                expected: "a date exactly where there is an end")
        }
        if !(reached.map { $0.key.isBeside(range.key) } ?? false) { reached = (range.key, false, .min) }
        guard let before = reached, range.last != range.key.first else { return hasFault }
        if before.isOpen, range.last == nil {
            add(.rangesOpenTwice, "last_observation_id", expected: "one open range of a sample on a chain")
        } else if before.isOpen || range.key.first < before.end {
            add(
                .rangesOverlap, "first_observation_id",
                expected: "an observation at or after the end of the range before")
        }
        reached = (range.key, before.isOpen || range.last == nil, max(before.end, range.last ?? .min))
        return hasFault
    }
}

/// The ranges that follow from events, in the order of their keys. Events that no history can have are reported.
private struct DerivedRanges: ~Copyable {
    private var events: RangeEvents
    private var replay = RangeReplay()
    private var lastSeen: LastSeen
    private var isAtEnd = false

    init(_ reader: borrowing EvidenceReader) throws(ArchiveError) {
        let query = LastSeen.query(hasFacts: try reader.hasCaptureFacts())
        let events = try RangeEvents(reader.connection, where: "1")
        let moments = try reader.prepare(query)
        self.events = events
        lastSeen = LastSeen(moments)
    }

    mutating func next(_ log: inout CheckLog) throws(ArchiveError) -> RangeReplay.Step? {
        while true {
            if let step = replay.next() {
                guard case .range(let range) = step else { return step }
                return .range(try lastSeen.resolved(range))
            }
            guard !isAtEnd, try events.step() else {
                if isAtEnd { return nil }
                isAtEnd = true
                replay.finish()
                continue
            }
            log.countRow()
            guard let event = events.event, !replay.follow(event) else { continue }
            log.add(
                .rangesEvent, "sample_observation_events", row: event.row, column: "event_kind",
                expected: event.kind == .appeared
                    ? "no range that is open before appeared" : "an open range before representation_changed")
        }
    }
}

/// Holds stored ranges beside those that follow from events.
private struct RangeMerge: ~Copyable {
    private var stored: StoredRanges
    private var derived: DerivedRanges
    private var nextStored: StoredRanges.Checked?
    private var nextDerived: RangeReplay.Step?
    /// From where on the events of a sample cannot be followed.
    private var lost: RangeKey?
    private var lostCount = 0
    private var unknown: UnknownLastSeen
    private var unknownCount = 0
    private static let table = "sample_visibility_ranges"
    /// Ranges of a sample that begin at one observation and are kept to be matched; the schema allows a few.
    private static let limit = 1000

    init(stored: consuming StoredRanges, derived: consuming DerivedRanges, unknown: consuming UnknownLastSeen) {
        self.unknown = unknown
        self.stored = stored
        self.derived = derived
    }

    mutating func run(_ log: inout CheckLog) throws(ArchiveError) {
        nextStored = try stored.next(&log)
        nextDerived = try derived.next(&log)
        while let key = [nextStored?.range.key, nextDerived?.key].compactMap({ $0 }).min() {
            var ours: [StoredRanges.Checked] = []
            var theirs: [VisibilityRange] = []
            while let next = nextStored, next.range.key == key, ours.count < Self.limit {
                ours.append(next)
                nextStored = try stored.next(&log)
            }
            while let step = nextDerived, step.key == key, theirs.count < Self.limit {
                switch step {
                case .unknown:
                    lost = key
                    lostCount += 1
                case .range(let range): theirs.append(range)
                }
                nextDerived = try derived.next(&log)
            }
            if !(lost?.isBeside(key) ?? false) { try compare(ours, theirs, &log) }
        }
        if lostCount > 0 {
            log.note(
                "ranges of \(lostCount) samples were not recomputed from events of an unknown kind on")
        }
        if unknownCount > 0 {
            log.note(
                "last_seen_at of \(unknownCount) ranges was not recomputed: facts that it follows from are missing")
        }
    }

    private mutating func compare(
        _ stored: [StoredRanges.Checked], _ derived: [VisibilityRange], _ log: inout CheckLog
    ) throws(ArchiveError) {
        var rest = stored
        for range in derived {
            let index =
                rest.firstIndex { $0.range.version == range.version && $0.range.last == range.last }
                ?? rest.firstIndex { $0.range.version == range.version }
            guard let (match, hasFault) = index.map({ rest.remove(at: $0) }) else {
                log.add(
                    .rangesMissing, "sample_observation_events", row: range.row,
                    expected: "a range that begins with this event")
                continue
            }
            guard !hasFault else { continue }
            if match.last != range.last {
                func text(_ observation: Int64?) -> String { observation.map { "observation \($0)" } ?? "none" }
                log.add(
                    .rangesEndDiffers, Self.table, row: match.row, column: "last_observation_id",
                    expected: text(range.last), found: text(match.last))
            } else if match.firstSeenAt != range.firstSeenAt {
                log.add(
                    .rangesTimes, Self.table, row: match.row, column: "first_seen_at",
                    expected: "the date of the event")
            } else if match.lastSeenAt != range.lastSeenAt {
                guard try !unknown.covers(match, derived: range) else {
                    unknownCount += 1
                    continue
                }
                log.add(
                    .rangesTimes, Self.table, row: match.row, column: "last_seen_at",
                    expected: "the date at which the record was last seen")
            }
        }
        for (range, hasFault) in rest where !hasFault {
            log.add(.rangesNoEvent, Self.table, row: range.row, expected: "an event that begins the range")
        }
    }
}

extension RangeReplay.Step {
    /// The place of the step in the order of ranges.
    fileprivate var key: RangeKey {
        switch self {
        case .range(let range): range.key
        case .unknown(let key): key
        }
    }
}
