internal import Bytes

/// Cuts a row into its cells (RFC 4180, and the exact rule for quotes of `Spec/reports.md`, Table).
struct RowReader: ~Copyable {
    /// The place of the contents of a cell: in the text, or unquoted in `unquoted`.
    struct Cell {
        let range: Range<Int>
        let isUnquoted: Bool
    }

    private let delimiter: UInt8
    /// No byte that means something is greater.
    private let highest: UInt8
    private(set) var cells: [Cell] = []
    /// Contents of cells that hold quotes.
    private(set) var unquoted: [UInt8] = []
    /// The first is `true` if quotes and line end are as they must be; the second, if there is a line end.
    private(set) var isRight = true
    private(set) var isTerminated = true
    /// Behind the row, and behind its last cell.
    private(set) var end = 0
    private(set) var contentEnd = 0

    /// - Parameter delimiter: what stands between cells.
    init(delimiter: UInt8 = UInt8(ascii: ",")) {
        self.delimiter = delimiter
        highest = max(delimiter, UInt8(ascii: ","))
    }

    /// Reads the row that begins at `start`.
    mutating func read(_ text: Span<UInt8>, from start: Int) {
        cells.removeAll(keepingCapacity: true)
        unquoted.removeAll(keepingCapacity: true)
        isRight = true
        isTerminated = false
        var index = start
        repeat {
            index =
                index < text.count && text[index] == UInt8(ascii: "\"")
                ? readQuoted(text, index) : readPlain(text, index)
        } while index < text.count && text[index &- 1] == delimiter && !isTerminated
        if !isTerminated {
            // A comma at the end of the text: the cell behind it is empty.
            end = text.count
            contentEnd = text.count
        }
    }

    /// No table has as many columns; a row of nothing but commas needs no more memory.
    private static let cellLimit = 128

    private mutating func add(_ cell: Cell) {
        if cells.count <= Self.cellLimit { cells.append(cell) }
    }

    /// Reads a cell without quotes; returns the index behind its comma or line feed.
    private mutating func readPlain(_ text: Span<UInt8>, _ start: Int) -> Int {
        var index = start
        var isPlain = true, hasReturn = false
        while index < text.count {
            let byte = text[index]
            if byte <= highest {
                if byte == delimiter || byte == UInt8(ascii: "\n") { break }
                if byte == UInt8(ascii: "\"") || hasReturn { isPlain = false }
                if byte == UInt8(ascii: "\r") { hasReturn = true }
            } else if hasReturn {
                isPlain = false
            }
            index &+= 1
        }
        var last = index
        let isRowEnd = index < text.count && text[index] == UInt8(ascii: "\n")
        if isRowEnd {
            if hasReturn, text[index &- 1] == UInt8(ascii: "\r") { last &-= 1 } else { isPlain = false }
        } else if hasReturn {
            isPlain = false
        }
        if last > start, Self.isBlank(text[start]) || Self.isBlank(text[last &- 1]) { isPlain = false }
        if !isPlain { isRight = false }
        add(Cell(range: start..<last, isUnquoted: false))
        return finish(text, index, contentEnd: last)
    }

    /// Reads a cell in quotes; returns the index behind its comma or line feed.
    private mutating func readQuoted(_ text: Span<UInt8>, _ start: Int) -> Int {
        var index = start &+ 1
        var needsQuotes = false
        var first = index
        let unquotedStart = unquoted.count
        var hasQuotes = false
        while index < text.count {
            let byte = text[index]
            index &+= 1
            guard byte <= highest else { continue }
            if byte == UInt8(ascii: "\"") {
                guard index < text.count, text[index] == UInt8(ascii: "\"") else {
                    return endQuoted(text, index, first, start, hasQuotes ? unquotedStart : nil, needsQuotes)
                }
                unquoted.append(copying: text.extracting(first..<index))
                index &+= 1
                first = index
                hasQuotes = true
                needsQuotes = true
            } else if byte == delimiter || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") {
                needsQuotes = true
            }
        }
        return index
    }

    /// Reads the text after the quote that ends a cell; `index` is after that quote.
    private mutating func endQuoted(
        _ text: Span<UInt8>, _ index: Int, _ first: Int, _ start: Int, _ unquotedStart: Int?, _ needsQuotes: Bool
    ) -> Int {
        var index = index
        let last = index &- 1
        if let unquotedStart {
            unquoted.append(copying: text.extracting(first..<last))
            add(Cell(range: unquotedStart..<unquoted.count, isUnquoted: true))
        } else {
            add(Cell(range: first..<last, isUnquoted: false))
        }
        let isEdged = last > start &+ 1 && (Self.isBlank(text[start &+ 1]) || Self.isBlank(text[last &- 1]))
        if !needsQuotes, !isEdged { isRight = false }
        let contentEnd = index
        if index &+ 1 < text.count, text[index] == UInt8(ascii: "\r"), text[index &+ 1] == UInt8(ascii: "\n") {
            return finish(text, index &+ 1, contentEnd: contentEnd)
        }
        if index < text.count, text[index] != delimiter {
            isRight = false
            while index < text.count, text[index] != delimiter, text[index] != UInt8(ascii: "\n") {
                index &+= 1
            }
        }
        return finish(text, index, contentEnd: index)
    }

    /// Finishes a cell at a comma, a line feed or the end of the text.
    private mutating func finish(_ text: Span<UInt8>, _ index: Int, contentEnd: Int) -> Int {
        guard index < text.count else { return index }
        if text[index] == UInt8(ascii: "\n") {
            isTerminated = true
            end = index &+ 1
            self.contentEnd = contentEnd
        }
        return index &+ 1
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
