internal import Answer
public import Archive
internal import CanonicalJSON
internal import Changes
internal import Files
internal import Manifest
internal import Pipeline

/// Streams the answer to a question about an archive into a file and records it.
///
/// One task reads rows in order, hands batches to builders that run beside it, and writes finished pieces in order.
/// Memory is bounded by the batches in flight.
public final class Export {
    private let archive: Archive
    private let request: ExportRequest
    private let hooks: Hooks
    private var output: ExportOutput
    private var recorder: ExportRecorder?
    private var totals = Totals()
    private var wasRecordedMeanwhile = false
    private var answer: Answer?

    /// The functions that an export calls while it works, and those that can stop it.
    public struct Hooks: Sendable {
        /// Called with the number of items that were written.
        public var progress: @Sendable (Int) -> Void
        /// Asked between batches whether to give up.
        public var shouldStop: @Sendable () -> Bool

        public init(
            progress: @escaping @Sendable (Int) -> Void = { _ in },
            shouldStop: @escaping @Sendable () -> Bool = { false }
        ) {
            self.progress = progress
            self.shouldStop = shouldStop
        }
    }

    /// Batches that are built while the next is read: so many that no core waits while finished ones are written,
    /// and few enough for 64 MiB.
    private static let batchesInFlight = 5
    /// Rows that a spreadsheet shows.
    private static let spreadsheetRows = 1_048_575

    private init(archive: consuming Archive, request: ExportRequest, hooks: Hooks, output: consuming ExportOutput) {
        self.archive = archive
        self.request = request
        self.hooks = hooks
        self.output = output
    }

    /// Makes an export.
    ///
    /// - Parameter archive: opened `.recording`, or `.reading` when the request is not recorded; its `LockWait`
    ///   says what ends long statements. If the scope was resolved in a transaction (`beginSideBySide`), that is
    ///   still open: the export reads in it.
    /// - Complexity: time in proportion to what the scope selects; memory does not grow with it.
    public static func run(_ request: ExportRequest, of archive: consuming Archive, hooks: Hooks = Hooks())
        async throws(ExportError) -> ExportResult
    {
        precondition(
            request.container != .table || request.kind.columns(in: request.scope.mode) != nil,
            "items of several kinds have no table")
        precondition(request.container.isPage == (request.kind == .pageReport), "a page report is a page")
        precondition(
            request.view == nil || (request.container == .table && PeopleColumn.columns(of: request.kind) != nil),
            "only tables of records, changes and days have a view for people")
        precondition((request.days == nil) == (request.kind != .dayReport), "a day report has a question about days")
        let output = try asExportError { () throws -> ExportOutput in try Self.output(of: request, archive) }
        let export = Export(archive: archive, request: request, hooks: hooks, output: output)
        do {
            return try await export.run()
        } catch {
            export.archive.rollBack()
            guard case .archive(let found) = error, export.archive.loneReading?.mayExplain(found) == true else {
                throw error
            }
            throw export.outdated(nil)
        }
    }

    private static func output(of request: ExportRequest, _ archive: borrowing Archive) throws -> ExportOutput {
        guard case .file(let path, let replacing) = request.destination else {
            return try ExportOutput(standardOutput: request.container, view: request.view, of: archive.path)
        }
        let kept = try Set(archive.publishIntents().map(\.temporary))
        let owner = PublicationOwner.number(of: archive.status)
        let file = try Publication(to: path, replacing: replacing, apart: archive.ownFiles, owner: owner, keeping: kept)
        guard request.container == .table else {
            return try ExportOutput(
                publication: file, sidecar: nil, container: request.container, of: archive.path)
        }
        let sidecar = try Publication(
            to: path.withSuffix(Sidecar.suffix), replacing: replacing, apart: archive.ownFiles, owner: owner,
            keeping: kept)
        return try ExportOutput(
            publication: file, sidecar: sidecar, container: request.container, view: request.view, of: archive.path)
    }

    private func run() async throws(ExportError) -> ExportResult {
        let isHeldWhileStreaming = if case .file = request.destination { request.isRecorded } else { false }
        let start = try asExportError { try begin(holdingLock: isHeldWhileStreaming) }
        let types = TypeNames(start.context.types)
        let columns = request.kind.columns(in: request.scope.mode) ?? []
        let runs = RunTexts(start.context)
        let view = try asExportError { () throws -> PeopleView? in
            try request.view?.reading(archive, request.scope, of: request.kind)
        }
        let builders = (0..<Self.batchesInFlight).map { _ in
            ChunkBuilder(
                types: types, runs: runs, profile: request.kind.profile, container: request.container,
                columns: columns,
                people: view.map { ($0, request.kind) }, lineLimit: request.lineLimit)
        }
        try asExportError { try output.write(builders[0].opening(header: start.header.bytes)) }
        var hasher = ManifestHasher(export: start.header.bytes.span)
        try await writeItems(start, types, builders, &hasher)
        let manifest = manifest(hasher, start, pageHash: builders[0].pageHash())
        try asExportError {
            try output.write(builders[0].closing(totals: manifest.totals, manifestHash: manifest.hash))
            let content = try output.finishRows(of: request.kind) ?? TableContent(columns)
            try output.finish { file in
                Sidecar.text(
                    file, content, header: start.header.bytes, manifestHash: manifest.hash,
                    totals: manifest.totals, rowCount: totals.itemCount)
            }
            try publish(start, manifestHash: manifest.hash, isLockHeld: isHeldWhileStreaming && start.record == nil)
        }
        return result(start, manifest.hash)
    }

