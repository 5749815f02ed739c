public import Capture
public import Files
internal import Pipeline
public import Recording

/// Reads an Apple Health export as pages of a capture (`Spec/apple-health.md`).
///
///     let reader = try AppleHealthReader.open(path, secret: secret)
///     while let page = try await reader.next() { … }
///     let outcome = await reader.outcome
///
/// Memory does not grow with the file: one stretch of text, two pages, and one element below the root are held at a
/// time.
public actor AppleHealthReader: PageSource {
    /// The moment of the export, in microseconds since 1970.
    public nonisolated let exportDate: Int64
    /// Seconds that the exporting phone's time was ahead of UTC.
    public nonisolated let exportOffset: Int

    /// How the export ended; nil before the last page.
    public var outcome: ExportOutcome? { isAtEnd ? document.outcome : nil }
    /// What was repaired so far.
    public var repairs: RepairCounts { document.repairs }
    /// What was left out so far; files of a zip from the start.
    public var leftOut: LeftOutCounts { interpreter.leftOut }
    /// The birth date of the person, as the export has it; nil until it was read, and where it is not stated.
    public var birthDate: [UInt8]? { interpreter.birthDate }
    /// How many values were neither a known name nor a number so far; they are in the metadata.
    public var unknownValueCount: Int { interpreter.unknownValues }

    /// What the export has beside its records, after the last page.
    public var account: SourceAccount {
        var account = SourceAccount()
        account.unknownNames =
            leftOut.elements.map { SourceAccount.UnknownName(kind: "element", name: $0, count: $1) }
            + interpreter.unknownAttributes.sorted.map {
                SourceAccount.UnknownName(kind: "attribute", name: $0.name, count: $0.count)
            }
        guard interpreter.sideFiles != nil else {
            account.unaskedTypes = [ExportInterpreter.electrocardiogramType]
            return account
        }
        account.documents = interpreter.documents
        account.hasAllDocuments = interpreter.hasAllDocuments
        return account
    }
    /// Keys of other apps' metadata whose values are kept as they are, with their counts.
    public var clearKeys: [(name: String, count: Int)] { interpreter.clearKeys.sorted }

    /// Names of sources and devices, where they are kept.
    public var keptNames: KeptNames? { interpreter.builder.keptNames }

    private var document: ExportDocument
    private var interpreter: ExportInterpreter
    private var batch: ElementBatch
    private var position: Int
    private var isAtEnd = false
    private let shouldStop: @Sendable () -> Bool
    private let hasher = PageHasher()
    /// The page that was read last, while it gets its hashes.
    private var hashing: Task<CapturePage, Never>?
    /// Whether no page follows it.
    private var isOver = false

    /// Opens an export and reads it up to its date.
    ///
    /// - Parameters:
    ///   - path: an XML file, a zip, or a folder as one unpacks to; `-` is standard input, a file or a pipe.
    ///   - options: the rules of the archive, and the moment of an export that states none.
    ///   - shouldStop: asked all the time; where it says so, opening throws, and what is being read is the end.
    /// - Throws: `CaptureError` with the code `source` where the file cannot be read, `format` where it is no
    ///   export or its date is not readable.
    public static func open(
        _ path: Path, secret: ArchiveSecret, options: ReadingOptions = ReadingOptions(),
        shouldStop: @escaping @Sendable () -> Bool = { false }
    ) throws(CaptureError) -> AppleHealthReader {
        try open(path, secret: secret, options: options, limits: ReadingLimits(), shouldStop: shouldStop)
    }

    /// The same with other limits, for tests.
    static func open(
        _ path: Path, secret: ArchiveSecret, options: ReadingOptions = ReadingOptions(), limits: ReadingLimits,
        shouldStop: @escaping @Sendable () -> Bool = { false }
    ) throws(CaptureError) -> AppleHealthReader {
        AppleHealthReader(
            try OpenExport.open(path, secret: secret, options: options, limits: limits, shouldStop: shouldStop),
            shouldStop)
    }

    private init(_ export: consuming sending OpenExport, _ shouldStop: @escaping @Sendable () -> Bool) {
        self.shouldStop = shouldStop
        exportDate = export.date.microseconds
        exportOffset = export.date.offset
        let parts = export.parts()
        document = parts.document
        interpreter = parts.interpreter
        batch = parts.batch
        position = parts.position
    }

    /// The next page; nil after the last, and where it is to stop. A page ends between elements below the root.
    ///
    /// While one page gets its hashes the next one is read.
    public func next() async throws(CaptureError) -> CapturePage? {
        if hashing == nil { try readAhead() }
        guard let current = hashing else { return nil }
        hashing = nil
        try readAhead()
        return await current.value
    }

    private func readAhead() throws(CaptureError) {
        guard !isOver, let draft = try read() else { return isOver = true }
        // Not on this actor, which goes on reading.
        hashing = Task.detached(executorPreference: Workers.shared) { [hasher] in await hasher.page(draft) }
    }

    private func read() throws(CaptureError) -> PageDraft? {
        guard !isAtEnd else { return nil }
        while true {
            if try interpreter.walk(batch, from: &position) == .page { return interpreter.finishPage() }
            guard position == batch.elements.count else { continue }
            position = 0
            if shouldStop() { return nil }
            guard try document.advance(into: &batch) else { break }
        }
        while let sideFiles = interpreter.sideFiles, let file = sideFiles.advance() {
            interpreter.readSideFile(file, of: sideFiles)
            if shouldStop() { return nil }
            if interpreter.isPageFull { return interpreter.finishPage() }
        }
        isAtEnd = true
        return interpreter.builder.count > 0 ? interpreter.finishPage() : nil
    }
}
