internal import Files
package import Manifest
internal import SQLite

/// Hashes what entries of the history cover (`Spec/history.md`).
package struct HistoryReader: ~Copyable {
    private var hasher = HistoryHashing<SHA256>()
    /// The tables that the archive has.
    private let tables: Set<String>

    private init(tables: Set<String>) { self.tables = tables }

    /// Prepares a connection: a temporary table has the beginnings of ranges.
    package static func open(_ connection: borrowing Connection) throws(ArchiveError) -> HistoryReader {
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
        return HistoryReader(tables: tables)
    }

    /// The rows of a table with ids beyond one and up to another; nil stands for all.
    package mutating func rows(
        of part: HistoryParts.Grown, after: Int64?, through: Int64?, _ connection: borrowing Connection
    ) throws(ArchiveError) -> HistoryPreimage.Rows {
        hasher.begin(.historyRows)
        hasher.beginPart(part.table)
        var count: Int64 = 0
        if tables.contains(part.table) {
            let bounds = [after.map { "id > \($0)" }, through.map { "id <= \($0)" }].compactMap { $0 }
            let condition = bounds.isEmpty ? "" : "WHERE \(bounds.joined(separator: " AND "))"
            var rows = try connection.prepare(
                "SELECT \(part.columns) FROM \(part.table) NOT INDEXED \(condition) ORDER BY id")
            count = try add(&rows)
        }
        hasher.endPart()
        return HistoryPreimage.Rows(table: part.table, count: count, hash: hasher.finish())
    }

    /// The hash of what an observation says of itself.
    package mutating func observation(_ id: Int64, _ connection: borrowing Connection) throws(ArchiveError) -> Digest {
        hasher.begin(.historyObservation)
        for part in HistoryParts.ofObservation {
            hasher.beginPart(part.name)
            if part.extra.map(tables.contains) ?? true {
                var rows = try connection.prepare(part.query)
                rows.bind(1, id)
                _ = try add(&rows)
            }
            hasher.endPart()
        }
        return hasher.finish()
    }

    /// The greatest id of each table that has one.
    package func lastIDs(_ connection: borrowing Connection) throws(ArchiveError) -> [HistoryPreimage.LastID] {
        var found: [HistoryPreimage.LastID] = []
        for part in HistoryParts.grown where tables.contains(part.table) {
            guard let id = try connection.integer("SELECT max(id) FROM \(part.table)") else { continue }
            guard id.magnitude < 1 << 53 else {
                throw ArchiveError(
                    .evidence, "\(connection.path.display): table \(part.table) has an id beyond 2^53-1: no history")
            }
            found.append(HistoryPreimage.LastID(table: part.table, id: id))
        }
        return found
    }

    private mutating func add(_ rows: inout Statement) throws(ArchiveError) -> Int64 {
        let columns = Int32(rows.columnCount)
        var count: Int64 = 0
        while try rows.step() {
            count += 1
            hasher.beginRow()
            for column in 0..<columns { add(rows, column) }
        }
        return count
    }

    private mutating func add(_ row: borrowing Statement, _ column: Int32) {
        let value = row.value(column)
        switch value.storageClass {
        case .null: hasher.addNull()
        case .integer: hasher.add(value.integer)
        case .real: hasher.add(value.real)
        case .text: hasher.add(text: value.bytes(of: .text))
        case .blob: hasher.add(blob: value.bytes(of: .blob))
        }
    }
}

extension HistoryReader {
    /// As with a connection, for those who only read.
    package static func reading(_ reader: borrowing EvidenceReader) throws(ArchiveError) -> HistoryReader {
        try open(reader.connection)
    }

    package mutating func rows(
        of part: HistoryParts.Grown, after: Int64?, through: Int64?, _ reader: borrowing EvidenceReader
    ) throws(ArchiveError) -> HistoryPreimage.Rows {
        try rows(of: part, after: after, through: through, reader.connection)
    }

    package mutating func observation(_ id: Int64, _ reader: borrowing EvidenceReader) throws(ArchiveError) -> Digest {
        try observation(id, reader.connection)
    }
}
