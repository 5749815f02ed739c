internal import CSV
internal import CanonicalJSON

/// Writes items as rows of a table (`Spec/reports.md`, Table): every column is the member that its name leads to.
///
/// A row is made from the item's canonical bytes, so that it says what the item says, whatever kind that is. The bytes are this module's own and are not checked again.
struct TableWriter: ~Copyable {
    private var csv = CSVWriter(capacity: 3 << 20)
    private let types: [TableColumn.ValueType]
    private let members: MemberTree
    /// Where the value of each column stands in the item.
    private var cells: [Cell]
    private var scratch: [UInt8] = []

    /// A value in an item; an empty range where it is absent.
    private struct Cell {
        var range = 0..<0
        /// Whether it is a string with escapes.
        var isEscaped = false
    }

    init(columns: [TableColumn]) {
        types = columns.map(\.type)
        // The last column is the item hash, which stands beside the item.
        members = MemberTree(columns.dropLast().map(\.name))
        cells = [Cell](repeating: Cell(), count: columns.count - 1)
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
        for index in cells.indices { cells[index].range = 0..<0 }
        _ = find(0, in: item, at: 0)
        for index in cells.indices { writeCell(index, of: item) }
        csv.field(hash)
        csv.endRecord()
    }

    /// Finds the cells in the object that begins at `start`; returns the position behind it.
    private mutating func find(_ object: Int, in item: Span<UInt8>, at start: Int) -> Int {
        if item[start + 1] == 0x7D {
            if let own = members.objects[object].ownColumn { cells[own] = Cell(range: start..<start + 2) }
            return start + 2
        }
        var position = start
        var next = members.objects[object].members.lowerBound
        while item[position] != 0x7D {
            // Behind `{` or a comma stands `"key":`; our keys have no escapes.
            let key = position + 2
            let end = PlainRun.end(in: item, from: key)
            position = end + 2
            let target = members.target(of: item.extracting(key..<end), in: object, after: &next)
            if let target, target < 0, item[position] == 0x7B {
                position = find(-target, in: item, at: position)
                continue
            }
            let value = position
            let found = Self.end(ofValueAt: position, in: item)
            position = found.position
            if let target, target >= 0 { cells[target] = Cell(range: value..<position, isEscaped: found.isEscaped) }
        }
        return position + 1
    }

    /// The position behind a value, and whether it is a string with escapes.
    private static func end(ofValueAt start: Int, in item: Span<UInt8>) -> (position: Int, isEscaped: Bool) {
        switch item[start] {
        case 0x22: return end(ofStringAt: start, in: item)
        case 0x7B, 0x5B: return (end(ofContainerAt: start, in: item), false)
        default:
            var position = start
            while item[position] != 0x2C, item[position] != 0x7D { position += 1 }
            return (position, false)
        }
    }

    private static func end(ofStringAt start: Int, in item: Span<UInt8>) -> (position: Int, isEscaped: Bool) {
        var isEscaped = false
        var position = PlainRun.end(in: item, from: start + 1)
        while item[position] != 0x22 {
            let isEscape = item[position] == 0x5C
            isEscaped = isEscaped || isEscape
            position = PlainRun.end(in: item, from: position + (isEscape ? 2 : 1))
        }
        return (position + 1, isEscaped)
    }

    private static func end(ofContainerAt start: Int, in item: Span<UInt8>) -> Int {
        var position = start
        var depth = 0
        repeat {
            switch item[position] {
            case 0x22: position = end(ofStringAt: position, in: item).position - 1
            case 0x7B, 0x5B: depth += 1
            case 0x7D, 0x5D: depth -= 1
            default: break
            }
            position += 1
        } while depth > 0
        return position
    }

    private mutating func writeCell(_ index: Int, of item: Span<UInt8>) {
        let range = cells[index].range
        guard !range.isEmpty else { return csv.emptyField() }
        guard item[range.lowerBound] == 0x22 else { return csv.field(item.extracting(range)) }
        let text = range.lowerBound + 1..<range.upperBound - 1
        let isEscaped = cells[index].isEscaped
        guard isEscaped || (types[index] != .timestamp && TableDialect.needsMark(item.extracting(text))) else { return csv.field(item.extracting(text)) }
        scratch.removeAll(keepingCapacity: true)
        if isEscaped { JSONText.appendUnescaped(item.extracting(text), to: &scratch) } else { unsafe item.extracting(text).withUnsafeBytes { unsafe scratch.append(contentsOf: $0) } }
        if TableDialect.needsMark(scratch.span) { scratch.insert(TableDialect.mark, at: 0) }
        Self.write(scratch, to: &csv)
    }

    private static func write(_ text: [UInt8], to csv: inout CSVWriter) { csv.field(text.span) }
}
