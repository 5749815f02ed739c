internal import Archive
internal import Measures
internal import Timestamps

/// Moments in whole microseconds since 1970.
enum Microseconds {
    static let second: Int64 = 1_000_000
    static let hour = 3600 * second
    /// Records that last longer are counted and not spread.
    static let longest = 4000 * 24 * hour

    /// Returns a moment in seconds as whole microseconds, half to even.
    static func of(_ seconds: Double) -> Int64 { Int64(DecimalAmount.nearest(seconds, digits: 6)) }
}

/// The local days of an observation.
struct DayCalendar {
    /// A local day; its number counts from 1970-01-01.
    struct Day {
        let number: Int64
        let start, end: Int64

        func contains(_ moment: Int64) -> Bool { start <= moment && moment < end }
    }

    private let rules: TimeZoneRules
    private var days: LocalDays
    private var latest = Day(number: 0, start: 0, end: 0)
    /// The dates that moments can have: those of the years 1 to 9999 without the first and the last.
    private static let dates = first...last
    private static let first = Calendar.days(year: 1, month: 1, day: 2)!
    private static let last = Calendar.days(year: 9999, month: 12, day: 30)!

    init(_ zone: ObservationZones.Zone?) {
        rules = zone?.rules ?? TimeZoneRules(secondsFromGMT: 0)
        days = zone?.days ?? LocalDays(rules)
    }

    /// Returns the time of clocks at a moment, in microseconds since the midnight before 1970-01-01.
    func local(_ moment: Int64) -> Int64 {
        moment + rules.offset(at: moment.dividedDown(by: Microseconds.second)) * Microseconds.second
    }

    /// Returns `true` if clocks show a date that days can have.
    func hasDay(_ moment: Int64) -> Bool { Self.dates.contains(local(moment).dividedDown(by: 24 * Microseconds.hour)) }

    /// Returns the day that holds a moment.
    mutating func day(of moment: Int64) -> Day {
        if latest.contains(moment) { return latest }
        let seconds = moment.dividedDown(by: Microseconds.second)
        latest = day(days.date(of: Double(seconds)))
        return latest
    }

    /// Returns the day of a number; empty if the date does not exist.
    func day(_ number: Int64) -> Day {
        Day(number: number, start: start(of: number), end: start(of: number + 1))
    }

    /// Returns the day of rings; `nil` if the date that Apple gave them does not exist.
    mutating func ringDay(of moment: Int64) -> Day? {
        let seconds = Double(moment.dividedDown(by: Microseconds.second))
        return days.day(ofRecord: seconds, isDated: true).map { day(days.date(of: Double($0.lowerBound))) }
    }

    private func start(of number: Int64) -> Int64 { days.start(of: number) * Microseconds.second }

    /// Returns the number of the first day of the month of a day.
    static func firstOfMonth(_ number: Int64) -> Int64 { number + 1 - Int64(Calendar.date(days: number).day) }

    /// Returns the days of the month that begins with a day.
    func month(_ number: Int64) -> Day {
        let next = Self.firstOfMonth(number + 31)
        return Day(number: number, start: start(of: number), end: start(of: next))
    }

    /// Returns a day as `2026-03-10`, or a month as `2026-03`.
    static func text(_ number: Int64, _ period: DayQuestion.Period) -> String {
        let date = Calendar.date(days: number)
        func padded(_ value: Int, _ count: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
        }
        let month = padded(date.year, 4) + "-" + padded(date.month, 2)
        return period == .month ? month : month + "-" + padded(date.day, 2)
    }
}
