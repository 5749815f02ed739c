public import Archive
internal import Bytes
internal import Codes
internal import Exports
public import Files
internal import Manifest
internal import Pipeline
public import Verification

extension BundleVerifier {
    /// Verifies a bundle or a report by itself, and compares it with an archive (`Spec/bundle-checks.md`, Archive):
    /// with what the archive recorded of the export, and with the export that it gives now.
    ///
    /// While the file is read, the export is made again in memory. If both have the same manifest hash, all of it is
    /// the same. Only else items are kept, and their differences looked up (`ItemDiffer`).
    ///
    /// - Parameters:
    ///   - file: as for a bundle by itself; it may be read twice.
    ///   - archive: opened for `.evidence`.
    ///   - isRecordedOnly: `true` to compare only with what was recorded.
    /// - Complexity: O(n log n) in the items of bundle and export, as both are sorted; memory does not grow with the
    ///   archive.
    /// - Throws: what `verify` of the file alone throws, or `ArchiveError`.
    public static func verify(
        _ file: borrowing Descriptor, archive: consuming Archive, isRecordedOnly: Bool = false,
        options: VerificationOptions = VerificationOptions(),
        progress: @escaping @Sendable (Int) -> Void = { _ in }, shouldStop: @escaping @Sendable () -> Bool = { false }
    ) async throws -> Report {
        let comparison = ArchiveComparison(archive, isRecordedOnly: isRecordedOnly, options, shouldStop)
        let read: ReadExport
        do {
            read = try await BundleVerifier.read(
                file, options: options, sink: comparison, wanting: comparison.wants, progress: progress,
                shouldStop: shouldStop)
        } catch {
            await comparison.cancel()
            throw error
        }
        let source = try FileSource(file)
        return try await comparison.finish(read, source) { sink in
            _ = try await BundleVerifier.read(
                file, options: options, sink: sink, wanting: ItemWants(identities: true), progress: { _ in },
                shouldStop: shouldStop)
        }
    }
}

/// The archive's answer on the export of a header, looked up while the file is read.
private struct ArchiveAnswer: Sendable {
    var record: ExportRecord?
    /// The export as the archive gives it now; `nil` if it is not asked, or cannot be.
    var given: GivenExport?
    /// The sum over the recorded items; `nil` if it is not needed.
    var recordedSum: UInt128?
    /// `true` if the history has the entry that the header carries, or if it carries none.
    var hasHistory = true
    /// `true` if the archive states the identity rules that the header states, if it states any.
    var hasSameRules = true
}

/// An inquiry of an archive, made while the file is read.
private struct Inquiry: Sendable {
    let archive: Handed<Archive>
    let header: HeaderFacts
    /// `nil` if the export is not made again.
    let question: ExportQuestion?
    /// The hash with which recorded items are added up; `nil` if they are not.
    let hash: KeyedHash?
    let shouldStop: @Sendable () -> Bool

    func answer() throws -> ArchiveAnswer { try answer(of: archive.value) }

    private func answer(of archive: borrowing Archive) throws -> ArchiveAnswer {
        let isOver = { [shouldStop] in shouldStop() || Task.isCancelled }
        var answer = ArchiveAnswer()
        if let entry = header.history { answer.hasHistory = try archive.has(entry) }
        if let rules = header.identityRules { answer.hasSameRules = try archive.identityRules()?.rawValue == rules }
        answer.record = try archive.exportRecord(header.exportID)
        if let question {
            answer.given = try asArchiveError {
                try GivenExport.of(question, archive, beside: answer.record, shouldStop: isOver)
            }
        }
        guard let hash, let record = answer.record else { return answer }
        var sum: UInt128 = 0
        var bytes = ByteBuffer(capacity: 256)
        try archive.recordedItems(of: record, shouldStop: isOver) { key, itemHash, _ in
            sum &+= Self.element(key, itemHash, hash, &bytes)
        }
        answer.recordedSum = sum
        return answer
    }

