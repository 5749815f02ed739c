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

    /// Opens a feed. Nothing of it is read yet.
    ///
    /// - Parameters:
    ///   - path: a regular file, or `-` for standard input.
    ///   - rules: those of the archive.
    ///   - keepsNames: whether names of sources and devices are kept for labels.
    ///   - shouldStop: asked while standard input gives nothing. Then an observation has no further step; outside of
    ///     one, the next step is an error.
    /// - Throws: `CaptureError` with the code `source` where there is no such file, or it is not a regular one.
    public static func open(
        _ path: Path, secret: ArchiveSecret, rules: CaptureRules = CaptureRules(), keepsNames: Bool = false,
        shouldStop: @escaping @Sendable () -> Bool = { false }
    ) throws(CaptureError) -> FeedReader {
        try open(
            path, secret: secret, rules: rules, keepsNames: keepsNames, chunkSize: FeedLines.chunkSize,
            shouldStop: shouldStop)
    }

    /// The same with another size of what is read at once, for tests of what lies across a border.
    static func open(
        _ path: Path, secret: ArchiveSecret, rules: CaptureRules = CaptureRules(), keepsNames: Bool = false,
        chunkSize: Int,
        shouldStop: @escaping @Sendable () -> Bool = { false }
    ) throws(CaptureError) -> FeedReader {
        let status: FileStatus?
        func interpreter() -> FeedInterpreter { FeedInterpreter(secret, rules, keepsNames: keepsNames) }
        do throws(FileError) {
            if path == Path("-") {
                let input = try Descriptor.standardInput()
                let lines = FeedLines(input, chunkSize: chunkSize, shouldStop: shouldStop)
                return FeedReader("standard input", lines, interpreter())
            }
            let file = try Descriptor.reading(path)
            status = try file.status()
            if let status, status.isRegular {
                return FeedReader(path.display, FeedLines(file, chunkSize: chunkSize), interpreter())
            }
        } catch {
            throw CaptureError(.source, error.description)
        }
        throw CaptureError(
            .source, "\(path.display): \(status?.kind ?? "nothing"), not a regular file", hint: "- reads standard input"
        )
    }

    /// The next step; nil at the end of the feed. Where an observation has not ended by then, the feed was cut off
    /// in it, and the lines of a page that has not ended are dropped.
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
        if !interpreter.hasBegun { throw located(FeedFault(.kind, "the first line is not a feed line")) }
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
            switch error {
            case .stopped:
                guard interpreter.isInObservation else { throw CaptureError(.source, "\(name): stopped") }
                isAtEnd = true
                return false
            case .tooLong: throw located(FeedFault("longer than \(FeedLines.limit >> 20) MiB"))
            case .file(let error): throw CaptureError(.source, error.description)
            }
        }
    }

    private func located(_ fault: FeedFault) -> CaptureError {
        CaptureError(.format, "\(name): \(fault.description(line: lines.number))")
    }
}
