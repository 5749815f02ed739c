internal import Archive
internal import Bytes
internal import CanonicalJSON
internal import Codes
internal import Files
internal import Format
internal import Pipeline

/// What was read of a file, for who compares it.
struct ReadFile {
    let header: HeaderFacts?
    let manifest: ManifestFacts?
    let isSalvage: Bool
    /// Whether no line is lost or damaged.
    let isComplete: Bool
}

/// Holds a file against an archive: against what the archive recorded of the export, and against the evidence that the
/// export was made of (`Spec/bundle-checks.md`, Archive).
///
/// While the file is read, its items and the rows of the archive are added up (`KeyedHash`, `BucketSums`). Where the
/// sums agree, nothing is sorted or kept. Only where they do not are the differences looked up (`DifferenceSearch`).
final class ArchiveComparison: ItemSink {
    /// What items are added up with.
    let hash = KeyedHash()
    private let source: EvidenceSource
    private let isRecordedOnly: Bool
    private let shouldStop: @Sendable () -> Bool
    private var recorded = BucketSums(), evidence = BucketSums()
    private var archiveSums: Task<ArchiveSums, any Error>?
    private var scope: EvidenceScope?

    /// - Parameter isRecordedOnly: whether the evidence is left out.
    init(_ archive: borrowing Archive, isRecordedOnly: Bool, shouldStop: @escaping @Sendable () -> Bool) {
        source = archive.evidence
        self.isRecordedOnly = isRecordedOnly
        self.shouldStop = shouldStop
    }

    /// Begins to read the archive beside the file: the header says which rows are asked for.
    func begin(_ header: HeaderFacts) {
        scope = isRecordedOnly ? nil : EvidenceScope(header)
        let (source, scope, hash, shouldStop) = (source, scope, hash, shouldStop)
        archiveSums = Task.detached(executorPreference: Workers.shared) {
            try ArchiveSums.read(source, header, scope, hash) { shouldStop() || Task.isCancelled }
        }
    }

    func add(_ run: ItemRun, lines: Int?) {
        for element in run.elements {
            if let hash = element.recorded { recorded.add(hash, key: element.key) }
            if let hash = element.evidence { evidence.add(hash, key: element.key) }
        }
    }

    /// Ends the reading of the archive before it is done.
    func cancel() async {
        archiveSums?.cancel()
        _ = await archiveSums?.result
    }

    /// Compares everything. Without a header nothing can be asked; with damaged lines only what is there.
    ///
    /// - Parameter again: reads the file once more for a sink.
    func finish(
        _ archive: borrowing Archive, _ file: ReadFile, _ report: inout Report,
        again: (DifferenceSearch) async throws -> Void
    ) async throws {
        report.hasArchive = true
        if archive.isPrivateCopy {
            report.archiveNote =
                "read from a private copy: a log or a journal lies beside the archive"
        }
        guard let header = file.header, let sums = try await archiveSums?.value else {
            return report.withhold(.archive)
        }
        if let rules = header.identityRules, try archive.identityRules()?.rawValue != rules {
            report.add(Finding(.archiveScope, expected: "identity_rules \(rules) in archive_metadata"))
        }
        // Of a view's items the hashes are known alone, and the manifest hash covers those.
        let ofRecord = report.isView ? nil : sums.recorded, ofEvidence = report.isView ? nil : sums.evidence
        let differing = (
            recorded: ofRecord.map { $0.differing(from: recorded) } ?? [],
            evidence: ofEvidence.map { $0.differing(from: evidence) } ?? []
        )
        let isGiven = ofEvidence != nil && differing.evidence.isEmpty && sums.isHeaderGiven
        guard let record = try archive.exportRecord(header.exportID) else {
            report.record = .notRecorded
            report.evidence = isRecordedOnly || ofEvidence == nil ? .notCompared : isGiven ? .given : .differs
            // What another archive exported would differ in everything: that it is not known says it all.
            if !isGiven || !file.isComplete || file.isSalvage || report.counts[.archiveScope] != nil {
                report.add(Finding(.archiveExportUnknown, found: header.exportID))
            } else if !sums.isHistoryGiven {
                report.add(Self.lostEntry(header))
            }
            return noteChange(of: archive, &report)
        }
        compare(record, header, file.isSalvage ? nil : file.manifest, &report)
        if !sums.isHistoryGiven { report.add(Self.lostEntry(header)) }
        if !sums.isHeaderGiven { report.add(Finding(.archiveEvidenceHeader)) }
        if !differing.recorded.isEmpty || !differing.evidence.isEmpty {
            let search = DifferenceSearch(of: archive.path, recorded: differing.recorded, evidence: differing.evidence)
            try await again(search)
            let reader = try EvidenceReader.open(source)
            try search.read(reader, exportRow: sums.exportRow, scope, hash, shouldStop: shouldStop)
            let isWhole = file.isComplete && !file.isSalvage
            try search.report(isComplete: isWhole, ignoringRepeats: file.isSalvage, &report)
        }
        report.settleAnswers(isEvidenceCompared: ofEvidence != nil, isComplete: file.isComplete)
        if !file.isComplete { report.withhold(.archive) }
        noteChange(of: archive, &report)
    }

    private static func lostEntry(_ header: HeaderFacts) -> Finding {
        Finding(.archiveHistory, found: header.history.map { "\($0.length)" })
    }

    private func noteChange(of archive: borrowing Archive, _ report: inout Report) {
        if !archive.isUnchanged() { report.add(Finding(.archiveChanged)) }
    }

    private func compare(
        _ record: ExportRecord, _ header: HeaderFacts, _ manifest: ManifestFacts?, _ report: inout Report
    ) {
        if let manifest, manifest.hash != record.manifestHash {
            report.add(Finding(.archiveManifestHash, expected: record.manifestHash, found: manifest.hash))
        }
        if let manifest, manifest.itemCount != record.recordCount {
            report.add(
                Finding(.archiveRecordCount, expected: "\(record.recordCount)", found: "\(manifest.itemCount)"))
        }
        func scope(_ what: String, _ isSame: Bool) {
            if !isSame { report.add(Finding(.archiveScope, expected: what)) }
        }
        scope("export_kind \(header.kind.rawValue)", record.exportKind == header.kind.rawValue)
        scope("to_observation_id \(header.observationID)", record.toObservationID == header.observationID)
        scope(
            header.fromObservationID.map { "from_observation_id \($0)" } ?? "no from_observation_id",
            record.fromObservationID == header.fromObservationID)
        scope(
            "the filter, generator and scope of the header",
            record.filterJSON.map { Array($0.utf8) } == header.filterJSON)
    }
}

extension HeaderFacts {
    /// `filter`, `generator` and `scope` of the header as one canonical object: what a record keeps of them.
    var filterJSON: [UInt8]? {
        var reader = Reader(.canonical)
        var parts: [String: Range<Int>] = [:]
        do throws(JSONError) {
            _ = try reader.next(in: bytes.span)
            while case .key(let key) = try reader.next(in: bytes.span) {
                let name = String(decoding: bytes[key.range], as: UTF8.self)
                parts[name] = try reader.skipValue(in: bytes.span)
            }
        } catch {
            return nil
        }
        var text = Array("{".utf8)
        for name in ["filter", "generator", "scope"] {
            guard let part = parts[name] else { return nil }
            text += Array("\(text.count > 1 ? "," : "")\"\(name)\":".utf8) + bytes[part]
        }
        return text + Array("}".utf8)
    }
}
