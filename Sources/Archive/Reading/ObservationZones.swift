internal import Files
internal import SQLite
package import Timestamps

/// The local days of observations (`Spec/capture.md`, "Local days"): those of the rules that are stored with an
/// observation. The files of the system are never asked.
package struct ObservationZones: ~Copyable {
    /// The zone of an observation.
    package struct Zone: Sendable {
        /// When the observation was made, in Unix seconds; `nil` if its moment is not one.
        package let moment: Double?
        /// The offsets from UTC: those that are stored, else the offset of the observation.
        package let rules: TimeZoneRules
        package let days: LocalDays
        /// The key by which zones are compared: days of observations with equal keys are the same.
        package let key: Key
    }

    /// A key by which zones are compared.
    package enum Key: Hashable, Sendable {
        /// The hash of the stored rules.
        case stored([UInt8])
        /// A name without rules.
        case named([UInt8])
        /// An offset alone, in seconds.
        case offset(Int64)
    }

    private var row: Statement
    private var text: Statement
    private var buckets: Statement
    /// Zones by their key, and for names the offset and the observation up to which buckets were read.
    private var stored: [Key: TimeZoneRules] = [:]
    private var inferred: (name: [UInt8], seconds: Int64?, last: Int64, days: LocalDays)?
    /// `true` if buckets of all observations decide what a day was; `false` if only those up to an observation do.
    private let looksAhead: Bool

    /// More buckets than these are not read: the days of 137 years.
    private static let mostBuckets = 50_000

    /// Prepares the look-up.
    ///
    /// - Parameter looksAhead: `true` if later observations may tell what a day of a name without rules was; faster
    ///   for many observations.
    package init(_ connection: borrowing Connection, looksAhead: Bool = false) throws(ArchiveError) {
        let hasFacts = try Schema.hasCaptureFacts(connection)
        let row = try connection.prepare(
            """
            SELECT o.observed_at, o.time_zone_identifier, o.time_zone_seconds_from_gmt,
                \(hasFacts ? "f.zone_rules_hash" : "NULL") FROM main.observations o \
            \(hasFacts ? "LEFT JOIN main.observation_facts f ON f.observation_id = o.id" : "") WHERE o.id = ?1
            """)
        let text = try connection.prepare(
            hasFacts
                ? "SELECT transitions_json FROM main.zone_rules WHERE zone_rules_hash = ?1"
                : "SELECT NULL WHERE ?1 IS NULL")
        let buckets = try connection.prepare(
            """
            SELECT DISTINCT d.bucket_start, d.bucket_end FROM main.daily_type_aggregates d
                JOIN main.observations o ON o.id = d.observation_id
            WHERE o.time_zone_identifier = ?1 AND o.id <= ?2 ORDER BY 1, 2 LIMIT \(Self.mostBuckets + 1)
            """)
        self.row = row
        self.text = text
        self.buckets = buckets
        self.looksAhead = looksAhead
    }

    /// Returns the zone of an observation; `nil` if there is no such observation.
    package mutating func zone(of id: Int64) throws(ArchiveError) -> Zone? {
        row.bind(1, id)
        defer { row.reset() }
        guard try row.step() else { return nil }
        let moment = row.date(0)
        let name = row.storageClass(1) == .text ? row.bytes(1) : nil
        let seconds = row.exactInteger(2)
        if row.storageClass(3) == .text {
            let key = Key.stored(row.bytes(3))
            if let rules = try rules(key) {
                return Zone(moment: moment, rules: rules, days: LocalDays(rules), key: key)
            }
        }
        let rules = TimeZoneRules(secondsFromGMT: seconds ?? 0)
        guard let name else {
            return Zone(moment: moment, rules: rules, days: LocalDays(rules), key: .offset(seconds ?? 0))
        }
        return Zone(moment: moment, rules: rules, days: try days(name, seconds, id, rules), key: .named(name))
    }

    private mutating func rules(_ key: Key) throws(ArchiveError) -> TimeZoneRules? {
        if let rules = stored[key] { return rules }
        guard case .stored(let hash) = key else { return nil }
        text.bind(1, text: hash)
        defer { text.reset() }
        guard try text.step(), text.storageClass(0) == .text,
            let rules = text.withBytes(0, { TimeZoneRules(text: $0) })
        else { return nil }
        stored[key] = rules
        return rules
    }

    /// Returns the days of a name without rules: stored buckets, else the offset.
    private mutating func days(_ name: [UInt8], _ seconds: Int64?, _ id: Int64, _ rules: TimeZoneRules)
        throws(ArchiveError) -> LocalDays
    {
        let last = looksAhead ? Int64.max : id
        if let inferred, inferred.name == name, inferred.seconds == seconds, inferred.last == last {
            return inferred.days
        }
        var found: [Range<Int64>] = []
        buckets.bind(1, text: name)
        buckets.bind(2, last)
        defer { buckets.reset() }
        var count = 0
        while try buckets.step() {
            count += 1
            guard let start = buckets.real(0).flatMap(Int64.init(exactly:)),
                let end = buckets.real(1).flatMap(Int64.init(exactly:)), LocalDays.isDay(from: start, to: end),
                start >= found.last?.upperBound ?? .min
            else { continue }
            found.append(start..<end)
        }
        let days = LocalDays(rules, buckets: count > Self.mostBuckets ? [] : found)
        inferred = (name, seconds, last, days)
        return days
    }

    /// Returns an expression that is equal for observations with the same days, for an alias of `observations`.
    package static func key(of alias: String, _ connection: borrowing Connection) throws(ArchiveError) -> String {
        let stated = "\(alias).time_zone_identifier, \(alias).time_zone_seconds_from_gmt, 0"
        guard try Schema.hasCaptureFacts(connection) else { return "coalesce(\(stated))" }
        return "coalesce((SELECT z.zone_rules_hash FROM main.observation_facts z "
            + "WHERE z.observation_id = \(alias).id), \(stated))"
    }
}

extension Archive {
    /// Returns what to tell people of the days of an observation; `nil` if its rules are stored, or it has no zone.
    public func noteOfDays(of id: Int64) throws(ArchiveError) -> String? {
        var zones = try ObservationZones(connection)
        guard let zone = try zones.zone(of: id), case .named = zone.key else { return nil }
        let offset = TimeZoneRules.name(ofOffset: zone.rules.offset(at: 0))
        return
            "the archive does not have the rules of the zone of observation \(id): days are those of its daily "
            + "aggregates, all others go by \(offset)"
    }
}
