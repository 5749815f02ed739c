internal import Archive
internal import Files
internal import Manifest
internal import SQLite
internal import Timestamps

/// Writes entries of the history (`Spec/history.md`), in the caller's transaction.
struct HistoryRecorder: ~Copyable {
    /// What the context log calls the tool.
    private let program: String
    private let madeAt: String
    private var reader: HistoryReader
    private var newest: Entry?

    /// An entry that is there.
    private struct Entry {
        let sequence: Int64
        let archive, link: Digest
        /// The greatest ids that it covers.
        let lastIDs: [HistoryPreimage.LastID]
    }

    static func open(program: String, now: Double, _ connection: borrowing Connection) throws(ArchiveError)
        -> HistoryRecorder
    {
        // A clock may give more digits than a timestamp has.
        let moment = (now * 1000).rounded() / 1000
        guard let madeAt = try? TimestampText(moment) else {
            throw ArchiveError(.order, "\(connection.path.display): the clock is not in the years 1 to 9999")
        }
        let reader = try HistoryReader.open(connection)
        let newest = try entry("ORDER BY sequence DESC LIMIT 1", connection)
        return HistoryRecorder(program: program, madeAt: madeAt.string, reader: reader, newest: newest)
    }

    private init(program: String, madeAt: String, reader: consuming HistoryReader, newest: Entry?) {
        self.program = program
        self.madeAt = madeAt
        self.reader = reader
        self.newest = newest
    }

    // MARK: Entries

    /// Adds the entry of an observation that ends, where the history begins with it or goes on.
    mutating func add(ended id: Int64, _ connection: borrowing Connection) throws(ArchiveError) {
        guard try isOurs(but: id, connection) else { return }
        try add(.observation, of: id, connection)
    }

    /// Whether everything that no entry covers was captured by these tools.
    private func isOurs(but id: Int64, _ connection: borrowing Connection) throws(ArchiveError) -> Bool {
        // A first entry is made with the first observation, or on demand.
        let condition =
            newest == nil
            ? "status NOT IN ('running', 'started')"
            : "id > \(lastID(of: "observations") ?? 0) AND NOT EXISTS "
                + "(SELECT 1 FROM observation_facts f WHERE f.observation_id = o.id)"
        return try connection.integer(
            "SELECT 1 FROM observations o WHERE id <> \(id) AND \(condition) LIMIT 1") == nil
    }

    /// Adds an entry with the rows that none covers yet.
    mutating func add(_ kind: HistoryPreimage.Kind, of id: Int64, _ connection: borrowing Connection)
        throws(ArchiveError)
    {
        var entry = try blank(kind, of: id, connection)
        if kind != .withdrawn { entry.observationHash = try reader.observation(id, connection) }
        try write(&entry, after: newest?.lastIDs ?? [], connection)
    }

    /// Adds the entry that says that an observation is gone: it hashes anew what is left of what the entries from one
    /// on covered.
    mutating func add(withdrawn id: Int64, replacing first: Int64, _ connection: borrowing Connection)
        throws(ArchiveError)
    {
        var entry = try blank(.withdrawn, of: id, connection)
        entry.replaces = first
        let before = try Self.entry("WHERE sequence < \(first) ORDER BY sequence DESC LIMIT 1", connection)
        try write(&entry, after: before?.lastIDs ?? [], connection)
    }

    private func blank(_ kind: HistoryPreimage.Kind, of id: Int64, _ connection: borrowing Connection)
        throws(ArchiveError) -> HistoryPreimage
    {
        let archive: Digest
        if let newest { archive = newest.archive } else { archive = try identity(connection) }
        var entry = HistoryPreimage(
            archive: archive, kind: kind, madeAt: madeAt, observationID: id, sequence: (newest?.sequence ?? 0) + 1,
            toolVersion: program)
        entry.previous = newest?.link
        return entry
    }

    private func identity(_ connection: borrowing Connection) throws(ArchiveError) -> Digest {
        var row = try connection.prepare("SELECT device_chain_hash FROM device_chains ORDER BY id LIMIT 1")
        let chain = try row.step() && !row.isNull(0) ? row.bytes(0) : nil
        var hasher = ContentHasher()
        let preimage = HistoryPreimage.archive(deviceChainHash: chain, madeAt: madeAt)
        return hasher.digest(of: preimage.span, in: .historyArchive)
    }

    private mutating func write(
        _ entry: inout HistoryPreimage, after last: [HistoryPreimage.LastID], _ connection: borrowing Connection
    ) throws(ArchiveError) {
        entry.lastIDs = try reader.lastIDs(connection)
        for part in HistoryParts.grown {
            let after = last.first { $0.table == part.table }?.id
            let rows = try reader.rows(of: part, after: after, through: nil, connection)
            if rows.count > 0 { entry.rows.append(rows) }
        }
        let text = entry.text
        var hasher = ContentHasher()
        let link = hasher.digest(of: text.span, in: .historyLink)
        var insert = try connection.prepare(
            "INSERT INTO history_links(sequence, observation_id, entry_json, link) VALUES (?1, ?2, ?3, ?4)")
        try insert.run(
            [
                .integer(entry.sequence), .integer(entry.observationID), .text(String(decoding: text, as: UTF8.self)),
                .text(link.hex),
            ], storing: 1)
        newest = Entry(sequence: entry.sequence, archive: entry.archive, link: link, lastIDs: entry.lastIDs)
    }

    // MARK: What is there

    /// Throws where no entry can go on from the newest one.
    static func checkNewest(_ connection: borrowing Connection) throws(ArchiveError) {
        guard try Schema.hasHistory(connection) else { return }
        _ = try entry("ORDER BY sequence DESC LIMIT 1", connection)
    }

    /// Up to where the entries before one cover the tables; nil stands for all entries.
    static func lastIDs(before sequence: Int64?, _ connection: borrowing Connection) throws(ArchiveError) -> [String:
        Int64]
    {
        let condition = sequence.map { "WHERE sequence < \($0) " } ?? ""
        let last = try entry("\(condition)ORDER BY sequence DESC LIMIT 1", connection)?.lastIDs ?? []
        return Dictionary(uniqueKeysWithValues: last.map { ($0.table, $0.id) })
    }

    private func lastID(of table: String) -> Int64? { newest?.lastIDs.first { $0.table == table }?.id }

    private static func entry(_ condition: String, _ connection: borrowing Connection) throws(ArchiveError) -> Entry? {
        let members = ["archive"] + HistoryParts.grown.map { "last_ids.\($0.table)" }
        let columns = members.map { "json_extract(j, '$.\($0)')" }.joined(separator: ", ")
        var row = try connection.prepare(
            "SELECT sequence, link, \(columns) FROM "
                + "(SELECT *, CASE WHEN json_valid(entry_json) THEN entry_json ELSE '{}' END AS j "
                + "FROM history_links \(condition))")
        guard try row.step() else { return nil }
        let (linkText, archiveText) = (row.bytes(1), row.bytes(2))
        guard let sequence = row.exactInteger(0), let link = Digest(hex: linkText.span),
            let archive = Digest(hex: archiveText.span)
        else {
            throw ArchiveError(
                .evidence, "\(connection.path.display): table history_links: the newest entry cannot be read",
                hint: "hp-verify archive names what is wrong with the history")
        }
        var last: [HistoryPreimage.LastID] = []
        for (place, part) in HistoryParts.grown.enumerated() {
            guard let id = row.exactInteger(Int32(place + 3)) else { continue }
            last.append(HistoryPreimage.LastID(table: part.table, id: id))
        }
        return Entry(sequence: sequence, archive: archive, link: link, lastIDs: last)
    }
}
