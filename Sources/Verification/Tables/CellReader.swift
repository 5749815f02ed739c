internal import CanonicalJSON
internal import Format
internal import Timestamps

/// Looks whether cells are spelled as values of their columns' types (`Spec/reports.md`, Table), each in exactly
/// one way.
struct CellReader: ~Copyable {
    private let columns: [TableColumn]
    private let kinds: [TableColumn.ValueType]
    /// For the cell of an object without a member: the columns of its members.
    private let members: [UInt128]
    private var timestamps = TimestampMemory()
    private var json = Reader(.canonical)

    /// Columns whose cell is not empty.
    private(set) var present: UInt128 = 0
    /// Columns of texts that a `'` is put before.
    private(set) var prefixed: UInt128 = 0
    /// Columns of metadata that are text.
    private(set) var texts: UInt128 = 0

    /// A reader of no columns.
    init() { self.init(columns: []) }

    /// A reader of some columns, at most 128.
    init(_ columns: TableColumns) { self.init(columns: columns.columns) }

    private init(columns: [TableColumn]) {
        precondition(columns.count <= 128, "a set of columns has 128 bits")
        self.columns = columns
        kinds = columns.map(\.type)
        members = columns.map { column in
            guard column.type == .emptyObject else { return 0 }
            return columns.indices.reduce(0) {
                columns[$1].name.hasPrefix(column.name + ".") ? $0 | 1 << UInt128($1) : $0
            }
        }
    }

    var count: Int { kinds.count }

    /// Returns the pointer to a column's member in its line.
    func pointer(_ column: Int) -> String {
        let path = columns[column].name.split(separator: ".").joined(separator: "/")
        return columns[column].name == "item_hash" ? "/item_hash" : "/item/" + path
    }

    /// Returns the first cell that is not spelled right.
    mutating func read(_ row: borrowing RowReader, _ text: Span<UInt8>) -> Int? {
        present = 0
        prefixed = 0
        texts = 0
        for index in kinds.indices where !row.cells[index].range.isEmpty { present |= 1 << UInt128(index) }
        for index in kinds.indices {
            let cell = row.cells[index]
            if cell.range.isEmpty { continue }
            if cell.isUnquoted {
                if !isRight(row.unquoted.span.extracting(cell.range), index) { return index }
            } else if !isRight(text.extracting(cell.range), index) {
                return index
            }
        }
        return nil
    }

    private mutating func isRight(_ cell: Span<UInt8>, _ index: Int) -> Bool {
        switch kinds[index] {
        case .text, .hash: return isText(cell, index)
        case .timestamp: return timestamps.moment(in: cell) != nil
        case .integer, .number: return isNumber(cell)
        case .boolean: return cell.isText("true") || cell.isText("false")
        case .json:
            return (cell[0] == UInt8(ascii: "{") || cell[0] == UInt8(ascii: "["))
                && isCanonical(cell, depth: Reader.defaultNestingLimit)
        case .emptyObject: return cell.isText("{}") && present & members[index] == 0
        case .metadata:
            if cell[0] == UInt8(ascii: "{"), isCanonical(cell, depth: 64) { return true }
            texts |= 1 << UInt128(index)
            return isText(cell, index)
        }
    }

    /// Returns `true` if a text has a `'` before it where it must, and nowhere else.
    private mutating func isText(_ cell: Span<UInt8>, _ index: Int) -> Bool {
        guard cell[0] == UInt8(ascii: "'") else { return !Self.needsPrefix(cell) }
        prefixed |= 1 << UInt128(index)
        let rest = cell.extracting(droppingFirst: 1)
        return rest.isEmpty || Self.needsPrefix(rest)
    }

    /// Returns `true` if a text begins like a formula, or like a text with a `'` put before it.
    static func needsPrefix(_ text: Span<UInt8>) -> Bool {
        switch text[0] {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), UInt8(ascii: "\t"),
            UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "'"):
            return true
        // U+FF1D, U+FF0B, U+FF0D, U+FF20.
        case 0xEF: return text.count > 2 && text[1] == 0xBC && [0x9D, 0x8B, 0x8D, 0xA0].contains(text[2])
        default: return false
        }
    }

    /// Returns `true` if the cell is one number of JSON; the shape of a member limits the number.
    private mutating func isNumber(_ cell: Span<UInt8>) -> Bool {
        json.restart()
        guard case .number(let range)? = try? json.next(in: cell) else { return false }
        return range.count == cell.count
    }

    private func isCanonical(_ cell: Span<UInt8>, depth: Int) -> Bool {
        Validator.isCanonical(cell, nestingLimit: depth)
    }
}
