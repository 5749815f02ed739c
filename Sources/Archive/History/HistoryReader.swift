internal import Files
package import Manifest
internal import SQLite

/// Computes what entries of the history commit to (`Spec/history.md`, "Tables" and "Observation").
///
/// A table is read once, in the order of its ids, whatever the number of entries: each row goes to the digest of its
/// entry, and a digest ends when the ids are beyond those of its entry.
package struct HistoryReader: ~Copyable {
    private let salt: HistorySalt
    /// The tables that the archive has.
    private let tables: Set<String>

    private init(salt: HistorySalt, tables: Set<String>) {
        self.salt = salt
        self.tables = tables
    }

    /// Prepares a connection: temporary tables have the beginnings of ranges.
    ///
    /// - Throws: `ArchiveError` with the code `evidence` if the archive states no salt.
    package static func open(_ connection: borrowing Connection) throws(ArchiveError) -> HistoryReader {
        guard let salt = try HistorySalt.stated(connection) else {
            throw ArchiveError(
                .evidence,
                "\(connection.path.display): table archive_metadata: \(HistorySalt.key) is not 64 hex digits",
                hint: "hp-verify archive names what is wrong with the history")
        }
        var tables: Set<String> = []
        var rows = try connection.prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table'")
        while try rows.step() { tables.insert(rows.text(0) ?? "") }
        for table in HistoryParts.ranged {
            try connection.execute(
                """
                DROP TABLE IF EXISTS temp.history_\(table);
                CREATE TEMP TABLE history_\(table)(first INTEGER, id INTEGER)
                """)
            guard tables.contains(table) else { continue }
            try connection.execute(
                """
                INSERT INTO temp.history_\(table) SELECT first_observation_id, id FROM \(table);
                CREATE INDEX temp.history_\(table)_first ON history_\(table)(first)
                """)
        }
        return HistoryReader(salt: salt, tables: tables)
    }

    // MARK: Tables

    /// The rows of a table that an entry claims.
    package struct Bound: Sendable {
        let observationID: Int64
        /// Up to where ids belong to the entry or to those below it; `Int64.min` for none.
        let last: Int64

        package init(observationID: Int64, last: Int64) {
            (self.observationID, self.last) = (observationID, last)
        }
    }

    /// The digest of an entry's rows, while there may be more of them.
    private final class Digesting {
        var hashing: HistoryHashing<HMACSHA256>
        var count: Int64 = 0

        init(_ salt: HistorySalt, _ table: HistoryParts.Table) {
            hashing = HistoryHashing(salt.code)
            hashing.begin(.historyRows)
            hashing.beginPart(table.name)
        }
    }

    /// Computes the commitments of entries to the rows of a table; `nil` for entries that have none.
    ///
    /// - Parameters:
    ///   - bounds: of entries in their order; `last` never goes down.
    ///   - first: the first entry that is asked for. Those below only say where its rows begin.
    ///   - floor: an id beyond which the rows of all entries that are asked for are; `nil` if unknown.
    ///   - unclaimed: called with each row that goes by its id and is beyond all entries.
    /// - Complexity: O(n) in time for n rows; in memory, the entries whose rows are interleaved.
    package func rows(
        of table: HistoryParts.Table, for bounds: [Bound], from first: Int = 0, beyond floor: Int64? = nil,
        _ connection: borrowing Connection, unclaimed: (_ row: Int64?) -> Void = { _ in }
    ) throws(ArchiveError) -> [HistoryPreimage.Rows?] {
        var made: [HistoryPreimage.Rows?] = Array(repeating: nil, count: bounds.count)
        guard tables.contains(table.name), first <= bounds.count else { return made }
        var owners: [Int64: Int] = [:]
        if table.owner != nil {
            for (place, bound) in bounds.enumerated() { owners[bound.observationID] = place }
        }
        var open: [Int: Digesting] = [:]
        var active: (place: Int, rows: Digesting)?
        // The lowest entry that reaches the ids of the moment: those below it are complete.
        var reached = 0
        func end() {
            if let rows = open.removeValue(forKey: reached) { made[reached] = Self.finish(rows, table) }
            if active?.place == reached { active = nil }
            reached += 1
        }
        let condition = floor.map { "WHERE id > \($0)" } ?? ""
        var rows = try connection.prepare(
            "SELECT \(table.columns) FROM \(table.name) NOT INDEXED \(condition) ORDER BY id")
        let columns = Int32(rows.columnCount)
        while try rows.step() {
            if let id = rows.exactInteger(0) { while reached < bounds.count, bounds[reached].last < id { end() } }
            var place = rows.exactInteger(0) == nil || reached == bounds.count ? nil : reached
            if let owner = table.owner, !rows.isNull(owner) {
                place = rows.exactInteger(owner).flatMap { owners[$0] }
            } else if place == nil {
                unclaimed(rows.exactInteger(0))
            }
            guard let place, place >= first else { continue }
            guard place >= reached else {
                // A row beyond the ids of its entry fits no commitment, and no commitment is to -1 rows.
                made[place] = HistoryPreimage.Rows(table: table.name, count: -1, hash: Self.noDigest)
                continue
            }
            if active?.place != place {
                let rows = open[place] ?? Digesting(salt, table)
                open[place] = rows
                active = (place, rows)
            }
            guard let digesting = active?.rows else { continue }
            digesting.count += 1
            digesting.hashing.beginRow()
            for column in 0..<columns { digesting.hashing.add(rows, column) }
        }
        while reached < bounds.count { end() }
        return made
    }

    private static func finish(_ rows: Digesting, _ table: HistoryParts.Table) -> HistoryPreimage.Rows {
        rows.hashing.endPart()
        return HistoryPreimage.Rows(table: table.name, count: rows.count, hash: rows.hashing.finish())
    }

    private static let noDigest = SHA256.digest(of: [UInt8]().span)

    // MARK: Observations

    /// Computes the hash of an observation.
    ///
    /// - Parameters:
    ///   - listsTypes: whether the entry states that the list of its types is there.
    ///   - statesFacts: whether the entry states that the archive stated the capture facts.
    ///   - types: the ids of the sample types that belong to the entry: beyond the first, up to the second.
    package func observation(
        _ id: Int64, listsTypes: Bool, statesFacts: Bool, types: (after: Int64, through: Int64),
        _ connection: borrowing Connection
    ) throws(ArchiveError) -> Digest {
        let parts = HistoryParts.ofObservation.map {
            $0.name == HistoryParts.namesWithoutOrigins.name && !tables.isSuperset(of: $0.tables)
                ? HistoryParts.namesWithoutOrigins : $0
        }
        return try hash(
            parts, [id, listsTypes ? 1 : 0, types.after, types.through, statesFacts ? 1 : 0], connection)
    }

    /// Computes the hash of an observation that was withdrawn.
    package func withdrawal(_ id: Int64, _ connection: borrowing Connection) throws(ArchiveError) -> Digest {
        try hash([HistoryParts.ofWithdrawal], [id], connection)
    }

    private func hash(
        _ parts: [HistoryParts.OfObservation], _ parameters: [Int64], _ connection: borrowing Connection
    ) throws(ArchiveError) -> Digest {
        var hashing = HistoryHashing(salt.code)
        hashing.begin(.historyObservation)
        for part in parts {
            hashing.beginPart(part.name)
            if tables.isSuperset(of: part.tables) {
                var rows = try connection.prepare(part.query)
                // SQLite ignores parameters that a query does not have.
                for (place, value) in parameters.enumerated() { rows.bind(Int32(place + 1), value) }
                let columns = Int32(rows.columnCount)
                while try rows.step() {
                    hashing.beginRow()
                    for column in 0..<columns { hashing.add(rows, column) }
                }
            }
            hashing.endPart()
        }
        return hashing.finish()
    }

    // MARK: Lists and ids

    /// Returns the identity of the archive whose first entry is made at a moment.
    package func identity(madeAt: String) -> Digest { salt.identity(madeAt: madeAt) }

    /// Returns `true` if an archive has the list of the types that an observation states.
    package func listsTypes(of id: Int64, _ connection: borrowing Connection) throws(ArchiveError) -> Bool {
        guard tables.contains("selected_type_sets") else { return false }
        return try connection.integer(
            "SELECT 1 FROM selected_type_sets WHERE selected_type_set_hash = "
                + "(SELECT selected_type_set_hash FROM observations WHERE id = \(id))") == 1
    }

    /// Returns the greatest id of a table; `nil` if it is empty or not there.
    package func lastID(of table: HistoryParts.Table, _ connection: borrowing Connection) throws(ArchiveError)
        -> Int64?
    {
        guard tables.contains(table.name),
            let id = try connection.integer("SELECT max(id) FROM \(table.name)")
        else { return nil }
        guard id.magnitude < 1 << 53 else {
            throw ArchiveError(
                .evidence, "\(connection.path.display): table \(table.name) has an id beyond 2^53-1: no history")
        }
        return id
    }
}

