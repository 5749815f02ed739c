/// An item of a day report (`Spec/days.md`, "Items").
public struct DayItem {
    /// The day or month of an item.
    package struct When {
        /// `2026-03-10`, or `2026-03`.
        package let date: String
        /// Its first moment, in microseconds.
        package let start: Int64
        package let seconds: Int64
        package let completeness: Completeness
    }

    /// The certainty that all records of a day are there.
    package enum Completeness: String { case complete, partial, unknown }

    /// The place of the type in the context; `nil` without an identifier.
    package let type: Int?
    package let period: DayQuestion.Period
    /// The canonical unit of the type, and the fraction digits of its amounts.
    package let unit: String?
    package let digits: Int
    /// `nil` of records without a day.
    package let when: When?
    package let cell: DayCell
    /// The sources with a record or a share, in their order.
    package let sources: [(source: DaySource, entry: DayCell.Entry)]
    /// The one source: of the item, or that a night is of.
    package let source: DaySource?
}
