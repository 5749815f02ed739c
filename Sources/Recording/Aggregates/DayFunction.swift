internal import Archive
internal import SQLite
internal import Timestamps

/// The SQL function `hp_day(moment)`: the first moment of the local day that holds a moment; NULL for what is no
/// moment, and where a bound of the day has no timestamp.
final class DayFunction: SQLFunction {
    private var days: LocalDays

    init(_ days: LocalDays) { self.days = days }

    func call(_ arguments: SQLiteArguments, _ result: SQLiteResult) {
        guard let moment = arguments[0].date else { return }
        let day = days.day(of: moment)
        guard Calendar.range.contains(day.lowerBound), Calendar.range.contains(day.upperBound) else { return }
        result.set(Double(day.lowerBound))
    }
}
