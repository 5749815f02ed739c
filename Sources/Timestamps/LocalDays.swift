/// The days of a time zone as intervals of moments: from midnight to midnight, 23 or 25 hours long where the clocks
/// change.
///
/// A day begins at the first moment whose local date is that date or a later one.
public struct LocalDays: Sendable {
    private let rules: TimeZoneRules
    /// Days that are known beside the rules, in order.
    private let buckets: [Range<Int64>]
    /// The day that was asked for last: neighbours are mostly of one day.
    private var last: Range<Int64> = 0..<0
    private var lastDate: Int64 = 0

    /// Creates the days of a zone.
    ///
    /// - Parameter buckets: days that are known beside the rules, in order, without an overlap. The others are those of
    ///   the rules, cut where one of these begins or ends.
    public init(_ rules: TimeZoneRules, buckets: [Range<Int64>] = []) {
        self.rules = rules
        self.buckets = buckets
    }

    /// The days of records that state a date, whatever the zone: those of UTC.
    public static let dated = LocalDays(TimeZoneRules(secondsFromGMT: 0))

    /// Returns the days that records of a type are counted by: those of UTC if they state a date, else these.
    public func counting(isDated: Bool) -> LocalDays { isDated ? Self.dated : self }

    /// Returns the day on which a record starts, in Unix seconds; `nil` if it states a date that does not exist here.
    public mutating func day(ofRecord start: Double, isDated: Bool) -> Range<Int64>? {
        guard isDated else { return day(of: start) }
        var dated = Self.dated
        let date = dated.date(of: start)
        let day = day(of: Double(self.start(of: date)))
        return lastDate == date ? day : nil
    }

    /// Returns `true` if a stretch of time can be a local day: at most 48 hours.
    public static func isDay(from start: Int64, to end: Int64) -> Bool {
        start < end && start.magnitude < 1 << 53 && end.magnitude < 1 << 53 && end - start <= 172_800
    }

    /// Returns the day that holds a moment, in Unix seconds.
    public mutating func day(of moment: Double) -> Range<Int64> {
        // Moments far outside any calendar keep to its ends.
        let seconds = Int64(max(-1e12, min(1e12, moment.rounded(.down))))
        if last.contains(seconds) { return last }
        let index = bucketCount { $0.lowerBound <= seconds }
        if index > 0, buckets[index - 1].contains(seconds) {
            last = buckets[index - 1]
            lastDate = date(ofBucket: last)
            return last
        }
        let local = seconds + rules.offset(at: seconds)
        var date = local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
        var start = midnight(of: date)
        var end = midnight(of: date + 1)
        // Where clocks go back over midnight, the next day has begun already.
        while seconds >= end {
            date += 1
            (start, end) = (end, midnight(of: date + 1))
        }
        if index > 0 { start = max(start, buckets[index - 1].upperBound) }
        if index < buckets.count { end = min(end, buckets[index].lowerBound) }
        last = start..<end
        lastDate = date
        return last
    }

    /// Returns the date of a bucket: that of its middle.
    private func date(ofBucket bucket: Range<Int64>) -> Int64 {
        let middle = bucket.lowerBound + (bucket.upperBound - bucket.lowerBound) / 2
        let local = middle + rules.offset(at: middle)
        return local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
    }

    /// Returns the number of buckets for which a condition holds: it holds for the first ones alone. O(log n).
    private func bucketCount(where holds: (Range<Int64>) -> Bool) -> Int {
        var (low, high) = (0, buckets.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(buckets[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the date of the day that holds a moment, as days since 1970.
    public mutating func date(of moment: Double) -> Int64 {
        _ = day(of: moment)
        return lastDate
    }

    /// Returns the first moment of a date, given as days since 1970, in Unix seconds.
    public func start(of date: Int64) -> Int64 {
        let known = bucketCount { self.date(ofBucket: $0) < date }
        if known < buckets.count, self.date(ofBucket: buckets[known]) == date { return buckets[known].lowerBound }
        let start = midnight(of: date)
        let index = bucketCount { $0.lowerBound <= start }
        return index > 0 ? max(start, buckets[index - 1].upperBound) : start
    }

    /// Returns the first moment of a date by the rules alone.
    private func midnight(of date: Int64) -> Int64 {
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
