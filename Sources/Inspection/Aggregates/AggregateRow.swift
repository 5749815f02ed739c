internal import Archive
internal import Bytes
internal import Measures
internal import SQLite

/// What an aggregate says of records: stored, or recomputed.
struct AggregateRow {
    var count: Int64 = 0
    var appeared: Int64 = 0
    var disappeared: Int64 = 0
    var representationChanged: Int64 = 0
    var earliestStart: Double?
    var latestEnd: Double?
    var sum: Double?
    var maximum: Double?
    /// Sum of the magnitudes: how far a sum that was rounded at each step may be off.
    var magnitude = 0.0

    /// The first column in which a stored row is not what it should be.
    ///
    /// - Parameter isExact: whether sums are exact. Engines that do not state `identity_rules` may have rounded at
    ///   each addition.
    func firstDifference(from stored: AggregateRow, isExact: Bool, ofSummary: Bool) -> String? {
        if stored.count != count { return "visible_record_count" }
        if ofSummary {
            if stored.appeared != appeared { return "appeared_count" }
            if stored.disappeared != disappeared { return "disappeared_count" }
            if stored.representationChanged != representationChanged { return "representation_changed_count" }
            if stored.earliestStart != earliestStart { return "earliest_start_date" }
            if stored.latestEnd != latestEnd { return "latest_end_date" }
        }
        if isExact ? stored.sum != sum : !isNear(stored.sum) { return "value_sum" }
        if isExact || stored.maximum != nil, stored.maximum != maximum { return "value_max" }
        return nil
    }

    /// Adding n numbers in any order is off by at most n − 1 roundings of a sum that is no larger than their
    /// magnitudes.
    private func isNear(_ stored: Double?) -> Bool {
        guard let stored, let sum else { return (stored ?? 0) == 0 && (sum ?? 0) == 0 }
        return abs(stored - sum) <= Double(max(count, 1)) * magnitude * Double.ulpOfOne
    }
}

/// A visible range with what aggregates take of it.
struct AggregateRecord {
    let type: Int64
    /// Where it is visible.
    let places: Range<Int>
    /// The observation that ended it, where that is one of its chain.
    let end: Int?
    let start, endDate: Double?
    /// As its version says; nil where it is not finite.
    let value: Double?
    let revision: Int64?
    let unit: [UInt8]?

    /// The value as aggregates of some rules take it (`Spec/capture.md`, "Aggregates").
    func amount(_ rule: AmountRule) -> Amount { value.map { rule.amount($0, unit: unit) } ?? .none }
}

/// What the value of a record is to an aggregate.
enum Amount {
    case none
    case value(Double)
    /// A value that cannot be compared with those of the type.
    case incomparable
}

/// How the values of a type are taken: as they are stored, or in the type's canonical unit.
enum AmountRule {
    case stored
    case converted(Measure)

    init(_ rules: IdentityRules?, type: [UInt8]?) {
        self = rules == .two ? .converted(Measure(of: type ?? [])) : .stored
    }

    /// Whether a sum of the values means something.
    var isSummed: Bool {
        switch self {
        case .stored: true
        case .converted(let measure): measure.kind == .cumulative
        }
    }

    fileprivate func amount(_ value: Double, unit: [UInt8]?) -> Amount {
        guard case .converted(let measure) = self else { return .value(value) }
        guard let converted = unit.flatMap({ measure.conversion(from: $0) })?(value), converted.isFinite else {
            return .incomparable
        }
        return .value(converted + 0)
    }
}

/// The records of the archive, by type and start.
struct AggregateRecords: ~Copyable {
    private var rows: Statement
    /// The unit of the record before, which mostly has the same.
    private var unit: [UInt8]?

    init(_ reader: borrowing EvidenceReader) throws(ArchiveError) {
        rows = try reader.prepare(
            """
            SELECT s.sample_type_id, o.device_chain_id, r.first_observation_id, r.last_observation_id,
                v.start_date, v.end_date, v.numeric_value, v.source_revision_id, v.unit \
            FROM sample_visibility_ranges r NOT INDEXED CROSS JOIN observations o ON o.id = r.first_observation_id
                CROSS JOIN sample_versions v ON v.id = r.version_id \
            CROSS JOIN samples s ON s.id = r.sample_id WHERE typeof(s.sample_type_id) = 'integer' ORDER BY 1, 5
            """)
    }

    /// The next record; nil after the last. Ranges that cannot be placed are for other checks.
    mutating func next(_ observations: ObservationTable, _ log: inout CheckLog) throws(ArchiveError) -> AggregateRecord?
    {
        while try rows.step() {
            log.countRow()
            guard let type = rows.exactInteger(0), let chain = rows.exactInteger(1), let first = rows.exactInteger(2),
                rows.isNull(3) || rows.exactInteger(3) != nil
            else { continue }
            let last = rows.exactInteger(3)
            guard let places = observations.places(chain: chain, first: first, last: last) else { continue }
            let value = rows.real(6)
            if rows.isNull(8) {
                unit = nil
            } else if !(unit.map { known in rows.withBytes(8) { $0.isSame(as: known.span) } } ?? false) {
                unit = rows.bytes(8)
            }
            return AggregateRecord(
                type: type, places: places,
                end: last.flatMap { observations.place(of: $0) == places.upperBound ? places.upperBound : nil },
                start: rows.real(4), endDate: rows.real(5),
                value: value.flatMap { $0.isFinite ? $0 : nil }, revision: rows.exactInteger(7), unit: unit)
        }
        return nil
    }
}
