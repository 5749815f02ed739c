package import Archive
internal import Bytes
internal import SQLite
internal import Timestamps

/// All observations, chain by chain and by id. The place of an observation is its index here, so the observations
/// that see a range are an interval of places.
package struct ObservationTable {
    /// More are not kept in memory; nobody observes every ten minutes for a year.
    package static let limit = 50_000

    package private(set) var ids: [Int64] = []
    package private(set) var isFinished: [Bool] = []
    /// The places of observations that are the first of their chain, or have another zone than the one before them:
    /// these write all buckets. In order.
    private var rewriting: [Int] = []
    /// Index into `days` of the zone of each.
    private var zone: [Int] = []
    private var days: [LocalDays] = []
    private var chains: [Int64: Range<Int>] = [:]
    private var places: [Int64: Int] = [:]

    /// Reads all observations; `nil` if there are too many.
    package init?(_ connection: borrowing Connection) throws(ArchiveError) {
        var rows = try connection.prepare(
            """
            SELECT id, device_chain_id, status IN ('running', 'started') FROM observations \
            WHERE typeof(device_chain_id) = 'integer' ORDER BY device_chain_id, id
            """)
        var zones = try ObservationZones(connection, looksAhead: true)
        var known: [ObservationZones.Key: Int] = [:]
        var before: ObservationZones.Key?
        while try rows.step() {
            guard ids.count < Self.limit else { return nil }
            guard let id = rows.exactInteger(0), let chain = rows.exactInteger(1),
                let zone = try zones.zone(of: id)
            else { continue }
            let place = ids.count
            if chains[chain] == nil || before != zone.key { rewriting.append(place) }
            before = zone.key
            chains[chain] = (chains[chain]?.lowerBound ?? place)..<place + 1
            places[id] = place
            ids.append(id)
            isFinished.append(rows.integer(2) != 1)
            if let known = known[zone.key] {
                self.zone.append(known)
                continue
            }
            self.zone.append(days.count)
            known[zone.key] = days.count
            days.append(zone.days)
        }
    }

    /// Returns the place of an observation.
    package func place(of id: Int64) -> Int? { places[id] }

    /// Returns the bucket of a record in the zone of an observation; `nil` if there is none.
    package mutating func bucket(of start: Double, isDated: Bool, at place: Int) -> Range<Int64>? {
        days[zone[place]].bucket(of: start, isDated: isDated)
    }

    /// Returns the starts of the records that state the date of a bucket, in the zone of an observation; `nil` if the
    /// boundaries are not those of a bucket.
    package mutating func datedStarts(of row: BucketSweep.Row, at place: Int) -> Range<Double>? {
        guard let bucket = days[zone[place]].bucket(of: row.start, isDated: false),
            Double(bucket.lowerBound) == row.start, Double(bucket.upperBound) == row.end
        else { return nil }
        let start = Double(days[zone[place]].date(of: row.start) * 86_400)
        return start..<start + 86_400
    }

    /// Returns the places of a range at which all buckets are written.
    package func rewriting(in range: Range<Int>) -> ArraySlice<Int> {
        let start = Self.first(in: 0..<rewriting.count) { rewriting[$0] >= range.lowerBound }
        return rewriting[start...].prefix { $0 < range.upperBound }
    }

    /// Returns the places at which a range is visible; `nil` if its beginning is no observation of the chain.
    package func places(chain: Int64, first: Int64, last: Int64?) -> Range<Int>? {
        guard let all = chains[chain], let start = places[first], all.contains(start) else { return nil }
        guard let last else { return start..<all.upperBound }
        if let end = places[last], all.contains(end) { return start..<max(start, end) }
        return start..<max(start, Self.first(in: all) { ids[$0] >= last })
    }

    /// Returns the first index from which on a condition holds. O(log n).
    private static func first(in range: Range<Int>, where holds: (Int) -> Bool) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// A visible range with what aggregates take of it.
package struct AggregateRecord {
    package let type: Int64
    /// The places at which it is visible.
    package let places: Range<Int>
    /// The place of the observation that ended it, if that is one of its chain.
    package let end: Int?
    package let start, endDate, value: Double?
    package let unit: [UInt8]?
    package let revision: Int64?
}

/// The records of an archive, by type and start.
struct AggregateRecords: ~Copyable {
    private var rows: Statement
    /// The unit of the record before, which mostly has the same.
    private var unit: [UInt8]?

    init(_ connection: borrowing Connection) throws(ArchiveError) {
        rows = try connection.prepare(
            """
            SELECT s.sample_type_id, o.device_chain_id, r.first_observation_id, r.last_observation_id,
                v.start_date, v.end_date, v.numeric_value, v.source_revision_id, v.unit \
            FROM sample_visibility_ranges r NOT INDEXED CROSS JOIN observations o ON o.id = r.first_observation_id
                CROSS JOIN sample_versions v ON v.id = r.version_id \
            CROSS JOIN samples s ON s.id = r.sample_id WHERE typeof(s.sample_type_id) = 'integer' ORDER BY 1, 5
            """)
    }

    mutating func step() throws(ArchiveError) -> Bool { try rows.step() }

    /// Returns the record of the row; `nil` if its range has no place.
    mutating func record(_ observations: ObservationTable) -> AggregateRecord? {
        guard let type = rows.exactInteger(0), let chain = rows.exactInteger(1), let first = rows.exactInteger(2),
            rows.isNull(3) || rows.exactInteger(3) != nil
        else { return nil }
        let last = rows.exactInteger(3)
        guard let places = observations.places(chain: chain, first: first, last: last) else { return nil }
        if rows.isNull(8) {
            unit = nil
        } else if !(unit.map { known in rows.withBytes(8) { $0.isSame(as: known.span) } } ?? false) {
            unit = rows.bytes(8)
        }
        return AggregateRecord(
            type: type, places: places,
            end: last.flatMap { observations.place(of: $0) == places.upperBound ? places.upperBound : nil },
            start: rows.real(4), endDate: rows.real(5), value: rows.real(6), unit: unit, revision: rows.exactInteger(7))
    }
}
