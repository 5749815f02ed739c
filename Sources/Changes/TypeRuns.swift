internal import SQLite
internal import Archive

/// The type runs on which a comparison rests: the newest at or before each of its observations.
struct TypeRuns {
    private let from: [Int?: String]
    private let to: [Int?: String]
    private let states: [Int?: String]
    /// Types of which other records were rejected at the one observation than at the other.
    private let otherRejections: Set<Int?>
    /// `true` if that holds of records whose type cannot be read.
    private let hasOtherUntyped: Bool
    private static let unknown = "completed, and the state is unknown"

    init(_ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext) throws(ArchiveError) {
        from = try Self.statuses(
            connection, query, context, at: query.records.scope.fromObservationID ?? query.records.scope.observationID)
        to = try Self.statuses(connection, query, context, at: query.records.scope.observationID)
        states = try Self.states(connection, query, context)
        (otherRejections, hasOtherUntyped) = try Self.rejections(connection, query, context)
    }

    /// Returns the types whose rejected records are not the same on both sides, by the hashes of what was read.
    private static func rejections(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext
    ) throws(ArchiveError) -> (ofTypes: Set<Int?>, hasUntyped: Bool) {
        guard query.records.fromChainID == nil, try Schema.hasCaptureFacts(connection) else { return ([], false) }
        func count(_ observation: Int64) -> String {
            "total(CASE WHEN first_observation_id <= \(observation) "
                + "AND (last_observation_id IS NULL OR last_observation_id > \(observation)) THEN record_count END)"
        }
        let (from, to) = (query.records.from, query.records.scope.observationID)
        var rows = try connection.prepare(
            """
            SELECT DISTINCT sample_type_id FROM (SELECT sample_type_id FROM rejected_records
                WHERE device_chain_id IS (SELECT device_chain_id FROM observations WHERE id = \(to))
                GROUP BY sample_type_id, content_hash HAVING \(count(from)) <> \(count(to)))
            """)
        var types: Set<Int?> = []
        var hasUntyped = false
        while try rows.step() {
            if rows.isNull(0) { hasUntyped = true } else { types.insert(context.typeIndex(rows.exactInteger(0))) }
        }
        return (types, hasUntyped)
    }

    /// Returns the state of each type at the newer observation of the question, if its run has one.
    private static func states(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext
    ) throws(ArchiveError) -> [Int?: String] {
        guard try Schema.hasCaptureFacts(connection) else { return [:] }
        var rows = try connection.prepare(
            """
            SELECT u.sample_type_id, CASE WHEN \(CoverageColumn.isUnknownForRejectionsAlone) THEN 'verified'
                ELSE f.state END FROM observation_type_runs u JOIN type_run_facts f ON f.type_run_id = u.id
                JOIN sample_types t ON t.id = u.sample_type_id
            WHERE u.observation_id = \(query.records.scope.observationID) ORDER BY hp_text(t.type_identifier), t.id
            """)
        var states: [Int?: String] = [:]
        while try rows.step() {
            let type = context.typeIndex(rows.exactInteger(0))
            if states[type] == nil { states[type] = rows.text(1) }
        }
        return states
    }

    /// Types that a run speaks of at either observation.
    var asked: Set<Int> { Set((Array(from.keys) + Array(to.keys)).compactMap { $0 }) }

    /// Returns the state of a type as a whole, and the reasons why no more is known.
    func standing(of type: Int?, hasChanges: Bool) -> (Comparison.Standing, reasons: [Comparison.Reason]) {
        let reasons = incompleteness(of: type)
        if hasChanges { return (.changed, reasons) }
        guard reasons.isEmpty else { return (.unknown, reasons) }
        switch states[type] {
        case "verified": return (.verified, [])
        case "continued": return (.continued, [])
        default: return (.unchanged, [])
        }
    }

    /// Returns the status of the newest run of each type; types without an identifier share the first of them.
    static func statuses(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext, at observation: Int64
    ) throws(ArchiveError) -> [Int?: String] {
        // The state is that of the run's own observation.
        let hasFacts = try Schema.hasCaptureFacts(connection)
        let isUnknown =
            hasFacts
            ? """
            (SELECT (f.state = 'unknown' AND NOT \(CoverageColumn.isUnknownForRejectionsAlone))
                OR u.observation_id <> \(observation) FROM type_run_facts f WHERE f.type_run_id = u.id)
            """ : "NULL"
        var rows = try connection.prepare(
            """
            SELECT t.id, u.status, \(isUnknown) FROM sample_types t
                LEFT JOIN observation_type_runs u ON u.id = (SELECT id
                FROM observation_type_runs WHERE sample_type_id = t.id \
            AND \(query.records.isKnown("observation_id", at: observation))
            ORDER BY observation_id DESC, id DESC LIMIT 1)
                WHERE u.id IS NOT NULL ORDER BY hp_text(t.type_identifier), t.id
            """)
        var statuses: [Int?: String] = [:]
        while try rows.step() {
            let type = context.typeIndex(rows.exactInteger(0))
            if statuses[type] == nil {
                let status = rows.carryableText(1).map { String(decoding: $0, as: UTF8.self) } ?? ""
                statuses[type] = status == "completed" && rows.integer(2) == 1 ? unknown : status
            }
        }
        return statuses
    }

    /// Returns the time of the observation whose run `statuses` describes, by type, in Unix seconds.
    static func moments(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext, at observation: Int64
    ) throws(ArchiveError) -> [Int?: Double] {
        var rows = try connection.prepare(
            """
            SELECT t.id, o.observed_at FROM sample_types t
                JOIN observation_type_runs u ON u.id = (SELECT id
                FROM observation_type_runs WHERE sample_type_id = t.id \
            AND \(query.records.isKnown("observation_id", at: observation))
            ORDER BY observation_id DESC, id DESC LIMIT 1)
                LEFT JOIN observations o ON o.id = u.observation_id ORDER BY hp_text(t.type_identifier), t.id
            """)
        var moments: [Int?: Double] = [:]
        var known: Set<Int?> = []
        while try rows.step() {
            let type = context.typeIndex(rows.exactInteger(0))
            if known.insert(type).inserted { moments[type] = rows.date(1) }
        }
        return moments
    }

    /// Returns the reasons why the visible records of a type are not all there are.
    func incompleteness(of type: Int?) -> [Comparison.Reason] {
        var reasons: [Comparison.Reason] = []
        switch from[type] {
        case "completed": break
        case Self.unknown: reasons.append(.fromStateUnknown)
        case nil: reasons.append(.fromNeverQueried)
        default: reasons.append(.fromRunNotCompleted)
        }
        if hasOtherUntyped || otherRejections.contains(type) { reasons.append(.rejectedRecordsDiffer) }
        switch to[type] {
        case "completed": break
        case Self.unknown: reasons.append(.toStateUnknown)
        case nil: reasons.append(.toNeverQueried)
        default: reasons.append(.toRunNotCompleted)
        }
        return reasons
    }
}
