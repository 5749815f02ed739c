/// Moments as the archive stores them (Unix seconds in a double) and as canonical text writes them (ISO 8601, UTC).
///
/// `Spec/timestamps.md` is the contract. The writer and the reader share the calendar and nothing else: a reader
/// that asked the writer what a text should be would agree with its mistakes.
///
///     year-month-day  T  hour:minute:second  .  3 to 9 digits  Z
///     2000-01-01      T  00:00:00            .  000            Z

/// Days and dates of the proleptic Gregorian calendar.
public enum Calendar {
    /// The first moment of year 1 and the first moment after year 9999, in Unix seconds.
    public static let range: Range<Int64> = -62_135_596_800..<253_402_300_800
    /// The days of the years 1 to 9999, since 1970-01-01.
    public static let days: Range<Int64> = -719_162..<2_932_897

    /// Returns the year, month and day of the day that begins `days` days after 1970-01-01.
    public static func date(days: Int64) -> (year: Int, month: Int, day: Int) {
        // Counted from 0000-03-01, so that the leap day is the last day of a year of 365 or 366 days.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (Int(year), Int(month), Int(day))
    }

    /// Days from 1970-01-01 to a date; nil when there is no such date.
    public static func days(year: Int, month: Int, day: Int) -> Int64? {
        guard (1...9999).contains(year), (1...12).contains(month), (1...length(of: month, in: year)).contains(day)
        else { return nil }
        let shiftedYear = Int64(month <= 2 ? year - 1 : year)
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let shiftedMonth = Int64(month > 2 ? month - 3 : month + 9)
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    package static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
