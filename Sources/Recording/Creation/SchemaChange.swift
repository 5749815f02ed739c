internal import Archive
internal import Files
internal import SQLite

/// One change of an archive's schema: a step to the next schema version, or an extension (`Spec/capture.md`,
/// "Extensions and migrations").
///
/// A change is one transaction: afterwards the archive has all of it and says so, or nothing has changed.
struct SchemaChange {
    /// The sign by which the archive states that it has a change.
    enum Record {
        /// A row of `schema_migrations`, and `schema_version`.
        case migration(version: Int64, description: String)
        /// `archive_metadata` `extension:NAME`, and a row of `schema_migrations` with a number below 0: the greatest
        /// number stays the version that a reader must know.
        case addition(ArchiveExtension)
    }

    let record: Record
    /// Makes the change, inside the transaction.
    let body: (borrowing Connection) throws(ArchiveError) -> Void

    /// Returns the tables of an extension, for an archive that was made without them.
    static func addition(_ part: ArchiveExtension) -> SchemaChange {
        SchemaChange(record: .addition(part)) { connection throws(ArchiveError) in
            try connection.execute(part.statements)
        }
    }

    /// Applies the change. A newer archive is not touched, and neither is one that lacks the step before.
    ///
    /// - Parameter now: Unix seconds.
    func apply(to archive: borrowing Archive, now: Double) throws(ArchiveError) {
        try archive.writing { () throws(ArchiveError) in try make(in: archive, now: now) }
    }

    /// Makes the change in the caller's transaction.
    func make(in archive: borrowing Archive, now: Double) throws(ArchiveError) {
        if case .migration(let version, _) = record { try check(isBefore: version, archive) }
        try body(archive.connection)
        try note(archive.connection, now: now)
        // An extension touches no row that has references.
        guard case .migration = record else { return }
        var dangling = try archive.connection.prepare("PRAGMA foreign_key_check")
        if try dangling.step() {
            throw ArchiveError(
                .evidence,
                "\(archive.path.display): a change of the schema "
                    + "would leave references that lead nowhere in \(dangling.text(0) ?? "a table")")
        }
    }

    private func check(isBefore version: Int64, _ archive: borrowing Archive) throws(ArchiveError) {
        let newest = try archive.connection.integer("SELECT max(version) FROM schema_migrations")
        guard newest == version - 1 else {
            throw ArchiveError(
                .schema,
                "\(archive.path.display): schema version "
                    + "\(newest.map(String.init) ?? "none") has no step to \(version)")
        }
    }

    private func note(_ connection: borrowing Connection, now: Double) throws(ArchiveError) {
        var metadata = try connection.prepare(
            "INSERT INTO archive_metadata(key, value) VALUES (?, ?) "
                + "ON CONFLICT(key) DO UPDATE SET value = excluded.value")
        var step = try connection.prepare(
            "INSERT INTO schema_migrations(version, applied_at, description) VALUES (?, ?, ?)")
        switch record {
        case .migration(let version, let description):
            try step.run([.integer(version), .real(now), .text(description)], storing: 1)
            try metadata.run([.text("schema_version"), .text(String(version))], storing: 1)
        case .addition(let part):
            let before = try connection.integer("SELECT count(*) FROM schema_migrations WHERE version < 0") ?? 0
            try step.run(
                [.integer(-1 - before), .real(now), .text("extension \(part.rawValue) \(part.version)")], storing: 1)
            try metadata.run([.text(part.key), .text(String(part.version))], storing: 1)
        }
    }
}
