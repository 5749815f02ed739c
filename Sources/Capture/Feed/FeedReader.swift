internal import Bytes
public import Files

/// Reads a capture feed (`Spec/capture-feed.md`): JSON Lines from a health store's client, as steps of a capture.
///
///     FeedReader ──► FeedLines         bytes to lines
///                ──► FeedInterpreter   lines to steps
///                      ──► FeedLine    one line to the places of its values
///                      ──► FeedOrder   what may come after what
///                      ──► FeedContent samples to a page
///
/// Whatever the feed's size, memory holds one page. A feed that breaks the format throws `CaptureError` with the
/// code `format`, its text names the line and the member and nothing else of the line; every call after that throws
/// the same.
public actor FeedReader: StepSource {
    private let name: String
    private var lines: FeedLines
    private var interpreter: FeedInterpreter
    private var isAtEnd = false
    private var failure: CaptureError?

    /// Names of sources and devices, where they are kept.
    public var keptNames: KeptNames? { interpreter.keptNames }

    private init(_ name: String, _ lines: consuming FeedLines, _ interpreter: consuming FeedInterpreter) {
        self.name = name
        self.lines = lines
        self.interpreter = interpreter
    }

    /// Reads a feed that was opened.
    ///
    /// - Parameters:
    ///   - rules: those of the archive.
    ///   - keepsNames: whether names of sources and devices are kept for labels.
    public init(
        _ feed: consuming sending OpenFeed, secret: ArchiveSecret, rules: CaptureRules = CaptureRules(),
        keepsNames: Bool = false
    ) {
        let name = feed.name
        self.init(name, feed.lines(), FeedInterpreter(secret, rules, keepsNames: keepsNames))
    }

    /// Opens a feed, of which nothing is read yet.
    public static func open(
        _ path: Path, secret: ArchiveSecret, chunkSize: Int? = nil
    ) throws(CaptureError) -> FeedReader {
        FeedReader(try OpenFeed(path, chunkSize: chunkSize ?? FeedLines.chunkSize), secret: secret)
    }

    /// Returns the next step; `nil` at the end of the feed. If an observation has not ended by then, the feed was cut
    /// off in it, and the lines of a page that has not ended are dropped.
    public func next() throws(CaptureError) -> CaptureStep? {
        if let failure { throw failure }
        do throws(CaptureError) {
            return try step()
        } catch {
            failure = error
            throw error
        }
    }

    private func step() throws(CaptureError) -> CaptureStep? {
        while try advance() {
            do throws(FeedFault) {
                if let step = try interpreter.interpret(lines.line, number: lines.number) { return step }
            } catch {
                throw located(error)
            }
        }
        if !interpreter.hasBegun { throw located(OpenFeed.noBeginning) }
        // Where no observation is open, nothing else would tell that something is missing.
        if lines.hasTail, !interpreter.isInObservation { throw located(FeedFault("the line has no end")) }
        return nil
    }

    private func advance() throws(CaptureError) -> Bool {
        if isAtEnd { return false }
        do throws(FeedLinesError) {
            isAtEnd = try !lines.advance()
            return !isAtEnd
        } catch {
            guard case .stopped = error, interpreter.isInObservation else {
                throw error.captureError(name, line: lines.number)
            }
            isAtEnd = true
            return false
        }
    }

    private func located(_ fault: FeedFault) -> CaptureError {
        CaptureError(.format, "\(name): \(fault.description(line: lines.number))")
    }
}

/// A feed that was opened, before there is an archive for it.
public struct OpenFeed: ~Copyable {
    /// The name of the feed in errors.
    let name: String
    private var content: FeedLines

