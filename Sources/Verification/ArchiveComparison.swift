internal import Archive
internal import CanonicalJSON
internal import Codes

/// Holds a bundle against what an archive recorded of it (`Spec/bundle.md`, What a verifier checks).
final class ArchiveComparison: ItemSink {
    private var comparison: ExportComparison
    private var failure: ArchiveError?

    init(_ archive: borrowing Archive) throws(ArchiveError) { comparison = try ExportComparison(archive) }

    /// Keeps the items of a run. An error shows when the comparison is finished.
    func add(_ items: [ItemIdentity], lines: Int?) {
        guard failure == nil else { return }
        do {
            for item in items where item.isOfSample {
                try comparison.add(
                    type: item.type, identity: item.identity, payload: item.payload, hash: item.hash,
                    line: lines.map { Int64($0 + item.line + 1) })
            }
        } catch {
            failure = error
        }
    }

    /// Compares everything. Without a header nothing can be asked; with damaged lines only what is there.
    func finish(
        _ archive: borrowing Archive, header: HeaderFacts?, manifest: ManifestFacts?, isSalvage: Bool, isComplete: Bool,
        _ report: inout Report
    ) throws(ArchiveError) {
        if let failure { throw failure }
        report.hasArchive = true
        if archive.isPrivateCopy {
            report.archiveNote =
                "read from a private copy: a log or a journal lies beside the archive"
        }
        guard let header else {
            report.withhold(.archive)
            return
        }
        if let record = try archive.exportRecord(header.exportID) {
            compare(record, header, isSalvage ? nil : manifest, &report)
            if let rules = header.identityRules, try archive.identityRules()?.rawValue != rules {
                report.add(Finding(.archiveScope, expected: "identity_rules \(rules) in archive_metadata"))
            }
            // Of a view's items the hashes are known alone, and the manifest hash covers those.
            if !report.isView { try compareItems(record, archive, isSalvage, isComplete, &report) }
            if !isComplete { report.withhold(.archive) }
        } else {
            report.add(Finding(.archiveExportUnknown, found: header.exportID))
        }
        if !archive.isUnchanged() { report.add(Finding(.archiveChanged)) }
    }

    private func compareItems(
        _ record: ExportRecord, _ archive: borrowing Archive, _ isSalvage: Bool, _ isComplete: Bool,
        _ report: inout Report
    ) throws(ArchiveError) {
        try comparison.differences(from: record, in: archive, ignoringRepeats: isSalvage) { difference in
            switch difference {
            case .unknown(let line, _): report.add(Finding(.archiveItemUnknown, line: line.map { Int($0) }))
            case .absent(let sample, let version, _):
                // Lines that could not be read may be the ones that are missing, and a salvage says itself that
                // it lacks some.
                if isComplete, !isSalvage {
                    report.add(
                        Finding(
                            .archiveItemAbsent,
                            expected: "export_items: sample \(sample)\(version.map { ", version \($0)" } ?? "")"))
                }
            case .hash(let line, let recorded, let found, _):
                report.add(
                    Finding(.archiveItemHash, line: line.map { Int($0) }, expected: recorded, found: found))
            }
        }
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
