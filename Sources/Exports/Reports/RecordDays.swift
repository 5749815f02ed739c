internal import Archive
internal import CanonicalJSON
internal import Changes
internal import Days
internal import Timestamps

/// The days on which one observation has records, for a page without an earlier one (`Spec/report-page.md`, One
/// observation).
struct RecordDays {
    /// A year of a type.
    private struct Year {
        /// Records of each day of the year, from January 1 on.
        var counts: [Int]

        init(_ year: Int) { counts = Array(repeating: 0, count: 337 + Calendar.length(of: 2, in: year)) }

        /// A digit for each day: the number of digits of its count, 0 of a day without a record.
        var digits: String { counts.map { $0 == 0 ? "0" : String(min(9, String($0).count)) }.joined() }
    }

    /// Nights and naps of a month.
    private struct Month {
        var (nights, asleepDays, naps): (Int, Int, Int) = (0, 0, 0)
        /// Microseconds.
        var asleep: Int64 = 0
    }

    /// Years of all types, and months with nights, at most.
    private static let (mostYears, mostMonths) = (400, 240)

    private var years: [[UInt8]?: [Int: Year]] = [:]
    private var months: [String: Month] = [:]
    private var yearsLeft = Self.mostYears
    private var records = FirstRecords()
    private var days: LocalDays

    /// Counts the days of an observation.
    init(of archive: borrowing Archive, _ scope: Scope) throws {
        let scope = Scope(mode: .pointInTime, observationID: scope.observationID, filter: scope.filter)
        let context = try archive.context(of: scope)
        let names = TypeNames(context.types)
        days = try archive.localDays(of: scope.observationID)
        try archive.days(of: scope, in: context, DayQuestion(method: .cover, period: .day)) { item in
            guard let date = item.when?.date else { return }
            switch item.cell.key.measure {
            case .nap, .night: addSleep(item.cell, String(date.prefix(7)))
            default: add(item.cell.recordCount, date, of: item.type.flatMap { names.name($0) })
            }
        }
    }

    /// Counts a comparison of the observation with itself.
    mutating func add(_ comparison: Comparison) { records.add(comparison) }

    /// The first and the last day of a record.
    var span: ClosedRange<Int64>? {
        var days = days
        return records.span(&days)
    }

    private mutating func add(_ count: Int, _ date: String, of type: [UInt8]?) {
        let parts = date.split(separator: "-").compactMap { Int($0) }
        guard count > 0, parts.count == 3 else { return }
        guard let day = Calendar.days(year: parts[0], month: parts[1], day: parts[2]),
            let first = Calendar.days(year: parts[0], month: 1, day: 1)
        else { return }
        years[type, default: [:]][parts[0], default: Year(parts[0])].counts[Int(day - first)] += count
    }

    private mutating func addSleep(_ cell: DayCell, _ month: String) {
        var sum = months[month] ?? Month()
        if cell.key.measure == .nap { sum.naps += 1 } else { sum.nights += 1 }
        if cell.key.measure == .night, let asleep = cell.night?.asleep {
            sum.asleepDays += 1
            sum.asleep += asleep
        }
        months[month] = sum
    }

    /// Writes the years of a type, if they fit beside those of the types before it.
    mutating func writeYears(of type: [UInt8]?, _ writer: inout DocumentWriter) {
        guard let all = years[type], all.count <= yearsLeft else { return }
        yearsLeft -= all.count
        writer.put("years", array: all.sorted { $0.key < $1.key }) { entry, writer in
            let counts = entry.value.counts
            writer.put("day_count", counts.count { $0 > 0 })
            writer.put("days", entry.value.digits)
            writer.put("record_count", counts.reduce(0, +))
            let year = String(entry.key)
            writer.put("year", String(repeating: "0", count: max(0, 4 - year.count)) + year)
        }
    }

    /// Writes the newest months with nights or naps.
    func writeNights(_ writer: inout DocumentWriter) {
        let newest = months.sorted { $0.key < $1.key }.suffix(Self.mostMonths)
        guard !newest.isEmpty else { return }
        writer.put("nights", array: Array(newest)) { entry, writer in
            let month = entry.value
            writer.put("asleep_day_count", month.asleepDays)
            if month.asleepDays > 0 { writer.put("asleep_seconds", Double(month.asleep) / 1_000_000) }
            writer.put("date", entry.key)
            writer.put("nap_count", month.naps)
            writer.put("night_count", month.nights)
        }
    }
}
