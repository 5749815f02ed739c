internal import Format

/// The tables and parts that entries of the history commit to (`Spec/history.md`, "Tables" and "Observation").
package enum HistoryParts {
    /// A table whose rows belong to entries.
    package struct Table: Sendable {
        package let name: String
        /// All columns in the order of the schema, of which the first is `id`.
        let columns: String
        /// The place among the columns of the observation that a row belongs to; `nil` if ids decide.
        let owner: Int32?

        /// `true` if rows name the observation that they belong to.
        package var isOwned: Bool { owner != nil }

        fileprivate init(_ name: String, owner: String? = nil, without left: Set<String> = []) {
            let table = ArchiveTable.named(name)
            self.name = name
            columns = table.list(without: left)
            self.owner = owner.flatMap { owner in table.columns.firstIndex { $0.name == owner }.map { Int32($0) } }
        }
    }

    /// Rows of the context log belong to entries of any kind.
    package static let contextLog = Table("context_log")

    /// The tables whose rows belong to live entries, in the order of their names.
    package static let tables = [
        Table("device_chains"), Table("hk_devices"), Table("metadata_blobs"),
        Table("sample_observation_events", owner: "observation_id"),
        Table("sample_relationships", owner: "observation_id"),
        Table("sample_types", without: ["display_name", "category"]),
        Table("sample_versions", owner: "created_observation_id"),
        Table("samples", owner: "first_seen_observation_id"), Table("source_revisions"), Table("sources"),
    ]

    /// The context log and the others, in the order of their names.
    package static let all = [contextLog] + tables

    /// A part of the hash of an observation.
    struct OfObservation: Sendable {
        let name: String
        /// The tables that the query reads.
        let tables: [String]
        /// ?1 is the observation's id, ?2 is 1 if the entry states that its list of types was there, ?3 and ?4 are
        /// the bounds of the ids of the types that belong to the entry: beyond ?3, up to ?4. ?5 is 1 if the entry
        /// states that the archive stated the capture facts.
        let query: String
    }

    static let ofObservation: [OfObservation] =
        [
            OfObservation(
                name: "archive_metadata", tables: ["archive_metadata"],
                query: "SELECT key, value FROM archive_metadata WHERE key IN ('identity_rules', 'private_metadata') "
                    + "OR ?5 = 1 AND key = 'extension:capture_facts' ORDER BY key"),
            whole("observations", "WHERE id = ?1"),
            whole("observation_type_runs", "WHERE observation_id = ?1 ORDER BY id"),
            whole(
                "type_run_facts",
                "WHERE type_run_id IN (SELECT id FROM observation_type_runs WHERE observation_id = ?1) "
                    + "ORDER BY type_run_id"),
            whole("observation_facts", "WHERE observation_id = ?1"),
            whole(
                "zone_rules",
                "WHERE zone_rules_hash = (SELECT zone_rules_hash FROM observation_facts WHERE observation_id = ?1)"),
            whole(
                "selected_type_sets",
                "WHERE ?2 = 1 AND selected_type_set_hash = "
                    + "(SELECT selected_type_set_hash FROM observations WHERE id = ?1)"),
            OfObservation(
                name: "sample_type_origins", tables: ["sample_type_origins"],
                query: "SELECT g.sample_type_id, g.observation_id, g.is_new, g.display_name, g.category, "
                    + "CASE WHEN g.display_name IS NOT NULL THEN t.display_name END, "
                    + "CASE WHEN g.category IS NOT NULL THEN t.category END FROM sample_type_origins g "
                    + "LEFT JOIN sample_types t ON t.id = g.sample_type_id WHERE g.observation_id = ?1 "
                    + "ORDER BY g.sample_type_id"),
            OfObservation(
                name: "sample_type_names", tables: ["sample_type_origins"],
                query: "SELECT t.id, CASE WHEN NOT EXISTS (SELECT 1 FROM sample_type_origins g WHERE "
                    + "g.sample_type_id = t.id AND g.display_name IS NOT NULL) THEN t.display_name END, "
                    + "CASE WHEN NOT EXISTS (SELECT 1 FROM sample_type_origins g WHERE "
                    + "g.sample_type_id = t.id AND g.category IS NOT NULL) THEN t.category END "
                    + "FROM sample_types t WHERE t.id > ?3 AND t.id <= ?4 ORDER BY t.id"),
            whole("unknown_elements", "WHERE observation_id = ?1 ORDER BY CAST(kind AS BLOB), CAST(name AS BLOB)"),
            whole("relationship_ends", "WHERE observation_id = ?1 ORDER BY id"),
        ] + ranged.flatMap { ranges($0) }

    /// The part for an archive that has no origins of types.
    static let namesWithoutOrigins = OfObservation(
        name: "sample_type_names", tables: [],
        query: "SELECT id, display_name, category FROM sample_types WHERE id > ?3 AND id <= ?4 ORDER BY id")

    /// The one part of an observation that was withdrawn.
    static let ofWithdrawal = whole("withdrawn_observations", "WHERE observation_id = ?1")

    /// Tables of ranges of ours: those that begin are found in one pass, since no index has their beginnings.
    static let ranged = ["rejected_records", "withheld_closures", "source_documents"]

    /// Returns a part with all columns of a table.
    private static func whole(_ table: String, _ condition: String) -> OfObservation {
        OfObservation(
            name: table, tables: [table],
            query: "SELECT \(ArchiveTable.named(table).list()) FROM \(table) \(condition)")
    }

    private static func ranges(_ table: String) -> [OfObservation] {
        let columns = ArchiveTable.named(table).list(without: ["last_observation_id"])
        return [
            OfObservation(
                name: table, tables: [table],
                query: "SELECT \(columns) FROM \(table) WHERE id IN "
                    + "(SELECT id FROM temp.history_\(table) WHERE first = ?1) ORDER BY id"),
            OfObservation(
                name: "\(table)_ended", tables: [table],
                query: "SELECT id FROM \(table) WHERE last_observation_id = ?1 ORDER BY id"),
        ]
    }
}
