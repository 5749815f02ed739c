internal import Archive
internal import SQLite
internal import Timestamps

/// The SQL function `hp_day(moment)`: the first moment of the local day that holds a moment; NULL for what is no
/// moment.
final class DayFunction: SQLFunction {
    private var days: LocalDays

    init(_ days: LocalDays) { self.days = days }

    func call(_ arguments: SQLiteArguments, _ result: SQLiteResult) {
        if let moment = arguments[0].date { result.set(Double(days.day(of: moment).lowerBound)) }
    }
}
