internal import Archive
internal import Codes
internal import Exports
internal import Files

/// Recorded exports, recomputed from the archive and compared with what was recorded of them.
enum ExportCheck {
    private static let table = "export_items"

    static func run(_ archive: borrowing Archive, _ subject: Subject, _ log: inout CheckLog) throws(ArchiveError) {
        let records = try archive.exportRecords()
        guard !records.isEmpty else { return log.withhold("the archive recorded no export") }
        do throws(ArchiveError) {
            try archive.requireKeys()
        } catch {
            guard error.code == .schema else { throw error }
            return log.withhold("no export is made: \(error.description)")
        }
        var notOurs = 0
        var others: Set<String> = []
        for record in sampled(records, subject.sample) {
            log.countRow()
            switch try check(record, archive, subject, &log) {
            case .notOurs: notOurs += 1
            case .otherGenerator(let version): others.insert(version)
            case .compared: break
            }
        }
        if notOurs > 0 { log.note("\(notOurs) exports of other tools were not recomputed") }
        guard !others.isEmpty else { return }
        let versions = others.sorted().prefix(5).map { printable($0.utf8, limit: 40) }.joined(separator: ", ")
        log.withhold("exports of other versions differ when they are recomputed: \(versions)")
    }

    /// Returns the first record of each of N equal parts; all records if there are no more than N.
    private static func sampled(_ records: [ExportRecord], _ sample: Int?) -> [ExportRecord] {
        guard let sample, sample < records.count else { return records }
        return (0..<sample).map { records[$0 * records.count / sample] }
    }

    /// Returns `true` if a record states that these tools made the export: any version of them for a kind that this
    /// version makes, only this version for other kinds.
    private static func isClaimed(_ record: ExportRecord) -> Bool {
        let isKnown = ExportKind(rawValue: record.exportKind) != nil
        let version = isKnown ? "" : #"\#(Generator.version)"}"#
        return record.filterJSON?.contains(#""generator":{"name":"\#(Generator.name)","version":"\#(version)"#) ?? false
    }

    private enum Outcome {
        case compared, notOurs
        case otherGenerator(String)
    }

    private static func check(
        _ record: ExportRecord, _ archive: borrowing Archive, _ subject: Subject, _ log: inout CheckLog
    ) throws(ArchiveError) -> Outcome {
        // What differs counts only once it is known who made the export.
        var differences = CheckLog(.exports, limit: 1000) { _ in }
        let reproduction: Reproduction
        do throws(ExportError) {
            reproduction = try Reproduction.run(record, of: archive, report: { differences.add($0) })
        } catch {
            // What else there is, is a signal: nobody reads the report then.
            guard case .archive(let failure) = error else { return .notOurs }
            throw failure
        }
        // Of kinds without rows in `export_items` nothing else speaks for the count.
        let made = Int64(reproduction.itemCount)
        let hasRows = ExportKind(rawValue: record.exportKind)?.hasRecordedItems ?? true
        if reproduction.outcome == .same, !hasRows, record.recordCount != made {
            log.add(
                .manifestsRecordCount, "export_manifests", row: record.id, column: "record_count",
                expected: "\(made), the items of the export", found: String(record.recordCount))
        }
        switch reproduction.outcome {
        case .same: return .compared
        case .notOurs:
            guard isClaimed(record) else { return .notOurs }
            log.add(
                .exportsQuestion, "export_manifests", row: record.id, column: "filter_json",
                expected: "the question of an export that \(Generator.name) makes")
            return .compared
        case .otherGenerator: return .otherGenerator(reproduction.generatorVersion)
        case .changed: break
        }
        if !reproduction.hasSameHeader {
            log.add(
                .exportsHeader, "export_manifests", row: record.id, column: "export_id",
                expected: "the id of the header that the archive gives now")
        } else if !reproduction.hasSameManifest, reproduction.differenceCount == 0 {
            log.add(
                .exportsManifestHash, "export_manifests", row: record.id, column: "manifest_hash",
                expected: "the hash over what the archive gives now")
        }
        log.merge(differences.report)
        return .compared
    }
}

extension CheckLog {
    fileprivate mutating func add(_ difference: Reproduction.Difference) {
        func place(_ sample: Int64, _ version: Int64?) -> String {
            "sample \(sample)\(version.map { ", version \($0)" } ?? "")"
        }
        switch difference {
        case .unknown(let sample, let version):
            add(
                .exportsItemUnknown, "export_items",
                found: "an item that was not recorded: \(place(sample, version))")
        case .absent(let sample, let version):
            add(.exportsItemAbsent, "export_items", expected: "an item that was recorded: \(place(sample, version))")
        case .hash(let sample, let version, let recorded, let made):
            add(
                .exportsItemHash, "export_items",
                expected: "\(printable(recorded.utf8, limit: 64)) for \(place(sample, version))", found: made)
        }
    }
}
