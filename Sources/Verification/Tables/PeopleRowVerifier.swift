internal import CanonicalJSON
internal import Codes
internal import Format
internal import Manifest
internal import Timestamps

/// Reads the rows of a view for people: whether each cell is spelled right, and the item hashes.
struct PeopleRowVerifier: ~Copyable {
    private let columns: PeopleColumns
    private var row: RowReader
    private var scratch: [UInt8] = []

    init(_ columns: PeopleColumns) {
        self.columns = columns
        row = RowReader(delimiter: columns.dialect.delimiter)
    }

    /// Checks rows; returns how many there were.
    mutating func verify(_ text: Span<UInt8>, limit: Int, _ lines: inout LineVerifier) -> Int {
        var start = 0, number = 0
        while start < text.count, !lines.isOver {
            row.read(text, from: start)
            verify(text, start, number, limit, &lines)
            start = row.end
            number += 1
        }
        return number
    }

    private mutating func verify(
        _ text: Span<UInt8>, _ start: Int, _ number: Int, _ limit: Int, _ lines: inout LineVerifier
    ) {
        if row.contentEnd - start > limit { return lines.addTooLong(at: number, limit: limit) }
        guard row.isTerminated else {
            return lines.addDamagedRow(Finding(.lineUnterminated, line: number), at: number)
        }
        guard row.isRight, row.cells.count == columns.columns.count else {
            return lines.addDamagedRow(Finding(.lineCells, line: number), at: number)
        }
        for (index, column) in columns.columns.enumerated() {
            take(row.cells[index], text)
            guard isRight(column.kind) else {
                return lines.addDamagedRow(
                    Finding(.lineCell, line: number, pointer: "/" + column.name), at: number)
            }
        }
        // The last one is the hash.
        lines.add(hash: scratch.span)
    }

    private mutating func take(_ cell: RowReader.Cell, _ text: Span<UInt8>) {
        scratch.removeAll(keepingCapacity: true)
        if cell.isUnquoted {
            for index in cell.range { scratch.append(row.unquoted[index]) }
        } else {
            for index in cell.range { scratch.append(text[index]) }
        }
    }

    /// Whether the cell in `scratch` is spelled as its column says.
    private mutating func isRight(_ kind: PeopleColumns.Kind) -> Bool {
        if kind == .hash { return Digest(hex: scratch.span) != nil }
        guard !scratch.isEmpty else { return true }
        switch kind {
        case .number: return isNumber()
        case .date: return isDate()
        case .text, .hash: return isText()
        }
    }

    /// Whether a `'` is before the text where it must be and nowhere else, and no later part of it is a formula.
    private func isText() -> Bool {
        let isMarked = scratch[0] == UInt8(ascii: "'")
        let text = scratch[(isMarked ? 1 : 0)...]
        guard !text.isEmpty else { return false }
        let needsMark = CellReader.needsPrefix(scratch.span.extracting(text.startIndex...)) || Self.isFormula(text)
        guard isMarked == needsMark else { return false }
        for at in text.indices.dropLast() where Self.ends.contains(scratch[at]) {
            if Self.isFormula(scratch[(at + 1)...]) { return false }
        }
        return true
    }

    /// What may end a cell or a row, for one program or another.
    private static let ends = Array(",;|\t\r\n".utf8)

    /// Whether what follows quotes and blanks is how a formula begins.
    private static func isFormula(_ part: ArraySlice<UInt8>) -> Bool {
        let text = part.drop { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: " ") }.prefix(3)
        return ["=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}"].contains {
            text.starts(with: $0.utf8)
        }
    }

    private mutating func isNumber() -> Bool {
        if columns.dialect == .excel {
            guard !scratch.contains(UInt8(ascii: ".")) else { return false }
            for index in scratch.indices where scratch[index] == UInt8(ascii: ",") {
                scratch[index] = UInt8(ascii: ".")
            }
        }
        var json = Reader(.canonical)
        guard case .number(let range)? = try? json.next(in: scratch.span) else { return false }
        return range.count == scratch.count
    }

    /// Whether it is a date and a time of day that exist.
    private mutating func isDate() -> Bool {
        guard scratch.count == 19, scratch[10] == UInt8(ascii: " ") else { return false }
        scratch[10] = UInt8(ascii: "T")
        return TimestampReader.moment(in: (scratch + Array(".000Z".utf8)).span) != nil
    }
}
