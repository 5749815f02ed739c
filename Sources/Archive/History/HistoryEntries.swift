internal import Files
internal import Manifest
internal import SQLite
internal import Timestamps

/// The entries of a history, one after the other.
struct HistoryEntries: ~Copyable {
    /// An entry as it is stored, and what it states; `content` is `nil` if it does not have the form of an entry.
    struct Entry {
        let row: Int64
        /// The hash of its text.
        let digest: Digest
        /// The stored link; `nil` if it is not one.
        let link: Digest?
        let content: HistoryPreimage?
    }

    private var rows: Statement
    private var hasher = ContentHasher()

    private enum Column: Int32 {
        case sequence, observationID, text, link, archive, version, kind, madeAt, observation, hash, listsTypes
        case statesFacts, previous, number, tool
        static let count: Int32 = 15
    }

    /// - Parameter isDescending: whether the newest entry comes first.
    init(_ connection: borrowing Connection, isDescending: Bool = false) throws(ArchiveError) {
        let members = [
            "archive", "entry_version", "kind", "made_at", "observation.id", "observation.hash",
            "observation.lists_types", "observation.states_facts", "previous", "sequence", "tool_version",
        ]
        let parts = HistoryParts.all.flatMap {
            ["last_ids.\($0.name)", "rows.\($0.name).count", "rows.\($0.name).hash"]
        }
        let columns = (members + parts).map { "json_extract(j, '$.\($0)')" }.joined(separator: ", ")
        rows = try connection.prepare(
            """
            SELECT sequence, observation_id, entry_json, link, \(columns) FROM
            (SELECT *, CASE WHEN json_valid(entry_json) THEN entry_json ELSE '{}' END AS j FROM history_links)
            ORDER BY sequence \(isDescending ? "DESC" : "")
            """)
    }

    /// Returns the next entry; `nil` after the last.
    mutating func next() throws(ArchiveError) -> Entry? {
        if try rows.step() {
            // A table that lost its key may hold anything there: no entry has the sequence 0.
            let row = rows.exactInteger(Column.sequence.rawValue) ?? 0
            let text = rows.bytes(Column.text.rawValue)
            return Entry(
                row: row, digest: hasher.digest(of: text.span, in: .historyLink),
                link: Self.digest(rows, Column.link.rawValue), content: Self.content(rows, text))
        }
        return nil
    }

    private static func digest(_ row: borrowing Statement, _ column: Int32) -> Digest? {
        guard row.storageClass(column) == .text else { return nil }
        let bytes = row.bytes(column)
        return Digest(hex: bytes.span)
    }

    /// Returns what an entry states; `nil` if its text is not what that would be written as.
    private static func content(_ row: borrowing Statement, _ text: [UInt8]) -> HistoryPreimage? {
        func integer(_ column: Column) -> Int64? { row.safeInteger(column.rawValue) }
        guard integer(.version) == HistoryPreimage.version, let archive = digest(row, Column.archive.rawValue),
            let kind = row.text(Column.kind.rawValue).flatMap({ HistoryPreimage.Kind(rawValue: $0) }),
            let madeAt = row.text(Column.madeAt.rawValue),
            TimestampReader.moment(in: madeAt.utf8Span.span) != nil,
            let observation = integer(.observation), observation == row.exactInteger(Column.observationID.rawValue),
            let hash = digest(row, Column.hash.rawValue), let sequence = integer(.number),
            sequence == row.exactInteger(Column.sequence.rawValue), sequence > 0,
            let tool = row.text(Column.tool.rawValue)
        else { return nil }
        var entry = HistoryPreimage(
            archive: archive, kind: kind, madeAt: madeAt, observationID: observation, observationHash: hash,
            sequence: sequence, toolVersion: tool)
        entry.listsTypes = integer(.listsTypes) == 1
        entry.statesFacts = integer(.statesFacts) == 1
        entry.previous = digest(row, Column.previous.rawValue)
        let tables = kind == .withdrawn ? [HistoryParts.contextLog] : HistoryParts.all
        for (place, table) in tables.enumerated() {
            let column = Column.count + Int32(3 * place)
            if let id = row.safeInteger(column) {
                entry.lastIDs.append(HistoryPreimage.LastID(table: table.name, id: id))
            }
            if let count = row.safeInteger(column + 1), let hash = digest(row, column + 2) {
                guard count > 0, entry.lastIDs.last?.table == table.name else { return nil }
                entry.rows.append(HistoryPreimage.Rows(table: table.name, count: count, hash: hash))
            }
        }
        return entry.text == text ? entry : nil
    }
}

extension Statement {
    /// The integer of a column that canonical JSON carries; `nil` for any other value.
    fileprivate func safeInteger(_ column: Int32) -> Int64? {
        exactInteger(column).flatMap { $0.magnitude < 1 << 53 ? $0 : nil }
    }
}
