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

    /// The way in which the export ended; `nil` before the last page.
    public var outcome: ExportOutcome? { isAtEnd ? document.outcome : nil }
    /// The repairs so far.
    public var repairs: RepairCounts { document.repairs }
    /// The contents that were left out so far; files of a zip from the start.
    public var leftOut: LeftOutCounts { interpreter.leftOut }
    /// The birth date of the person, as the export has it; nil until it was read, and where it is not stated.
    public var birthDate: [UInt8]? { interpreter.birthDate }
    /// The number of values so far that were neither a known name nor a number; they are in the metadata.
    public var unknownValueCount: Int { interpreter.unknownValues }

    /// The contents of the export besides its records, after the last page.
    public var account: SourceAccount {
        var account = SourceAccount()
        account.unknownNames =
            leftOut.elements.map { SourceAccount.UnknownName(kind: "element", name: $0, count: $1) }
            + interpreter.unknownAttributes.sorted.map {
                SourceAccount.UnknownName(kind: "attribute", name: $0.name, count: $0.count)
            }
        let haveFolders = interpreter.sideFiles?.haveFolders == true
        if !haveFolders { account.unaskedTypes = [ExportInterpreter.electrocardiogramType] }
        guard interpreter.sideFiles?.areAny == true else { return account }
        account.documents = interpreter.documents
        account.hasAllDocuments = interpreter.hasAllDocuments && haveFolders
        return account
    }

    /// `true` if nothing beside the XML says what the export has of electrocardiograms, routes and documents.
    public var isXMLAlone: Bool { interpreter.sideFiles?.haveFolders != true }

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
    private let sourcePosition: SourcePosition?
    private let hasher = PageHasher()
    /// The page that was read last, while it gets its hashes.
    private var hashing: Task<CapturePage, Never>?
    /// `true` if no page follows it.
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

    /// Opens an export in the same way with other limits, for tests.
    static func open(
        _ path: Path, secret: ArchiveSecret, options: ReadingOptions = ReadingOptions(), limits: ReadingLimits,
        shouldStop: @escaping @Sendable () -> Bool = { false }
    ) throws(CaptureError) -> AppleHealthReader {
        AppleHealthReader(
            try OpenExport.open(path, secret: secret, options: options, limits: limits, shouldStop: shouldStop),
            options.position, shouldStop)
    }

    /// Returns when an export was made, in microseconds since 1970. It is read up to its date.
    ///
    /// - Parameter observedAt: the moment of an export that states none.
    /// - Throws: as for `open`.
    public static func date(
        of path: Path, secret: ArchiveSecret, observedAt: ExportDate? = nil,
        shouldStop: @escaping @Sendable () -> Bool = { false }
    ) throws(CaptureError) -> Int64 {
        let options = ReadingOptions(observedAt: observedAt)
        return try OpenExport.open(
            path, secret: secret, options: options, limits: ReadingLimits(), shouldStop: shouldStop
        ).date.microseconds
    }

    private init(
        _ export: consuming sending OpenExport, _ sourcePosition: SourcePosition?,
        _ shouldStop: @escaping @Sendable () -> Bool
    ) {
        self.shouldStop = shouldStop
        self.sourcePosition = sourcePosition
        sourcePosition?.begin(export.size)
        exportDate = export.date.microseconds
        exportOffset = export.date.offset
        let parts = export.parts()
        document = parts.document
        interpreter = parts.interpreter
        batch = parts.batch
        position = parts.position
        sourcePosition?.add(Int(document.bytesRead))
    }

    /// Returns the next page; `nil` after the last, and if it is to stop. A page ends between elements below the root.
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
            let before = document.bytesRead
            guard try document.advance(into: &batch) else { break }
            sourcePosition?.add(Int(document.bytesRead - before))
        }
        while let sideFiles = interpreter.sideFiles, let file = sideFiles.advance() {
            interpreter.readSideFile(file, of: sideFiles)
            sourcePosition?.add(Int(clamping: file.member.size))
            if shouldStop() { return nil }
            if interpreter.isPageFull { return interpreter.finishPage() }
        }
        isAtEnd = true
        return interpreter.builder.count > 0 ? interpreter.finishPage() : nil
    }
}

