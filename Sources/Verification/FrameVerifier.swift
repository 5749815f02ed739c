internal import CanonicalJSON
internal import Codes
internal import Format
internal import Manifest
import Synchronization

/// What one piece turned out to hold.
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

/// What the lines before a piece say about those in it.
struct LinesBefore: Sendable {
    /// The export's header, if it came already and is not damaged.
    let header: HeaderFacts?
    /// Whether a header came already, so that one in this piece is not the export's.
    let hasSeenHeader: Bool
    /// How many lines may still be something else than undamaged items, or more than that: the pieces before this one
    /// may not all have been looked at.
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

/// What a verifier keeps from piece to piece.
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