extension HistoryHashing<HMACSHA256> {
    /// Adds a column.
    fileprivate mutating func add(_ row: borrowing Statement, _ column: Int32) {
        let value = row.value(column)
        switch value.storageClass {
        case .null: addNull()
        case .integer: add(value.integer)
        case .real: add(value.real)
        case .text: add(text: value.bytes(of: .text))
        case .blob: add(blob: value.bytes(of: .blob))
        }
    }
}

extension HistoryReader {
    /// Opens a reader for those who only read.
    package static func reading(_ reader: borrowing EvidenceReader) throws(ArchiveError) -> HistoryReader {
        try open(reader.connection)
    }

    package func rows(
        of table: HistoryParts.Table, for bounds: [Bound], _ reader: borrowing EvidenceReader,
        unclaimed: (_ row: Int64?) -> Void
    ) throws(ArchiveError) -> [HistoryPreimage.Rows?] {
        try rows(of: table, for: bounds, reader.connection, unclaimed: unclaimed)
    }

    package func observation(
        _ claim: HistoryChain.Claim, types: (after: Int64, through: Int64), _ reader: borrowing EvidenceReader
    ) throws(ArchiveError) -> Digest {
        try observation(
            claim.observationID, listsTypes: claim.listsTypes, statesFacts: claim.statesFacts, types: types,
            reader.connection)
    }

    package func withdrawal(_ id: Int64, _ reader: borrowing EvidenceReader) throws(ArchiveError) -> Digest {
        try withdrawal(id, reader.connection)
    }
}
