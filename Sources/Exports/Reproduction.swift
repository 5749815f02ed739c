public import Archive
internal import Changes
internal import Bytes
internal import CanonicalJSON
internal import Manifest
internal import Pipeline

/// A recorded export that was recomputed from the archive, in memory, and what came of it.
public struct Reproduction: Sendable {
    /// The relation of the reproduced export to the recorded one.
    public enum Outcome: String, Sendable {
        /// Header, items and manifest hash are the recorded ones.
        case same
        /// Something differs, and this version of the tools made the export: what the archive says of it changed.
        case changed
        /// Something differs, and another version made the export, which may have written it otherwise.
        case otherGenerator = "other_version"
        /// It cannot be recomputed: a kind of export, or a record, that these tools do not write.
        case notOurs = "not_ours"
    }

    /// An item that is not alike on both sides. Row ids of the archive.
    public enum Difference: Sendable {
        /// It was made, and is not recorded.
        case unknown(sampleID: Int64, versionID: Int64?)
        /// It is recorded, and was not made.
        case absent(sampleID: Int64, versionID: Int64?)
        /// Both, with different item hashes.
        case hash(sampleID: Int64, versionID: Int64?, recorded: String, made: String)
    }

    public let outcome: Outcome
    /// `true` if the header has the recorded export id.
    public fileprivate(set) var hasSameHeader = false
    /// `true` if the manifest hash is the recorded one.
    public fileprivate(set) var hasSameManifest = false
    /// The version of the tools that made the export; empty where it is not known.
    public fileprivate(set) var generatorVersion = ""
    /// Items that were made.
    public fileprivate(set) var itemCount = 0
    /// Items that are not alike on both sides.
    public fileprivate(set) var differenceCount = 0

    private init(_ outcome: Outcome) { self.outcome = outcome }

    /// Makes a recorded export again. Nothing is written but, where items differ, temporary files.
    ///
    /// - Parameters:
    ///   - archive: opened to be read; its `LockWait` says what ends long statements.
    ///   - shouldStop: asked between batches.
    ///   - report: called with items that differ, in the order of their row ids.
    /// - Complexity: O(n) in time for n items, O(n log n) where they differ; memory does not grow with them.
    public static func run(
        _ record: ExportRecord, of archive: borrowing Archive, shouldStop: () -> Bool = { false },
        report: (Difference) -> Void
    ) throws(ExportError) -> Reproduction {
        let question = ExportQuestion(
            exportID: record.exportID, kind: record.exportKind, from: record.fromObservationID,
            to: record.toObservationID, filterJSON: record.filterJSON.map { Array($0.utf8) })
        guard let question, question.generator.name == Generator.name else { return Reproduction(.notOurs) }
        return try asExportError {
            try archive.beginSideBySide()
            defer { archive.rollBack() }
            let made = try GivenExport.made(question, archive, beside: record, shouldStop: shouldStop)
            var differences = 0
            if made.isRecorded == false {
                try difference(of: record, from: question, archive, shouldStop) {
                    differences += 1
                    report($0)
                }
            }
            let hasSameManifest = made.manifestHash == record.manifestHash
            let isSame = made.hasSameHeader && hasSameManifest && differences == 0
            var reproduction = Reproduction(isSame ? .same : question.isOfThisVersion ? .changed : .otherGenerator)
            reproduction.hasSameHeader = made.hasSameHeader
            reproduction.hasSameManifest = hasSameManifest
            reproduction.generatorVersion = question.generator.version
            reproduction.itemCount = made.itemCount
            reproduction.differenceCount = differences
            return reproduction
        }
    }

    /// Returns whether an archive, as its open transaction sees it, gives an export that was just made of it.
    ///
    /// - Complexity: as `run`.
    static func gives(
        _ question: ExportQuestion, _ manifestHash: String, _ archive: borrowing Archive, shouldStop: () -> Bool
    ) throws -> Bool {
        let made = try GivenExport.made(question, archive, beside: nil, onlySameHeader: true, shouldStop: shouldStop)
        return made.hasSameHeader && made.manifestHash == manifestHash
    }

    /// Items of one sample and version that are kept to be named.
    private static let mostItems = 1000

    /// Adds an item under a key of two row ids, which sorts as they do.
    private static func add(
        _ side: ItemDiffer.Side, _ sampleID: Int64?, _ versionID: Int64?, _ hash: Span<UInt8>, to differ: ItemDiffer,
        _ key: inout ByteBuffer
    ) throws(ArchiveError) {
        key.removeAll()
        for id in [sampleID, versionID] {
            key.append(id == nil ? 0 : 1)
            key.append(bigEndian: UInt64(bitPattern: id ?? 0) ^ 1 << 63)
        }
        try differ.add(side, key: key.span, hash: hash, ItemDiffer.Place(sampleID ?? 0, versionID))
    }

