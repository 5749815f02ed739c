internal import Archive
internal import Files
internal import Manifest
internal import SQLite
internal import Timestamps

/// Appends entries to the history (`Spec/history.md`), in the caller's transaction.
struct HistoryRecorder: ~Copyable {
    /// The name of the tool in the context log.
    private let program: String
    private let madeAt: String
    private let reader: HistoryReader
    private var tail: HistoryTail

    static func open(program: String, now: Double, _ connection: borrowing Connection) throws(ArchiveError)
        -> HistoryRecorder
    {
        // A clock may give more digits than a timestamp has.
        let moment = (now * 1000).rounded() / 1000
        guard let madeAt = try? TimestampText(moment) else {
            throw ArchiveError(.order, "\(connection.path.display): the clock is not in the years 1 to 9999")
        }
        return HistoryRecorder(
            program: program, madeAt: madeAt.string, reader: try HistoryReader.open(connection),
            tail: try HistoryTail.read(connection))
    }

    private init(program: String, madeAt: String, reader: consuming HistoryReader, tail: HistoryTail) {
        self.program = program
        self.madeAt = madeAt
        self.reader = reader
        self.tail = tail
    }

    /// Throws if no entry can follow the newest one.
    static func checkNewest(_ connection: borrowing Connection) throws(ArchiveError) {
        guard try Schema.hasHistory(connection) else { return }
        _ = try HistoryTail.read(connection)
    }

    // MARK: Entries

    /// Adds the entry of an observation that ends, if every older observation has one.
    mutating func add(ended id: Int64, _ connection: borrowing Connection) throws(ArchiveError) {
        let isBehind =
            try connection.integer(
                """
                SELECT 1 FROM observations o WHERE id < \(id)
                AND NOT EXISTS (SELECT 1 FROM history_links h WHERE h.observation_id = o.id) LIMIT 1
                """) == 1
        guard !isBehind, tail.mayName(id) else { return }
        try add(.observation, of: [id], connection)
    }

    /// Adds entries of observations, in the order of their ids: the first covers all rows of sources, devices, metadata
    /// and types that no entry covers.
    mutating func add(_ kind: HistoryPreimage.Kind, of ids: [Int64], _ connection: borrowing Connection)
        throws(ArchiveError)
    {
        var lasts: [Int64?] = []
        for (place, table) in HistoryParts.all.enumerated() {
            let below = place == 0 ? tail.newest?.lastContextID : tail.live?.lastIDs[place]
            let last = try reader.lastID(of: table, connection)
            lasts.append([below, last].compactMap { $0 }.max())
        }
        var rows: [[HistoryPreimage.Rows?]] = []
        for (place, table) in HistoryParts.tables.enumerated() {
            let below = tail.live?.lastIDs[place + 1]
            // Rows of one observation that these tools captured are beyond those of the one before.
            rows.append(
                try claimed(table, by: ids, below, lasts[place + 1], beyond: ids.count == 1 ? below : nil, connection))
        }
        for (place, id) in ids.enumerated() {
            var entry = try blank(kind, of: id, connection)
            entry.lastIDs = zip(HistoryParts.all, lasts).compactMap { table, last in
                last.map { HistoryPreimage.LastID(table: table.name, id: $0) }
            }
            entry.rows = try context(lasts[0], connection) + rows.compactMap { $0[place] }
            entry.rows.sort { $0.table < $1.table }
            try write(entry, connection)
        }
    }

    /// Adds the entry of an observation that was undone.
    mutating func add(withdrawn id: Int64, _ connection: borrowing Connection) throws(ArchiveError) {
        var entry = try blank(.withdrawn, of: id, connection)
        let last = [tail.newest?.lastContextID, try reader.lastID(of: HistoryParts.contextLog, connection)]
            .compactMap { $0 }.max()
        if let last { entry.lastIDs = [HistoryPreimage.LastID(table: HistoryParts.contextLog.name, id: last)] }
        entry.rows = try context(last, connection)
        try write(entry, connection)
    }

    /// Returns the rows of a table that entries to be made claim.
    private func claimed(
        _ table: HistoryParts.Table, by ids: [Int64], _ below: Int64?, _ last: Int64?, beyond floor: Int64?,
        _ connection: borrowing Connection
    ) throws(ArchiveError) -> [HistoryPreimage.Rows?] {
        let bounds =
            [HistoryReader.Bound(observationID: .min, last: below ?? .min)]
            + ids.map { HistoryReader.Bound(observationID: $0, last: last ?? .min) }
        return Array(try reader.rows(of: table, for: bounds, from: 1, beyond: floor, connection)[1...])
    }

    /// Returns the rows of the context log since the entry before.
    private func context(_ last: Int64?, _ connection: borrowing Connection) throws(ArchiveError)
        -> [HistoryPreimage.Rows]
    {
        try claimed(
            HistoryParts.contextLog, by: [0], tail.newest?.lastContextID, last, beyond: tail.newest?.lastContextID,
            connection
        ).compactMap { $0 }
    }

    private func blank(_ kind: HistoryPreimage.Kind, of id: Int64, _ connection: borrowing Connection)
        throws(ArchiveError) -> HistoryPreimage
    {
        let lists = kind == .withdrawn ? false : try reader.listsTypes(of: id, connection)
        let facts = kind == .withdrawn ? false : try Schema.hasCaptureFacts(connection)
        let types = HistoryParts.all.firstIndex { $0.name == "sample_types" }!
        let after = tail.live?.lastIDs[types] ?? .min
        let hash =
            kind == .withdrawn
            ? try reader.withdrawal(id, connection)
            : try reader.observation(
                id, listsTypes: lists, statesFacts: facts, types: (after, .max), connection)
        var entry = HistoryPreimage(
            archive: tail.newest?.archive ?? reader.identity(madeAt: madeAt), kind: kind, madeAt: madeAt,
            observationID: id, observationHash: hash, sequence: (tail.newest?.sequence ?? 0) + 1, toolVersion: program)
        entry.listsTypes = lists
        entry.statesFacts = facts
        entry.previous = tail.newest?.link
        return entry
    }

    private mutating func write(_ entry: HistoryPreimage, _ connection: borrowing Connection) throws(ArchiveError) {
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
        tail.append(entry, link)
    }
}
