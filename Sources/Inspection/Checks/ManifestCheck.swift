internal import Archive
internal import CanonicalJSON
internal import Codes
internal import Manifest
internal import SQLite

/// A check of the archive's records of exports: hashes, counts, questions. `ExportCheck` checks whether the export can
/// be recomputed.
enum ManifestCheck {
    static func run(_ reader: borrowing EvidenceReader, _ subject: Subject, _ log: inout CheckLog) throws(ArchiveError)
    {
        try checkManifests(reader, subject, &log)
        try checkCounts(reader, &log)
        try RowWalk(sample: subject.sample).forEach(
            reader, "i.rowid, i.item_hash", from: "export_items i NOT INDEXED", rowID: "i.rowid"
        ) { row throws(ArchiveError) in
            log.countRow()
            if !isHash(row, 1) {
                log.add(
                    .manifestsItemHash, "export_items", row: row.exactInteger(0), column: "item_hash",
                    expected: "64 lower-case hex digits")
            }
        }
    }

    private static func checkManifests(_ reader: borrowing EvidenceReader, _ subject: Subject, _ log: inout CheckLog)
        throws(ArchiveError)
    {
        var rows = try reader.prepare(
            """
            SELECT m.id, m.manifest_hash, m.filter_json, m.from_observation_id, m.to_observation_id,
                f.device_chain_id, t.device_chain_id, m.export_kind = 'pair_report' \
            FROM export_manifests m NOT INDEXED LEFT JOIN observations f ON f.id = m.from_observation_id \
            LEFT JOIN observations t ON t.id = m.to_observation_id ORDER BY m.id
            """)
        while try rows.step() {
            log.countRow()
            let row = rows.exactInteger(0)
            if !isHash(rows, 1) {
                log.add(
                    .manifestsManifestHash, "export_manifests", row: row, column: "manifest_hash",
                    expected: "64 lower-case hex digits")
            }
            if rows.storageClass(2) == .text,
                let fault = rows.withBytes(2, { fault(inFilter: $0, subject.statesIdentityRules) })
            {
                log.add(.manifestsFilter, "export_manifests", row: row, column: "filter_json", expected: fault)
            }
            guard let from = rows.exactInteger(5), let to = rows.exactInteger(6), from != to,
                rows.integer(7) != 1
            else { continue }
            log.add(
                .manifestsOtherChain, "export_manifests", row: row, column: "from_observation_id",
                expected: "an observation of the same device chain, but for pairs")
        }
    }

    /// Returns what a filter should be; `nil` if it is that. Reading is strict: repeated keys and deep nesting are
    /// faults.
    private static func fault(inFilter text: Span<UInt8>, _ statesRules: Bool) -> String? {
        var reader = Reader(.json)
        do throws(JSONError) {
            guard try reader.next(in: text) == .beginObject else { return "a JSON object" }
            while try reader.next(in: text) != .end {}
        } catch {
            return "a JSON object"
        }
        return statesRules && !Validator.isCanonical(text) ? "canonical JSON" : nil
    }

    private static func checkCounts(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        var rows = try reader.prepare(
            """
            SELECT m.id, m.record_count, count(i.rowid) FROM export_manifests m NOT INDEXED
                LEFT JOIN export_items i ON i.export_manifest_id = m.id \
            WHERE m.export_kind NOT IN ('day_report', 'diff_summary', 'finding_report', 'observation_manifest', \
                'page_report', 'pair_report') \
            GROUP BY m.id HAVING m.record_count IS NOT count(i.rowid) ORDER BY m.id
            """)
        while try rows.step() {
            let found = rows.exactInteger(2) ?? 0
            let stated = rows.exactInteger(1).map(String.init) ?? "no integer"
            log.add(
                .manifestsRecordCount, "export_manifests", row: rows.exactInteger(0), column: "record_count",
                expected: "\(found), the rows of export_items", found: stated)
        }
    }

    private static func isHash(_ row: borrowing Statement, _ column: Int32) -> Bool {
        row.storageClass(column) == .text && row.withBytes(column) { Digest(hex: $0) != nil }
    }
}