    /// Returns a recorded item's share of the sum, which is the share of the file's item.
    private static func element(
        _ key: Span<UInt8>, _ itemHash: Span<UInt8>, _ hash: KeyedHash, _ bytes: inout ByteBuffer
    ) -> UInt128 {
        bytes.removeAll()
        bytes.append(copying: key)
        bytes.append(copying: itemHash)
        return hash.hash(bytes.span)
    }
}

/// Compares a file with an archive.
private final class ArchiveComparison: ItemSink {
    /// The task of `answer` has it until its result is there.
    private let archive: Handed<Archive>
    private let isRecordedOnly: Bool
    private let options: VerificationOptions
    private let shouldStop: @Sendable () -> Bool
    private let hash = KeyedHash()
    private var sum: UInt128 = 0
    private var question: ExportQuestion?
    private var answer: Task<ArchiveAnswer, any Error>?

    init(
        _ archive: consuming Archive, isRecordedOnly: Bool, _ options: VerificationOptions,
        _ shouldStop: @escaping @Sendable () -> Bool
    ) {
        self.archive = Handed(archive)
        self.isRecordedOnly = isRecordedOnly
        self.options = options
        self.shouldStop = shouldStop
    }

    /// The facts that the first reading of the file has to give.
    var wants: ItemWants { ItemWants(sum: isRecordedOnly ? hash : nil) }

    /// Begins to ask the archive beside the file: the header says for what.
    func begin(_ header: HeaderFacts) {
        question =
            isRecordedOnly
            ? nil
            : ExportQuestion(
                exportID: header.exportID, kind: header.exportKind, from: header.fromObservationID,
                to: header.observationID, filterJSON: header.filterJSON, history: header.history)
        let inquiry = Inquiry(
            archive: archive, header: header, question: question, hash: isRecordedOnly ? hash : nil,
            shouldStop: shouldStop)
        answer = Task.detached(executorPreference: Workers.shared) { try inquiry.answer() }
    }

    func add(_ run: ItemRun, lines: Int?) { sum &+= run.sum }

    /// Ends the reading of the archive before it is done.
    func cancel() async {
        answer?.cancel()
        _ = await answer?.result
    }

    /// Compares everything. Without a header nothing can be asked; with damaged lines only what is there.
    ///
    /// - Parameter again: reads the file once more for a sink.
    func finish(
        _ read: ReadExport, _ source: FileSource, again: (any ItemSink) async throws -> Void
    ) async throws -> Report {
        var report = read.report
        report.hasArchive = true
        if archive.value.isPrivateCopy {
            report.archiveNote = "read from a private copy: a log or a journal lies beside the archive"
        }
        guard let header = read.header, let answer = try await answer?.value else {
            report.withhold(.archive)
            return report
        }
        if !answer.hasSameRules, let rules = header.identityRules {
            report.add(Finding(.archiveScope, expected: "identity_rules \(rules) in archive_metadata"))
        }
        let file = FileState(read, source)
        if let record = answer.record {
            record.compare(header, file.isSalvage ? nil : read.manifest, &report)
            if !answer.hasHistory { report.add(Self.lostEntry(header)) }
            try await compareItems(answer, record, file, &report, again: again)
            if !file.isComplete { report.withhold(.archive) }
        } else {
            let evidence = try await evidenceWithoutRecord(answer, file, &report, again: again)
            report.record = .notRecorded
            report.evidence = isRecordedOnly ? nil : evidence
            let hasSameItems = report.otherRenderer != nil || report.hasEvidenceFindings
            // What another archive exported would differ in everything: that it is not known says it all.
            if !hasSameItems, evidence != .given || !file.isWhole || report.counts[.archiveScope] != nil {
                report.add(Finding(.archiveExportUnknown, found: header.exportID))
            } else if !answer.hasHistory {
                report.add(Self.lostEntry(header))
            }
        }
        if !archive.value.isUnchanged() { report.add(Finding(.archiveChanged)) }
        return report
    }

    private static func lostEntry(_ header: HeaderFacts) -> Finding {
        Finding(.archiveHistory, found: header.history.map { "\($0.length)" })
    }

    /// The state of a file, for its comparison.
    private struct FileState {
        let isSalvage, isView, isPage: Bool
        /// `true` if no line is lost or damaged.
        let isComplete: Bool
        /// The hash that the file's own manifest proves; `nil` if it proves nothing.
        let manifestHash: String?
        /// The renderer that the manifest states.
        let renderer: Int64?
        /// The facts that make the text of a view; `nil` for another file.
        let view: ViewFacts?
        let source: FileSource

