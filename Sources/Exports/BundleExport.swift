public import Archive
public import Files
internal import CanonicalJSON
internal import Manifest

/// What to export, and where to.
public struct BundleRequest: Sendable {
    /// Where a bundle goes.
    public enum Destination: Sendable {
        /// A file that appears complete or not at all.
        case file(Path, replacing: Bool)
        /// Standard output, as it comes.
        case standardOutput
    }

    public var scope: Scope
    public var destination: Destination
    /// Zstandard level, 1 to 19.
    public var level = 1
    /// Whether the export is recorded in the archive.
    public var isRecorded = true
    /// Longest line, in bytes.
    public var lineLimit = 64 << 20

    /// A request with the usual level and limits.
    public init(scope: Scope, destination: Destination) {
        self.scope = scope
        self.destination = destination
    }
}

/// What was exported.
public struct BundleResult: Sendable {
    public let exportID: String
    public let itemCount: Int
    public let defectCount: Int
    public let manifestHash: String
    public let observationID: Int64
    /// Whether this run recorded the export.
    public let isRecorded: Bool
    /// Whether the archive held the same record already.
    public let wasRecorded: Bool
    /// Things worth knowing that are no errors.
    public let notes: [String]
}

/// Streams a scope of an archive into one bundle and records it.
///
/// One task reads rows in order, hands batches to frame builders that run beside it, and writes finished frames in order. Memory is bounded by the batches in flight.
public final class BundleExport {
    private let archive: Archive
    private let request: BundleRequest
    private let hooks: Hooks
    private var output: FrameOutput
    private var recorder: ExportRecorder?
    private var totals = Totals()
    private var wasRecordedMeanwhile = false

    /// What a tool wants to be told and asked.
    public struct Hooks: Sendable {
        /// Called with the number of items that were written.
        public var progress: @Sendable (Int) -> Void
        /// Asked between batches whether to give up.
        public var shouldStop: @Sendable () -> Bool

        public init(progress: @escaping @Sendable (Int) -> Void = { _ in }, shouldStop: @escaping @Sendable () -> Bool = { false }) {
            self.progress = progress
            self.shouldStop = shouldStop
        }
    }

    /// Batches that are built while the next is read: enough for two cores and few enough for 64 MiB.
    private static let batchesInFlight = 3

    private init(archive: consuming Archive, request: BundleRequest, hooks: Hooks, output: consuming FrameOutput) {
        self.archive = archive
        self.request = request
        self.hooks = hooks
        self.output = output
    }

    /// Exports a bundle.
    ///
    /// - Parameter archive: opened `.recording`, or `.reading` when the request is not recorded; its `Patience` says what ends long statements.
    /// - Complexity: time in proportion to what the scope selects; memory does not grow with it.
    public static func run(_ request: BundleRequest, of archive: consuming Archive, hooks: Hooks = Hooks()) async throws(ExportError) -> BundleResult {
        let output = try asExportError { () throws -> FrameOutput in
            switch request.destination {
            case .standardOutput: try FrameOutput(standardOutput: ())
            case .file(let path, let replacing):
                try FrameOutput(
                    publication: Publication(
                        to: path, replacing: replacing, beside: [archive.path, archive.file], owner: archive.status.number, keeping: Set(archive.publishIntents().map(\.temporary))))
            }
        }
        let export = BundleExport(archive: archive, request: request, hooks: hooks, output: output)
        do {
            return try await export.run()
        } catch {
            export.archive.rollBack()
            throw error
        }
    }

    private func run() async throws(ExportError) -> BundleResult {
        let isHeldWhileStreaming = if case .file = request.destination { request.isRecorded } else { false }
        let start = try asExportError { try begin(holdingLock: isHeldWhileStreaming) }
        let builders = (0..<Self.batchesInFlight).map { _ in FrameBuilder(types: TypeNames(start.context.types), level: request.level, lineLimit: request.lineLimit) }
        let header = builders[0].frame(ofLine: Array("{\"export\":".utf8) + start.header.bytes + Array("}".utf8))
        try asExportError { try output.write(frame: header.bytes, textSize: header.textSize) }
        var cursor = try asExportError { () throws -> RecordCursor in try archive.records(of: request.scope, in: start.context) }
        var hasher = ManifestHasher(export: start.header.bytes.span)
        try await stream(&cursor, builders, &hasher)
        let manifest = finishManifest(hasher, start, builders[0])
        try asExportError {
            try output.write(frame: manifest.frame.bytes, textSize: manifest.frame.textSize)
            try output.finish()
            try publish(start, manifestHash: manifest.hash, isLockHeld: isHeldWhileStreaming && start.record == nil)
        }
        return result(start, manifest.hash)
    }

    private struct Start {
        let context: ExportContext
        let header: ExportHeader
        /// What the archive knows of this export already.
        let record: ExportRecord?
    }

    /// Begins the transaction that everything is read in. The write lock is taken only where there is something to record.
    private func begin(holdingLock: Bool) throws -> Start {
        try archive.begin(writing: false)
        let start = try describe()
        guard holdingLock, start.record == nil else { return try prepared(start, inStaging: true) }
        archive.rollBack()
        try archive.begin(writing: true)
        return try prepared(describe(), inStaging: false)
    }