    /// Opens a feed.
    ///
    /// - Parameters:
    ///   - path: a regular file, or `-` for standard input.
    ///   - position: told how much was read.
    ///   - shouldStop: asked while standard input gives nothing. Then an observation has no further step; outside of
    ///     one, the next step is an error.
    /// - Throws: `CaptureError` with the code `source` if there is no such file, or it is not a regular one.
    public init(
        _ path: Path, position: SourcePosition? = nil, shouldStop: @escaping @Sendable () -> Bool = { false }
    ) throws(CaptureError) {
        try self.init(path, chunkSize: FeedLines.chunkSize, position: position, shouldStop: shouldStop)
    }

    /// Opens a feed with another size of what is read at once, for tests of what lies across a border.
    init(
        _ path: Path, chunkSize: Int, position: SourcePosition? = nil,
        shouldStop: @escaping @Sendable () -> Bool = { false }
    ) throws(CaptureError) {
        let status: FileStatus
        do throws(FileError) {
            if path == Path("-") {
                let input = try Descriptor.standardInput()
                name = "standard input"
                content = FeedLines(input, chunkSize: chunkSize, shouldStop: shouldStop)
                return
            }
            let file = try Descriptor.reading(path)
            status = try file.status()
            if status.isRegular {
                name = path.display
                position?.begin(Int(status.size))
                content = FeedLines(file, chunkSize: chunkSize, position: position)
                return
            }
        } catch {
            throw CaptureError(.source, error.description)
        }
        throw CaptureError(
            .source, "\(path.display): \(status.kind), not a regular file", hint: "- reads standard input")
    }

    /// A feed that another module writes piece by piece.
    ///
    /// - Parameters:
    ///   - name: its name in errors.
    ///   - next: the next bytes, cut anywhere; `nil` at the end, or if it was asked to stop.
    public init(named name: String, next: @escaping () throws -> [UInt8]?) {
        self.name = name
        content = FeedLines(next)
    }

    /// Throws if the first line is not that of a feed; the line is read again later.
    public mutating func checkBeginning(secret: ArchiveSecret) throws(CaptureError) {
        let hasLine: Bool
        do throws(FeedLinesError) { hasLine = try content.peek() } catch {
            throw error.captureError(name, line: content.number)
        }
        guard hasLine else { throw fault(Self.noBeginning) }
        var interpreter = FeedInterpreter(secret, CaptureRules(), keepsNames: false)
        do throws(FeedFault) { _ = try interpreter.interpret(content.line, number: content.number) } catch {
            throw fault(error)
        }
    }

    /// Returns the lines, the first of which may have been read.
    consuming func lines() -> FeedLines { content }

    private func fault(_ fault: FeedFault) -> CaptureError {
        CaptureError(.format, "\(name): \(fault.description(line: content.number))")
    }

    /// The fault of a text that has no first line.
    static var noBeginning: FeedFault { FeedFault(.kind, "the first line is not a feed line") }
}

/// The lines of a feed, each with its LF, from a buffer that is used again and again.
///
///     chunk:  … end of a line \n whole line \n whole line \n beginning of a
///     carry:  beginning of a   + end of a line \n from the next chunk
///
/// A line that lies within a chunk is not copied.
struct FeedLines: ~Copyable {
    private enum Input: ~Copyable {
        case file(Descriptor)
        case pieces(() throws -> [UInt8]?)
    }

    /// A line's bytes without its LF, at most.
    static let limit = 16 << 20
    /// The number of bytes that are read at once.
    static let chunkSize = 256 << 10

    private let input: Input
    /// Number of the current line, from 1.
    private(set) var number = 0
    private var chunk: [UInt8]
    private var filled = 0
    /// Offset of the first byte in the chunk after the current line.
    private var at = 0
    private var range = 0..<0
    private var carry: [UInt8] = []
    private var isCarried = false
    /// `true` if the current line is also the next.
    private var isPeeked = false
    /// Asked while a pipe gives nothing; nil where the file is none.
    private let shouldStop: (@Sendable () -> Bool)?
    /// Told how much was read.
    private let position: SourcePosition?

