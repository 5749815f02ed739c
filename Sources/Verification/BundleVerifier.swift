internal import Codes
public import Files
internal import Manifest
internal import Pipeline

/// Verifies a bundle or a report from its bytes alone.
///
/// One task cuts the file into pieces and puts results together in order; pieces are decoded and checked beside it.
/// Every layer is looked at; nothing stops at the first finding. The writing side is not used: only constants and
/// hash definitions are shared with it.
public final class BundleVerifier {
    private let options: VerificationOptions
    private let limits: ContainerLimits
    private var report: Report
    private var sequence: LineSequence
    private let progress: @Sendable (Int) -> Void
    private let shouldStop: @Sendable () -> Bool
    private var textSizes: [Int?] = []
    private let sink: (any ItemSink)?
    private let wants: ItemWants
    private var hasBegun = false
    private var view: ViewFacts?

    private static let piecesInFlight = 3

    private init(
        _ options: VerificationOptions, progress: @escaping @Sendable (Int) -> Void,
        shouldStop: @escaping @Sendable () -> Bool, sink: (any ItemSink)?, _ wants: ItemWants
    ) {
        self.wants = wants
        self.options = options
        limits = ContainerLimits(frame: options.frameLimit, line: options.lineLimit)
        report = Report(limit: options.findingLimit)
        sequence = LineSequence(sink: sink, otherLimit: 0)
        self.sink = sink
        self.progress = progress
        self.shouldStop = shouldStop
    }

    /// Verifies a bundle, or a report in any container, by itself.
    ///
    /// - Parameter file: a regular file. Beside a table its sidecar is looked for under the name that the file was
    ///   opened with.
    /// - Complexity: time in proportion to the bundle; memory bounded by the frames in flight, and by the
    ///   relationships with both ends in scope.
    /// - Throws: `FileError` where something could not be read, `UnreleasedFormat` where nothing reads the file's
    ///   format any more; what is invalid is in the report.
    public static func verify(
        _ file: borrowing Descriptor, options: VerificationOptions = VerificationOptions(),
        progress: @escaping @Sendable (Int) -> Void = { _ in },
        shouldStop: @escaping @Sendable () -> Bool = { false }
    ) async throws -> Report {
        try await read(file, options: options, progress: progress, shouldStop: shouldStop).report
    }

    /// Reads in the same way, with the header and the manifest; a sink is given the items.
    package static func read(
        _ file: borrowing Descriptor, options: VerificationOptions, sink: (any ItemSink)? = nil,
        wanting wants: ItemWants = ItemWants(), progress: @escaping @Sendable (Int) -> Void,
        shouldStop: @escaping @Sendable () -> Bool
    ) async throws -> ReadExport {
        let verifier = BundleVerifier(options, progress: progress, shouldStop: shouldStop, sink: sink, wants)
        try await verifier.run(file)
        return ReadExport(
            report: verifier.report, header: verifier.sequence.header, manifest: verifier.sequence.manifest,
            view: verifier.view)
    }

    private func run(_ file: borrowing Descriptor) async throws {
        do {
            try await read(file)
        } catch EndOfExamination.unreleased(let version) {
            throw UnreleasedFormat(file.path, version: version)
        }
    }

    private func read(_ file: borrowing Descriptor) async throws {
        let source = try FileSource(file, pieceSize: options.pieceSize)
        switch try ExportContainer.of(source, named: file.path) {
        case .bundle: try await run(FrameReader(ContainerReader(source, limits: limits)), source.size)
        case .lines: try await run(LinesReader(source, limits: limits), source.size)
        case .envelope: try await run(EnvelopeReader(source, limits: limits), source.size)
        case .page: try await run(PageReader(source, limits: limits), source.size)
        case .table(let sidecar):
            try await run(TableReader(source, named: file.path, sidecar: sidecar, limits: limits), source.size)
        }
    }

