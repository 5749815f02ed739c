public import Archive
internal import CanonicalJSON
internal import Manifest

/// A recorded bundle that was made again from the archive, in memory, and what came of it.
public struct Reproduction: Sendable {
    /// How the export that was made anew stands beside the recorded one.
    public enum Outcome: Sendable, Equatable {
        /// Header, items and manifest hash are the recorded ones.
        case same
        /// Something differs, and this version of the tools made the export: what the archive says of it changed.
        case changed
        /// Something differs, and another version made the export, which may have written it otherwise.
        case otherGenerator
        /// It cannot be made again: another kind of export, or a record that these tools do not write.
        case notOurs
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

    private init(_ outcome: Outcome) { self.outcome = outcome }

    /// Makes a recorded export again. Nothing is written but a temporary table.
    ///
    /// - Parameters:
    ///   - archive: opened to be read; its `Patience` says what ends long statements.
    ///   - shouldStop: asked between batches.
    ///   - report: called with items that differ, in the order of their row ids.
    /// - Complexity: O(n log n) in time for n items; memory does not grow with them.
    public static func run(
        _ record: ExportRecord, of archive: borrowing Archive, shouldStop: () -> Bool = { false }, report: (ItemComparison.Difference) -> Void = { _ in }
    ) throws(ExportError) -> Reproduction {
        guard record.exportKind == ExportKind.recoveryBundle.rawValue, let observation = record.toObservationID, let question = record.filterJSON.flatMap({ RecordedQuestion(Array($0.utf8)) }),
            question.generatorName == Generator.name
        else { return Reproduction(.notOurs) }
        let scope = Scope(mode: question.mode, observationID: observation, filter: question.filter)
        return try asExportError {
            try archive.begin(writing: false)
            defer { archive.rollBack() }
            let context = try archive.context(of: scope)
            let header = header(record, scope, context, question)
            let made = try items(record, archive, scope, context, header, shouldStop: shouldStop, report: report)
            let isSame = header.exportID == record.exportID && made.hash == record.manifestHash && made.differences == 0
            var reproduction = Reproduction(isSame ? .same : question.generatorVersion == Generator.version ? .changed : .otherGenerator)
            reproduction.hasSameHeader = header.exportID == record.exportID
            reproduction.hasSameManifest = made.hash == record.manifestHash
            reproduction.generatorVersion = question.generatorVersion
            reproduction.itemCount = made.count
            reproduction.differenceCount = made.differences
            return reproduction
        }
    }

    /// The header with the recorded id, where leaving out types that the archive learned of later gives it; else the header of today.
    ///
    /// The id is a hash of the header, so it says which coverage was meant (decision 0010). Row ids of types grow as they are learned.
    private static func header(_ record: ExportRecord, _ scope: Scope, _ context: ExportContext, _ question: RecordedQuestion) -> ExportHeader {
        func header(hiding hidden: Set<Int>) -> ExportHeader { ExportHeader(scope, context, kind: .recoveryBundle, generatorVersion: question.generatorVersion, hiding: hidden) }
        let today = header(hiding: [])
        if today.exportID == record.exportID { return today }
        var hidden: Set<Int> = []
        for row in context.neverQueried.sorted(by: { context.coverageTypeIDs[$0] > context.coverageTypeIDs[$1] }) {
            hidden.insert(row)
            let earlier = header(hiding: hidden)
            if earlier.exportID == record.exportID { return earlier }
        }
        return today
    }

    private static func items(
        _ record: ExportRecord, _ archive: borrowing Archive, _ scope: Scope, _ context: ExportContext, _ header: ExportHeader, shouldStop: () -> Bool, report: (ItemComparison.Difference) -> Void
    ) throws -> (count: Int, hash: String, differences: Int) {
        let types = TypeNames(context.types)
        var cursor = try archive.records(of: scope, in: context)
        var comparison = try ItemComparison(archive)
        var writer = ItemWriter(types: types)
        var hasher = ItemHasher()
        var manifest = ManifestHasher(export: header.bytes.span)
        var totals = Totals()
        var hashes: [UInt8] = []
        while let batch = try cursor.next() {
            if shouldStop() { throw ExportError.interrupted }
            hashes.removeAll(keepingCapacity: true)
            writer.start(batch)
            for row in batch.rows {
                let facts = writer.write(row, of: batch)
                totals.add(facts, type: row.type)
                ManifestHasher.appendQuoted(writer.hash(with: &hasher), to: &hashes)
                try comparison.add(sampleID: row.sampleID, versionID: facts.hasVersion ? row.versionID : nil, hash: hashes.span.extracting(last: 65).extracting(first: 64))
            }
            manifest.add(quotedHashes: hashes.span)
        }
        var json = Writer()
        totals.write(types: types, headerDefects: header.defectCount, to: &json)
        let hash = manifest.finish(totals: json.bytes.span).hex
        var differences = 0
        try comparison.differences(from: record, in: archive) { difference in
            differences += 1
            report(difference)
        }
        return (totals.itemCount, hash, differences)
    }
}

extension ExportContext {
    /// Rows of the coverage without a type run.
    fileprivate var neverQueried: [Int] { (0..<coverage.count).filter { coverage.values($0)[CoverageColumn.hasRun.rawValue] != .integer(1) } }
}
