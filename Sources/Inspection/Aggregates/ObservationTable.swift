internal import Archive
internal import SQLite

/// All observations, chain by chain and by id. The place of an observation is its index here, so the observations
/// that see a range are an interval of places.
struct ObservationTable {
    /// More are not kept in memory; nobody observes every ten minutes for a year.
    static let limit = 50_000

    private(set) var ids: [Int64] = []
    private(set) var isFinished: [Bool] = []
    /// Index into `days` of the zone of each.
    private(set) var zone: [Int] = []
    /// Whether the observation is the first of its chain, or has another zone than the one before it: then it
    /// writes all buckets.
    private(set) var writesAll: [Bool] = []
    var days: [ZoneDays] = []
    private var chains: [Int64: Range<Int>] = [:]
    private var places: [Int64: Int] = [:]

    /// Reads all observations; nil where there are too many.
    init?(_ reader: borrowing EvidenceReader) throws(ArchiveError) {
        var rows = try reader.prepare(
            """
            SELECT id, device_chain_id, status IN ('running', 'started'), time_zone_identifier,
                time_zone_seconds_from_gmt FROM observations \
            WHERE typeof(device_chain_id) = 'integer' ORDER BY device_chain_id, id
            """)
        var zones: [Zone: Int] = [:]
        while try rows.step() {
            guard ids.count < Self.limit else { return nil }
            guard let id = rows.exactInteger(0), let chain = rows.exactInteger(1) else { continue }
            let name = rows.storageClass(3) == .text ? rows.bytes(3) : nil
            let key = Zone(name: name, seconds: name == nil ? rows.exactInteger(4) ?? 0 : 0)
            if zones[key] == nil {
                zones[key] = days.count
                let seconds = rows.exactInteger(4) ?? 0
                let fixed = ZoneDays(secondsFromGMT: (-93_600...93_600).contains(seconds) ? seconds : 0)
                days.append(name.flatMap { ZoneDays(zone: $0) } ?? fixed)
            }
            let place = ids.count
            let isFirst = chains[chain] == nil
            chains[chain] = (chains[chain]?.lowerBound ?? place)..<place + 1
            places[id] = place
            ids.append(id)
            isFinished.append(rows.integer(2) != 1)
            zone.append(zones[key]!)
            writesAll.append(isFirst || zone[place - 1] != zone[place])
        }
    }

    /// What zones are compared by.
    private struct Zone: Hashable {
        let name: [UInt8]?
        let seconds: Int64
    }

    /// The place of an observation.
    func place(of id: Int64) -> Int? { places[id] }

    /// The places at which a range is visible; nil where its beginning is no observation of the chain.
    func places(chain: Int64, first: Int64, last: Int64?) -> Range<Int>? {
        guard let all = chains[chain], let start = places[first], all.contains(start) else { return nil }
        guard let last else { return start..<all.upperBound }
        if let end = places[last], all.contains(end) { return start..<max(start, end) }
        var (low, high) = (all.lowerBound, all.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < last { low = middle + 1 } else { high = middle }
        }
        return start..<max(start, low)
    }
}
