internal import Timestamps

/// Local days as the answer writes them.
public enum AnswerDates {
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// Returns a day as `15 Oct 2026`, or with the whole name of the month.
    ///
    /// - Parameter day: days since 1970.
    public static func text(_ day: Int64, isLong: Bool = false) -> String {
        let date = Calendar.date(days: day)
        return "\(date.day) \(month(date.month, isLong)) \(date.year)"
    }

    /// Returns days as `3 to 9 Aug 2026`, `28 Jul to 3 Aug 2026`, `30 Dec 2025 to 2 Jan 2026`.
    public static func text(_ days: ClosedRange<Int64>, isLong: Bool = false) -> String {
        let last = text(days.upperBound, isLong: isLong)
        guard days.lowerBound < days.upperBound else { return last }
        let (from, to) = (Calendar.date(days: days.lowerBound), Calendar.date(days: days.upperBound))
        if from.year != to.year { return "\(text(days.lowerBound, isLong: isLong)) to \(last)" }
        if from.month != to.month { return "\(from.day) \(month(from.month, isLong)) to \(last)" }
        return "\(from.day) to \(last)"
    }

    /// Returns the dates of a stretch: a span only if each of its days has records of the stretch, and no others of the
    /// type remain.
    public static func text(_ stretch: Answer.Stretch, isLong: Bool = false) -> String {
        guard let span = stretch.span else { return "without dates" }
        let dates = text(span, isLong: isLong)
        let isWhole = stretch.part == .gone && stretch.hasOthersBetween == false && span.count == stretch.dayCount
        return isWhole || stretch.dayCount == 1 ? dates : "\(stretch.dayCount) days from \(dates)"
    }

    private static func month(_ month: Int, _ isLong: Bool) -> String {
        isLong ? months[month - 1] : String(months[month - 1].prefix(3))
    }
}
