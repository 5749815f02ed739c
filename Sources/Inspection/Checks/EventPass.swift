internal import Archive
internal import Bytes
internal import Codes
internal import Derivation
internal import SQLite

/// One pass over all events in the order of their ids: each beside its observation and the run of its type.
///
/// Events of one observation stand together, but not in each archive of another engine: so counts are kept for one
/// observation, and go to a temporary table when the next one comes.
struct EventPass: ~Copyable {
    private var events: Statement
    private var observation: Statement
    private var runs: Statement
    private var insert: Statement
    private let resumed: Set<Int64>
    private var current: Observation?
    private static let table = "sample_observation_events"

    private struct Observation {
        let id: Int64
        let observedAt: Double?
        let isExport: Bool
        /// The mode in which each type was asked for, if that is known.
        var modes: [Int64: [UInt8]] = [:]
        var counts: [Int64: (inserted: Int64, deleted: Int64)] = [:]
    }

    private enum Column: Int32 {
        case id, observation, type, isWithoutVersion, kind, observedAt, evidence, isOfOther
    }

    init(_ reader: borrowing EvidenceReader, hasFacts: Bool, resumed: Set<Int64>) throws(ArchiveError) {
        try reader.execute(
            "CREATE TEMP TABLE event_counts(observation INTEGER, type INTEGER, inserted INTEGER, deleted INTEGER)")
        let events = try reader.prepare(
            """
            SELECT e.id, e.observation_id, s.sample_type_id, e.version_id IS NULL, e.event_kind, e.observed_at,
                e.evidence_kind, v.sample_id <> e.sample_id FROM sample_observation_events e NOT INDEXED
            CROSS JOIN samples s ON s.id = e.sample_id LEFT JOIN sample_versions v ON v.id = e.version_id
            ORDER BY e.id
            """)
        let observation = try reader.prepare(
            "SELECT observed_at, trigger_reason = 'apple_health_export' FROM observations WHERE id = ?1")
        let runs = try reader.prepare(
            hasFacts
                ? "SELECT u.sample_type_id, f.mode FROM observation_type_runs u JOIN type_run_facts f "
                    + "ON f.type_run_id = u.id WHERE u.observation_id = ?1" : "SELECT 1, NULL WHERE 0 AND ?1")
        let insert = try reader.prepare("INSERT INTO temp.event_counts VALUES (?1, ?2, ?3, ?4)")
        self.events = events
        self.observation = observation
        self.runs = runs
        self.insert = insert
        self.resumed = resumed
    }

    /// Looks at all events, and leaves their counts in `temp.event_counts`, with an index.
    consuming func run(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        while try events.step() {
            log.countRow()
            guard let id = events.exactInteger(Column.observation.rawValue),
                let type = events.exactInteger(Column.type.rawValue)
            else { continue }
            if current?.id != id {
                try flush()
                current = try find(id)
            }
            check(type, &log)
        }
        try flush()
        try reader.execute("CREATE INDEX temp.event_places ON event_counts(observation, type)")
    }

    private mutating func find(_ id: Int64) throws(ArchiveError) -> Observation? {
        observation.bind(1, id)
        defer { observation.reset() }
        guard try observation.step() else { return nil }
        var found = Observation(id: id, observedAt: observation.real(0), isExport: observation.integer(1) == 1)
        runs.bind(1, id)
        defer { runs.reset() }
        while try runs.step() {
            guard let type = runs.exactInteger(0), runs.storageClass(1) == .text else { continue }
            found.modes[type] = runs.bytes(1)
        }
        return found
    }

    private mutating func flush() throws(ArchiveError) {
        guard let current else { return }
        for (type, counts) in current.counts.sorted(by: { $0.key < $1.key }) {
            insert.bind(1, current.id)
            insert.bind(2, type)
            insert.bind(3, counts.inserted)
            insert.bind(4, counts.deleted)
            try insert.run()
        }
        self.current = nil
    }

    private mutating func check(_ type: Int64, _ log: inout CheckLog) {
        guard let place = current else { return }
        if let moment = events.real(Column.observedAt.rawValue), let expected = place.observedAt, moment != expected {
            log.add(
                .evidenceObservedAt, Self.table, row: events.exactInteger(Column.id.rawValue), column: "observed_at",
                expected: "the date of its observation")
        }
        if events.integer(Column.isOfOther.rawValue) == 1 {
            log.add(
                .evidenceEventVersion, Self.table, row: events.exactInteger(Column.id.rawValue), column: "version_id",
                expected: "a version of its sample")
        }
        guard let kind = EventKind(events, Column.kind.rawValue) else { return }
        if kind == .disappeared {
            current?.counts[type, default: (0, 0)].deleted += 1
        } else {
            current?.counts[type, default: (0, 0)].inserted += 1
        }
        // In an observation that was resumed, a type may have been asked for in two ways.
        let mode = resumed.contains(place.id) ? nil : place.modes[type]
        guard let expected = fault(kind, mode, isExport: place.isExport) else { return }
        log.add(
            .evidenceEvidenceKind, Self.table, row: events.exactInteger(Column.id.rawValue), column: "evidence_kind",
            expected: expected)
    }

    /// Returns what the kind of evidence should be; `nil` if it is that, or is not a word of ours.
    private func fault(_ kind: EventKind, _ mode: [UInt8]?, isExport: Bool) -> String? {
        // Where it is no word of ours, that is for the check of values.
        guard let evidence = EvidenceKind(events, Column.evidence.rawValue) else { return nil }
        let isScan = mode.map { $0.isSame(as: "full_scan".utf8Span.span) }
        guard kind == .disappeared else {
            if let isScan, evidence != (isScan ? .fullScan : .anchoredQuery) {
                return isScan ? "full_scan, as the run says" : "anchored_query, as the run says"
            }
            return evidence == .deletedObject ? "a way of seeing" : nil
        }
        if evidence == .anchoredQuery { return "full_scan or deleted_object" }
        if events.integer(Column.isWithoutVersion.rawValue) == 1, evidence == .fullScan {
            return "deleted_object, where there is no version"
        }
        if evidence == .fullScan, isScan == false { return "deleted_object, as the run says" }
        return evidence == .deletedObject && isExport ? "full_scan, the only evidence of an export" : nil
    }
}

/// A word that a column holds.
private protocol StoredWord: CaseIterable, RawRepresentable<String> {}

extension StoredWord {
    /// nil where the column holds anything else.
    init?(_ row: borrowing Statement, _ column: Int32) {
        guard let text = row.value(column).text else { return nil }
        for word in Self.allCases where text.isSame(as: word.rawValue.utf8Span.span) {
            self = word
            return
        }
        return nil
    }
}

extension EventKind: StoredWord {}

/// The kind of an event's evidence.
private enum EvidenceKind: String, StoredWord {
    case anchoredQuery = "anchored_query", fullScan = "full_scan", deletedObject = "deleted_object"
}
