internal import Archive
internal import SQLite

/// Goes through the rows of a table: all, or a sample that is the same every time.
///
/// A sample of N divides the span of row ids into N equal parts and takes, in each, the first row at or after a
/// place that a fixed generator names (`Spec/archive-verification.md`, "Samples"). So it is spread over the whole
/// table, and N look-ups find it.
struct RowWalk {
    let sample: Int?

    /// Calls `body` with rows of `SELECT columns FROM table`.
    ///
    /// - Parameters:
    ///   - columns: the first must be the table's row id.
    ///   - rowID: how the row id is written in `tables`.
    ///   - tables: what stands after FROM; the table comes first and is not read through an index.
    func forEach(
        _ reader: borrowing EvidenceReader, _ columns: String, from table: String, joined tables: String = "",
        rowID: String, _ body: (borrowing Statement) throws(ArchiveError) -> Void
    )
        throws(ArchiveError)
    {
        let select = "SELECT \(columns) FROM \(table) \(tables)"
        guard let sample else {
            var rows = try reader.prepare("\(select) ORDER BY \(rowID)")
            while try rows.step() { try body(rows) }
            return
        }
        guard let first = try reader.integer("SELECT min(\(rowID)) FROM \(table)"),
            let last = try reader.integer("SELECT max(\(rowID)) FROM \(table)")
        else { return }
        var rows = try reader.prepare("\(select) WHERE \(rowID) >= ?1 ORDER BY \(rowID) LIMIT 1")
        var generator = SampleGenerator()
        let part = UInt64(bitPattern: last &- first) / UInt64(sample) + 1
        var position = first
        var previous: Int64?
        for _ in 0..<sample {
            rows.bind(1, position &+ Int64(bitPattern: generator.next() % part))
            if try rows.step(), let row = rows.exactInteger(0), row != previous {
                previous = row
                try body(rows)
            }
            rows.reset()
            let (next, isOver) = position.addingReportingOverflow(Int64(bitPattern: part))
            if isOver || next > last || next < position { break }
            position = next
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators), from the seed 0.
struct SampleGenerator {
    private var state: UInt64 = 0

    /// Returns the next number.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
