internal import Archive
internal import SQLite

/// What a chain showed at an observation that is not its newest, for what is compared with it
/// (`Spec/capture.md`, "Sent again").
///
/// It is restored in a transaction that is rolled back: what later observations of the chain opened is taken out, and
/// what they closed is open.
struct EarlierState {
    let id, chainID: Int64

    /// Restores what a comparison looks at: ranges, relationships and documents. Samples and versions may stay, since
    /// what was first seen later is not visible.
    func restore(_ connection: borrowing Connection) throws(ArchiveError) {
        let later = "(SELECT id FROM observations WHERE device_chain_id = \(chainID) AND id > \(id))"
        for table in ["sample_visibility_ranges", "rejected_records", "withheld_closures", "source_documents"] {
            try connection.execute(
                """
                DELETE FROM \(table) WHERE first_observation_id IN \(later);
                UPDATE \(table) SET last_observation_id = NULL WHERE last_observation_id IN \(later)
                """)
        }
        for table in ["sample_relationships", "relationship_ends"] {
            try connection.execute("DELETE FROM \(table) WHERE observation_id IN \(later)")
        }
    }
}
