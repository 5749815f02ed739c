internal import CanonicalJSON
internal import Codes
internal import Format
internal import Manifest
import Synchronization
internal import Timestamps

/// The content of one piece.
struct VerifiedPiece: Sendable {
    let piece: Piece
    /// Bytes of its text; nil where it is lost.
    var textSize: Int?
    /// Findings of the container.
    var findings: [Finding] = []
    var events: [LineEvent] = []
    /// Lines that are complete.
    var lineCount = 0
    /// Lines that are no undamaged items.
    var otherCount = 0
    /// The beginning of a line that the piece does not end.
    var openLine = OpenLine()

    /// Takes the lines that a text was cut into.
    fileprivate mutating func note(_ cutter: LineCutter) {
        lineCount = cutter.lineCount
        openLine = OpenLine(cutter.openLine, isTooLong: cutter.isTooLong)
    }
}

/// The facts of the lines before a piece that matter to the lines in it.
struct LinesBefore: Sendable {
    /// The export's header, if it came already and is not damaged.
    let header: HeaderFacts?
    /// `true` if a header came already, so that one in this piece is not the export's.
    let hasSeenHeader: Bool
    /// The number of lines that may still be something else than undamaged items. It can be too large: the pieces
    /// before this one may not all have been looked at.
    let otherLimit: Int
}

/// Decodes and checks pieces of an export. One verifier works on one piece at a time; several work side by side.
final class FrameVerifier: Sendable {
    private let bench: Mutex<Bench>

    init(limits: ContainerLimits, _ wants: ItemWants) {
        bench = Mutex(Bench(limits: limits, wants))
    }

    /// Checks a piece that begins with a line.
    func verify(_ piece: Piece, after before: LinesBefore) -> VerifiedPiece {
        var none = OpenLine()
        return verify(piece, goingOnWith: &none, after: before)
    }

    /// Checks a piece.
    ///
    /// - Parameters:
    ///   - openLine: what the frame before left of a line; it is taken.
    ///   - before: what is known of the lines before.
    func verify(_ piece: Piece, goingOnWith openLine: inout OpenLine, after before: LinesBefore) -> VerifiedPiece {
        bench.withLock { $0.verify(piece, goingOnWith: &openLine, after: before) }
    }
}

/// The state that a verifier keeps from piece to piece.
private struct Bench: ~Copyable {
    private var decoder: FrameDecompressor
    private var lines: LineVerifier
    private var rows = RowVerifier()
    private var peopleRows: PeopleRowVerifier?
    private let limits: ContainerLimits

    init(limits: ContainerLimits, _ wants: ItemWants) {
        decoder = FrameDecompressor(limit: limits.frame)
        lines = LineVerifier(wants)
        self.limits = limits
    }

    mutating func verify(
        _ piece: Piece, goingOnWith openLine: inout OpenLine, after before: LinesBefore
    ) -> VerifiedPiece {
        var result = VerifiedPiece(piece: piece)
        lines.start(header: before.header, mayBeHeader: !before.hasSeenHeader, otherLimit: before.otherLimit)
        switch piece {
        case .frame(let frame):
            guard let size = decode(frame, &result) else { return result }
            var cutter = LineCutter(limit: limits.line, goingOnWith: &openLine)
            cutter.cut(decoder, size, into: &lines)
            result.note(cutter)
        case .lines(let text):
            result.textSize = text.count
            var cutter = LineCutter(limit: limits.line, goingOnWith: &openLine)
            cutter.cut(text.span, into: &lines)
            result.note(cutter)
        case .rows(let text, let kind):
            result.textSize = text.count
            result.lineCount = rows.verify(text.span, of: kind, limit: limits.line, &lines)
        case .peopleRows(let text, let columns):
            result.textSize = text.count
            if peopleRows == nil { peopleRows = PeopleRowVerifier(columns) }
            result.lineCount = peopleRows!.verify(text.span, limit: limits.line, &lines)
        case .tooLong:
            result.textSize = 0
            result.lineCount = 1
            lines.addTooLong(at: 0, limit: limits.line)
        }
        result.events = lines.finish()
        result.otherCount = lines.otherCount
        return result
    }

    /// Decodes a frame; nil where it is lost.
    private mutating func decode(_ frame: RawFrame, _ result: inout VerifiedPiece) -> Int? {
        let size: Int
        switch decoder.decode(frame) {
        case .lost(let code):
            result.findings.append(Finding(Code(code), frame: frame.number, byte: frame.offset))
            return nil
        case .textOfOtherSize(let count):
            size = count
            result.findings.append(
                Finding(
                    .containerContentSize, frame: frame.number, byte: frame.offset,
                    expected: frame.header.contentSize.map(String.init), found: String(count)))
        case .text(let count): size = count
        }
        if size == 0 {
            result.findings.append(Finding(.containerFrameEmpty, frame: frame.number, byte: frame.offset))
        }
        result.textSize = size
        return size
    }
}

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

/// Reads the rows of a view for people: whether each cell is spelled right, and the item hashes.
struct PeopleRowVerifier: ~Copyable {
    private let columns: PeopleColumns
    private var row: RowReader
    private var scratch: [UInt8] = []
    /// The number of the row's item.
    private var place: Int64 = 0

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
        lines.add(hash: scratch.span, place: place)
    }

    private mutating func take(_ cell: RowReader.Cell, _ text: Span<UInt8>) {
        scratch.removeAll(keepingCapacity: true)
        if cell.isUnquoted {
            for index in cell.range { scratch.append(row.unquoted[index]) }
        } else {
            for index in cell.range { scratch.append(text[index]) }
        }
    }

    /// Returns `true` if the cell in `scratch` is spelled as its column requires.
    private mutating func isRight(_ kind: PeopleColumns.Kind) -> Bool {
        if kind == .hash { return Digest(hex: scratch.span) != nil }
        if kind == .place { return isPlace() }
        guard !scratch.isEmpty else { return true }
        switch kind {
        case .number: return isNumber()
        case .date: return isDate()
        case .text, .place, .hash: return isText()
        }
    }

    /// Returns `true` if it is the number of an item, which is noted.
    private mutating func isPlace() -> Bool {
        guard (1...16).contains(scratch.count), scratch[0] != UInt8(ascii: "0"),
            scratch.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return false }
        place = scratch.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        return place < 1 << 53
    }

    /// Returns `true` if a `'` is before the text where it must be and nowhere else, and no later part of it is a
    /// formula.
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

    /// The bytes that may end a cell or a row, for one program or another.
    private static let ends = Array(",;|\t\r\n".utf8)

    /// Returns `true` if the text after quotes and blanks begins like a formula.
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

    /// Returns `true` if it is a date and a time of day that exist.
    private mutating func isDate() -> Bool {
        guard scratch.count == 19, scratch[10] == UInt8(ascii: " ") else { return false }
        scratch[10] = UInt8(ascii: "T")
        return TimestampReader.moment(in: (scratch + Array(".000Z".utf8)).span) != nil
    }
}
