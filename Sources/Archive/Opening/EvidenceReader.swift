internal import Files
internal import SQLite

/// The place that readers of an archive's evidence connect to. Values of it may go to other threads.
package struct EvidenceSource: Sendable {
    let file: Path
    let name: Path
    let mode: Connection.Mode
    let wait: LockWait
}

/// A connection that only reads, for those who look whether an archive's rows hold: SQL in, values out.
///
/// Several may read one archive side by side. What they sort goes to temporary files; neither the archive nor
/// anything beside it is written.
package struct EvidenceReader: ~Copyable {
    /// The connection that is read with.
    package let connection: Connection

    /// Connects.
    package static func open(_ source: EvidenceSource) throws(ArchiveError) -> EvidenceReader {
        let connection = try Connection.open(source.file, named: source.name, mode: source.mode, wait: source.wait)
        // Another reader is at work: helpers of the sorters would only take memory.
        try connection.execute("PRAGMA foreign_keys = OFF; PRAGMA threads = 0")
        return EvidenceReader(connection: connection)
    }

    /// Returns a database in memory with the tables of `Spec/archive-schema.sql`, to compare with.
    package static func specified() throws(ArchiveError) -> EvidenceReader {
        EvidenceReader(connection: try Schema.specified())
    }

    /// Prepares a statement.
    package func prepare(_ sql: String) throws(ArchiveError) -> Statement { try connection.prepare(sql) }

    /// Returns the first column of the first row as an integer; `nil` if there is none.
    package func integer(_ sql: String) throws(ArchiveError) -> Int64? { try connection.integer(sql) }

    /// Returns the lack that keeps rows of a table from being found by a column; `nil` if there is none (`SchemaKeys`).
    ///
    /// - Parameter isUnique: whether no two rows may have one value in it.
    package func lack(of table: String, _ column: String, isUnique: Bool = true) throws(ArchiveError) -> String? {
        try SchemaKeys.lack(of: table, column, isUnique: isUnique, connection)
    }

    /// Runs statements on temporary tables.
    package func execute(_ sql: String) throws(ArchiveError) { try connection.execute(sql) }

    /// The names of the tables that an archive must have.
    package static var tables: [String] { Schema.tables.map(\.name) }

    /// Returns the tables of the extensions that the archive states.
    package func statedTables() throws(ArchiveError) -> [String] { try Schema.statedTables(connection) }

    /// Returns `true` if the archive has the context log.
    package func hasContextLog() throws(ArchiveError) -> Bool { try Schema.hasContextLog(connection) }

    /// Returns the tables of which a check computes expressions that the file's author wrote, and those that have none.
    package func tablesByExpressions() throws(ArchiveError) -> (computed: [String], others: [String]) {
        let computed = try SchemaExpressions.tables(connection)
        let all = computed.isEmpty ? [] : try SchemaExpressions.plainTables(connection)
        return (computed, all.filter { !computed.contains($0) && SchemaExpressions.isNameOfTable($0) })
    }

    /// Returns `true` if the archive has a history.
    package func hasHistory() throws(ArchiveError) -> Bool { try Schema.hasHistory(connection) }

    /// Returns `true` if the archive has the facts that a capture notes in addition to the schema.
    package func hasCaptureFacts() throws(ArchiveError) -> Bool { try Schema.hasCaptureFacts(connection) }
}

extension Archive {
    /// The place that further readers of this archive connect to.
    package var evidence: EvidenceSource {
        EvidenceSource(file: readFile, name: path, mode: isPrivateCopy ? .readWrite : .immutable, wait: wait)
    }
}
