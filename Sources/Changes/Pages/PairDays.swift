internal import Archive
internal import Measures

/// The numbers of pairs by type, and by the days on which their earlier records begin (`Spec/report-page.md`, Pairs).
///
/// Memory is bounded by types and days.
public struct PairDays: Sendable {
    /// Records before, of one day.
    struct Day: Sendable {
        var reIdentified = 0, condensed = 0
    }

    /// Pairs by index into the types of the context, and by kind as items spell it.
    private(set) var counts: [Int: [String: Int]] = [:]
    /// By type and by the number of the day since the Unix epoch.
    private(set) var days: [Int: [Int: Day]] = [:]
    /// Seconds that the clock is ahead of UTC.
    let offset: Int

    init(offset: Int) { self.offset = offset }

    /// Adds a pair.
    ///
    /// - Parameters:
    ///   - kind: as items spell it.
    ///   - starts: of its records before, in Unix seconds.
    mutating func add(_ kind: String, of type: Int, _ measure: Measure, starts: [Double]) {
        counts[type, default: [:]][kind, default: 0] += 1
        guard kind == "re_identified" || kind == "condensed_into" else { return }
        for start in starts {
            guard let day = PageDays(offset: offset).day(of: start, measure) else { continue }
            if kind == "re_identified" {
                days[type, default: [:]][day, default: Day()].reIdentified += 1
            } else {
                days[type, default: [:]][day, default: Day()].condensed += 1
            }
        }
    }
}
