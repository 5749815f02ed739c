internal import Archive
internal import Manifest
internal import SQLite
internal import Timestamps

/// The entries of a history, in their order.
struct HistoryEntries: ~Copyable {
    /// An entry as it is stored, and what it says where it has its form.
    struct Entry {
        let row: Int64
        let text: [UInt8]
        let link: Digest?
        let content: HistoryPreimage?
    }

    private var rows: Statement
    private var earlier: Statement

    private enum Column: Int32 {
        case sequence, observationID, text, link, archive, kind, madeAt, observation, hash, previous, replaces, number,
            tool
        static let count: Int32 = 13
    }

    init(_ reader: borrowing EvidenceReader) throws(ArchiveError) {
        let members = [
            "archive", "kind", "made_at", "observation.id", "observation.hash", "previous", "replaces", "sequence",
            "tool_version",
        ]
        let grown = HistoryParts.grown.flatMap {
            ["last_ids.\($0.table)", "rows.\($0.table).count", "rows.\($0.table).hash"]
        }
        let columns = (members + grown).map { "json_extract(j, '$.\($0)')" }.joined(separator: ", ")
        let query = """
            SELECT sequence, observation_id, entry_json, link, \(columns) FROM
            (SELECT *, CASE WHEN json_valid(entry_json) THEN entry_json ELSE '{}' END AS j FROM history_links
            """
        let rows = try reader.prepare("\(query)) ORDER BY sequence")
        let earlier = try reader.prepare("\(query) WHERE sequence < ?1 ORDER BY sequence DESC LIMIT 1)")
        self.rows = rows
        self.earlier = earlier
    }

    /// The next entry; nil after the last.
    mutating func next() throws(ArchiveError) -> Entry? {
        while try rows.step() {
            guard let row = rows.exactInteger(Column.sequence.rawValue) else { continue }
            let link = rows.bytes(Column.link.rawValue)
            return Entry(
                row: row, text: rows.bytes(Column.text.rawValue), link: Digest(hex: link.span),
                content: Self.content(rows))
        }
        return nil
    }

    /// What the entry before another says.
    mutating func entry(before sequence: Int64) throws(ArchiveError) -> HistoryPreimage? {
        earlier.bind(1, sequence)
        defer { earlier.reset() }
        return try earlier.step() ? Self.content(earlier) : nil
    }

    /// What an entry says; nil where its text is not what that would be written as.
    private static func content(_ row: borrowing Statement) -> HistoryPreimage? {
        func digest(_ column: Int32) -> Digest? {
            guard row.storageClass(column) == .text else { return nil }
            let bytes = row.bytes(column)
            return Digest(hex: bytes.span)
        }
        guard let archive = digest(Column.archive.rawValue),
            let kind = row.text(Column.kind.rawValue).flatMap({ HistoryPreimage.Kind(rawValue: $0) }),
            let madeAt = row.text(Column.madeAt.rawValue),
            TimestampReader.moment(in: madeAt.utf8Span.span) != nil,
            let observation = row.canonicalInteger(Column.observation.rawValue),
            observation == row.exactInteger(Column.observationID.rawValue),
            let sequence = row.canonicalInteger(Column.number.rawValue), let tool = row.text(Column.tool.rawValue)
        else { return nil }
        var entry = HistoryPreimage(
            archive: archive, kind: kind, madeAt: madeAt, observationID: observation, sequence: sequence,
            toolVersion: tool)
        entry.observationHash = digest(Column.hash.rawValue)
        entry.previous = digest(Column.previous.rawValue)
        entry.replaces = row.canonicalInteger(Column.replaces.rawValue)
        for (place, part) in HistoryParts.grown.enumerated() {
            let column = Column.count + Int32(3 * place)
            if let id = row.canonicalInteger(column) {
                entry.lastIDs.append(HistoryPreimage.LastID(table: part.table, id: id))
            }
            if let count = row.canonicalInteger(column + 1), let hash = digest(column + 2) {
                entry.rows.append(HistoryPreimage.Rows(table: part.table, count: count, hash: hash))
            }
        }
        return entry.text == row.bytes(Column.text.rawValue) ? entry : nil
    }
}