    init(
        _ file: consuming Descriptor, chunkSize: Int, position: SourcePosition? = nil,
        shouldStop: (@Sendable () -> Bool)? = nil
    ) {
        input = .file(file)
        self.position = position
        self.shouldStop = shouldStop
        chunk = [UInt8](repeating: 0, count: chunkSize)
    }

    init(_ next: @escaping () throws -> [UInt8]?) {
        input = .pieces(next)
        position = nil
        shouldStop = nil
        chunk = []
    }

    /// The current line with its LF.
    var line: Span<UInt8> {
        @_lifetime(borrow self)
        get { isCarried ? carry.span : chunk.span.extracting(range) }
    }

    /// Reads the first line, which the next `advance` gives again; `false` if there is none.
    mutating func peek() throws(FeedLinesError) -> Bool {
        let hasLine = try advance()
        isPeeked = hasLine
        return hasLine
    }

    /// Steps to the next line; false at the end. What stands after the last LF is no line.
    mutating func advance() throws(FeedLinesError) -> Bool {
        guard !isPeeked else {
            isPeeked = false
            return true
        }
        carry.removeAll(keepingCapacity: true)
        isCarried = false
        number += 1
        while true {
            if let end = Self.lineEnd(chunk.span, at, filled) {
                range = at..<end + 1
                at = end + 1
                if !carry.isEmpty {
                    Self.append(range, of: chunk, to: &carry)
                    isCarried = true
                }
                if (isCarried ? carry.count : range.count) > Self.limit + 1 { throw .tooLong }
                return true
            }
            Self.append(at..<filled, of: chunk, to: &carry)
            if carry.count > Self.limit { throw .tooLong }
            try fill()
            at = 0
            if filled == 0 { return false }
        }
    }

    /// Reads the next chunk; an empty one is the end.
    private mutating func fill() throws(FeedLinesError) {
        switch input {
        case .file(let file):
            var hasInput = true
            do throws(FileError) {
                if let shouldStop { hasInput = try file.waitForInput(shouldStop) }
                if hasInput { filled = try file.read(into: &chunk) }
                position?.add(hasInput ? filled : 0)
            } catch {
                throw .file(error)
            }
            guard hasInput else { throw .stopped }
        case .pieces(let next):
            do { chunk = try next() ?? [] } catch { throw .source(error) }
            filled = chunk.count
        }
    }

    /// `true` if bytes are left after the last LF, once `advance` has returned `false`.
    var hasTail: Bool { !carry.isEmpty }

    private static func append(_ range: Range<Int>, of chunk: [UInt8], to carry: inout [UInt8]) {
        carry.append(copying: chunk.span.extracting(range))
    }

    /// Returns the offset of the first LF from `start` on, eight bytes at a time.
    private static func lineEnd(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
        var at = start
        while end &- at >= 8 {
            let feeds = bytes.word(at: at).marks(of: UInt8(ascii: "\n"))
            if feeds != 0 { return at &+ feeds.trailingZeroBitCount >> 3 }
            at &+= 8
        }
        while at < end {
            if bytes[at] == UInt8(ascii: "\n") { return at }
            at &+= 1
        }
        return nil
    }
}

/// Why there is no next line.
enum FeedLinesError: Error {
    case tooLong
    /// It was to stop.
    case stopped
    case file(FileError)
    /// The writer of the feed failed.
    case source(any Error)

    /// Returns the error for whoever reads the feed of this name.
    func captureError(_ name: String, line: Int) -> CaptureError {
        switch self {
        case .stopped: CaptureError(.source, "\(name): stopped")
        case .tooLong:
            CaptureError(.format, "\(name): line \(line): longer than \(FeedLines.limit >> 20) MiB")
        case .file(let error): CaptureError(.source, error.description)
        case .source(let error as any HintedError): CaptureError(.source, error.description, hint: error.hint)
        case .source(let error): CaptureError(.source, "\(error)")
        }
    }
}
