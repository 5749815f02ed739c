internal import Manifest

/// A piece of an export that can be checked beside others.
enum Piece: Sendable {
    /// A frame of a bundle.
    case frame(RawFrame)
    /// Whole lines, or the end of a file that does not end a line.
    case lines([UInt8])
    /// Whole rows of a table, or the end of one that does not end a row.
    case rows([UInt8], ItemKind)
    /// Whole rows of a view for people, likewise.
    case peopleRows([UInt8], PeopleColumns)
    /// A line or row beyond the limit, whose text is not kept.
    case tooLong

    /// The frame, where it is one.
    var frame: RawFrame? { if case .frame(let frame) = self { frame } else { nil } }
}

/// The next part of an export.
enum Part {
    case piece(Piece)
    /// A frame, or many lines, without text; the frame's number counts from 1.
    case lostFrame(Int)
    /// One line without text.
    case lostLine
    /// Something that is no part of the text.
    case gap
}

/// Cuts a file into pieces, one container each.
protocol PieceReader {
    /// `true` if findings name frames.
    var hasFrames: Bool { get }
    /// `true` if the file is a view of an export, which holds none of its items.
    var isView: Bool { get }
    /// The facts that make the text of a view; `nil` for another file, and as long as it is not known.
    var view: ViewFacts? { get }
    /// `true` if the file is a page, in which more is read than its items.
    var isPage: Bool { get }
    /// `true` if the end of the file could not be read as what it should be.
    var isEndLost: Bool { get }

    /// Returns the next part; `nil` at the end.
    mutating func next(_ report: (Finding) -> Void) throws -> Part?

    /// Goes on after a frame whose end was not certain.
    mutating func resume(after piece: Piece, isLost: Bool) throws

    /// Reports the findings that are known once all pieces are checked.
    mutating func finish(textSizes: [Int?], _ report: (Finding) -> Void) throws
}

extension PieceReader {
    var hasFrames: Bool { false }
    var isView: Bool { false }
    var view: ViewFacts? { nil }
    var isPage: Bool { false }
    var isEndLost: Bool { false }
    mutating func resume(after piece: Piece, isLost: Bool) throws {}
    mutating func finish(textSizes: [Int?], _ report: (Finding) -> Void) throws {}
}

/// Cuts a bundle into frames.
struct FrameReader: PieceReader {
    private var container: ContainerReader<FileSource>

    init(_ container: ContainerReader<FileSource>) { self.container = container }

    var hasFrames: Bool { true }
    var isEndLost: Bool { container.isEndLost }

    mutating func next(_ report: (Finding) -> Void) throws -> Part? {
        switch try container.next(report: { report(Finding($0)) }) {
        case .frame(let frame): .piece(.frame(frame))
        case .lostFrame(let number): .lostFrame(number)
        case .gap: .gap
        case nil: nil
        }
    }

    mutating func resume(after piece: Piece, isLost: Bool) throws {
        if let frame = piece.frame { try container.resume(after: frame, isLost: isLost) }
    }

    mutating func finish(textSizes: [Int?], _ report: (Finding) -> Void) throws {
        try container.compareTable(textSizes: textSizes) { report(Finding($0)) }
    }
}

/// Cuts the plain text of a bundle into pieces at line ends.
struct LinesReader: PieceReader {
    private var cutter: TextCutter

    init(_ source: FileSource, limits: ContainerLimits) { cutter = TextCutter(source, limit: limits.line) }

    mutating func next(_ report: (Finding) -> Void) throws -> Part? {
        switch try cutter.next({ _ in }) {
        case .text(let text): .piece(.lines(text))
        case .tooLong: .piece(.tooLong)
        case nil: nil
        }
    }
}
