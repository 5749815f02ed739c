internal import Format

/// The statements that make the tables and indexes of a new archive.
package enum SchemaText {
    /// The statements, in the order of the schema.
    package static var statements: [String] {
        ArchiveStatements.schema.split(separator: ";").map { String($0) }.filter { $0.contains("CREATE") }
    }

    /// Returns `true` if a statement makes an index of a table that holds rows for each sample.
    package static func isDeferred(_ statement: String) -> Bool {
        statement.contains("CREATE INDEX")
            && ["ON samples(", "ON sample_versions(", "ON sample_observation_events(", "ON sample_visibility_ranges("]
                .contains { statement.contains($0) }
    }
}
