/// A row of a view that waits to be sorted.
struct PeopleRow: Sendable {
    /// Bytes of the row: a line break, and before it the item hash.
    static let tail = 66

    /// The end of the row in the text of its piece.
    let textEnd: Int
    /// The keys by which rows are sorted: the moments, or the date of a day; absent ones come last.
    let start, end: UInt64

    /// Returns a number that sorts as a moment does.
    static func key(_ moment: Double?) -> UInt64 {
        guard let moment else { return .max }
        let bits = (moment + 0).bitPattern
        return moment < 0 ? ~bits : bits | 1 << 63
    }
}