    private func writeItems(
        _ start: Start, _ types: TypeNames, _ builders: [ChunkBuilder], _ hasher: inout ManifestHasher
    ) async throws(ExportError) {
        let (scope, context) = (request.scope, start.context)
        switch request.kind {
        case .recoveryBundle, .recordTable, .versionTable, .diffReport, .changeSet, .sharedBundle:
            var cursor = try asExportError { () throws -> RecordCursor in try archive.rows(of: scope, in: context) }
            try await stream(&cursor, builders) { chunk in try self.add(chunk, &hasher) }
        case .diffSummary, .findingReport, .pairReport, .pageReport:
            answer = try asExportError {
                try ReportDocuments.write(request.kind, of: archive, scope, context, request.thresholds) { document in
                    if hooks.shouldStop() { throw ExportError.interrupted }
                    try write([document], builders[0], &hasher)
                }
            }
        case .dayReport:
            try asExportError {
                try ReportDocuments.writeDays(of: archive, scope, context, request.days) { documents in
                    if hooks.shouldStop() { throw ExportError.interrupted }
                    try write(documents, builders[0], &hasher)
                }
            }
        case .observationManifest:
            var cursor = try asExportError { () throws -> RecordCursor in try archive.rows(of: scope, in: context) }
            var manifests = TypeManifests(types)
            // What is hashed here is the lines' items; the lines go nowhere.
            let records = builders.map { _ in
                ChunkBuilder(types: types, container: .lines, lineLimit: request.lineLimit)
            }
            try await stream(&cursor, records) { chunk in manifests.add(chunk) }
            let documents = manifests.finish()
            try asExportError { try write(documents, builders[0], &hasher) }
        }
    }

    private func write(_ documents: [Document], _ builder: ChunkBuilder, _ hasher: inout ManifestHasher) throws {
        guard !documents.isEmpty else { return }
        try add(builder.chunk(of: documents), &hasher)
    }

    private struct Start {
        let context: ExportContext
        let header: ExportHeader
        /// The archive's record of this export, if it has one.
        let record: ExportRecord?
        /// The state of the archive that is read.
        let commitNumber: Int64?
    }

    /// Begins the transaction that everything is read in. The write lock is taken only where there is something to
    /// record.
    private func begin(holdingLock: Bool) throws -> Start {
        if !archive.isInTransaction { try archive.beginSideBySide() }
        let start = try describe()
        guard holdingLock, start.record == nil else { return try prepared(start, inStaging: true) }
        archive.rollBack()
        try archive.begin(writing: true)
        let locked = try describe()
        // The scope was resolved before the lock was held: it means those observations, and no others with their ids.
        guard locked.context.observations == start.context.observations else { throw outdated(nil) }
        return try prepared(locked, inStaging: false)
    }

    private func describe() throws -> Start {
        if let missing = try SecondLook.missingObservation(of: request.scope, in: archive) { throw outdated(missing) }
        if request.isRecorded, let running = try archive.unfinishedObservation(in: request.scope) {
            throw ExportError.unfinished(archive: archive.path.display, observation: running)
        }
        let context = try archive.context(of: request.scope)
        let header = ExportHeader(
            request.scope, context, kind: request.kind, thresholds: request.thresholds,
            days: try StatedDays(request.days, of: request.scope, in: archive), history: context.history)
        return Start(
            context: context, header: header,
            record: request.isRecorded ? try archive.exportRecord(header.exportID) : nil,
            commitNumber: try archive.commitNumber())
    }

    private func outdated(_ missing: Int64?) -> ExportError {
        .outdated(archive: archive.path.display, observation: missing, isStream: request.isStream)
    }

    private func prepared(_ start: Start, inStaging: Bool) throws -> Start {
        if request.isRecorded, start.record == nil { recorder = try archive.recorder(inStaging: inStaging) }
        return start
    }

