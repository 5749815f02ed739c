internal import Archive
internal import Codes
internal import SQLite

/// Ids that name rows which do not exist: every reference of `Spec/archive-schema.sql`, declared in the archive or
/// not, and one that the schema does not declare.
enum ReferenceCheck {
    /// A reference of a table: its column, and the table whose `id` it names.
    struct Reference {
        let column: String
        let target: String
    }

    /// Tables with their references.
    static let tables: [(name: String, references: [Reference])] = [
        ("observations", [Reference(column: "device_chain_id", target: "device_chains")]),
        (
            "observation_type_runs",
            [
                Reference(column: "observation_id", target: "observations"),
                Reference(column: "sample_type_id", target: "sample_types"),
            ]
        ),
        ("source_revisions", [Reference(column: "source_id", target: "sources")]),
        (
            "samples",
            [
                Reference(column: "sample_type_id", target: "sample_types"),
                Reference(column: "first_seen_observation_id", target: "observations"),
            ]
        ),
        (
            "sample_versions",
            [
                Reference(column: "sample_id", target: "samples"),
                Reference(column: "source_revision_id", target: "source_revisions"),
                Reference(column: "hk_device_id", target: "hk_devices"),
                Reference(column: "metadata_id", target: "metadata_blobs"),
                Reference(column: "created_observation_id", target: "observations"),
            ]
        ),
        (
            "sample_observation_events",
            [
                Reference(column: "observation_id", target: "observations"),
                Reference(column: "sample_id", target: "samples"),
                Reference(column: "version_id", target: "sample_versions"),
            ]
        ),
        (
            "sample_visibility_ranges",
            [
                Reference(column: "sample_id", target: "samples"),
                Reference(column: "version_id", target: "sample_versions"),
                Reference(column: "first_observation_id", target: "observations"),
                Reference(column: "last_observation_id", target: "observations"),
            ]
        ),
        (
            "sample_relationships",
            [
                Reference(column: "observation_id", target: "observations"),
                Reference(column: "source_sample_id", target: "samples"),
                Reference(column: "target_sample_id", target: "samples"),
                Reference(column: "metadata_id", target: "metadata_blobs"),
            ]
        ),
        (
            "observation_type_summaries",
            [
                Reference(column: "observation_id", target: "observations"),
                Reference(column: "sample_type_id", target: "sample_types"),
            ]
        ),
        // The schema does not declare the revision of a bucket.
        (
            "daily_type_aggregates",
            [
                Reference(column: "observation_id", target: "observations"),
                Reference(column: "sample_type_id", target: "sample_types"),
                Reference(column: "source_revision_id", target: "source_revisions"),
            ]
        ),
        (
            "export_manifests",
            [
                Reference(column: "from_observation_id", target: "observations"),
                Reference(column: "to_observation_id", target: "observations"),
            ]
        ),
        (
            "export_items",
            [
                Reference(column: "export_manifest_id", target: "export_manifests"),
                Reference(column: "sample_id", target: "samples"),
                Reference(column: "version_id", target: "sample_versions"),
            ]
        ),
    ]

    /// Those of the extension capture_facts (`Spec/archive-extensions.sql`).
    private static let captureFacts: [(name: String, references: [Reference])] = [
        (
            "type_run_facts",
            [
                Reference(column: "type_run_id", target: "observation_type_runs"),
                Reference(column: "last_verified_observation_id", target: "observations"),
            ]
        ),
        ("observation_facts", [Reference(column: "observation_id", target: "observations")]),
        (
            "rejected_records",
            [
                Reference(column: "device_chain_id", target: "device_chains"),
                Reference(column: "sample_type_id", target: "sample_types"),
                Reference(column: "first_observation_id", target: "observations"),
                Reference(column: "last_observation_id", target: "observations"),
            ]
        ),
        (
            "withheld_closures",
            [
                Reference(column: "sample_id", target: "samples"),
                Reference(column: "first_observation_id", target: "observations"),
                Reference(column: "last_observation_id", target: "observations"),
            ]
        ),
        (
            "relationship_ends",
            [
                Reference(column: "observation_id", target: "observations"),
                Reference(column: "source_sample_id", target: "samples"),
                Reference(column: "target_sample_id", target: "samples"),
            ]
        ),
        (
            "source_documents",
            [
                Reference(column: "device_chain_id", target: "device_chains"),
                Reference(column: "first_observation_id", target: "observations"),
                Reference(column: "last_observation_id", target: "observations"),
            ]
        ),
        ("unknown_elements", [Reference(column: "observation_id", target: "observations")]),
        (
            "sample_type_origins",
            [
                Reference(column: "sample_type_id", target: "sample_types"),
                Reference(column: "observation_id", target: "observations"),
            ]
        ),
    ]

    static func run(_ reader: borrowing EvidenceReader, _ subject: Subject, _ log: inout CheckLog) throws(ArchiveError)
    {
        let tables = try tables + (reader.hasCaptureFacts() ? captureFacts : [])
        let targets = Set(tables.flatMap { $0.references.map(\.target) })
        var lacking: Set<String> = []
        for target in targets.sorted() {
            guard let lack = try reader.lack(of: target, "id") else { continue }
            lacking.insert(target)
            log.withhold("references to \(target) were not looked at: \(lack)")
        }
        for table in tables {
            let references = table.references.filter { !lacking.contains($0.target) }
            if !references.isEmpty { try check(table.name, references, reader, subject, &log) }
        }
    }

    private static func check(
        _ table: String, _ references: [Reference], _ reader: borrowing EvidenceReader, _ subject: Subject,
        _ log: inout CheckLog
    ) throws(ArchiveError) {
        // A row that holds costs one number. A join keeps its place in the table that is named, where a subquery begins
        // anew for each row. `<<` and `|` bind alike in SQLite.
        var joins = "", faults: [String] = []
        for (index, reference) in references.enumerated() {
            joins += "LEFT JOIN \(reference.target) p\(index) ON p\(index).id = c.\(reference.column) "
            faults.append("((c.\(reference.column) IS NOT NULL AND p\(index).id IS NULL) << \(index))")
        }
        let columns =
            "c.rowid, \(faults.joined(separator: " | ")), "
            + "\(references.map { "c.\($0.column)" }.joined(separator: ", "))"
        try RowWalk(sample: subject.sample).forEach(
            reader, columns, from: "\(table) c NOT INDEXED", joined: joins, rowID: "c.rowid"
        ) {
            row throws(ArchiveError) in
            log.countRow()
            guard let found = row.exactInteger(1), found != 0 else { return }
            for (index, reference) in references.enumerated() where found & 1 << Int64(index) != 0 {
                let column = Int32(2 + index)
                let value =
                    row.exactInteger(column).map { "id \($0)" }
                    ?? "a value that is \(row.storageClass(column).rawValue)"
                log.add(
                    .referencesMissingRow, table, row: row.exactInteger(0), column: reference.column,
                    expected: "a row of \(reference.target)", found: value)
            }
        }
    }
}
