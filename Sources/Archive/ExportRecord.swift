public import Files
internal import Bytes

/// What `export_manifests` says of one export.
public struct ExportRecord: Sendable {
    /// `export_manifests.id`.
    public let id: Int64
    public let exportID: String
    public let createdAt: Double
    public let exportKind: String
    public let fromObservationID: Int64?
    public let toObservationID: Int64?
    /// As stored.
    public let filterJSON: String?
    public let manifestHash: String
    public let recordCount: Int64
}

extension Archive {
    private static var columns: String { "id, export_id, created_at, export_kind, from_observation_id, to_observation_id, filter_json, manifest_hash, record_count" }

    /// The record of an export; nil when the archive knows none of that id.
    public func exportRecord(_ exportID: String) throws(ArchiveError) -> ExportRecord? {
        var statement = try connection.prepare("SELECT \(Self.columns) FROM export_manifests WHERE export_id = ?1 ORDER BY id LIMIT 1")
        try statement.bind([.text(exportID)])
        return try statement.step() ? Self.record(statement) : nil
    }

    /// All recorded exports, by id.
    public func exportRecords() throws(ArchiveError) -> [ExportRecord] {
        var statement = try connection.prepare("SELECT \(Self.columns) FROM export_manifests ORDER BY id")
        var records: [ExportRecord] = []
        while try statement.step() { records.append(Self.record(statement)) }
        return records
    }

    private static func record(_ row: borrowing Statement) -> ExportRecord {
        ExportRecord(
            id: row.integer(0) ?? 0, exportID: row.text(1) ?? "", createdAt: row.real(2) ?? 0, exportKind: row.text(3) ?? "", fromObservationID: row.integer(4),
            toObservationID: row.integer(5), filterJSON: row.text(6), manifestHash: row.text(7) ?? "", recordCount: row.integer(8) ?? 0)
    }
}

/// An export that is about to be recorded: its row of `export_manifests`, and what is left to do after the commit.
public struct NewExport: Sendable {
    let exportID: String
    let kind: String
    let scope: Scope
    let filterJSON: String
    let manifestHash: String
    let itemCount: Int
    let createdAt: Double
    let intents: [PublishIntent]

    /// - Parameters:
    ///   - kind: `export_kind`.
    ///   - createdAt: Unix seconds.
    ///   - intents: one per file that still has its temporary name.
    public init(exportID: String, kind: String, scope: Scope, filterJSON: String, manifestHash: String, itemCount: Int, createdAt: Double, intents: [PublishIntent]) {
        self.exportID = exportID
        self.kind = kind
        self.scope = scope
        self.filterJSON = filterJSON
        self.manifestHash = manifestHash
        self.itemCount = itemCount
        self.createdAt = createdAt
        self.intents = intents
    }
}

/// Writes the rows of one export inside an open write transaction, many with one statement: starting and ending a statement costs more than a row.
public struct ExportRecorder: ~Copyable {
    private var insertMany: Statement
    private var insertOne: Statement
    fileprivate let isInStaging: Bool
    /// How many items were added.
    fileprivate var count = 0
    /// Items that are not written yet, and their hashes one after the other.
    private var pending: [(sampleID: Int64, versionID: Int64?)] = []
    private var hashes: [UInt8] = []
    private static let itemsAtOnce = 128
    private static let hashSize = 64

    /// - Parameter insert: `INSERT` up to the name of the table and its columns; `row` is one row of values with three parameters.
    fileprivate init(_ connection: borrowing Connection, insert: String, row: String, isInStaging: Bool) throws(ArchiveError) {
        func statement(rows: Int) throws(ArchiveError) -> Statement { try connection.prepare("\(insert) VALUES \([String](repeating: row, count: rows).joined(separator: ","))") }
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
        for index in pending.indices { try Self.run(&insertOne, pending[index...index], hashes[index * Self.hashSize..<(index + 1) * Self.hashSize]) }
        removePending()
    }

    private mutating func removePending() {
        pending.removeAll(keepingCapacity: true)
        hashes.removeAll(keepingCapacity: true)
    }

    private static func run(_ insert: inout Statement, _ items: ArraySlice<(sampleID: Int64, versionID: Int64?)>, _ hashes: ArraySlice<UInt8>) throws(ArchiveError) {
        var position: Int32 = 1
        for item in items {
            insert.bind(position, item.sampleID)
            if let versionID = item.versionID { insert.bind(position + 1, versionID) } else { insert.bindNull(position + 1) }
            position += 3
        }
        try insert.run(texts: hashes.span, of: hashSize, at: 3, every: 3)
        try insert.check(stored: insert.changes, meant: items.count)
    }
}

/// A file whose export is recorded and which still has its temporary name: whoever finds this after a crash gives the file its name.
public struct PublishIntent: Sendable {
    fileprivate let key: String
    /// The name that the file has.
    public let temporary: Path
    /// The name that it is to have.
    public let destination: Path
    /// Whether an existing file is to be replaced.
    public let isReplacing: Bool