        init(_ read: ReadExport, _ source: FileSource) {
            (isSalvage, isView, isPage) = (read.report.isSalvage, read.report.isView, read.report.isPage)
            isComplete = !read.report.isWithheld(.manifest)
            let isProven = isComplete && !isSalvage && read.report.counts[.manifestHash] == nil
            manifestHash = isProven ? read.manifest?.hash : nil
            (renderer, view, self.source) = (read.manifest?.renderer, read.view, source)
        }

        /// `true` if it is a whole export.
        var isWhole: Bool { isComplete && !isSalvage }

        /// Compares what is read in a page with what is rendered of the same items; `false` if another renderer made
        /// it.
        func compare(_ page: [UInt8], _ report: inout Report) throws -> Bool {
            guard renderer == Bundle.renderer else {
                report.otherRenderer = renderer
                return false
            }
            let read = try source.read(at: 0, count: page.count)
            let same = zip(read, page).prefix { $0 == $1 }.count
            report.add(Finding(.archiveEvidenceChanged, byte: same < page.count ? Int64(same) : nil))
            return true
        }
    }

    // MARK: Items

    /// Returns the evidence from an export that the archive gives but did not record.
    private func evidenceWithoutRecord(
        _ answer: ArchiveAnswer, _ file: FileState, _ report: inout Report,
        again: (any ItemSink) async throws -> Void
    ) async throws -> EvidenceAnswer {
        guard let given = answer.given else { return .unknown }
        if given.manifestHash == file.manifestHash {
            report.notePage(file.isPage)
            try compareView(file, &report)
            return report.hasEvidenceFindings ? .differs : .given
        }
        let isComparable = !file.isWhole || file.isPage && file.manifestHash != nil
        guard given.hasSameHeader, isComparable, try await hasGivenItems(file, again: again) else { return .differs }
        if file.isWhole { return try file.compare(given.page, &report) ? .differs : .unknown }
        return .given
    }

    /// Returns `true` if the archive gives each item of the file; of a whole page, if it gives no other.
    private func hasGivenItems(_ file: FileState, again: (any ItemSink) async throws -> Void) async throws -> Bool {
        var differences = Report(limit: 0)
        let search = ItemSearch(archive.value.path, ofHashes: file.isView, inEvidence: true, inRecord: false)
        try await again(search)
        try lookUp(nil, for: search)
        try search.reportEvidence(isWhole: file.isWhole, ignoringRepeats: file.isSalvage, &differences)
        return differences.total == 0
    }

    /// Compares the items with those that the archive gives, and with those that it recorded.
    private func compareItems(
        _ answer: ArchiveAnswer, _ record: ExportRecord, _ file: FileState, _ report: inout Report,
        again: (any ItemSink) async throws -> Void
    ) async throws {
        let isGiven = answer.given.map { $0.manifestHash == file.manifestHash } ?? false
        // A report of another version of the tools may say it otherwise.
        let isJudged = answer.given != nil && question.map { $0.hasRecordedItems || $0.isOfThisVersion } == true
        let isRecorded = file.isView || (isGiven ? answer.given?.isRecorded == true : answer.recordedSum == sum)
        let search = ItemSearch(
            archive.value.path, ofHashes: file.isView, inEvidence: isJudged && !isGiven, inRecord: !isRecorded)
        if search.isNeeded {
            try await again(search)
            try lookUp(record, for: search)
            try search.reportRecord(isWhole: file.isWhole, ignoringRepeats: file.isSalvage, &report)
            try search.reportEvidence(isWhole: file.isWhole, ignoringRepeats: file.isSalvage, &report)
        }
        var isKnown = isGiven || isJudged
        if let given = answer.given, isJudged, !isGiven {
            if !given.hasSameHeader, answer.hasSameRules { report.add(Finding(.archiveEvidenceHeader)) }
        }
        report.notePage(isGiven && file.isPage)
        if isGiven { try compareView(file, &report) }
        if let given = answer.given, !isGiven, file.isPage, file.manifestHash != nil, given.hasSameHeader,
            !report.hasEvidenceFindings, try await hasGivenItems(file, again: again)
        {
            isKnown = try file.compare(given.page, &report)
        }
        report.record = report.hasRecordFindings ? .differs : file.isComplete ? .agrees : .unknown
        if isRecordedOnly { return }
        report.evidence = report.hasEvidenceFindings ? .differs : file.isComplete && isKnown ? .given : .unknown
    }

