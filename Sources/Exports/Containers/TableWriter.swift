internal import CSV
internal import CanonicalJSON

/// Writes items as rows of a table (`Spec/reports.md`, Table): every column is the member that its name leads to.
///
/// A row is made from the item's canonical bytes, so that it says what the item says, whatever kind that is. The bytes
/// are this module's own, so the values are not checked again.
struct TableWriter: ~Copyable {
    private var csv = CSVWriter(capacity: 3 << 20)
    private let types: [TableColumn.ValueType]
    private let members: MemberTree
    /// The value of each column in the item.
    private var cells: [Cell]
    private var reader = Reader(.canonical)
    private var scratch: [UInt8] = []

    /// A value in an item.
    private enum Cell {
        case absent
        case text(StringContents)
        /// Anything but a string, as it stands in the item.
        case json(Range<Int>)
    }

    init(columns: [TableColumn]) {
        types = columns.map(\.type)
        // The last column is the item hash, which stands beside the item.
        members = MemberTree(columns.dropLast().map(\.name))
        cells = [Cell](repeating: .absent, count: columns.count - 1)
    }

    /// The row of column names.
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
        for index in cells.indices { cells[index] = .absent }
        reader.restart()
        do {
            _ = try reader.next(in: item)
            try find(0, in: item)
        } catch {
            preconditionFailure("an item is canonical")
        }
        for index in cells.indices { writeCell(index, of: item) }
        csv.field(hash)
        csv.endRecord()
    }

    /// Finds the cells in the object that the reader has just entered.
    private mutating func find(_ object: Int, in item: Span<UInt8>) throws(JSONError) {
        let start = reader.tokenStart
        var next = members.objects[object].members.lowerBound
        // Our own keys have no escapes.
        while let key = reader.passKey(inTrusted: item) {
            let target = members.target(of: item.extracting(key), in: object, after: &next)
            if let target, target < 0, item[reader.position] == UInt8(ascii: "{") {
                _ = try reader.next(in: item)
                try find(-target, in: item)
            } else {
                let value = reader.passValue(inTrusted: item)
                if let target, target >= 0 { cells[target] = value.string.map(Cell.text) ?? .json(value.range) }
            }
        }
        let isEmpty = reader.position == start + 2
        if isEmpty, let own = members.objects[object].ownColumn { cells[own] = .json(start..<reader.position) }
    }

    private mutating func writeCell(_ index: Int, of item: Span<UInt8>) {
        switch cells[index] {
        case .absent: csv.emptyField()
        case .json(let range): csv.field(item.extracting(range))
        case .text(let text):
            let contents = item.extracting(text.range)
            guard text.hasEscapes || (types[index] != .timestamp && TableDialect.needsMark(contents)) else {
                return csv.field(contents)
            }
            scratch.removeAll(keepingCapacity: true)
            reader.unescape(text, in: item, into: &scratch)
            if TableDialect.needsMark(scratch.span) { scratch.insert(TableDialect.mark, at: 0) }
            Self.write(scratch, to: &csv)
        }
    }

    private static func write(_ text: [UInt8], to csv: inout CSVWriter) { csv.field(text.span) }
}
