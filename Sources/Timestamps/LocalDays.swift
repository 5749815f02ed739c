/// The days of a time zone as intervals of moments: from midnight to midnight, 23 or 25 hours long where the clocks
/// change.
///
/// A day begins at the first moment whose local date is that date or a later one.
public struct LocalDays: Sendable {
    private let rules: TimeZoneRules
    /// The day that was asked for last: neighbours are mostly of one day.
    private var last: Range<Int64> = 0..<0
    private var lastDate: Int64 = 0

    /// The days of a zone.
    public init(_ rules: TimeZoneRules) { self.rules = rules }

    /// The day that holds a moment, in Unix seconds.
    public mutating func day(of moment: Double) -> Range<Int64> {
        // Moments far outside any calendar keep to its ends.
        let seconds = Int64(max(-1e12, min(1e12, moment.rounded(.down))))
        if last.contains(seconds) { return last }
        let local = seconds + rules.offset(at: seconds)
        var date = local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
        var start = start(of: date)
        var end = self.start(of: date + 1)
        // Where clocks go back over midnight, the next day has begun already.
        while seconds >= end {
            date += 1
            (start, end) = (end, self.start(of: date + 1))
        }
        last = start..<end
        lastDate = date
        return last
    }

    /// The date of the day that holds a moment, as days since 1970.
    public mutating func date(of moment: Double) -> Int64 {
        _ = day(of: moment)
        return lastDate
    }

    /// The first moment of a date, given as days since 1970, in Unix seconds.
    public func start(of date: Int64) -> Int64 {
        let midnight = date * 86_400
        var index = rules.index(at: midnight - TimeZoneRules.greatestOffset)
        while true {
            let period = rules.periods[index]
            let candidate = max(period.start, midnight - period.offset)
            guard index + 1 < rules.periods.count, candidate >= rules.periods[index + 1].start else { return candidate }
            index += 1
        }
    }
}
