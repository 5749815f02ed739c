internal import SQLite

/// Rows of a small table, packed: what crosses the border to the modules that do not know SQL.
public struct PackedTable: Sendable, Equatable {
    /// The bytes that text and blobs of the rows are ranges of.
    public private(set) var bytes: [UInt8] = []
    private var starts: [Int] = []
    private let columns: Int

    init(columns: Int) { self.columns = columns }

    /// Number of rows.
    public var count: Int { starts.count }

    /// Returns the values of a row, in the order of its columns.
    public func values(_ row: Int) -> [PackedValue] {
        var position = starts[row]
        return (0..<columns).map { _ in PackedValue.read(bytes.span, at: &position) }
    }

    mutating func append(_ statement: borrowing Statement) {
        starts.append(bytes.count)
        statement.appendPacked(to: &bytes)
    }
}
