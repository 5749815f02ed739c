internal import Archive
package import SQLite
package import Timestamps

extension LocalDays {
    /// The bucket that holds a moment, in Unix seconds; `nil` if a bound of the day has no timestamp.
    package mutating func bucket(of moment: Double) -> Range<Int64>? {
        let day = day(of: moment)
        guard Calendar.range.contains(day.lowerBound), Calendar.range.contains(day.upperBound) else { return nil }
        return day
    }
}

/// The SQL function `hp_day(moment)`: the beginning of the bucket that holds a moment; NULL for what is not a moment,
/// and if there is no such bucket.
package final class DayFunction: SQLFunction {
    private var days: LocalDays

    /// A function for the days of one zone.
    package init(_ days: LocalDays) { self.days = days }

    package func call(_ arguments: SQLiteArguments, _ result: SQLiteResult) {
        guard let moment = arguments[0].date, let bucket = days.bucket(of: moment) else { return }
        result.set(Double(bucket.lowerBound))
    }
}