    /// Compares items that are made again with the recorded ones, by row ids.
    private static func difference(
        of record: ExportRecord, from question: ExportQuestion, _ archive: borrowing Archive,
        _ shouldStop: () -> Bool, _ report: (Difference) -> Void
    ) throws {
        let differ = ItemDiffer(of: archive.path)
        var key = ByteBuffer(capacity: 18)
        if question.kind.hasRecordedItems {
            try GivenExport.pieces(of: question, try archive.context(of: question.scope), archive, shouldStop) {
                try $0.forEachItem { item, hash in
                    try add(.left, item.sampleID, item.versionID, hash, to: differ, &key)
                }
            }
        }
        try archive.recordedRows(of: record) { sampleID, versionID, hash throws(ArchiveError) in
            try add(.right, sampleID, versionID, hash, to: differ, &key)
        }
        _ = try differ.finish(limit: mostItems) { difference in
            func id(at start: Int) -> Int64 {
                Int64(bitPattern: difference.key[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } ^ 1 << 63)
            }
            let (sampleID, versionID) = (id(at: 1), difference.key[9] == 0 ? nil : id(at: 10))
            func text(_ item: ItemDiffer.Item?) -> String { String(decoding: item?.hash ?? [], as: UTF8.self) }
            switch difference.kind {
            case .leftOnly: report(.unknown(sampleID: sampleID, versionID: versionID))
            case .rightOnly: report(.absent(sampleID: sampleID, versionID: versionID))
            case .changed:
                report(
                    .hash(
                        sampleID: sampleID, versionID: versionID, recorded: text(difference.right),
                        made: text(difference.left)))
            }
        }
    }
}

