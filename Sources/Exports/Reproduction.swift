public import Archive
internal import CanonicalJSON
internal import Manifest
internal import Pipeline

/// A recorded export that was recomputed from the archive, in memory, and what came of it.
public struct Reproduction: Sendable {
    /// How the export that was made anew stands beside the recorded one.
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

    public let outcome: Outcome
    /// Whether the header has the recorded export id.
    public fileprivate(set) var hasSameHeader = false
    /// Whether the manifest hash is the recorded one.
    public fileprivate(set) var hasSameManifest = false
    /// The version of the tools that made the export; empty where it is not known.
    public fileprivate(set) var generatorVersion = ""
    /// Items that were made.
    public fileprivate(set) var itemCount = 0
    /// Items that are not alike on both sides.
    public fileprivate(set) var differenceCount = 0

    /// Sample types without a run that an export may have been made before, at most.
    private static let mostTypes = 256

    /// Pieces that are made while the next is read.
    private static let piecesInFlight = 2

    private init(_ outcome: Outcome) { self.outcome = outcome }

    /// Makes a recorded export again. Nothing is written but, where items differ, a temporary table.
    ///
    /// - Parameters:
    ///   - archive: opened to be read; its `LockWait` says what ends long statements.
    ///   - shouldStop: asked between batches.
    ///   - report: called with items that differ, in the order of their row ids.
    /// - Complexity: O(n) in time for n items, O(n log n) where they differ; memory does not grow with them.
    public static func run(
        _ record: ExportRecord, of archive: borrowing Archive, shouldStop: () -> Bool = { false },
        report: (ItemComparison.Difference) -> Void
    ) throws(ExportError) -> Reproduction {
        guard let kind = ExportKind(rawValue: record.exportKind),
            let question = record.filterJSON.flatMap({ RecordedQuestion(Array($0.utf8)) }),
            question.generatorName == Generator.name,
            let scope = scope(of: record, kind, question)
        else { return Reproduction(.notOurs) }
        let asked = Question(
            kind: kind, scope: scope, thresholds: question.thresholds, generatorVersion: question.generatorVersion)
        return try asExportError {
            try archive.beginSideBySide()
            defer { archive.rollBack() }
            let context = try archive.context(of: scope)
            let header = try header(asked, context, record.exportID, shouldStop)
            let made = try items(record, asked, archive, context, header, shouldStop: shouldStop, report: report)
            let isSame = header.exportID == record.exportID && made.hash == record.manifestHash && made.differences == 0
            var reproduction = Reproduction(
                isSame ? .same : question.generatorVersion == Generator.version ? .changed : .otherGenerator)
            reproduction.hasSameHeader = header.exportID == record.exportID
            reproduction.hasSameManifest = made.hash == record.manifestHash
            reproduction.generatorVersion = question.generatorVersion
            reproduction.itemCount = made.count
            reproduction.differenceCount = made.differences
            return reproduction
        }
    }

    /// Returns whether an archive, as its open transaction sees it, gives an export that was just made of it.
    ///
    /// - Complexity: as `run`.
    static func gives(
        _ exportID: String, _ manifestHash: String, _ request: ExportRequest, _ archive: borrowing Archive,
        shouldStop: () -> Bool
    ) throws -> Bool {
        let asked = Question(
            kind: request.kind, scope: request.scope, thresholds: request.thresholds,
            generatorVersion: Generator.version)
        let context = try archive.context(of: request.scope)
        let header = try header(asked, context, exportID, shouldStop)
        guard header.exportID == exportID else { return false }
        return try made(asked, archive, context, header, shouldStop: shouldStop) { _, _ in }.hash == manifestHash
    }

    /// What is asked of the archive.
    private struct Question {
        let kind: ExportKind
        let scope: Scope
        let thresholds: [Threshold: Double]?
        let generatorVersion: String
    }

    /// What the record asks; nil where its parts contradict each other.
    private static func scope(
        of record: ExportRecord, _ kind: ExportKind, _ question: RecordedQuestion
    ) -> Scope? {
        let isOfVersions = kind == .versionTable
        guard let observation = record.toObservationID, question.mode == .history || !isOfVersions,
            (question.mode == .changes) == (record.fromObservationID != nil)
        else { return nil }
        guard let from = record.fromObservationID else {
            return Scope(
                mode: question.mode, observationID: observation, filter: question.filter, isOfVersions: isOfVersions)
        }
        return Scope(
            changesFrom: from, to: observation, kinds: question.changes, labels: question.labels,
            filter: question.filter)
    }