    private func describe() throws -> Start {
        let context = try archive.context(of: request.scope)
        let header = ExportHeader(request.scope, context, kind: "recovery_bundle")
        return Start(context: context, header: header, record: request.isRecorded ? try archive.exportRecord(header.exportID) : nil)
    }

    private func prepared(_ start: Start, inStaging: Bool) throws -> Start {
        if request.isRecorded, start.record == nil { recorder = try archive.recorder(inStaging: inStaging) }
        return start
    }

    /// Moves all rows to frames. Frames are written in the order of their batches, whichever is built first.
    private func stream(_ cursor: inout RecordCursor, _ builders: [FrameBuilder], _ hasher: inout ManifestHasher) async throws(ExportError) {
        do {
            try await withThrowingTaskGroup(of: (Int, BuiltFrame).self) { group in
                var started = 0
                var written = 0
                var ready: [Int: BuiltFrame] = [:]
                var isAtEnd = false
                while !isAtEnd || written < started {
                    if hooks.shouldStop() { throw ExportError.interrupted }
                    if !isAtEnd, started - written < Self.batchesInFlight {
                        if let batch = try cursor.next() {
                            let number = started
                            let builder = builders[number % builders.count]
                            group.addTask { (number, try builder.frame(of: batch)) }
                            started += 1
                        } else {
                            isAtEnd = true
                        }
                        continue
                    }
                    if let (number, frame) = try await group.next() { ready[number] = frame }
                    while let frame = ready.removeValue(forKey: written) {
                        try take(frame, &hasher)
                        written += 1
                    }
                }
            }
        } catch {
            try asExportError { throw error }
        }
    }

    private func take(_ frame: BuiltFrame, _ hasher: inout ManifestHasher) throws {
        try output.write(frame: frame.bytes, textSize: frame.textSize)
        hasher.add(quotedHashes: frame.quotedHashes.span)
        totals.add(frame.totals)
        for (index, row) in frame.rows.enumerated() {
            let start = index * 67 + 1
            try recorder?.add(sampleID: row.sampleID, versionID: row.versionID, hash: frame.quotedHashes.span.extracting(start..<start + 64))
        }
        hooks.progress(totals.itemCount)
    }

    private func finishManifest(_ hasher: consuming ManifestHasher, _ start: Start, _ builder: FrameBuilder) -> (frame: (bytes: [UInt8], textSize: Int), hash: String) {
        var json = Writer()
        totals.write(types: TypeNames(start.context.types), headerDefects: start.header.defectCount, to: &json)
        let hash = hasher.finish(totals: json.bytes.span).hex
        let line = Array("{\"manifest_hash\":\"\(hash)\",\"totals\":".utf8) + json.bytes + Array("}".utf8)
        return (builder.frame(ofLine: line), hash)
    }

    /// From complete output to recorded, named file: the order that survives a power loss at any point.
    private func publish(_ start: Start, manifestHash: String, isLockHeld: Bool) throws {
        if let record = start.record {
            guard record.manifestHash == manifestHash else { throw ExportError.evidenceChanged(exportID: start.header.exportID, recorded: record.manifestHash, now: manifestHash) }
        }
        if hooks.shouldStop() { throw ExportError.interrupted }
        try output.settle()
        var intent: PublishIntent?
        if let recorder = recorder.take() {
            if !isLockHeld {
                // Ends the reading; undoing it would undo the staging too.
                try archive.commit()
                try archive.begin(writing: true)
                // Meanwhile the same export may have been recorded.
                if let record = try archive.exportRecord(start.header.exportID) {
                    guard record.manifestHash == manifestHash else { throw ExportError.evidenceChanged(exportID: start.header.exportID, recorded: record.manifestHash, now: manifestHash) }
                    wasRecordedMeanwhile = true
                    return archive.rollBack()
                }
            }
            intent = output.intent(exportID: start.header.exportID)
            try archive.finish(
                recorder, exportID: start.header.exportID, kind: "recovery_bundle", toObservation: request.scope.observationID,
                filterJSON: String(decoding: start.header.filterJSON, as: UTF8.self), manifestHash: manifestHash, createdAt: now(), intent: intent)
            try commit(intent)
        } else {
            archive.rollBack()
        }
        // The commit point is passed: from here on the export is done, and whatever stops us is completed at the next start.
        // An intent that stays, because the name could not be given or the lock not be had, is looked at by the next start.
        try output.publish()
        if let intent { try? archive.drop(intent) }
    }

    /// Commits the record. The file that it speaks of is there from then on, and also where nobody can say whether there is a record.
    private func commit(_ intent: PublishIntent?) throws {
        do {
            try archive.commit()
        } catch {
            if let intent, !archive.isWithout(intent) { output.keep() }
            throw error
        }
        if intent != nil { output.keep() }
    }

    private func result(_ start: Start, _ manifestHash: String) -> BundleResult {
        var notes = start.context.unknownTypes.map { "sample type \(printable($0.utf8)) is not in the archive: never queried" }
        if totals.itemCount == 0 { notes.append("the scope selects no items") }
        return BundleResult(
            exportID: start.header.exportID, itemCount: totals.itemCount, defectCount: totals.defectCount + start.header.defectCount, manifestHash: manifestHash,
            observationID: request.scope.observationID, isRecorded: request.isRecorded && start.record == nil && !wasRecordedMeanwhile, wasRecorded: start.record != nil || wasRecordedMeanwhile,
            notes: notes)
    }
}