    /// Turns all rows into pieces. They are taken in the order of their batches, whichever is built first.
    private func stream(_ cursor: inout RecordCursor, _ builders: [ChunkBuilder], take: (BuiltChunk) throws -> Void)
        async throws(ExportError)
    {
        do {
            try await OrderedTasks<BuiltChunk>.run { tasks in
                func checkStop() throws { if hooks.shouldStop() { throw ExportError.interrupted } }
                try checkStop()
                while let batch = try cursor.next() {
                    let builder = builders[tasks.count % builders.count]
                    tasks.start { try builder.chunk(of: batch) }
                    try checkStop()
                    while let chunk = try await tasks.next(leaving: Self.batchesInFlight - 1) {
                        try take(chunk)
                        try checkStop()
                    }
                }
                while let chunk = try await tasks.next(leaving: 0) {
                    try take(chunk)
                    try checkStop()
                }
            }
        } catch {
            try asExportError { throw error }
        }
    }

    private func add(_ chunk: BuiltChunk, _ hasher: inout ManifestHasher) throws {
        try output.write(chunk)
        hasher.add(quotedHashes: chunk.quotedHashes.span)
        totals.add(chunk.totals)
        if recorder != nil {
            try chunk.forEachItem { item, hash in
                try recorder?.add(sampleID: item.sampleID, versionID: item.versionID, hash: hash)
            }
        }
        hooks.progress(totals.itemCount)
    }

    private func manifest(_ hasher: consuming ManifestHasher, _ start: Start, pageHash: String?)
        -> (totals: [UInt8], hash: String)
    {
        var json = Writer()
        totals.write(
            types: TypeNames(start.context.types), headerDefects: start.header.defectCount, pageHash: pageHash,
            to: &json)
        return (json.bytes, hasher.finish(totals: json.span).hex)
    }

    /// Publishes a complete output as a recorded, named file, in the order that survives a power loss at any point.
    private func publish(_ start: Start, manifestHash: String, isLockHeld: Bool) throws {
        let look = SecondLook(
            request: request, exportID: start.header.exportID, manifestHash: manifestHash,
            commitNumber: start.commitNumber, wasRecorded: start.record != nil, shouldStop: hooks.shouldStop)
        if let record = start.record { try look.requireSame(record) }
        if hooks.shouldStop() { throw ExportError.interrupted }
        try look.requireWhole(archive)
        try output.synchronize()
        var intents: [PublishIntent] = []
        if let recorder = recorder.take() {
            if !isLockHeld {
                // Ends the reading; undoing it would undo the staging too.
                try archive.commit()
                try archive.begin(writing: true)
                // Meanwhile the same export may have been recorded.
                if let record = try archive.exportRecord(start.header.exportID) {
                    try look.requireSame(record)
                    wasRecordedMeanwhile = true
                    return archive.rollBack()
                }
                try look.requireCurrent(in: archive)
            }
            intents = output.intents(exportID: start.header.exportID)
            try archive.finish(
                recorder,
                NewExport(
                    exportID: start.header.exportID, kind: request.kind.rawValue, scope: request.scope,
                    filterJSON: String(decoding: start.header.filterJSON, as: UTF8.self),
                    manifestHash: manifestHash, itemCount: totals.itemCount, createdAt: SystemClock.now(),
                    intents: intents))
            try commit(intents)
        } else {
            archive.rollBack()
            try look.requireCurrent(afterReading: archive)
        }
        // The commit point is passed: from here on the export is done, and whatever stops us is completed at the
        // next start. An intent that stays, because the name could not be given or the lock not be had, is looked
        // at by the next start.
        try output.publish()
        for intent in intents { try? archive.drop(intent) }
    }

    /// Commits the record. The files that it speaks of are there from then on, and also where nobody can say
    /// whether there is a record.
    private func commit(_ intents: [PublishIntent]) throws {
        do {
            try archive.commit()
        } catch {
            if let intent = intents.first, !archive.isWithout(intent) { output.keep() }
            throw error
        }
        if !intents.isEmpty { output.keep() }
    }

    private func result(_ start: Start, _ manifestHash: String) -> ExportResult {
        var notes = start.context.unknownTypes.map {
            "sample type \(printable($0.utf8)) is not in the archive: never queried"
        }
        if totals.itemCount == 0 { notes.append("the scope selects no items") }
        var warnings: [String] = []
        if request.container == .table, totals.itemCount > Self.spreadsheetRows {
            warnings.append("the table has \(totals.itemCount) rows: spreadsheets cut after \(Self.spreadsheetRows)")
        }
        return ExportResult(
            exportID: start.header.exportID, itemCount: totals.itemCount,
            defectCount: totals.defectCount + start.header.defectCount, manifestHash: manifestHash,
            observationID: request.scope.observationID,
            isRecorded: request.isRecorded, wasRecorded: start.record != nil || wasRecordedMeanwhile,
            notes: notes, warnings: warnings, answer: answer)
    }
}