/// The export that an archive gives now if it is asked for an export again.
package struct GivenExport: Sendable {
    /// `true` if the header has the id that is meant.
    package let hasSameHeader: Bool
    package let manifestHash: String
    package let itemCount: Int
    /// `true` if the items are those of the record, by their rows; `nil` without a record.
    package let isRecorded: Bool?
    /// The readable part of a page; empty in other exports.
    package let page: [UInt8]

    /// Sample types without a run that an export may have been made before, at most.
    private static let mostTypes = 256

    /// Pieces that are made while the next is read.
    private static let piecesInFlight = 2

    /// Makes an export again, in memory.
    ///
    /// - Parameters:
    ///   - archive: opened to be read, with no transaction open.
    ///   - record: what its items are compared with.
    /// - Complexity: O(n) in time for n items; memory does not grow with them.
    package static func of(
        _ question: ExportQuestion, _ archive: borrowing Archive, beside record: ExportRecord?,
        shouldStop: () -> Bool
    ) throws(ExportError) -> GivenExport {
        try asExportError {
            try archive.beginSideBySide()
            defer { archive.rollBack() }
            return try made(question, archive, beside: record, shouldStop: shouldStop)
        }
    }

    /// Calls `take` with the lines of the items that an archive gives, piece by piece, in their order.
    package static func lines(
        of question: ExportQuestion, _ archive: borrowing Archive, shouldStop: () -> Bool,
        take: ([UInt8]) throws -> Void
    ) throws(ExportError) {
        try asExportError {
            try archive.beginSideBySide()
            defer { archive.rollBack() }
            let context = try archive.context(of: question.scope)
            try pieces(of: question, context, archive, shouldStop) { try take($0.bytes) }
        }
    }

    /// Makes an export again, in the open transaction.
    ///
    /// - Parameter onlySameHeader: `true` if the items do not matter once the header is another.
    static func made(
        _ question: ExportQuestion, _ archive: borrowing Archive, beside record: ExportRecord?,
        onlySameHeader: Bool = false, shouldStop: () -> Bool
    ) throws -> GivenExport {
        let context = try archive.context(of: question.scope)
        let days = try StatedDays(question.days, of: question.scope, in: archive)
        let header = try header(question, context, days, shouldStop)
        let hasSameHeader = header.exportID == question.exportID
        if onlySameHeader, !hasSameHeader {
            return GivenExport(hasSameHeader: false, manifestHash: "", itemCount: 0, isRecorded: nil, page: [])
        }
        var manifest = ManifestHasher(export: header.bytes.span)
        var totals = Totals()
        var sum = ItemSum()
        var page = question.kind == .pageReport ? PageFile(header: header.bytes) : nil
        try pieces(of: question, context, archive, shouldStop) { piece in
            totals.add(piece.totals)
            manifest.add(quotedHashes: piece.quotedHashes.span)
            piece.forEachItem { sum.add(sampleID: $0.sampleID, versionID: $0.versionID, hash: $1) }
            page?.add(piece.bytes)
        }
        var json = Writer()
        let types = TypeNames(context.types)
        totals.write(types: types, headerDefects: header.defectCount, pageHash: page?.hash(), to: &json)
        let isRecorded: Bool? = if let record { try sum.isRecorded(record, in: archive) } else { nil }
        return GivenExport(
            hasSameHeader: hasSameHeader, manifestHash: manifest.finish(totals: json.span).hex,
            itemCount: totals.itemCount, isRecorded: isRecorded, page: page?.page ?? [])
    }

    /// Returns the header with the id that is meant, else the header of today. For that id it leaves out types that the
    /// archive learned of later, or has another entry of the history or none.
    ///
    /// The id is a hash of the header, so it says which coverage was meant (decision 0010). Row ids of types grow
    /// as they are learned.
    private static func header(
        _ question: ExportQuestion, _ context: ExportContext, _ days: StatedDays?, _ shouldStop: () -> Bool
    ) throws(ExportError) -> ExportHeader {
        func header(_ history: HistoryHead?, hiding hidden: Set<Int> = []) -> ExportHeader {
            ExportHeader(
                question.scope, context, kind: question.kind, thresholds: question.thresholds, days: days,
                generator: question.generator, history: history, hiding: hidden)
        }
        // An export of an observation that was not over carries no entry.
        var entries: [HistoryHead?] = []
        for entry in [question.history, context.history, nil] where !entries.contains(entry) { entries.append(entry) }
        let types = context.neverQueried.sorted { context.coverageTypeIDs[$0] > context.coverageTypeIDs[$1] }
        for entry in entries {
            for count in 0...min(types.count, mostTypes) {
                if shouldStop() { throw ExportError.interrupted }
                let earlier = header(entry, hiding: Set(types.prefix(count)))
                if earlier.exportID == question.exportID { return earlier }
            }
        }
        return header(context.history)
    }

    /// Calls `take` with all items, piece by piece, in their order.
    ///
    /// - Parameter view: that the pieces are of; `nil` for lines.
    static func pieces(
        of question: ExportQuestion, _ context: ExportContext, _ archive: borrowing Archive,
        _ shouldStop: () -> Bool, view: PeopleView? = nil, take: (BuiltChunk) throws -> Void
    ) throws {
        let (kind, scope) = (question.kind, question.scope)
        let types = TypeNames(context.types)
        let (container, people) = (view == nil ? ExportContainer.lines : .table, view.map { (view: $0, kind: kind) })
        func builder(_ runs: RunTexts, _ profile: ExportProfile) -> ChunkBuilder {
            ChunkBuilder(
                types: types, runs: runs, profile: profile, container: container, people: people, lineLimit: .max)
        }
        let documents = builder(RunTexts(), .whole)
        switch kind {
        case .recoveryBundle, .recordTable, .versionTable, .diffReport, .changeSet, .sharedBundle:
            try rows(archive, scope, context, shouldStop, { builder($0, kind.profile) }, take: take)
        case .diffSummary, .findingReport, .pairReport, .pageReport:
            try ReportDocuments.write(kind, of: archive, scope, context, question.thresholds) { document in
                if shouldStop() { throw ExportError.interrupted }
                try take(documents.chunk(of: [document]))
            }
        case .dayReport:
            try ReportDocuments.writeDays(of: archive, scope, context, question.days) { batch in
                if shouldStop() { throw ExportError.interrupted }
                try take(documents.chunk(of: batch))
            }
        case .observationManifest:
            var manifests = TypeManifests(types)
            try rows(archive, scope, context, shouldStop, { builder($0, .whole) }, take: { manifests.add($0) })
            for document in manifests.finish() { try take(documents.chunk(of: [document])) }
        }
    }

    /// Calls `take` with the items of rows. Pieces are made beside the reading of the next.
    private static func rows(
        _ archive: borrowing Archive, _ scope: Scope, _ context: ExportContext, _ shouldStop: () -> Bool,
        _ builder: (RunTexts) -> ChunkBuilder, take: (BuiltChunk) throws -> Void
    ) throws {
        let runs = RunTexts(context)
        let builders = (0...piecesInFlight).map { _ in builder(runs) }
        var cursor = try archive.rows(of: scope, in: context)
        var threads = OrderedThreads<Result<BuiltChunk, ExportError>>()
        var count = 0
        while let batch = try cursor.next() {
            if shouldStop() { throw ExportError.interrupted }
            let builder = builders[count % builders.count]
            count += 1
            threads.start { Result { () throws(ExportError) in try builder.chunk(of: batch) } }
            while let chunk = threads.next(leaving: piecesInFlight) { try take(chunk.get()) }
        }
        while let chunk = threads.next(leaving: 0) { try take(chunk.get()) }
    }
}

extension ExportContext {
    /// Rows of the coverage without a type run, at either observation, of types that another engine brought: nobody
    /// noted when.
    fileprivate var neverQueried: [Int] {
        func hasRun(_ table: PackedTable, _ row: Int) -> Bool {
            table.values(row)[CoverageColumn.hasRun.rawValue] == .integer(1)
        }
        return (0..<coverage.count).filter { row in
            !hasRun(coverage, row) && !(fromCoverage.map { hasRun($0, row) } ?? false)
                && typesOfUnknownOrigin?.contains(coverageTypeIDs[row]) ?? true
        }
    }
}
