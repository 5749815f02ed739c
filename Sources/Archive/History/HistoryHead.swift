public import CanonicalJSON
public import Manifest
internal import SQLite

/// The head of an archive's history: what a person keeps elsewhere (`Spec/history.md`, "Head").
public struct HistoryHead: Sendable, Equatable {
    /// The identity of the archive.
    public let archive: Digest
    /// The sequence of the newest entry.
    public let length: Int64
    /// Its link.
    public let link: Digest

    package init(archive: Digest, length: Int64, link: Digest) {
        self.archive = archive
        self.length = length
        self.link = link
    }

    /// Three lines.
    public var text: String { "archive \(archive.hex)\nlength \(length)\nlink \(link.hex)\n" }

    /// The first 16 digits of the link, for people.
    public var linkPrefix: String { String(link.hex.prefix(16)) }

    /// Writes an object with the three.
    public func write(to json: inout Writer) {
        json.beginObject()
        json.member("archive", archive.hex)
        json.member("length", length)
        json.member("link", link.hex)
        json.endObject()
    }

    /// Reads three lines, with spaces and empty lines around; nil for anything else.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= 4096, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map {
            $0.split(whereSeparator: \.isWhitespace).map { String($0) }
        }.filter { !$0.isEmpty }
        guard lines.count == 3, lines.allSatisfy({ $0.count == 2 }),
            lines.map({ $0[0] }) == ["archive", "length", "link"],
            let length = Int64(lines[1][1]), length > 0, "\(length)" == lines[1][1]
        else { return nil }
        let (archive, link) = (Array(lines[0][1].utf8), Array(lines[2][1].utf8))
        guard let archive = Digest(hex: archive.span), let link = Digest(hex: link.span) else { return nil }
        self.init(archive: archive, length: length, link: link)
    }
}

extension Archive {
    /// The head of the history; nil where the archive is not sealed, or its newest entry cannot be read.
    public func historyHead() throws(ArchiveError) -> HistoryHead? { try HistoryHead.newest(connection) }

    /// The entries about an observation that it still has, the newest first: what an export of it carries.
    func historyEntries(of observation: Int64) throws(ArchiveError) -> [HistoryHead] {
        guard try Schema.hasHistory(connection) else { return [] }
        var rows = try connection.prepare(HistoryHead.entries + " WHERE observation_id = ?1 ORDER BY sequence DESC")
        rows.bind(1, observation)
        var found: [HistoryHead] = []
        while try rows.step() {
            if rows.text(3) == "withdrawn" { break }
            if let entry = HistoryHead(rows) { found.append(entry) }
        }
        return found
    }

    /// Whether the newest observation that ended has an entry.
    public func isSealed() throws(ArchiveError) -> Bool {
        guard try Schema.hasHistory(connection) else { return false }
        return try connection.integer(
            """
            SELECT 1 FROM history_links WHERE observation_id =
            (SELECT max(id) FROM observations WHERE status NOT IN ('running', 'started')) LIMIT 1
            """) == 1
    }
}

/// How a history stands beside a head that was kept (`Spec/history.md`, Head).
public enum HistoryAnswer: Sendable, Equatable {
    /// It has the entry, and so many after it.
    case extends(by: Int64)
    /// It has fewer entries: so many.
    case rewound(to: Int64)
    /// It has another entry in that place, or none.
    case forked
    case anotherArchive
    /// It has no entries.
    case notSealed
}

extension Archive {
    /// How the history stands beside a head.
    public func answer(to head: HistoryHead) throws(ArchiveError) -> HistoryAnswer {
        try HistoryHead.answer(to: head, connection)
    }
}

extension EvidenceReader {
    /// How the history stands beside a head.
    package func answer(to head: HistoryHead) throws(ArchiveError) -> HistoryAnswer {
        try HistoryHead.answer(to: head, connection)
    }
}

extension HistoryHead {
    fileprivate static func answer(to head: HistoryHead, _ connection: borrowing Connection) throws(ArchiveError)
        -> HistoryAnswer
    {
        guard try Schema.hasHistory(connection) else { return .notSealed }
        var rows = try connection.prepare(
            """
            SELECT m.length, h.link, CASE WHEN json_valid(entry_json) THEN json_extract(entry_json, '$.archive') END,
                h.sequence FROM (SELECT max(sequence) AS length FROM history_links) m
                LEFT JOIN history_links h ON h.sequence = min(\(head.length), m.length)
            """)
        guard try rows.step(), let length = rows.exactInteger(0) else { return .notSealed }
        guard rows.exactInteger(3) != nil else { return .forked }
        if rows.text(2) != head.archive.hex { return .anotherArchive }
        if length < head.length { return .rewound(to: length) }
        return rows.text(1) == head.link.hex ? .extends(by: length - head.length) : .forked
    }
}

extension HistoryHead {
    /// Entries as heads: sequence, link, archive, and what kind they are.
    fileprivate static let entries = """
        SELECT sequence, link, CASE WHEN json_valid(entry_json) THEN json_extract(entry_json, '$.archive') END,
            CASE WHEN json_valid(entry_json) THEN json_extract(entry_json, '$.kind') END FROM history_links
        """

    /// The entry of a row of `entries`; nil where it cannot be read.
    fileprivate init?(_ row: borrowing Statement) {
        let (linkText, archiveText) = (row.bytes(1), row.bytes(2))
        guard let length = row.exactInteger(0), length > 0, length < 1 << 53, let link = Digest(hex: linkText.span),
            let archive = Digest(hex: archiveText.span)
        else { return nil }
        self.init(archive: archive, length: length, link: link)
    }

    /// The head that the newest entry makes; nil without one that can be read.
    package static func newest(_ connection: borrowing Connection) throws(ArchiveError) -> HistoryHead? {
        guard try Schema.hasHistory(connection) else { return nil }
        var row = try connection.prepare(entries + " ORDER BY sequence DESC LIMIT 1")
        return try row.step() ? HistoryHead(row) : nil
    }
}