/// The amounts that are held at a time.
struct ReadingLimits {
    /// Bytes that are read at once.
    var step = 256 << 10
    var interpreter = ExportInterpreter.Limits()
    var zip = ZipLimits()
    /// Bytes of a start tag.
    var tagBytes = 4 << 20
    /// Bytes of text in which an export says its date.
    var headBytes: Int64 = 16 << 20
}

/// An export that was read up to its date.
struct OpenExport: ~Copyable {
    /// Its date.
    let date: ExportDate
    /// Bytes of its text and of the files beside it; nil where that is not known.
    private(set) var size: Int?
    private var document: ExportDocument
    private var interpreter: ExportInterpreter
    private var batch: ElementBatch
    private var position: Int

    /// The settings with which a file is read.
    private struct Reading {
        let secret: ArchiveSecret
        let options: ReadingOptions
        /// The name of the file in errors.
        let name: String
        let limits: ReadingLimits
        let shouldStop: @Sendable () -> Bool
    }

    /// Opens an export: a text, or the one file of a zip or folder that is one.
    static func open(
        _ path: Path, secret: ArchiveSecret, options: ReadingOptions, limits: ReadingLimits,
        shouldStop: @escaping @Sendable () -> Bool
    ) throws(CaptureError) -> OpenExport {
        let name = path.bytes == [UInt8(ascii: "-")] ? "standard input" : path.display
        let reading = Reading(
            secret: secret, options: options, name: name, limits: limits, shouldStop: shouldStop)
        switch try ExportFile.open(path, limits.zip, shouldStop) {
        case .text(let input):
            let size = input.size
            guard case .export(var export) = try read(input, reading) else {
                throw CaptureError(.format, "\(name): not an Apple Health export")
            }
            export.size = size
            return export
        case .package(let package):
            return try open(package, reading)
        }
    }

    private static func open(_ package: ExportPackage, _ reading: Reading) throws(CaptureError) -> OpenExport {
        let members = try package.members()
        var isDamaged = false
        let candidates = ExportMembers.candidates(members).prefix(reading.limits.zip.candidates)
        for (place, candidate) in candidates.enumerated() {
            switch try read(package.open(candidate), reading) {
            case .export(var export):
                for other in candidates.dropFirst(place + 1) where try isExport(other, in: package, reading) {
                    throw twoExports(candidate, other, in: package, reading)
                }
                export.interpreter.sideFiles = SideFiles(package, members, export: candidate)
                export.interpreter.leftOut.add("other_file", package.otherCount)
                let size = members.reduce(UInt64(0)) { $0.addingReportingOverflow($1.size).partialValue }
                export.size = Int(clamping: size)
                return export
            case .damaged: isDamaged = true
            case .other: break
            }
        }
        throw noExport(members, isDamaged: isDamaged, in: package, reading)
    }

    /// Returns `true` if another file is an export too, or would be one without an error.
    private static func isExport(_ member: ExportMember, in package: ExportPackage, _ reading: Reading)
        throws(CaptureError) -> Bool
    {
        if reading.shouldStop() { throw CaptureError(.source, "\(reading.name): stopped") }
        guard let beginning = try? read(package.open(member), reading) else { return true }
        if case .export = beginning { return true }
        return false
    }

    private static func twoExports(
        _ one: ExportMember, _ other: ExportMember, in package: ExportPackage, _ reading: Reading
    ) -> CaptureError {
        let names = [one, other].map(\.name).sorted { $0.lexicographicallyPrecedes($1) }
            .map { Path(bytes: $0).display }
        return CaptureError(
            .format,
            "\(reading.name): two Apple Health exports in this \(package.noun): \(names[0]) and \(names[1])",
            hint: "name a zip or folder with one of them")
    }

