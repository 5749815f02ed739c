internal import Bytes

package import Manifest

/// Cuts text into lines and has them checked. A line may begin in the text before.
package struct LineCutter {
    /// Lines that are complete.
    package private(set) var lineCount = 0
    /// The beginning of a line that the text does not end.
    package private(set) var openLine: [UInt8]
    /// `true` if that line is longer than the limit already.
    package private(set) var isTooLong: Bool
    /// The line that began in the text before, once it is complete.
    package private(set) var continuedLine: [UInt8] = []
    private let limit: Int

    /// Starts with what the text before left of a line, and takes it away: a line that many texts go on with is not
    /// copied for each of them.
    package init(limit: Int, goingOnWith line: inout OpenLine) {
        self.limit = limit
        openLine = []
        swap(&openLine, &line.bytes)
        isTooLong = line.isTooLong
    }

    /// Cuts the text of the last frame of a decoder.
    package mutating func cut(_ decoder: borrowing FrameDecompressor, _ size: Int, into lines: inout LineVerifier) {
        cut(decoder.text.extracting(first: size), into: &lines)
    }

    /// Cuts a text.
    mutating func cut(_ text: Span<UInt8>, into lines: inout LineVerifier) {
        var start = 0
        while start < text.count, !lines.isOver {
            if openLine.isEmpty, !isTooLong, text[start] == UInt8(ascii: "\n") {
                let end = text.endOfBlankLines(from: start)
                lines.addBlank(end - start, at: lineCount)
                lineCount += end - start
                start = end
                continue
            }
            let end = text.firstLineEnd(from: start)
            if openLine.count + (end ?? text.count) - start > limit {
                isTooLong = true
                openLine = []
            }
            guard let end else {
                if !isTooLong { openLine.append(copying: text.extracting(start..<text.count)) }
                return
            }
            add(text.extracting(start..<end), to: &lines)
            start = end + 1
        }
    }

    private mutating func add(_ rest: Span<UInt8>, to lines: inout LineVerifier) {
        if isTooLong {
            lines.addTooLong(at: lineCount, limit: limit)
        } else if openLine.isEmpty {
            lines.add(rest, at: lineCount)
        } else {
            openLine.append(copying: rest)
            lines.add(openLine.span, at: lineCount)
            swap(&continuedLine, &openLine)
            openLine = []
        }
        lineCount += 1
        isTooLong = false
    }
}

/// The part of a line that a text left, to be continued in the next.
package struct OpenLine: Sendable {
    /// Its bytes, as long as they are within the limit.
    package var bytes: [UInt8]
    /// `true` if it is longer than the limit already.
    package var isTooLong: Bool

    /// The beginning of a line; of none, where nothing is said.
    package init(_ bytes: consuming [UInt8] = [], isTooLong: Bool = false) {
        self.bytes = bytes
        self.isTooLong = isTooLong
    }

    /// `true` if there is such a line.
    package var isThere: Bool { isTooLong || !bytes.isEmpty }
}

extension Span where Element == UInt8 {
    /// Returns the end of a run of LFs.
    fileprivate func endOfBlankLines(from start: Int) -> Int {
        var end = start
        while end < count, self[end] == UInt8(ascii: "\n") { end += 1 }
        return end
    }
}
