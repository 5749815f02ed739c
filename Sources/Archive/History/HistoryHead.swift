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

extension HistoryHead {
    /// The head that the newest entry makes; nil without one that can be read.
    package static func newest(_ connection: borrowing Connection) throws(ArchiveError) -> HistoryHead? {
        guard try Schema.hasHistory(connection) else { return nil }
        var row = try connection.prepare(
            """
            SELECT sequence, link, CASE WHEN json_valid(entry_json) THEN json_extract(entry_json, '$.archive') END
            FROM history_links ORDER BY sequence DESC LIMIT 1
            """)
        guard try row.step(), let length = row.exactInteger(0) else { return nil }
        let (linkText, archiveText) = (row.bytes(1), row.bytes(2))
        guard let link = Digest(hex: linkText.span), let archive = Digest(hex: archiveText.span) else { return nil }
        return HistoryHead(archive: archive, length: length, link: link)
    }
}