    private static let prefix = "publish_intent:"

    /// An intent for an export.
    public init(exportID: String, temporary: Path, destination: Path, isReplacing: Bool) {
        key = Self.prefix + exportID + ":" + Hexadecimal.text(temporary.name)
        self.temporary = temporary
        self.destination = destination
        self.isReplacing = isReplacing
    }

    /// Two names in hex, since names need not be text, and the mode.
    fileprivate var value: String { "\(Hexadecimal.text(temporary.bytes)) \(Hexadecimal.text(destination.bytes)) \(isReplacing ? "replace" : "new")" }

    fileprivate init?(key: String, value: String) {
        let parts = value.split(separator: " ")
        guard parts.count == 3, let temporary = Path(hexadecimal: parts[0]), let destination = Path(hexadecimal: parts[1]) else { return nil }
        self.key = key
        self.temporary = temporary
        self.destination = destination
        isReplacing = parts[2] == "replace"
    }
}

extension Archive {
    private func nextManifestID() throws(ArchiveError) -> Int64 {
        let last = try connection.integer("SELECT max(id) FROM export_manifests") ?? 0
        guard last < Int64.max else { throw ArchiveError(.evidence, "\(path.display): export_manifests has no id left") }
        return last + 1
    }

    /// Starts the rows of an export. `finish` adds the manifest.
    ///
    /// - Parameter inStaging: false inside a write transaction. True keeps the rows in a temporary table until `finish`, so that no lock is held meanwhile:
    ///   for a reader of standard output that takes its time.
    public func recorder(inStaging: Bool) throws(ArchiveError) -> ExportRecorder {
        guard inStaging else {
            let id = try nextManifestID()
            // A failure ends the whole transaction: a statement needs no journal of its own to undo the rows before the one that failed.
            return try ExportRecorder(connection, insert: "INSERT OR FAIL INTO export_items(export_manifest_id, sample_id, version_id, item_hash)", row: "(\(id), ?, ?, ?)", isInStaging: false)
        }
        try connection.execute("CREATE TEMP TABLE staged_items(sample_id INTEGER, version_id INTEGER, item_hash TEXT)")
        return try ExportRecorder(connection, insert: "INSERT OR FAIL INTO temp.staged_items", row: "(?, ?, ?)", isInStaging: true)
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
            INSERT INTO export_manifests(id, export_id, created_at, export_kind, from_observation_id, to_observation_id, filter_json, manifest_hash, record_count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        try manifest.run(
            [
                .integer(id), .text(export.exportID), .real(export.createdAt), .text(export.kind), Parameter(export.scope.fromObservationID), .integer(export.scope.observationID),
                .text(export.filterJSON), .text(export.manifestHash), .integer(Int64(export.itemCount)),
            ], storing: 1)
        for intent in export.intents {
            var insert = try connection.prepare("INSERT OR REPLACE INTO archive_metadata(key, value) VALUES (?, ?)")
            try insert.run([.text(intent.key), .text(intent.value)], storing: 1)
        }
        guard isInPlace() else { throw ArchiveError(.storage, "\(path.display): the archive was moved away or replaced while it was read") }
    }

    /// What processes that ended between the commit and the renaming left to do.
    public func publishIntents() throws(ArchiveError) -> [PublishIntent] {
        var statement = try connection.prepare("SELECT key, value FROM archive_metadata WHERE key >= 'publish_intent:' AND key < 'publish_intent;' ORDER BY key")
        var intents: [PublishIntent] = []
        while try statement.step() {
            if let intent = PublishIntent(key: statement.text(0) ?? "", value: statement.text(1) ?? "") { intents.append(intent) }
        }
        return intents
    }

    /// Whether it is certain that a commit that failed did not record an intent.
    ///
    /// A failed commit may have written everything all the same: a journal that is removed in a folder that is not synchronized, or frames of a log that the next process to open the archive takes
    /// for committed. So what a log holds beyond the last commit is thrown away first.
    public func isWithout(_ intent: PublishIntent) -> Bool {
        rollBack()
        do throws(ArchiveError) {
            if try connection.text("PRAGMA journal_mode") == "wal", try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)") != 0 { return false }
            return try connection.integer("SELECT count(*) FROM archive_metadata WHERE key = ?1", [.text(intent.key)]) == 0
        } catch {
            return false
        }
    }

    /// Forgets an intent that is fulfilled.
    public func drop(_ intent: PublishIntent) throws(ArchiveError) {
        var statement = try connection.prepare("DELETE FROM archive_metadata WHERE key = ?1")
        try statement.run([.text(intent.key)])
    }
}

extension Path {
    fileprivate init?(hexadecimal text: Substring) {
        guard let bytes = Hexadecimal.bytes(text.utf8) else { return nil }
        self.init(bytes: bytes)
    }
}
