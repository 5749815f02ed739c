internal import Archive
internal import SQLite

/// Reads in which pair a record is, once `pair_marks` is complete.
struct PairMarkReader: ~Copyable {
    private var rows: Statement
    /// `true` if any record is in a pair.
    private let hasMarks: Bool

    init(_ connection: borrowing Connection) throws(ArchiveError) {
        let count = try connection.integer("SELECT EXISTS (SELECT 1 FROM temp.pair_marks)")
        let rows = try connection.prepare(
            "SELECT kind, outcome FROM temp.pair_marks WHERE sample_id = ?1 AND version_id = ?2")
        hasMarks = count == 1
        self.rows = rows
    }

    /// Returns the mark of the record of a change; `nil` if it is in no pair.
    mutating func mark(of change: ComparedChange) throws(ArchiveError) -> ReplacementMark? {
        guard hasMarks, let sample = change.sample.number, let version = change.versionID else { return nil }
        rows.bind(1, sample)
        rows.bind(2, version)
        defer { rows.reset() }
        guard try rows.step(), let kind = Pair.Kind(rawValue: UInt8(rows.integer(0) ?? 0)) else { return nil }
        let outcome = Pair.Outcome(rawValue: UInt8(rows.integer(1) ?? 0))
        return ReplacementMark(kind: kind, outcome: kind == .ambiguous ? nil : outcome)
    }
}
