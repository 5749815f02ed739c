internal import CanonicalJSON
internal import Timestamps

/// What the buckets of a calendar add up to (`Spec/report-page.md`, Calendar).
struct CalendarSums: Sendable {
    /// Sums of the three counts by name. One that does not fit stays at the greatest number, which no count has.
    private(set) var sums: [String: Int64] = [:]
    /// Whether the buckets ascend, each with a change.
    private(set) var areSorted = true
    /// Whether each bucket has at least as many records that disappeared as there are in its pairs.
    private(set) var arePairsWithin = true
    private var last: Moment?

    /// Reads the rest of an entry whose bracket was read.
    mutating func readEntry(_ object: Span<UInt8>, _ reader: inout Reader) throws(JSONError) {
        var name = ""
        var isEmpty = true
        var (disappeared, paired): (Int64, Int64) = (0, 0)
        while true {
            switch try reader.next(in: object) {
            case .key(let contents): name = String(decoding: contents.range.map { object[$0] }, as: UTF8.self)
            case .number(let range):
                let count = reader.integer(range, in: object) ?? 0
                switch name {
                case "condensed_count", "re_identified_count": paired = paired.addingClamped(count)
                case "disappeared_count": (disappeared, isEmpty) = (count, isEmpty && count <= 0)
                default: isEmpty = isEmpty && count <= 0
                }
                sums[name] = (sums[name] ?? 0).addingClamped(count)
            case .string(let text):
                let bytes = text.range.map { object[$0] }
                let moment = TimestampReader.moment(in: bytes.span)
                if let last, let moment, !(last < moment) { areSorted = false }
                last = moment
            default:
                if isEmpty { areSorted = false }
                if paired > disappeared { arePairsWithin = false }
                return
            }
        }
    }
}

extension Int64 {
    /// The sum; the greatest number where it does not fit.
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? .max : sum
    }
}
