internal import Codes
internal import Format

/// Reads the rows of a table, turns each back into its line and has that checked.
struct RowVerifier: ~Copyable {
    private var kind: ItemKind?
    private var row = RowReader()
    private var cells = CellReader()
    private var rebuild = ItemRebuild()
    private var line: [UInt8] = []

    /// Checks rows; returns how many there were.
    mutating func verify(_ text: Span<UInt8>, of kind: ItemKind, limit: Int, _ lines: inout LineVerifier) -> Int {
        if self.kind != kind {
            guard let columns = TableColumns(kind) else { preconditionFailure("items without a table have no rows") }
            self.kind = kind
            cells = CellReader(columns)
            rebuild = ItemRebuild(columns, kind)
        }
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
        guard row.isRight, row.cells.count == cells.count else {
            return lines.addDamagedRow(
                Finding(.lineCells, line: number, expected: row.isRight ? "\(cells.count) cells" : nil),
                at: number)
        }
        if let wrong = cells.read(row, text) {
            return lines.addDamagedRow(Finding(.lineCell, line: number, pointer: cells.pointer(wrong)), at: number)
        }
        rebuild.write(row, cells, text, to: &line)
        if line.count > limit { return lines.addTooLong(at: number, limit: limit) }
        lines.add(line.span, at: number)
    }
}
