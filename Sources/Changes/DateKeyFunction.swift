internal import SQLite
internal import Archive

/// The SQL function `hp_date(value)`: a date that has a timestamp as it is, anything else as NULL, which sorts first.
final class DateKeyFunction: SQLFunction {
    func call(_ arguments: SQLiteArguments, _ result: SQLiteResult) {
        if let date = arguments[0].date { result.set(date) }
    }
}