    private static func noExport(
        _ members: [ExportMember], isDamaged: Bool, in package: ExportPackage, _ reading: Reading
    ) -> CaptureError {
        let (name, limit) = (reading.name, reading.limits.zip.candidates)
        if isDamaged {
            return CaptureError(
                .format,
                "\(name): a member of the zip is damaged before it says whether it is an Apple Health export")
        }
        if let member = ExportMembers.unreadable(members), let problem = member.problem {
            return CaptureError(.format, "\(name): \(Path(bytes: member.name).display): \(problem)")
        }
        guard ExportMembers.candidates(members).count <= limit else {
            let text = "no Apple Health export among the \(limit) largest XML files of this \(package.noun)"
            return CaptureError(.format, "\(name): \(text)")
        }
        return CaptureError(
            .format, "\(name): no Apple Health export in this \(package.noun)",
            hint: "an export has export.xml, or its name in another language, in the folder apple_health_export")
    }

    /// The kind of a text, by its beginning.
    private enum Beginning: ~Copyable {
        case export(OpenExport)
        /// Its root is not that of an export.
        case other
        /// It is damaged before its root.
        case damaged
    }

    /// Reads a text up to its date.
    private static func read(_ input: consuming ExportInput, _ reading: Reading) throws(CaptureError) -> Beginning {
        let (name, limits) = (reading.name, reading.limits)
        var document = ExportDocument(
            input, name: name, limit: min(limits.tagBytes, limits.interpreter.elementBytes), step: limits.step,
            shouldStop: reading.shouldStop)
        var interpreter = ExportInterpreter(
            reading.secret, name: name, options: reading.options, limits: limits.interpreter)
        var batch = ElementBatch()
        var position = 0
        repeat {
            do throws(CaptureError) {
                _ = try interpreter.walk(batch, from: &position)
            } catch {
                if interpreter.isExport { throw error }
                return .other
            }
            if let date = interpreter.exportDate {
                return .export(
                    OpenExport(
                        date: date, document: document, interpreter: interpreter, batch: batch, position: position))
            }
            position = 0
            if reading.shouldStop() { throw CaptureError(.source, "\(name): stopped") }
            guard document.bytesRead < limits.headBytes else {
                guard interpreter.isExport else { return .other }
                throw CaptureError(.format, "\(name): no ExportDate in its first \(limits.headBytes >> 20) MiB")
            }
        } while try document.advance(into: &batch)
        guard interpreter.isExport else { return document.isInputDamaged ? .damaged : .other }
        if case .malformed(let line, let byte) = document.outcome {
            throw CaptureError(.format, "\(name): not well-formed at line \(line), byte \(byte), before its ExportDate")
        }
        if document.outcome == .complete, let date = reading.options.observedAt {
            return .export(
                OpenExport(date: date, document: document, interpreter: interpreter, batch: batch, position: position))
        }
        throw CaptureError(.format, "\(name): ends before its ExportDate")
    }

    /// Its parts, to go on with.
    consuming func parts() -> Parts {
        Parts(document: document, interpreter: interpreter, batch: batch, position: position)
    }

    /// The parts with which reading continues.
    struct Parts: ~Copyable {
        var document: ExportDocument
        var interpreter: ExportInterpreter
        var batch: ElementBatch
        var position: Int
    }
}

/// The text of an export as a sequence of batches of elements.
///
///     ExportInput ──► TextUnits ──► ByteRepair ──► MarkupFilter ─┬─► XMLParser ────┬─► ElementBatch
///                                                                └─► RecordReader ─┘
struct ExportDocument: ~Copyable {
    /// The way in which the text ended; `nil` while there is more.
    private(set) var outcome: ExportOutcome?
    /// `true` if it ended because the input is damaged.
    private(set) var isInputDamaged = false
    private var input: ExportInput
    private var units = TextUnits()
    private var repair = ByteRepair()
    private var filter: MarkupFilter
    private let parser = XMLParser()
    private var buffer: [UInt8] = []
    private let name: String
    private let shouldStop: @Sendable () -> Bool
    /// Bytes that were read so far.
    private(set) var bytesRead: Int64 = 0

