internal import Measures

/// The days of pages: those of one offset from UTC, and the stated date of records that state one.
struct PageDays {
    /// Seconds that the clock is ahead of UTC.
    let offset: Double

    init(offset: Int) { self.offset = Double(offset) }

    /// Returns the number of the day of a record since the Unix epoch; `nil` beyond the calendar of timestamps.
    func day(of start: Double, _ measure: Measure) -> Int? {
        Int(exactly: ((start + (measure.isDated ? 0 : offset)) / 86_400).rounded(.down))
    }

    /// Returns the begin of a day in Unix seconds.
    func start(of day: Int) -> Double { Double(day) * 86_400 - offset }
}
