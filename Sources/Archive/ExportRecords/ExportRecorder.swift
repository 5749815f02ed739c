internal import Files
internal import SQLite

/// Writes the rows of one export inside an open write transaction, many with one statement: starting and ending a
/// statement costs more than a row.
public struct ExportRecorder: ~Copyable {
    private var insertMany: Statement
    private var insertOne: Statement
    /// `true` if the rows are kept in a temporary table until the end.
    let isInStaging: Bool
    /// The number of items that were added.
    fileprivate var count = 0
    /// Items that are not written yet, and their hashes one after the other.
    private var pending: [(sampleID: Int64, versionID: Int64?)] = []
    private var hashes: [UInt8] = []
    private static let itemsAtOnce = 128
    private static let hashSize = 64

    /// - Parameter insert: `INSERT` up to the name of the table and its columns; `row` is one row of values with
    ///   three parameters.
    fileprivate init(_ connection: borrowing Connection, insert: String, row: String, isInStaging: Bool)
        throws(ArchiveError)
    {
        func statement(rows: Int) throws(ArchiveError) -> Statement {
            try connection.prepare("\(insert) VALUES \([String](repeating: row, count: rows).joined(separator: ","))")
        }
        let insertMany = try statement(rows: Self.itemsAtOnce)
        let insertOne = try statement(rows: 1)
        self.insertMany = insertMany
        self.insertOne = insertOne
        self.isInStaging = isInStaging
    }

    /// Records an item. `hash` is the text of its item hash.
    public mutating func add(sampleID: Int64, versionID: Int64?, hash: Span<UInt8>) throws(ArchiveError) {
        precondition(hash.count == Self.hashSize, "an item hash has 64 digits")
        pending.append((sampleID, versionID))
        count += 1
        unsafe hash.withUnsafeBytes { unsafe hashes.append(contentsOf: $0) }
        guard pending.count == Self.itemsAtOnce else { return }
        try Self.run(&insertMany, pending[...], hashes[...])
        removePending()
    }

    /// Writes what is not written yet.
    fileprivate mutating func flush() throws(ArchiveError) {
        for index in pending.indices {
            try Self.run(
                &insertOne, pending[index...index], hashes[index * Self.hashSize..<(index + 1) * Self.hashSize])
        }
        removePending()
    }

    private mutating func removePending() {
        pending.removeAll(keepingCapacity: true)
        hashes.removeAll(keepingCapacity: true)
    }

    private static func run(
        _ insert: inout Statement, _ items: ArraySlice<(sampleID: Int64, versionID: Int64?)>,
        _ hashes: ArraySlice<UInt8>
    ) throws(ArchiveError) {
        var position: Int32 = 1
        for item in items {
            insert.bind(position, item.sampleID)
            if let versionID = item.versionID {
                insert.bind(position + 1, versionID)
            } else {
                insert.bindNull(position + 1)
            }
            position += 3
        }
        try insert.run(texts: hashes.span, of: hashSize, at: 3, every: 3)
        try insert.check(stored: insert.changes, meant: items.count)
    }
}

extension Archive {
    private func nextManifestID() throws(ArchiveError) -> Int64 {
        let last = try connection.integer("SELECT max(id) FROM export_manifests") ?? 0
        guard last < Int64.max else {
            throw ArchiveError(
                .evidence,
                "\(path.display): export_manifests has no id left")
        }
        return last + 1
    }

    /// Starts the rows of an export. `finish` adds the manifest.
    ///
    /// - Parameter inStaging: false inside a write transaction. True keeps the rows in a temporary table until
    ///   `finish`, so that no lock is held meanwhile: for a reader of standard output that takes its time.
    public func recorder(inStaging: Bool) throws(ArchiveError) -> ExportRecorder {
        guard inStaging else {
            let id = try nextManifestID()
            // A failure ends the whole transaction: a statement needs no journal of its own to undo the rows before
            // the one that failed.
            return try ExportRecorder(
                connection,
                insert: "INSERT OR FAIL INTO export_items(export_manifest_id, "
                    + "sample_id, version_id, item_hash)", row: "(\(id), ?, ?, ?)", isInStaging: false)
        }
        try connection.execute("CREATE TEMP TABLE staged_items(sample_id INTEGER, version_id INTEGER, item_hash TEXT)")
        return try ExportRecorder(
            connection, insert: "INSERT OR FAIL INTO temp.staged_items", row: "(?, ?, ?)", isInStaging: true)
    }

    /// Completes an export's rows: its manifest and, where files are to be published, their intents.
    public func finish(_ recorder: consuming ExportRecorder, _ export: NewExport) throws(ArchiveError) {
        var recorder = recorder
        try recorder.flush()
        let id = try nextManifestID()
        if recorder.isInStaging {
            var copy = try connection.prepare(
                """
                INSERT INTO export_items(export_manifest_id, sample_id, version_id, item_hash) \
                SELECT \(id), sample_id, version_id, item_hash FROM temp.staged_items ORDER BY rowid
                """)
            try copy.run(storing: recorder.count)
        }
        var manifest = try connection.prepare(
            """
            INSERT INTO export_manifests(id, export_id, created_at, export_kind, from_observation_id,
                to_observation_id, filter_json, manifest_hash, record_count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        try manifest.run(
            [
                .integer(id), .text(export.exportID), .real(export.createdAt), .text(export.kind),
                Parameter(export.scope.fromObservationID), .integer(export.scope.observationID),
                .text(export.filterJSON), .text(export.manifestHash), .integer(Int64(export.itemCount)),
            ], storing: 1)
        for intent in export.intents {
            var insert = try connection.prepare("INSERT OR REPLACE INTO archive_metadata(key, value) VALUES (?, ?)")
            try insert.run([.text(intent.key), .text(intent.value)], storing: 1)
        }
        guard isInPlace() else {
            throw ArchiveError(
                .storage,
                "\(path.display): the archive was moved away or replaced while it was read")
        }
    }
}
