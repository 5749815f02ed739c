internal import SQLite

/// How many pairs there are by type, and on which days their earlier records begin (`Spec/report-page.md`, Pairs).
///
/// Memory is bounded by types and days.
public struct PairDays: Sendable {
    /// Records before, of one day.
    struct Day: Sendable {
        var reIdentified = 0, condensed = 0
    }

    /// Pairs by index into the types of the context, and by kind.
    private(set) var counts: [Int: [Pair.Kind: Int]] = [:]
    /// By type and by the number of the day since the Unix epoch.
    private(set) var days: [Int: [Int: Day]] = [:]
    /// Seconds that the clock is ahead of UTC.
    let offset: Int

    init(offset: Int) { self.offset = offset }

    mutating func add(_ pair: Pair) {
        counts[pair.type, default: [:]][pair.kind, default: 0] += 1
        guard pair.kind == .reIdentified || pair.kind == .condensedInto else { return }
        for record in pair.before {
            // Beyond the calendar of timestamps there are no days.
            guard let day = Int(exactly: ((record.start + Double(offset)) / 86_400).rounded(.down)) else { continue }
            if pair.kind == .reIdentified {
                days[pair.type, default: [:]][day, default: Day()].reIdentified += 1
            } else {
                days[pair.type, default: [:]][day, default: Day()].condensed += 1
            }
        }
    }
}

extension Archive {
    /// Counts the pairs between two observations, by the days of the compared one.
    ///
    /// - Complexity: that of `pairs`, and memory in proportion to types and days.
    public func pairDays(of scope: Scope, in context: ExportContext) throws(ArchiveError) -> PairDays {
        let offset = try connection.integer(
            "SELECT time_zone_seconds_from_gmt FROM observations WHERE id = ?1", [.integer(scope.observationID)])
        var days = PairDays(offset: offset.flatMap { Int(exactly: $0) } ?? 0)
        var pairs = try pairs(of: scope, in: context)
        while let pair = try pairs.next() { days.add(pair) }
        return days
    }
}