    private func run(_ pieces: some PieceReader, _ size: Int64) async throws {
        var reader = pieces
        sequence = LineSequence(
            sink: sink, otherLimit: LineEvents.otherLimit(fileSize: size), hasFrames: reader.hasFrames,
            isView: reader.isView)
        report.isView = reader.isView
        report.isPage = reader.isPage
        do {
            try await readPieces(&reader)
            view = reader.view
            try reader.finish(textSizes: textSizes) { report.add($0) }
            let isComplete = sequence.manifest != nil && !report.hasLosses
            try sequence.finish(isEndLost: reader.isEndLost && !isComplete, &report)
            if let failure = sequence.failure { throw failure }
            report.isSalvage = sequence.isSalvage
        } catch EndOfExamination.finding {
            report.withholdAll()
        }
        if reader.isView { report.withhold([.item, .order]) }
        report.settleHeld(areFindings: !sequence.isSalvage)
        report.itemCount = sequence.itemCount
        report.hasLabels = sequence.header?.mode == "changes"
        if let header = sequence.header, let hash = sequence.computedHash {
            report.export = VerifiedExport(kind: header.exportKind, exportID: header.exportID, manifestHash: hash)
        }
    }

    /// Reads pieces in order and has them checked side by side.
    private func readPieces(_ reader: inout some PieceReader) async throws {
        let verifiers = (0...Self.piecesInFlight).map { _ in
            FrameVerifier(limits: limits, wants)
        }
        try await OrderedTasks<VerifiedPiece>.run { tasks in
            var isAtEnd = false
            func drain(_ tasks: inout OrderedTasks<VerifiedPiece>, to limit: Int) async throws {
                while let piece = try await tasks.next(leaving: limit) { try add(piece, verifiers[0]) }
            }
            while !isAtEnd {
                if shouldStop() { throw CancellationError() }
                var findings: [Finding] = []
                let part = try reader.next { findings.append($0) }
                if !findings.isEmpty {
                    // They stand behind everything that stands before them in the file, whichever is known first.
                    try await drain(&tasks, to: 0)
                    for finding in findings { report.add(finding) }
                }
                switch part {
                case .piece(let piece):
                    let verifier = verifiers[tasks.count % verifiers.count]
                    let before = sequence.before
                    tasks.start { verifier.verify(piece, after: before) }
                    let hasCertainEnd = piece.frame?.hasCertainEnd ?? true
                    // Until the header is known pieces go one by one: what follows is held against it.
                    try await drain(&tasks, to: !before.hasSeenHeader || !hasCertainEnd ? 0 : Self.piecesInFlight - 1)
                    if !hasCertainEnd { try reader.resume(after: piece, isLost: (textSizes.last ?? nil) == nil) }
                case .lostFrame(let number):
                    try await drain(&tasks, to: 0)
                    while textSizes.count < number { textSizes.append(nil) }
                    if sequence.hasOpenLine { report.add(Finding(.containerFrameLineEnd, frame: sequence.frame)) }
                    sequence.loseFrame(&report)
                case .lostLine:
                    try await drain(&tasks, to: 0)
                    sequence.loseLine(&report)
                case .gap:
                    break
                case nil:
                    isAtEnd = true
                }
            }
            try await drain(&tasks, to: 0)
        }
    }

    /// Puts a piece's result behind those before it. Where a line began in the frame before, the frame is checked
    /// again with that beginning.
    ///
    /// - Throws: `EndOfExamination`.
    private func add(_ result: VerifiedPiece, _ verifier: FrameVerifier) throws {
        var result = result
        if sequence.hasOpenLine {
            report.add(Finding(.containerFrameLineEnd, frame: sequence.frame))
            if result.textSize != nil {
                let before = sequence.before
                var openLine = sequence.takeOpenLine()
                result = verifier.verify(result.piece, goingOnWith: &openLine, after: before)
            }
        } else if result.otherCount > sequence.before.otherLimit {
            // Once in a file: the pieces before it, which were checked beside it, have left room for fewer.
            result = verifier.verify(result.piece, after: sequence.before)
        }
        for finding in result.findings { report.add(finding) }
        textSizes.append(result.textSize)
        guard result.textSize != nil else {
            sequence.loseFrame(&report)
            return
        }
        try sequence.follow(result, &report)
        if !hasBegun, let header = sequence.header {
            hasBegun = true
            sink?.begin(header)
        }
        progress(sequence.itemCount)
    }
}

