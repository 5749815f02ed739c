internal import Manifest
internal import SQLite

/// The head of an archive's history: what a person keeps elsewhere (`Spec/history.md`, "Head").
public struct HistoryHead: Sendable, Equatable {
    /// The identity of the archive, 64 hex digits.
    public let archive: String
    /// The sequence of the newest entry.
    public let length: Int64
    /// Its link, 64 hex digits.
    public let link: String

    package init(archive: String, length: Int64, link: String) {
        self.archive = archive
        self.length = length
        self.link = link
    }

    /// Three lines.
    public var text: String { "archive \(archive)\nlength \(length)\nlink \(link)\n" }

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
        for hash in [lines[0][1], lines[2][1]] {
            let digits = Array(hash.utf8)
            guard Digest(hex: digits.span) != nil else { return nil }
        }
        self.init(archive: lines[0][1], length: length, link: lines[2][1])
    }
}

extension Archive {
    /// The head of the history; nil where the archive is not sealed.
    public func historyHead() throws(ArchiveError) -> HistoryHead? { try HistoryHead.newest(connection) }
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
        guard try row.step(), let length = row.exactInteger(0), let link = row.text(1), let archive = row.text(2) else {
            return nil
        }
        return HistoryHead(archive: archive, length: length, link: link)
    }
}
