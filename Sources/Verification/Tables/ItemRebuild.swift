internal import Bytes
internal import Codes
internal import Format

/// Writes the line of an item from the cells of its row: canonical where the cells are, and built without the
/// writing side.
struct ItemRebuild: ~Copyable {
    /// One step: a member, the beginning of an object, or its end.
    private struct Step {
        enum Code: UInt8 { case member, begin, end, constant }

        let code: Code
        var column = 0
        /// The name with quotes and colon, in `names`; of a constant also its value.
        var name = 0..<0
        /// Of an object: columns that make it be there.
        var columns: UInt128 = 0
        /// Of an object: the step behind its end.
        var next = 0
        /// Of a side of a change: the change that it is absent in.
        var absentIn: UInt8?
    }

    private var steps: [Step] = []
    private var names: [UInt8] = []
    private var kinds: [TableColumn.ValueType] = []
    private var changeColumn: Int?
    private var hashColumn = 0

    /// For no columns.
    init() {}

    /// For the columns of a kind.
    init(_ columns: TableColumns, _ kind: ItemKind) {
        kinds = columns.columns.map(\.type)
        hashColumn = columns.columns.count - 1
        changeColumn = kind == .change ? columns.columns.firstIndex { $0.name == "change" } : nil
        let members = columns.columns.enumerated().dropLast().map {
            (path: $1.name.split(separator: ".").map(String.init), column: $0)
        }
        addMembers(members, depth: 0, kind)
    }

    /// Steps for members below one path, in the order of their names. All names are ASCII.
    private mutating func addMembers(_ members: [(path: [String], column: Int)], depth: Int, _ kind: ItemKind) {
        var groups: [String: [(path: [String], column: Int)]] = [:]
        for member in members { groups[member.path[depth], default: []].append(member) }
        if depth == 0 { groups["item_kind"] = [] }
        for name in groups.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            let group = groups[name] ?? []
            if group.isEmpty {
                steps.append(Step(code: .constant, name: add("\"item_kind\":\"\(kind.rawValue)\"")))
            } else if group.count == 1, group[0].path.count == depth + 1 {
                steps.append(Step(code: .member, column: group[0].column, name: add("\"\(name)\":")))
            } else {
                addObject(group, name, depth: depth, kind)
            }
        }
    }

    private mutating func addObject(
        _ group: [(path: [String], column: Int)], _ name: String, depth: Int, _ kind: ItemKind
    ) {
        let begin = steps.count
        var step = Step(
            code: .begin, name: add("\"\(name)\":{"), columns: group.reduce(0) { $0 | 1 << UInt128($1.column) })
        // By their first letters: `before` is absent in `appeared`, `after` in `disappeared`.
        if kind == .change, depth == 0, name != "pair" {
            step.absentIn = name == "before" ? UInt8(ascii: "a") : UInt8(ascii: "d")
        }
        steps.append(step)
        addMembers(group.filter { $0.path.count > depth + 1 }, depth: depth + 1, kind)
        steps.append(Step(code: .end))
        steps[begin].next = steps.count
    }

    private mutating func add(_ name: String) -> Range<Int> {
        let start = names.count
        names += Array(name.utf8)
        return start..<names.count
    }

    /// Writes a line without its LF.
    func write(_ row: borrowing RowReader, _ cells: borrowing CellReader, _ text: Span<UInt8>, to line: inout [UInt8]) {
        line.removeAll(keepingCapacity: true)
        line.append(contentsOf: "{\"item\":{".utf8)
        var index = 0
        while index < steps.count {
            let step = steps[index]
            index &+= 1
            switch step.code {
            case .member:
                guard cells.present & 1 << UInt128(step.column) != 0 else { continue }
                begin(step, &line)
                append(step.column, row, cells, text, &line)
            case .begin:
                if cells.present & step.columns != 0 || step.absentIn.map({ isThere($0, row, text) }) ?? false {
                    begin(step, &line)
                } else {
                    index = step.next
                }
            case .end: line.append(UInt8(ascii: "}"))
            case .constant: begin(step, &line)
            }
        }
        line.append(UInt8(ascii: "}"))
        if cells.present & 1 << UInt128(hashColumn) != 0 {
            line.append(contentsOf: ",\"item_hash\":".utf8)
            append(hashColumn, row, cells, text, &line)
        }
        line.append(UInt8(ascii: "}"))
    }

    /// Appends a comma if one is due, and the name.
    private func begin(_ step: Step, _ line: inout [UInt8]) {
        if line[line.count &- 1] != UInt8(ascii: "{") { line.append(UInt8(ascii: ",")) }
        line.append(copying: names.span.extracting(step.name))
    }

    /// Returns `true` if a change has the side that is absent in the change with this first letter.
    private func isThere(_ absent: UInt8, _ row: borrowing RowReader, _ text: Span<UInt8>) -> Bool {
        guard let changeColumn else { return false }
        guard !row.cells[changeColumn].isUnquoted else { return false }
        let cell = text.extracting(row.cells[changeColumn].range)
        for change in Forms.changes where cell.isText(change.name) {
            return Forms.recordChange.isSuperset(of: change.form) && change.name.utf8.first != absent
        }
        return false
    }

    private func append(
        _ column: Int, _ row: borrowing RowReader, _ cells: borrowing CellReader, _ text: Span<UInt8>,
        _ line: inout [UInt8]
    ) {
        let cell = row.cells[column]
        if cell.isUnquoted {
            append(row.unquoted.span.extracting(cell.range), column, cells, &line)
        } else {
            append(text.extracting(cell.range), column, cells, &line)
        }
    }

    private func append(_ value: Span<UInt8>, _ column: Int, _ cells: borrowing CellReader, _ line: inout [UInt8]) {
        let kind = kinds[column], bit: UInt128 = 1 << UInt128(column)
        if kind == .text || kind == .hash || kind == .timestamp || cells.texts & bit != 0 {
            line.appendJSONString(value.extracting(droppingFirst: cells.prefixed & bit != 0 ? 1 : 0))
        } else if kind != .emptyObject {
            line.append(copying: value)
        }
    }
}

extension [UInt8] {
    /// Appends bytes as a JSON string with the escapes of canonical JSON. Bytes that are not UTF-8 are taken over.
    mutating func appendJSONString(_ text: Span<UInt8>) {
        append(UInt8(ascii: "\""))
        var start = 0
        for index in text.indices {
            let byte = text[index]
            guard byte < UInt8(ascii: " ") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            append(copying: text.extracting(start..<index))
            start = index &+ 1
            appendEscape(byte)
        }
        append(copying: text.extracting(start..<text.count))
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        case 0x08: append(UInt8(ascii: "b"))
        case UInt8(ascii: "\t"): append(UInt8(ascii: "t"))
        case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
        default:
            append(contentsOf: "u00".utf8)
            append(byte >> 4 == 1 ? UInt8(ascii: "1") : UInt8(ascii: "0"))
            append(Hexadecimal.digit(byte & 15))
        }
    }
}
