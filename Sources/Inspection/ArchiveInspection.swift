public import Archive
internal import Codes
internal import Files
internal import Pipeline
internal import Synchronization

/// Looks at a whole archive.
public enum ArchiveInspection {
    /// Makes the checks, two at a time.
    ///
    /// - Parameters:
    ///   - archive: opened as `.evidence`; its `LockWait` says what ends long statements.
    ///   - progress: told how many more rows were looked at, from any thread.
    /// - Throws: `ArchiveError` with the code `interrupted` or `memory`, or what connecting throws. What a check cannot
    ///   read is a finding.
    /// - Complexity: O(n log n) in time; memory does not grow with the rows.
    public static func run(
        _ archive: borrowing Archive, _ options: InspectionOptions = InspectionOptions(),
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws(ArchiveError) -> InspectionReport {
        let subject = Subject(
            identityRules: try archive.identityRules(), sample: options.sample, logFault: try archive.logFault,
            head: options.head)
        let work = Workload(options, progress: progress)
        let evidence = archive.evidence
        // The check of the file's pages takes as long as all others together: it goes first, on a thread of its own.
        sideBySide({ work.run(evidence, subject) }, { work.run(evidence, subject) })
        if let failure = work.failure { throw failure }
        if options.checks.contains(.exports) {
            var log = CheckLog(.exports, limit: options.findingLimit, progress: progress)
            try work.make(&log) { log throws(ArchiveError) in try ExportCheck.run(archive, subject, &log) }
        }
        var report = InspectionReport()
        report.checks = work.reports
        report.isChanged = !archive.isUnchanged()
        report.isPrivateCopy = archive.isPrivateCopy
        if options.head != nil { report.answerHead(isOurs: archive.hasWritableSchema()) }
        return report
    }
}

/// The checks that are to be made, and what came of those that were.
private final class Workload: Sendable {
    private let waiting: Mutex<[Check]>
    private let made = Mutex<[CheckReport]>([])
    private let firstFailure = Mutex<ArchiveError?>(nil)
    private let options: InspectionOptions
    private let progress: @Sendable (Int) -> Void

    /// Long ones first, but for `ranges`: it and `aggregates` need the most memory, and stand apart.
    private static let order: [Check] = [
        .sqlite, .ranges, .identities, .evidence, .aggregates, .values, .references, .history, .manifests, .schema,
    ]

    init(_ options: InspectionOptions, progress: @escaping @Sendable (Int) -> Void) {
        waiting = Mutex(Self.order.filter(options.checks.contains))
        self.options = options
        self.progress = progress
    }

    var failure: ArchiveError? { firstFailure.withLock { $0 } }

    var reports: [CheckReport] {
        let made = made.withLock { $0 }
        return Check.allCases.compactMap { check in made.first { $0.check == check } }
    }

    /// Makes checks until none is left.
    func run(_ evidence: EvidenceSource, _ subject: Subject) {
        do throws(ArchiveError) {
            while let check = next() {
                var log = CheckLog(check, limit: options.findingLimit, progress: progress)
                try make(&log) { log throws(ArchiveError) in
                    // A new connection for each: what one kept in memory is of no use to the next.
                    try check.run(try EvidenceReader.open(evidence), subject, &log)
                }
            }
        } catch {
            firstFailure.withLock { $0 = $0 ?? error }
        }
    }

    /// Makes one check. Where SQLite cannot read what it needs, that is a finding.
    func make(_ log: inout CheckLog, _ body: (inout CheckLog) throws(ArchiveError) -> Void) throws(ArchiveError) {
        do throws(ArchiveError) {
            try body(&log)
        } catch {
            // Want of memory says nothing of the archive.
            guard error.code != .interrupted, error.code != .memory else { throw error }
            log.withhold(error.description)
            log.add(
                .sqliteUnreadable,
                expected: "the rows that the check \(log.report.check.rawValue) reads", found: error.description)
        }
        log.flush()
        let report = log.report
        made.withLock { $0.append(report) }
    }

    private func next() -> Check? {
        guard failure == nil else { return nil }
        return waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

extension Check {
    /// The tables whose rows are found by their ids, for each row of another: without a key that is not done.
    /// References and identities say themselves what they leave out.
    private var joined: [String] {
        switch self {
        case .manifests: ["export_manifests", "observations"]
        case .evidence: ["observations", "samples", "sample_versions", "observation_type_runs"]
        case .ranges: ["observations", "sample_versions"]
        case .aggregates: ["observations", "sample_versions", "samples"]
        case .history: ["observations"]
        default: []
        }
    }

    fileprivate func run(_ reader: borrowing EvidenceReader, _ subject: Subject, _ log: inout CheckLog)
        throws(ArchiveError)
    {
        for table in joined {
            guard let lack = try reader.lack(of: table, "id") else { continue }
            return log.withhold("not made: \(lack)")
        }
        switch self {
        case .sqlite: try SQLiteCheck.run(reader, subject, &log)
        case .schema: try SchemaCheck.run(reader, &log)
        case .references: try ReferenceCheck.run(reader, subject, &log)
        case .values: try ValueCheck.run(reader, subject, &log)
        case .manifests: try ManifestCheck.run(reader, subject, &log)
        case .evidence: try EvidenceCheck.run(reader, subject, &log)
        case .ranges: try RangeCheck.run(reader, &log)
        case .identities: try IdentityCheck.run(reader, subject, &log)
        case .aggregates:
            try AggregateCheck.run(reader, subject, &log)
            try StateCheck.run(reader, &log)
        case .history: try HistoryCheck.run(reader, subject, &log)
        case .exports: preconditionFailure("exports are recomputed with the archive itself")
        }
    }
}
