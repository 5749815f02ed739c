internal import Archive
internal import Codes
internal import Manifest
internal import SQLite

/// The history: each entry beside the rows that it covers, the observation that it is about, and the entry before
/// (`Spec/history.md`).
enum HistoryCheck {
    static let table = "history_links"

    static func run(_ reader: borrowing EvidenceReader, _ subject: Subject, _ log: inout CheckLog) throws(ArchiveError)
    {
        guard try reader.hasHistory(), try reader.integer("SELECT 1 FROM history_links LIMIT 1") == 1 else {
            if let head = subject.head {
                log.add(.historyRewound, expected: "\(head.length) entries, as the head states", found: "none")
            }
            return log.withhold("the archive is not sealed: hp-export seal begins a history")
        }
        let replaced = try Replaced(reader)
        try checkEntries(reader, replaced, &log)
        try checkObservations(reader, &log)
        try note(reader, &log)
        try checkHead(reader, subject.head, &log)
    }

    // MARK: Entries

    private static func checkEntries(_ reader: borrowing EvidenceReader, _ replaced: Replaced, _ log: inout CheckLog)
        throws(ArchiveError)
    {
        var entries = try HistoryEntries(reader)
        var history = try HistoryReader.reading(reader)
        var hasher = ContentHasher()
        var before: HistoryPreimage?
        var lastLink: Digest?
        var lastRow: Int64 = 0
        while let entry = try entries.next() {
            log.countRow()
            func add(_ code: Code, _ column: String, _ expected: String, _ log: inout CheckLog) {
                log.add(code, table, row: entry.row, column: column, expected: expected)
            }
            let digest = hasher.digest(of: entry.text.span, in: .historyLink)
            if entry.link != digest { add(.historyLink, "link", digest.hex, &log) }
            guard let content = entry.content, content.sequence == entry.row else {
                add(
                    .historyEntry, "entry_json", "an entry of its form, with the sequence and observation of its row",
                    &log)
                (before, lastLink, lastRow) = (nil, digest, entry.row)
                continue
            }
            if content.previous != lastLink || entry.row != lastRow + 1 {
                add(.historyPrevious, "entry_json", lastLink.map(\.hex) ?? "the first entry", &log)
            } else if let before, before.archive != content.archive {
                add(.historyPrevious, "entry_json", "the archive of the entry before", &log)
            }
            // Where the entry before is lost, it is not known where the rows of this one begin.
            let isKnown = before?.sequence == entry.row - 1 || entry.row == 1
            if let first = content.replaces, !replaced.contains(entry.row) {
                let base = try entries.entry(before: first)
                if first == 1 || base != nil {
                    try checkRows(content, after: base, entry.row, &history, reader, &log)
                }
            } else if isKnown, !replaced.contains(entry.row) {
                try checkRows(content, after: before, entry.row, &history, reader, &log)
            }
            (before, lastLink, lastRow) = (content, digest, entry.row)
        }
    }

    private static func checkRows(
        _ entry: HistoryPreimage, after base: HistoryPreimage?, _ row: Int64, _ history: inout HistoryReader,
        _ reader: borrowing EvidenceReader, _ log: inout CheckLog
    ) throws(ArchiveError) {
        for part in HistoryParts.grown {
            let after = base?.lastIDs.first { $0.table == part.table }?.id
            let stated = entry.rows.first { $0.table == part.table }
            guard let last = entry.lastIDs.first(where: { $0.table == part.table })?.id else {
                if stated == nil { continue }
                log.add(
                    .historyRows, table, row: row, column: "entry_json", expected: "rows of \(part.table) up to an id")
                continue
            }
            if after == last, stated == nil { continue }
            let found = try history.rows(of: part, after: after, through: last, reader)
            let expected = stated ?? HistoryPreimage.Rows(table: part.table, count: 0, hash: found.hash)
            guard found != expected else { continue }
            log.add(
                .historyRows, table, row: row, column: "entry_json",
                expected: "\(expected.count) rows of \(part.table) with the hash of the entry",
                found: found.count == expected.count ? "others" : "\(found.count)")
        }
    }

    // MARK: Observations

