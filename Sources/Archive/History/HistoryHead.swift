public import CanonicalJSON
internal import Files
public import Manifest
internal import SQLite

/// The head of an archive's history: what a person keeps elsewhere (`Spec/history.md`, "Head").
public struct HistoryHead: JSONValue, Sendable, Equatable {
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
        (["archive": archive.hex, "length": length, "link": link.hex] as JSONObject).write(to: &json)
    }

    /// The line that a statement has before the three (`Spec/signatures.md`).
    public static let statementLine = "healthprobe-history 1"

    /// Reads three lines, or a statement, with spaces and empty lines around; `nil` for anything else.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= 4096, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        var lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map {
            $0.split(whereSeparator: \.isWhitespace).map { String($0) }
        }.filter { !$0.isEmpty }
        if lines.first?.joined(separator: " ") == Self.statementLine { lines.removeFirst() }
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
    /// Returns the head of the history; `nil` if the archive is not sealed, or its newest entry cannot be read.
    public func historyHead() throws(ArchiveError) -> HistoryHead? { try HistoryHead.newest(connection) }

    /// Returns what an export of an observation carries: its entry, if it is live and was made when the observation
    /// ended; else `nil`.
    func historyEntry(of observation: Int64) throws(ArchiveError) -> HistoryHead? {
        guard try Schema.hasHistory(connection) else { return nil }
        var row = try connection.prepare(
            HistoryHead.entries + " WHERE observation_id = ?1 ORDER BY sequence DESC LIMIT 1")
        row.bind(1, observation)
        return try row.step() && row.text(3) == HistoryPreimage.Kind.observation.rawValue ? HistoryHead(row) : nil
    }

    /// Returns `true` if the newest observation that ended has an entry.
    public func isSealed() throws(ArchiveError) -> Bool {
        guard try Schema.hasHistory(connection) else { return false }
        return try connection.integer(
            """
            SELECT 1 FROM history_links WHERE observation_id =
            (SELECT max(id) FROM observations WHERE status NOT IN ('running', 'started')) LIMIT 1
            """) == 1
    }
}

/// The answer to a head that was kept (`Spec/history.md`, "Head").
public enum HistoryAnswer: Sendable, Equatable {
    /// All that the head covers is in the history, and so many entries after it.
    case extends(by: Int64)
    /// These observations were live at the head and were withdrawn since.
    case withdrawnSince([Int64])
    /// The history has fewer entries: so many.
    case rewound(to: Int64)
    /// The entry of the head is another one or missing, or the chain is broken.
    case forked
    case anotherArchive
    /// The history has no entries.
    case notSealed
}

extension Archive {
    /// Passes on the text of each entry after the entry `sequence`, and returns the head (`Spec/history.md`, "Entries
    /// in a file").
    ///
    /// - Throws: `ArchiveError` with the code `evidence` if there are no entries, fewer than `sequence`, or an entry
    ///   that may not be where it is; and what `body` throws.
    public func historyEntries(after sequence: Int64, _ body: ([UInt8]) throws -> Void) throws -> HistoryHead {
        guard try Schema.hasHistory(connection) else { throw noEntries() }
        var chain = HistoryChain()
        var rows = try HistoryEntries(connection)
        let salt = try HistorySalt.stated(connection)
        while let entry = try rows.next() {
            chain.add(entry, salt)
            guard chain.findings.isEmpty else {
                throw ArchiveError(
                    .evidence, "\(path.display): entry \(entry.row) of the history is wrong",
                    hint: "hp-verify archive \(path.display) --only history")
            }
            if entry.row > sequence { try body(entry.text) }
        }
        guard let archive = chain.archive, let link = chain.lastLink else { throw noEntries() }
        guard chain.length >= sequence else {
            throw ArchiveError(.evidence, "\(path.display): the history has only \(chain.length) entries")
        }
        return HistoryHead(archive: archive, length: chain.length, link: link)
    }

    private func noEntries() -> ArchiveError {
        ArchiveError(
            .evidence, "\(path.display): it has no history", hint: "hp-export seal \(path.display)")
    }

    /// Compares the history with a head. Rows are not compared: that is the check `history`.
    public func answer(to head: HistoryHead) throws(ArchiveError) -> HistoryAnswer {
        guard try Schema.hasHistory(connection) else { return .notSealed }
        return try HistoryChain.read(connection, keeping: head.length).answer(to: head)
    }
}

extension Archive {
    /// Returns `true` if the history has an entry, with everything before it.
    package func has(_ entry: HistoryHead) throws(ArchiveError) -> Bool {
        guard try Schema.hasHistory(connection) else { return false }
        return try HistoryChain.read(connection, keeping: entry.length).has(entry)
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

    /// Returns the head that the newest entry makes; `nil` without one that can be read.
    package static func newest(_ connection: borrowing Connection) throws(ArchiveError) -> HistoryHead? {
        guard try Schema.hasHistory(connection) else { return nil }
        var row = try connection.prepare(entries + " ORDER BY sequence DESC LIMIT 1")
        return try row.step() ? HistoryHead(row) : nil
    }
}
