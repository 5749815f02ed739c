internal import CSV
internal import CanonicalJSON
internal import Format

/// Writes items as rows of a table (`Spec/reports.md`, Table): every column is the member that its name leads to.
///
/// A row is made from the item's canonical bytes, so that it says what the item says, whatever kind that is. The bytes
/// are this module's own, so the values are not checked again.
struct TableWriter: ~Copyable {
    private var csv = CSVWriter(capacity: 3 << 20)
    private let types: [TableColumn.ValueType]
    private var item: ItemCells
    private var scratch: [UInt8] = []

    init(columns: [TableColumn]) {
        types = columns.map(\.type)
        // The last column is the item hash, which stands beside the item.
        item = ItemCells(columns.dropLast().map(\.name))
    }

    /// Returns the row of column names.
    static func header(_ columns: [TableColumn]) -> [UInt8] {
        var csv = CSVWriter()
        csv.header(columns.map(\.name))
        return csv.bytes
    }

    /// The rows since the last `removeAll`.
    var bytes: [UInt8] { csv.bytes }

    /// Forgets the rows.
    mutating func removeAll() { csv.removeAll() }

    /// Appends the row of an item; `hash` is the text of its item hash.
    mutating func write(_ item: Span<UInt8>, hash: Span<UInt8>) {
        self.item.read(item)
        for index in 0..<self.item.count { writeCell(index, of: item) }
        csv.field(hash)
        csv.endRecord()
    }

    private mutating func writeCell(_ index: Int, of item: Span<UInt8>) {
        switch self.item[index] {
        case .absent: csv.emptyField()
        case .json(let range): csv.field(item.extracting(range))
        case .text(let text):
            let contents = item.extracting(text.range)
            guard text.hasEscapes || (types[index] != .timestamp && TableDialect.needsMark(contents)) else {
                return csv.field(contents)
            }
            scratch.removeAll(keepingCapacity: true)
            self.item.unescape(text, in: item, into: &scratch)
            if TableDialect.needsMark(scratch.span) { scratch.insert(TableDialect.mark, at: 0) }
            Self.write(scratch, to: &csv)
        }
    }

    private static func write(_ text: [UInt8], to csv: inout CSVWriter) { csv.field(text.span) }
}
