internal import Archive
internal import SQLite

/// Writes documents of a source as ranges, and names that are not known (`Spec/capture.md`, "Extensions").
struct DocumentRecorder {
    let observationID: Int64
    let chainID: Int64

    /// Opens the ranges of documents that are new, and closes those of documents that are no longer there or have other
    /// content, in the caller's transaction; returns how many of each.
    ///
    /// - Parameter closes: whether the source was looked through to its end.
    func write(_ documents: [SourceAccount.Document], closes: Bool, _ connection: borrowing Connection)
        throws(ArchiveError) -> (opened: Int, closed: Int)
    {
        try connection.execute(
            "DROP TABLE IF EXISTS temp.seen_documents; CREATE TEMP TABLE seen_documents(id INTEGER PRIMARY KEY)")
        var find = try connection.prepare(
            """
            SELECT id FROM source_documents WHERE device_chain_id = \(chainID) AND name_hash = ?1
                AND content_hash = ?2 AND last_observation_id IS NULL
            """)
        var insert = try connection.prepare(
            """
            INSERT INTO source_documents(device_chain_id, kind, name, name_hash, size, content_hash,
                first_observation_id) VALUES (\(chainID), ?1, ?2, ?3, ?4, ?5, \(observationID)) RETURNING id
            """)
        var see = try connection.prepare("INSERT OR IGNORE INTO temp.seen_documents VALUES (?1)")
        var opened = 0
        for document in documents {
            find.bind(1, text: document.nameHash)
            find.bind(2, text: document.contentHash)
            var id = try find.firstInteger()
            if id == nil {
                insert.bind(1, text: Array(document.kind.utf8))
                insert.bind(2, text: document.name.map { Array($0.utf8) })
                insert.bind(3, text: document.nameHash)
                insert.bind(4, document.size)
                insert.bind(5, text: document.contentHash)
                id = try insert.firstInteger()
                opened += 1
            }
            see.bind(1, optional: id)
            try see.run()
        }
        // What was not looked at stays; a name that has other content now says that the content before is gone.
        let isNamed = """
            AND name_hash IN (SELECT d.name_hash FROM source_documents d JOIN temp.seen_documents s ON s.id = d.id)
            """
        try connection.execute(
            """
            UPDATE source_documents SET last_observation_id = \(observationID)
            WHERE device_chain_id = \(chainID) AND last_observation_id IS NULL
                AND id NOT IN (SELECT id FROM temp.seen_documents) \(closes ? "" : isNamed)
            """)
        return (opened, connection.changes)
    }

    /// Writes how often each name stood in the source, in the caller's transaction.
    func write(_ names: [SourceAccount.UnknownName], _ connection: borrowing Connection) throws(ArchiveError) {
        try connection.execute("DELETE FROM unknown_elements WHERE observation_id = \(observationID)")
        var insert = try connection.prepare(
            """
            INSERT INTO unknown_elements(observation_id, kind, name, occurrence_count)
            VALUES (\(observationID), ?1, ?2, ?3)
            """)
        for name in names {
            try insert.run([.text(name.kind), .text(name.name), .integer(Int64(name.count))], storing: 1)
        }
    }
}
