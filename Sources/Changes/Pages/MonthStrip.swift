internal import Measures
internal import Timestamps
internal import Archive

/// What a type comes to month by month, on both sides of a comparison (`Spec/report-page.md`, Strip).
///
/// Values are added in millionths, so that a sum is the same in whatever order records are read.
struct MonthStrip {
    private struct Amount {
        var recordCount = 0
        var valueCount = 0
        var millionths: Int128 = 0
        /// Whether a value is beyond what is added up.
        var isBeyond = false

        mutating func add(_ value: Double?) {
            recordCount += 1
            guard let value else { return }
            valueCount += 1
            guard value.magnitude < 1e15 else { return isBeyond = true }
            millionths += Int128((value * 1e6).rounded())
        }

        mutating func add(_ other: Amount) {
            recordCount += other.recordCount
            valueCount += other.valueCount
            millionths += other.millionths
            isBeyond = isBeyond || other.isBeyond
        }
    }

    private let measure: Measure
    private let days: PageDays
    /// By the number of the month, of the year 0 the first is 0.
    private var months: [Int: (before: Amount, after: Amount)] = [:]

    /// - Parameter offset: seconds that the clock is ahead of UTC.
    init(_ measure: Measure, offset: Int) { (self.measure, days) = (measure, PageDays(offset: offset)) }

    mutating func addBefore(_ version: ComparedVersion) {
        guard let month = month(of: version.start) else { return }
        months[month, default: (Amount(), Amount())].before.add(value(version))
    }

    mutating func addAfter(_ version: ComparedVersion) {
        guard let month = month(of: version.start) else { return }
        months[month, default: (Amount(), Amount())].after.add(value(version))
    }

    mutating func add(_ other: MonthStrip) {
        for (month, amounts) in other.months {
            months[month, default: (Amount(), Amount())].before.add(amounts.before)
            months[month]!.after.add(amounts.after)
        }
    }

    /// The months in which both sides are not the same, the newest of them, and the ones between.
    func result() -> [Comparison.StripMonth] {
        let differing = months.filter { !Self.areEqual($0.value.before, $0.value.after) }.keys
        guard let first = differing.min(), let last = differing.max() else { return [] }
        let shown = months.keys.filter { (first...last).contains($0) }.sorted().suffix(Comparison.StripMonth.limit)
        return shown.map { month in
            let amounts = months[month]!
            return Comparison.StripMonth(
                start: start(of: month), beforeCount: amounts.before.recordCount, before: value(amounts.before),
                afterCount: amounts.after.recordCount, after: value(amounts.after))
        }
    }

    private static func areEqual(_ one: Amount, _ other: Amount) -> Bool {
        one.recordCount == other.recordCount && one.valueCount == other.valueCount
            && one.millionths == other.millionths && one.isBeyond == other.isBeyond
    }

    private func value(_ version: ComparedVersion) -> Double? {
        switch (measure.kind, version.value) {
        case (.cumulative, .amount(let amount)), (.discrete, .amount(let amount)): amount
        case (.category, .part), (.workout, .part): version.length
        default: nil
        }
    }

    /// A sum, a mean, or hours.
    private func value(_ amount: Amount) -> Double? {
        guard amount.valueCount > 0, !amount.isBeyond else { return nil }
        let sum = Double(amount.millionths)
        return switch measure.kind {
        case .cumulative: sum / 1e6
        case .discrete: sum / 1e6 / Double(amount.valueCount)
        case .category, .workout: sum / 1e6 / 3600
        case .event: nil
        }
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