    private static func checkObservations(_ reader: borrowing EvidenceReader, _ log: inout CheckLog)
        throws(ArchiveError)
    {
        var history = try HistoryReader.reading(reader)
        var entries = try reader.prepare(
            """
            SELECT h.sequence, h.observation_id, json_extract(h.entry_json, '$.observation.hash'), o.status
            FROM (SELECT max(sequence) AS newest FROM history_links GROUP BY observation_id)
            CROSS JOIN history_links h ON h.sequence = newest LEFT JOIN observations o ON o.id = h.observation_id
            WHERE json_valid(h.entry_json) ORDER BY h.observation_id
            """)
        while try entries.step() {
            log.countRow()
            guard let row = entries.exactInteger(0), let id = entries.exactInteger(1) else { continue }
            let stated = entries.isNull(2) ? nil : entries.bytes(2)
            guard let status = entries.text(3) else {
                if stated != nil {
                    log.add(.historyObservationMissing, table, row: row, column: "observation_id", expected: "its row")
                }
                continue
            }
            // It goes on, or runs anew since a later one was withdrawn.
            guard let stated, status != "running", status != "started" else { continue }
            let digest = try history.observation(id, reader)
            guard Digest(hex: stated.span) != digest else { continue }
            log.add(
                .historyObservation, table, row: row, column: "entry_json",
                expected: "the observation as the entry states", found: "observation \(id) is another")
        }
    }

    // MARK: Notes

    /// Notes of one kind that are told one by one.
    private static let listed = 20

    private static func note(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        func list(_ query: String, as text: (Int64, String) -> String, _ log: inout CheckLog) throws(ArchiveError) {
            var rows = try reader.prepare(query)
            var count = 0
            while try rows.step() {
                count += 1
                if count <= listed { log.note(text(rows.integer(0) ?? 0, rows.text(1) ?? "")) }
            }
            if count > listed { log.note("\(count - listed) more like these") }
        }
        let valid = "FROM history_links WHERE json_valid(entry_json) AND json_extract(entry_json, '$.kind') ="
        try list(
            "SELECT count(*), json_extract(entry_json, '$.made_at') \(valid) 'sealed' GROUP BY 2 ORDER BY sequence",
            as: { "\($0) observation\($0 == 1 ? "" : "s") sealed since \($1), and not before" }, &log)
        try list(
            "SELECT observation_id, json_extract(entry_json, '$.made_at') \(valid) 'withdrawn' ORDER BY sequence",
            as: { "observation \($0) withdrawn at \($1)" }, &log)
        let open =
            try reader.integer(
                """
                SELECT count(*) FROM observations WHERE status NOT IN ('running', 'started')
                AND id NOT IN (SELECT observation_id FROM history_links WHERE observation_id IS NOT NULL)
                """) ?? 0
        if open > 0 { log.note("\(open) observation\(open == 1 ? " is" : "s are") not sealed") }
    }

    // MARK: Head

    private static func checkHead(_ reader: borrowing EvidenceReader, _ head: HistoryHead?, _ log: inout CheckLog)
        throws(ArchiveError)
    {
        guard let head else {
            return log.note("no head was given: that entries were taken off the end, or all rewritten, is not seen")
        }
        switch try reader.answer(to: head) {
        case .anotherArchive: log.add(.historyAnotherArchive, expected: "the identity that the head states")
        case .rewound(let length):
            log.add(.historyRewound, expected: "\(head.length) entries, as the head states", found: "\(length)")
        case .forked: log.add(.historyForked, expected: "entry \(head.length) with the link that the head states")
        case .extends(let more): log.note("extends the head by \(more) \(more == 1 ? "entry" : "entries")")
        case .notSealed: break
        }
    }
}

/// The entries whose rows a later one hashed anew, since an observation was withdrawn.
private struct Replaced {
    private var ranges: [Range<Int64>] = []

    init(_ reader: borrowing EvidenceReader) throws(ArchiveError) {
        var rows = try reader.prepare(
            """
            SELECT json_extract(entry_json, '$.replaces'), sequence FROM history_links
            WHERE json_valid(entry_json) AND json_type(entry_json, '$.replaces') = 'integer' ORDER BY sequence
            """)
        while try rows.step() {
            guard let first = rows.exactInteger(0), let end = rows.exactInteger(1), first < end else { continue }
            // What a later one replaces holds all that earlier ones within it replaced.
            while let last = ranges.last, last.lowerBound >= first { ranges.removeLast() }
            ranges.append(first..<end)
        }
    }

    func contains(_ sequence: Int64) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= sequence { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(sequence)
    }
}
