internal import Archive
internal import Bytes
internal import SQLite

/// Sums over what an archive recorded of an export, and over the evidence of its scope, made while the file is read.
struct ArchiveSums: Sendable {
    /// nil where the export is not recorded.
    var recorded: BucketSums?
    /// nil where the evidence is not looked at, or the archive does not have the observation.
    var evidence: BucketSums?
    /// The row of the export in `export_manifests`.
    var exportRow: Int64?
    /// Whether the rows of the observation and of the chain are those of the header.
    var isHeaderGiven = true

    /// Whether the history has the entry that the header carries; true where it carries none.
    var isHistoryGiven = true

    /// Reads both at once, or what is recorded alone, on a connection of its own.
    ///
    /// - Parameter shouldStop: asked between rows.
    static func read(
        _ source: EvidenceSource, _ header: HeaderFacts, _ scope: EvidenceScope?, _ hash: KeyedHash,
        shouldStop: () -> Bool
    ) throws -> ArchiveSums {
        let reader = try EvidenceReader.open(source)
        var sums = ArchiveSums()
        if let entry = header.history {
            sums.isHistoryGiven = try reader.has(entry)
        }
        if let scope {
            sums.isHeaderGiven = try HeaderEvidence.agrees(header, scope, reader)
        }
        var record = try reader.prepare("SELECT id FROM export_manifests WHERE export_id = ?1 ORDER BY id LIMIT 1")
        try record.bind([.text(header.exportID)])
        sums.exportRow = try record.step() ? record.integer(0) : nil
        if let scope, try HeaderEvidence.hasObservation(scope, reader) {
            try sums.addEvidence(reader, scope, hash, shouldStop)
        } else if let exportRow = sums.exportRow {
            var recorded = BucketSums()
            var pass = try RecordPass(reader, exportRow: exportRow, hash)
            try pass.run(shouldStop: shouldStop) { key, hash, _, _ in recorded.add(hash, key: key) }
            sums.recorded = recorded
        }
        return sums
    }

    /// Reads the evidence, and beside it what is recorded where the export is.
    private mutating func addEvidence(
        _ reader: borrowing EvidenceReader, _ scope: EvidenceScope, _ hash: KeyedHash, _ shouldStop: () -> Bool
    ) throws {
        var sums = BucketSums()
        var pass = try EvidencePass(reader, scope, hash)
        if let exportRow {
            var record = try RecordMerge(reader, exportRow: exportRow, hash)
            try pass.run(reader, shouldStop: shouldStop) { element, _ in
                sums.add(element.sum, key: element.key)
                if let row = element.row { try record.take(row, key: element.key, shouldStop: shouldStop) }
            }
            try record.finish(shouldStop: shouldStop)
            recorded = record.sums
        } else {
            try pass.run(reader, shouldStop: shouldStop) { element, _ in sums.add(element.sum, key: element.key) }
        }
        evidence = sums
    }
}
