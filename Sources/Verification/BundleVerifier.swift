public import Archive
public import Files
internal import Manifest

/// Verifies a bundle from its bytes alone, and against an archive.
///
/// One task cuts the file into frames and puts results together in order; frames are decoded and checked beside it. Every layer is looked at; nothing stops at the first finding.
/// The writing side is not used: only constants and hash definitions are shared with it.
public final class BundleVerifier {
    private let options: VerificationOptions
    private let limits: ContainerLimits
    private var report: Report
    private var sequence: LineSequence
    private let progress: @Sendable (Int) -> Void
    private let shouldStop: @Sendable () -> Bool
    private var textSizes: [Int?] = []

    private static let framesInFlight = 3

    private init(_ options: VerificationOptions, progress: @escaping @Sendable (Int) -> Void, shouldStop: @escaping @Sendable () -> Bool, sink: ArchiveComparison?) {
        self.options = options
        limits = ContainerLimits(frame: options.frameLimit, line: options.lineLimit)
        report = Report(limit: options.findingLimit)
        sequence = LineSequence(sink: sink)
        self.progress = progress
        self.shouldStop = shouldStop
    }

    /// Verifies a bundle.
    ///
    /// - Parameters:
    ///   - file: a regular file.
    ///   - archive: opened for `.evidence`; nil to look at the bundle alone.
    /// - Complexity: time in proportion to the bundle; memory bounded by the frames in flight, and by the relationships with both ends in scope.
    /// - Throws: `FileError` or `ArchiveError` where something could not be read; what does not hold is in the report.
    public static func verify(
        _ file: borrowing Descriptor, archive: borrowing Archive, options: VerificationOptions = VerificationOptions(),
        progress: @escaping @Sendable (Int) -> Void = { _ in }, shouldStop: @escaping @Sendable () -> Bool = { false }
    ) async throws -> Report {
        let comparison = try ArchiveComparison(archive)
        let verifier = BundleVerifier(options, progress: progress, shouldStop: shouldStop, sink: comparison)
        try await verifier.run(file)
        let isComplete = !verifier.report.isWithheld(.manifest)
        try comparison.finish(archive, header: verifier.sequence.header, manifest: verifier.sequence.manifest, isSalvage: verifier.sequence.isSalvage, isComplete: isComplete, &verifier.report)
        return verifier.report
    }

    /// Verifies a bundle by itself.
    public static func verify(
        _ file: borrowing Descriptor, options: VerificationOptions = VerificationOptions(), progress: @escaping @Sendable (Int) -> Void = { _ in },
        shouldStop: @escaping @Sendable () -> Bool = { false }
    ) async throws -> Report {
        let verifier = BundleVerifier(options, progress: progress, shouldStop: shouldStop, sink: nil)
        try await verifier.run(file)
        return verifier.report
    }

    private func run(_ file: borrowing Descriptor) async throws {
        let size = try file.status().size
        var reader = try ContainerReader(FileSource(file, size: size), limits: limits)
        do {
            try await readFrames(&reader)
        } catch is UnknownFormat {
            report.withholdAll()
            return
        }
        try reader.compareTable(textSizes: textSizes) { report.add(Finding($0)) }
        let isComplete = sequence.manifest != nil && !report.hasLosses
        sequence.finish(isEndLost: reader.isEndLost && !isComplete, &report)
        report.itemCount = sequence.itemCount
        report.isSalvage = sequence.isSalvage
    }

    /// Reads frames in order and has them checked side by side.
    private func readFrames(_ reader: inout ContainerReader<FileSource>) async throws {
        let verifiers = (0...Self.framesInFlight).map { _ in FrameVerifier(limits: limits, keepsIdentities: sequence.hasSink) }
        try await withThrowingTaskGroup(of: (Int, VerifiedFrame).self) { group in
            var started = 0, taken = 0
            var ready: [Int: VerifiedFrame] = [:]
            var isAtEnd = false
            func drain(to limit: Int) async throws {
                while started - taken > limit {
                    if let (number, frame) = try await group.next() { ready[number] = frame }
                    while let frame = ready.removeValue(forKey: taken) {
                        taken += 1
                        try take(frame, verifiers[0])
                    }
                }
            }
            while !isAtEnd {
                if shouldStop() { throw CancellationError() }
                var faults: [ContainerFault] = []
                let part = try reader.next { faults.append($0) }
                for fault in faults { report.add(Finding(fault)) }
                switch part {
                case .frame(let frame):
                    let number = started
                    let verifier = verifiers[number % verifiers.count]
                    let header = sequence.header
                    group.addTask { (number, verifier.verify(frame, header: header)) }
                    started += 1
                    // Until the header is known frames go one by one: what follows is held against it.
                    try await drain(to: !sequence.hasSeenHeader || !frame.hasCertainEnd ? 0 : Self.framesInFlight - 1)
                    if !frame.hasCertainEnd { try reader.goOn(after: frame, isLost: (textSizes.last ?? nil) == nil) }
                case .lostFrame(let number):
                    try await drain(to: 0)
                    while textSizes.count < number { textSizes.append(nil) }
                    if sequence.hasOpenLine { report.add(Finding(.container, "frame_line_end", frame: sequence.frame)) }
                    sequence.loseFrame(&report)
                case .gap:
                    break
                case nil:
                    isAtEnd = true
                }
            }
            try await drain(to: 0)
        }
    }

    /// Puts a frame's result behind those before it. Where a line began in the frame before, the frame is checked again with that beginning.
    private func take(_ result: VerifiedFrame, _ verifier: FrameVerifier) throws {
        var result = result
        if sequence.hasOpenLine {
            report.add(Finding(.container, "frame_line_end", frame: sequence.frame))
            if result.textSize != nil { result = verifier.verify(result.frame, after: sequence.openLine, isTooLong: sequence.isOpenLineTooLong, header: sequence.header) }
        }
        for finding in result.findings { report.add(finding) }
        textSizes.append(result.textSize)
        guard result.textSize != nil else {
            sequence.loseFrame(&report)
            return
        }
        try sequence.take(result, &report)
        progress(sequence.itemCount)
    }
}

/// The header names a format that this verifier does not know: nothing else can be said.
struct UnknownFormat: Error {}
