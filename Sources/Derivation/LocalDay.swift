package import Archive
internal import Measures
package import SQLite
package import Timestamps

extension LocalDays {
    /// Returns the bucket of a record that starts at a moment, in Unix seconds; `nil` if there is no such day, or a
    /// bound of it has no timestamp.
    package mutating func bucket(of start: Double, isDated: Bool) -> Range<Int64>? {
        guard let day = day(ofRecord: start, isDated: isDated), Calendar.range.contains(day.lowerBound),
            Calendar.range.contains(day.upperBound)
        else { return nil }
        return day
    }
}

/// The SQL function `hp_day(start, type)`: the beginning of the bucket of a record; NULL for what is not a moment, and
/// if there is no such bucket.
package final class DayFunction: SQLFunction {
    private var days: LocalDays
    /// The id of the type whose records state a date.
    private let dated: Int64?

    /// A function for the days of one zone, and the types of an archive.
    package init(_ days: LocalDays, _ connection: borrowing Connection) throws(ArchiveError) {
        self.days = days
        dated = try connection.integer(
            "SELECT id FROM main.sample_types WHERE type_identifier = ?1", [.text(Measure.datedType)])
    }

    package func call(_ arguments: SQLiteArguments, _ result: SQLiteResult) {
        guard let start = arguments[0].date else { return }
        let isDated = dated != nil && arguments[1].integer == dated
        guard let bucket = days.bucket(of: start, isDated: isDated) else { return }
        result.set(Double(bucket.lowerBound))
    }
}
