/// Cuts a file into pieces of about a MiB that end at the end of a line or of a row of a table.
struct TextCutter {
    enum Cut {
        case text([UInt8])
        /// A line or row beyond the limit.
        case tooLong
    }

    private let source: FileSource
    private var offset: Int64
    private let limit: Int
    private var rows: RowEnds?
    /// The beginning of a line or row that has not ended.
    private var rest: [UInt8] = []
    /// The bytes that were read and not looked at.
    private var ahead: [UInt8] = []
    private var isPassing = false
    /// Rows that ended so far, and one that the file did not end.
    private(set) var rowCount: Int64 = 0

    /// A cutter of lines, or of rows.
    ///
    /// - Parameters:
    ///   - limit: the longest line; of a line or row beyond it and its line end nothing is kept.
    ///   - delimiter: what stands between the cells of a table; nil where there are lines.
    init(_ source: FileSource, from offset: Int64 = 0, limit: Int, rows delimiter: UInt8? = nil) {
        self.source = source
        self.offset = offset
        self.limit = limit
        rows = delimiter.map { RowEnds(delimiter: $0) }
    }

    /// Returns the next cut; `nil` at the end. `take` is given all bytes in order.
    mutating func next(_ take: (Span<UInt8>) -> Void) throws -> Cut? {
        while true {
            var piece = ahead
            ahead = []
            if piece.isEmpty {
                piece = try source.read(at: offset, count: source.pieceSize)
                if piece.isEmpty { return end() }
                offset += Int64(piece.count)
                take(piece.span)
            }
            let end = end(in: piece.span, isFirst: isPassing)
            if isPassing {
                guard let end else { continue }
                isPassing = false
                ahead = Array(piece[end...])
                return .tooLong
            }
            if let end {
                let text = rest.isEmpty && end == piece.count ? piece : rest + piece[..<end]
                rest = Array(piece[end...])
                return .text(text)
            }
            rest += piece
            // CR LF may follow.
            if rest.count > limit + 2 {
                rest = []
                isPassing = true
            }
        }
    }

    /// Returns the end of the file.
    private mutating func end() -> Cut? {
        guard isPassing || !rest.isEmpty else { return nil }
        rowCount += 1
        defer {
            rest = []
            isPassing = false
        }
        return isPassing ? .tooLong : .text(rest)
    }

    /// Returns the index behind the last line end, or the first one.
    private mutating func end(in text: Span<UInt8>, isFirst: Bool) -> Int? {
        if rows != nil {
            let (end, count) = rows!.end(in: text, isFirst: isFirst)
            rowCount += count
            return end
        }
        if isFirst { return text.firstLineEnd(from: 0).map { $0 + 1 } }
        var index = text.count
        while index > 0, text[index - 1] != UInt8(ascii: "\n") { index -= 1 }
        return index > 0 ? index : nil
    }
}

/// Finds the ends of rows: a line feed outside of quotes. Quotes open where a cell begins with one, and close at
/// one that no other follows.
struct RowEnds {
    private enum State { case cellStart, plain, quoted, quoteInQuotes }

    private let delimiter: UInt8
    private var state = State.cellStart

    init(delimiter: UInt8) { self.delimiter = delimiter }

    /// Goes on behind what it was given before; the index behind the last row end, or behind the first one, and how
    /// many there were.
    mutating func end(in text: Span<UInt8>, isFirst: Bool) -> (end: Int?, count: Int64) {
        var found: Int?
        var count: Int64 = 0
        var index = 0
        var state = state
        while index < text.count {
            let byte = text[index]
            index &+= 1
            switch state {
            case .quoted:
                if byte == UInt8(ascii: "\"") { state = .quoteInQuotes }
                continue
            case .plain:
                if byte > UInt8(ascii: ","), byte != delimiter { continue }
            case .cellStart:
                if byte == UInt8(ascii: "\"") {
                    state = .quoted
                    continue
                }
            case .quoteInQuotes:
                if byte == UInt8(ascii: "\"") {
                    state = .quoted
                    continue
                }
            }
            if byte == delimiter {
                state = .cellStart
            } else if byte == UInt8(ascii: "\n") {
                state = .cellStart
                found = index
                count &+= 1
                if isFirst { break }
            } else {
                state = .plain
            }
        }
        self.state = state
        return (found, count)
    }
}
