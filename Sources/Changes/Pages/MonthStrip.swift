internal import Measures
internal import Timestamps
internal import Archive

/// The monthly figures of a type, on both sides of a comparison (`Spec/report-page.md`, Strip).
///
/// Values are added in millionths, so that a sum is the same in whatever order records are read.
struct MonthStrip {
    private let measure: Measure
    private let days: PageDays
    /// By the number of the month, of the year 0 the first is 0.
    private var months: [Int: (before: Amount, after: Amount)] = [:]

    /// - Parameter offset: seconds that the clock is ahead of UTC.
    init(_ measure: Measure, offset: Int) { (self.measure, days) = (measure, PageDays(offset: offset)) }

    mutating func addBefore(_ version: ComparedVersion) {
        guard let month = month(of: version.start) else { return }
        months[month, default: (Amount(), Amount())].before.add(measure.kind.value(of: version))
    }

    mutating func addAfter(_ version: ComparedVersion) {
        guard let month = month(of: version.start) else { return }
        months[month, default: (Amount(), Amount())].after.add(measure.kind.value(of: version))
    }

    mutating func add(_ other: MonthStrip) {
        for (month, amounts) in other.months {
            months[month, default: (Amount(), Amount())].before.add(amounts.before)
            months[month]!.after.add(amounts.after)
        }
    }

    /// All months with records, in order.
    var all: [Comparison.StripMonth] { months.keys.sorted().map(month) }

    private func month(_ month: Int) -> Comparison.StripMonth {
        let amounts = months[month]!
        return Comparison.StripMonth(
            start: start(of: month), beforeCount: amounts.before.recordCount,
            before: amounts.before.value(measure.kind), afterCount: amounts.after.recordCount,
            after: amounts.after.value(measure.kind), rangeBefore: range(amounts.before),
            rangeAfter: range(amounts.after))
    }

    private func range(_ amount: Amount) -> ClosedRange<Double>? { measure.kind == .discrete ? amount.range : nil }

    /// Returns the months in which both sides are not the same, the newest of them, and the ones between.
    func result() -> [Comparison.StripMonth] {
        let differing = months.filter { !Self.areEqual($0.value.before, $0.value.after) }.keys
        guard let first = differing.min(), let last = differing.max() else { return [] }
        let shown = months.keys.filter { (first...last).contains($0) }.sorted().suffix(Comparison.StripMonth.limit)
        return shown.map(month)
    }

    private static func areEqual(_ one: Amount, _ other: Amount) -> Bool {
        one.recordCount == other.recordCount && one.valueCount == other.valueCount
            && one.millionths == other.millionths && one.isBeyond == other.isBeyond
    }

    private func month(of start: Double?) -> Int? {
        guard let start, let day = days.day(of: start, measure), Calendar.range.contains(Int64(day) * 86_400)
        else { return nil }
        let date = Calendar.date(days: Int64(day))
        // The first month of the year 1 begins before it where the clock is ahead of UTC.
        if date.year == 1, date.month == 1, days.offset > 0 { return nil }
        return Int(date.year) * 12 + Int(date.month) - 1
    }

    private func start(of month: Int) -> Double {
        guard let day = Calendar.days(year: month / 12, month: month % 12 + 1, day: 1) else {
            preconditionFailure("a month of a date has a first day")
        }
        return days.start(of: Int(day))
    }
}
