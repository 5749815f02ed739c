internal import SQLite

/// A version's values that comparisons look at.
struct ComparedVersion {
    /// Unix seconds, where they have a timestamp.
    var start, end: Double?
    /// Finite.
    var value: Double?
    var unit: [UInt8]?
    /// `source_revisions.id`.
    var source: Int64?
}

extension Statement {
    /// Five columns as `RecordQuery.compared` lists them.
    func comparedVersion(at column: Int32) -> ComparedVersion {
        ComparedVersion(
            start: date(column), end: date(column + 1), value: number(column + 2), unit: carryableText(column + 3),
            source: exactInteger(column + 4))
    }
}