    /// The header with the recorded id, where leaving out types that the archive learned of later, or another entry of
    /// the history or none, gives it; else the header of today.
    ///
    /// The id is a hash of the header, so it says which coverage was meant (decision 0010). Row ids of types grow
    /// as they are learned.
    private static func header(
        _ question: Question, _ context: ExportContext, _ exportID: String, _ shouldStop: () -> Bool
    ) throws(ExportError) -> ExportHeader {
        func header(_ history: HistoryHead?, hiding hidden: Set<Int> = []) -> ExportHeader {
            ExportHeader(
                question.scope, context, kind: question.kind, thresholds: question.thresholds,
                generatorVersion: question.generatorVersion, history: history, hiding: hidden)
        }
        // An export of an observation that was not over carries no entry.
        let today = header(context.history)
        let entries = context.history == nil ? [nil] : [context.history, nil]
        let types = context.neverQueried.sorted { context.coverageTypeIDs[$0] > context.coverageTypeIDs[$1] }
        for entry in entries {
            for count in 0...min(types.count, mostTypes) {
                if shouldStop() { throw ExportError.interrupted }
                let earlier = header(entry, hiding: Set(types.prefix(count)))
                if earlier.exportID == exportID { return earlier }
            }
        }
        return today
    }

    private static func items(
        _ record: ExportRecord, _ question: Question, _ archive: borrowing Archive, _ context: ExportContext,
        _ header: ExportHeader, shouldStop: () -> Bool, report: (ItemComparison.Difference) -> Void
    ) throws -> (count: Int, hash: String, differences: Int) {
        let kind = question.kind
        var sum = ItemSum()
        let made = try made(question, archive, context, header, shouldStop: shouldStop) { item, hash in
            sum.add(sampleID: item.sampleID, versionID: item.versionID, hash: hash)
        }
        var differences = 0
        if try !sum.isRecorded(record, in: archive) {
            var comparison = try ItemComparison(archive)
            if kind.hasRecordedItems {
                try chunks(archive, question.scope, context, kind.profile, shouldStop) { chunk in
                    try chunk.forEachItem { item, hash in
                        try comparison.add(sampleID: item.sampleID, versionID: item.versionID, hash: hash)
                    }
                }
            }
            try comparison.differences(from: record, in: archive) { difference in
                differences += 1
                report(difference)
            }
        }
        return (made.count, made.hash, differences)
    }

    /// Makes the items, in their order, and returns their number and the manifest hash.
    ///
    /// - Parameter take: called with each item that has rows of its own, and with its hash.
    private static func made(
        _ question: Question, _ archive: borrowing Archive, _ context: ExportContext, _ header: ExportHeader,
        shouldStop: () -> Bool, take: (RecordedItem, Span<UInt8>) -> Void
    ) throws -> (count: Int, hash: String) {
        let (kind, scope) = (question.kind, question.scope)
        let types = TypeNames(context.types)
        var manifest = ManifestHasher(export: header.bytes.span)
        var totals = Totals()
        var page: PageFile?
        switch kind {
        case .recoveryBundle, .recordTable, .versionTable, .diffReport, .changeSet, .sharedBundle:
            try chunks(archive, scope, context, kind.profile, shouldStop) { chunk in
                totals.add(chunk.totals)
                manifest.add(quotedHashes: chunk.quotedHashes.span)
                chunk.forEachItem(take)
            }
        case .diffSummary, .findingReport, .pairReport, .pageReport:
            if kind == .pageReport { page = PageFile(header: header.bytes) }
            try ReportDocuments.write(kind, of: archive, scope, context, question.thresholds) { document in
                if shouldStop() { throw ExportError.interrupted }
                page?.add(item: document.bytes)
                add(document, &totals, &manifest)
            }
        case .observationManifest:
            var manifests = TypeManifests(types)
            try chunks(archive, scope, context, .whole, shouldStop) { manifests.add($0) }
            for document in manifests.finish() { add(document, &totals, &manifest) }
        }
        var json = Writer()
        totals.write(types: types, headerDefects: header.defectCount, pageHash: page?.hash(), to: &json)
        return (totals.itemCount, manifest.finish(totals: json.span).hex)
    }

    private static func add(_ document: Document, _ totals: inout Totals, _ manifest: inout ManifestHasher) {
        var quoted: [UInt8] = []
        var hasher = ItemHasher()
        ManifestHasher.appendQuoted(hasher.hash(ofItem: document.bytes.span), to: &quoted)
        totals.add(ItemFacts(isPlain: true), type: document.type)
        manifest.add(quotedHashes: quoted.span)
    }

    /// Calls `take` with all items, piece by piece, in their order. Pieces are made beside the reading of the next.
    private static func chunks(
        _ archive: borrowing Archive, _ scope: Scope, _ context: ExportContext, _ profile: ExportProfile,
        _ shouldStop: () -> Bool, take: (BuiltChunk) throws -> Void
    ) throws {
        // The lines' items are what is hashed; the lines go nowhere.
        let (types, runs) = (TypeNames(context.types), RunTexts(context))
        let builders = (0...piecesInFlight).map { _ in
            ChunkBuilder(types: types, runs: runs, profile: profile, container: .lines, lineLimit: .max)
        }
        var cursor = try archive.records(of: scope, in: context)
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
    /// Rows of the coverage without a type run, at either observation.
    fileprivate var neverQueried: [Int] {
        func hasRun(_ table: PackedTable, _ row: Int) -> Bool {
            table.values(row)[CoverageColumn.hasRun.rawValue] == .integer(1)
        }
        return (0..<coverage.count).filter { row in
            !hasRun(coverage, row) && !(fromCoverage.map { hasRun($0, row) } ?? false)
        }
    }
}
