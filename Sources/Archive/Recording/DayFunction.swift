internal import CSQLite
internal import Timestamps

/// The SQL function `hp_day(moment)`: the first moment of the local day that holds a moment; NULL for what is no moment.
final class DayFunction: SQLFunction {
    private var days: LocalDays

    init(_ days: LocalDays) { self.days = days }

    override func call(_ context: OpaquePointer, _ values: UnsafeBufferPointer<OpaquePointer?>) {
        if let moment = unsafe OrderKeyFunction.date(values[0]) {
            unsafe sqlite3_result_double(context, Double(days.day(of: moment).lowerBound))
        } else {
            unsafe sqlite3_result_null(context)
        }
    }
}