/// The result of reading a file, for its comparison.
package struct ReadExport: Sendable {
    package var report: Report
    /// `nil` if it is lost or damaged.
    package let header: HeaderFacts?
    package let manifest: ManifestFacts?
    /// The facts that make the text of a view; `nil` for another file.
    package let view: ViewFacts?
}

/// Nothing that follows is looked at: the header names a format that this verifier does not know, or does not read any
/// more, or there are too many damaged lines.
enum EndOfExamination: Error {
    /// A finding states the reason.
    case finding
    /// Nothing is said of the file at all: a build before the first release wrote this version.
    case unreleased(Int64)
}

/// A file that a build before the first release made, which nothing reads (`Spec/README.md`, "Versions").
public struct UnreleasedFormat: Error, Sendable, CustomStringConvertible {
    /// One line: the file, and what to do.
    public let description: String

    init(_ path: Path, version: Int64) {
        description = "\(path.display): \(Bundle.refusal(ofVersion: version))"
    }
}

/// Turns the one JSON text of an envelope back into lines.
///
///     {"export":E,"items":[L1,…,Ln],"manifest_hash":"H","totals":T} LF
///     └ header ──┘└ items ─────────┘└ manifestHash ─┘└ totals ────┘
struct EnvelopeReader: PieceReader {
    private enum Place { case header, firstItem, item, manifestHash, end }

    private var feed: ByteFeed
    private let limit: Int
    private let pieceSize: Int
    private var place = Place.header
    private var lines: [UInt8] = []
    private var isTooLong = false
    private(set) var isEndLost = false

    init(_ source: FileSource, limits: ContainerLimits) {
        feed = ByteFeed(source)
        limit = limits.line
        pieceSize = source.pieceSize
    }

    mutating func next(_ report: (Finding) -> Void) throws -> Part? {
        while lines.count < pieceSize, !isTooLong, place != .end {
            guard try !readLine() else { continue }
            report(Finding(.containerEnvelope, byte: feed.offset))
            if !isManifestRead { isEndLost = true }
            place = .end
        }
        if !lines.isEmpty {
            defer { lines = [] }
            return .piece(.lines(lines))
        }
        guard isTooLong else { return nil }
        isTooLong = false
        return .piece(.tooLong)
    }

    private var isManifestRead = false

    /// Reads up to the end of the next line's value; false at a deviation.
    private mutating func readLine() throws -> Bool {
        var line = ValueLine(limit: limit)
        switch place {
        case .header:
            line.append("{\"export\":")
            guard try feed.pass("{\"export\":"), try feed.readValue(into: &line) else { return false }
            line.append("}")
            append(line)
            place = .firstItem
            return try feed.pass(",\"items\":[")
        case .firstItem, .item:
            if try feed.peek() == UInt8(ascii: "]") {
                place = .manifestHash
                return true
            }
            if place == .item, try !feed.pass(",") { return false }
            guard try feed.peek() == UInt8(ascii: "{"), try feed.readValue(into: &line) else { return false }
            append(line)
            place = .item
            return true
        case .manifestHash:
            line.append("{\"manifest_hash\":")
            guard try feed.pass("],\"manifest_hash\":"), try feed.readValue(into: &line), try feed.pass(",\"totals\":")
            else { return false }
            line.append(",\"totals\":")
            guard try feed.readValue(into: &line) else { return false }
            line.append("}")
            append(line)
            isManifestRead = true
            guard try feed.pass("}\n"), try feed.peek() == nil else { return false }
            place = .end
            return true
        case .end: return true
        }
    }

    private mutating func append(_ line: ValueLine) {
        if line.isTooLong {
            isTooLong = true
        } else {
            lines += line.bytes
            lines.append(UInt8(ascii: "\n"))
        }
    }
}