    /// Renders a view again, whose items the archive gives, and compares its cells.
    private func compareView(_ file: FileState, _ report: inout Report) throws {
        guard let view = file.view, let question, file.isWhole else { return }
        guard view.renderer == Bundle.renderer else { return report.otherRenderer = view.renderer }
        let stated = StatedView(dialect: view.dialect, columns: view.columns, unvouched: view.unvouched)
        var place: Int64 = 0
        let row = try asArchiveError {
            try GivenExport.differingRow(of: stated, question, archive.value, shouldStop: shouldStop) {
                let count = min(file.source.size - place, 1 << 20)
                let bytes = try file.source.read(at: place, count: Int(count))
                place += count
                return bytes
            }
        }
        if let row { return report.add(Finding(.archiveEvidenceChanged, line: row)) }
        report.uncomparedColumns = view.unvouched
    }

    /// Gives a search the archive's side.
    private func lookUp(_ record: ExportRecord?, for search: ItemSearch) throws {
        if let failure = search.failure { throw failure }
        if search.isInEvidence, let question {
            let reader = ItemReader()
            try asArchiveError {
                try GivenExport.lines(of: question, archive.value, shouldStop: shouldStop) { lines in
                    try search.add(given: reader.items(in: lines))
                }
            }
        }
        if search.isInRecord, let record { try search.addRecord(record, of: archive.value, shouldStop) }
    }
}

extension ExportRecord {
    /// Compares what was recorded of an export with its header and its manifest.
    fileprivate func compare(_ header: HeaderFacts, _ manifest: ManifestFacts?, _ report: inout Report) {
        if let manifest, manifest.hash != manifestHash {
            report.add(Finding(.archiveManifestHash, expected: manifestHash, found: manifest.hash))
        }
        if let manifest, manifest.itemCount != recordCount {
            report.add(Finding(.archiveRecordCount, expected: "\(recordCount)", found: "\(manifest.itemCount)"))
        }
        func scope(_ what: String, _ isSame: Bool) {
            if !isSame { report.add(Finding(.archiveScope, expected: what)) }
        }
        scope("export_kind \(header.exportKind)", exportKind == header.exportKind)
        scope("to_observation_id \(header.observationID)", toObservationID == header.observationID)
        scope(
            header.fromObservationID.map { "from_observation_id \($0)" } ?? "no from_observation_id",
            fromObservationID == header.fromObservationID)
        scope(
            "the filter, generator and scope of the header", filterJSON.map { Array($0.utf8) } == header.filterJSON)
    }
}

extension Report {
    private func has(_ codes: Code...) -> Bool { codes.contains { counts[$0] != nil } }

    fileprivate var hasRecordFindings: Bool {
        has(
            .archiveManifestHash, .archiveRecordCount, .archiveScope, .archiveHistory, .archiveItemUnknown,
            .archiveItemAbsent, .archiveItemHash)
    }

    /// Notes that a page is the one that its items give, unless it is not the one that it states.
    fileprivate mutating func notePage(_ isGiven: Bool) {
        isPageRendered = isGiven && counts[.containerPageHash] == nil && counts[.containerPage] == nil
    }

    fileprivate var hasEvidenceFindings: Bool {
        has(.archiveEvidenceUnknown, .archiveEvidenceAbsent, .archiveEvidenceChanged, .archiveEvidenceHeader)
    }
}

/// Runs a part of an export, whose archive may refuse; what else there is, is a signal.
private func asArchiveError<Result>(_ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch let error as ExportError {
        switch error {
        case .archive(let failure): throw failure
        case .interrupted: throw CancellationError()
        default: throw error
        }
    }
}