    /// A document that begins where the input is.
    ///
    /// - Parameters:
    ///   - name: what errors call the file.
    ///   - parsesRecords: whether the parser gets the records, too, for tests.
    ///   - shouldStop: asked where the input gives nothing more.
    init(
        _ input: consuming ExportInput, name: String = "export", limit: Int, step: Int, parsesRecords: Bool = false,
        shouldStop: @escaping @Sendable () -> Bool = { false }
    ) {
        self.input = input
        self.name = name
        self.shouldStop = shouldStop
        filter = MarkupFilter(limit: limit, step: step, stopsAtRecords: !parsesRecords)
    }

    /// The repairs so far.
    var repairs: RepairCounts {
        var counts = repair.counts
        counts.invalidUTF16 += units.invalidCount
        counts.add(filter.counts)
        return counts
    }

    /// Reads the next stretch; its elements, which may be none, take the place of those in the batch. False after
    /// the end.
    mutating func advance(into batch: inout ElementBatch) throws(CaptureError) -> Bool {
        batch.removeAll()
        guard outcome == nil else { return false }
        // A tag that was cut is passed on in parts; it begins where the parser is.
        let place = parser.place.byte
        repair.forgetPositions(before: filter.positions.original(of: place).byte)
        filter.forgetPositions(before: place)
        if buffer.count != filter.wanted { buffer = [UInt8](repeating: 0, count: filter.wanted) }
        let read = try input.read(into: &buffer)
        // Where the input is damaged nothing follows, as at its end.
        let count = read ?? 0
        // An end that came because it was to stop is none; whoever calls asks, too.
        if count == 0, shouldStop() { return true }
        bytesRead += Int64(count)
        isInputDamaged = read == nil
        filter.isLast = read == 0
        Self.append(buffer, count, &units, &repair, &filter.held)
        pass(into: &batch)
        if filter.names.isFull { throw tooManyNames }
        if count == 0, outcome == nil { outcome = isInputDamaged ? malformed(parser.place) : end }
        return true
    }

    private static func append(
        _ buffer: [UInt8], _ count: Int, _ units: inout TextUnits, _ repair: inout ByteRepair, _ text: inout [UInt8]
    ) {
        units.read(buffer.span.extracting(0..<count), isLast: count == 0) { repair.append($0, to: &text) }
        if count == 0 { repair.finish(into: &text) }
    }

    /// Passes on what is complete.
    private mutating func pass(into batch: inout ElementBatch) {
        do throws(XMLParser.Refusal) {
            while filter.advance() {
                try parse()
                readRecords()
            }
            try parse()
            if filter.isRefused { outcome = malformed(parser.place) }
        } catch {
            outcome = malformed(error)
        }
        filter.drop()
        parser.move(into: &batch)
        for index in batch.elements.indices
        where !batch.elements[index].isEnd && batch.elements[index].byte != ElementBatch.placed {
            batch.elements[index].line += filter.positions.original(of: batch.elements[index].byte).lines
        }
    }

    private mutating func parse() throws(XMLParser.Refusal) {
        try parser.parse(filter.ready, restoring: repair.counts.controlCharacter + filter.counts.controlCharacter > 0)
    }

    /// Reads the records before which the filter stopped.
    private mutating func readRecords() {
        filter.endRun()
        let lines = filter.positions.original(of: filter.written).lines
        let read = parser.readRecords(filter.held.span, from: filter.place, lines: lines, limit: filter.limit)
        filter.leaveOut(records: read.end, lines: read.lines)
    }

    private var end: ExportOutcome {
        guard parser.hasEnded else { return .truncated }
        return filter.held.isEmpty ? .complete : malformed(parser.place)
    }

    private var tooManyNames: CaptureError {
        let line = parser.place.line + filter.positions.original(of: parser.place.byte).lines
        let text = "more than \(NameLedger.limit) different names of elements and attributes"
        return CaptureError(.format, "\(name): line \(line): \(text)")
    }

    /// Leads a place back to the text as it came.
    private func malformed(_ refusal: XMLParser.Refusal) -> ExportOutcome {
        let place = filter.positions.original(of: refusal.byte)
        return .malformed(line: refusal.line + place.lines, byte: repair.positions.original(of: place.byte).byte)
    }
}