/// The destination of an export's pieces: a file that is published, with a sidecar if it is a table, or standard
/// output.
struct ExportOutput: ~Copyable {
    private var publication: Publication?
    private var sidecar: Publication?
    private let stream: Descriptor?
    /// The text that standard output may show, if it is a terminal.
    private var terminal: TerminalText?
    private let container: ExportContainer
    private var frames = SeekTable()
    private var hash: SHA256
    /// The name that the table is going to have; nil where there is no sidecar.
    private let tableName: [UInt8]?
    private var byteCount = 0
    private var isFirstItem = true
    private let view: PeopleView?
    /// Rows of a view, until all are known.
    private var rows: PeopleRows?

    /// A file, and beside it the sidecar of a table.
    init(
        publication: consuming Publication, sidecar: consuming Publication?, container: ExportContainer,
        view: PeopleView? = nil, of archive: Path
    ) throws(FileError) {
        tableName = container == .table ? publication.name : nil
        self.publication = consume publication
        self.sidecar = consume sidecar
        self.container = container
        hash = SHA256()
        stream = nil
        self.view = view
        rows = view.map { PeopleRows($0, of: archive) }
    }

    /// Standard output, which has no place for a sidecar.
    init(standardOutput container: ExportContainer, view: PeopleView? = nil, of archive: Path) throws(FileError) {
        let output = try Descriptor.standardOutput()
        terminal = output.isTerminal ? TerminalText() : nil
        stream = consume output
        publication = nil
        sidecar = nil
        hash = SHA256()
        tableName = nil
        self.container = container
        self.view = view
        rows = view.map { PeopleRows($0, of: archive) }
    }

    /// Appends what stands before or behind the items.
    mutating func write(_ piece: (bytes: [UInt8], textSize: Int)) throws(FileError) {
        try write(piece.bytes.span)
        if case .bundle = container { frames.add(compressedSize: piece.bytes.count, textSize: piece.textSize) }
    }

    /// Appends items. Each item of an envelope begins with a comma, which the first one does not need.
    mutating func write(_ chunk: BuiltChunk) throws {
        guard view == nil else { return try rows!.add(chunk) }
        let isShortened = container == .envelope && isFirstItem && !chunk.bytes.isEmpty
        isFirstItem = false
        try write(isShortened ? chunk.bytes.span.extracting(droppingFirst: 1) : chunk.bytes.span)
        if case .bundle = container { frames.add(compressedSize: chunk.bytes.count, textSize: chunk.textSize) }
    }

    /// Writes the table of a view, which was kept until now; what its sidecar says of it. Nil where there is no view.
    mutating func finishRows(of kind: ExportKind) throws -> TableContent? {
        guard let view, var rows = rows.take(), let all = PeopleColumn.columns(of: kind) else { return nil }
        let kept = all.enumerated().filter { rows.has($0.offset) }.map(\.element)
        let first = view.firstRow(of: kept.map(\.rawValue))
        try write(first.span)
        try rows.finish { text in try self.write(text.span) }
        return TableContent(view, kept)
    }

    /// Ends the export: a bundle's seek table, a table's sidecar.
    mutating func finish(sidecar text: (TableFile) -> [UInt8]) throws(FileError) {
        if case .bundle = container {
            let bytes = frames.frame()
            try write(bytes.span)
        }
        if let rest = terminal?.text(of: [UInt8]().span, isEnd: true) { try stream!.write(rest.span) }
        guard let tableName else { return }
        let bytes = text(TableFile(name: tableName, byteCount: byteCount, digest: hash.finish().hex))
        try sidecar!.write(bytes.span)
    }

    /// Makes everything durable under its temporary name.
    func synchronize() throws(FileError) {
        try publication?.synchronize()
        try sidecar?.synchronize()
    }

    /// Returns the intents that are left after the commit.
    func intents(exportID: String) -> [PublishIntent] {
        var intents: [PublishIntent] = []
        if let intent = sidecar?.intent(exportID: exportID) { intents.append(intent) }
        if let intent = publication?.intent(exportID: exportID) { intents.append(intent) }
        return intents
    }

    /// Keeps the files under their temporary names, whatever happens from here on.
    mutating func keep() {
        sidecar?.keep()
        publication?.keep()
    }

    /// Gives the files their names, a sidecar first: no table stands without one.
    mutating func publish() throws(FileError) {
        try sidecar?.publish()
        try publication?.publish()
    }

    private mutating func write(_ bytes: Span<UInt8>) throws(FileError) {
        byteCount += bytes.count
        if tableName != nil { hash.update(bytes) }
        if let shown = terminal?.text(of: bytes, isEnd: false) { return try stream!.write(shown.span) }
        if stream != nil { try stream!.write(bytes) } else { try publication!.write(bytes) }
    }
}
