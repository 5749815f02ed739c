internal import Archive
internal import Codes
internal import Manifest
internal import SQLite

/// The history: its entries, then the rows and observations that they commit to (`Spec/history.md`, "Check").
enum HistoryCheck {
    static let table = "history_links"

    /// Entries that are checked at most: what they state is kept in memory.
    private static let entryLimit = 100_000

    static func run(_ reader: borrowing EvidenceReader, _ subject: Subject, _ log: inout CheckLog) throws(ArchiveError)
    {
        let count = try reader.hasHistory() ? try reader.integer("SELECT count(*) FROM history_links") ?? 0 : 0
        guard count > 0 else {
            if let head = subject.head {
                log.add(.historyRewound, expected: "\(head.length) entries, as the head states", found: "none")
            }
            return log.withhold("the archive is not sealed: hp-export seal begins a history")
        }
        guard count <= entryLimit else { return log.withhold("not made: more than \(entryLimit) entries") }
        let chain = try HistoryChain.reading(reader, keeping: subject.head?.length)
        for finding in chain.findings { add(finding, &log) }
        for _ in 0..<count { log.countRow() }
        if chain.isComparable {
            try checkRows(chain, reader, &log)
            try checkObservations(chain, reader, &log)
        } else {
            log.note("commitments were not compared: an entry cannot be read, or the identity does not fit")
        }
        try checkCompleteness(chain, reader, &log)
        try note(chain, reader, &log)
        checkHead(chain, subject.head, &log)
    }

    private static func add(_ finding: HistoryChain.Finding, _ log: inout CheckLog) {
        let code: Code =
            switch finding.fault {
            case .entry: .historyEntry
            case .link: .historyLink
            case .previous: .historyPrevious
            case .identity: .historyIdentity
            case .state: .historyState
            }
        let column = finding.fault == .link ? "link" : "entry_json"
        log.add(code, table, row: finding.row, column: column, expected: finding.expected)
    }

    // MARK: Commitments

    private static func checkRows(
        _ chain: HistoryChain, _ reader: borrowing EvidenceReader, _ log: inout CheckLog
    ) throws(ArchiveError) {
        let history = try HistoryReader.reading(reader)
        // What a newer observation brings is not covered before it ends.
        let newer = try chain.greatestNamed.map { greatest throws(ArchiveError) in
            try reader.integer("SELECT 1 FROM observations WHERE id > \(greatest) LIMIT 1") == 1
        }
        for (place, part) in HistoryParts.all.enumerated() {
            var unclaimed: (count: Int, first: Int64?) = (0, nil)
            let claims = place == 0 ? chain.entries : chain.live
            // `last` never goes down in entries that may follow each other.
            let bounds = claims.map { HistoryReader.Bound(observationID: $0.observationID, last: $0.lasts[place]) }
            let found = try history.rows(of: part, for: bounds, reader) { row in
                unclaimed = (unclaimed.count + 1, unclaimed.first ?? row)
            }
            // A row without an observation counts at every one.
            if unclaimed.count > 0, place > 0, part.isOwned || newer == false {
                log.add(
                    .historyNoEntry, part.name, row: unclaimed.first, column: "id",
                    expected: "rows that belong to an entry", found: "\(unclaimed.count) that belong to none")
            }
            for (claim, found) in zip(claims, found) {
                let stated = claim.rows.first { $0.table == part.name }
                guard stated != found else { continue }
                let count = found?.count ?? 0
                log.add(
                    .historyRows, table, row: claim.sequence, column: "entry_json",
                    expected: "\(stated?.count ?? 0) rows of \(part.name) with the commitment of the entry",
                    found: count < 0 ? "rows beyond its ids" : count == stated?.count ? "others" : "\(count)")
            }
        }
    }

    private static func checkObservations(
        _ chain: HistoryChain, _ reader: borrowing EvidenceReader, _ log: inout CheckLog
    ) throws(ArchiveError) {
        let history = try HistoryReader.reading(reader)
        let types = HistoryParts.all.firstIndex { $0.name == "sample_types" } ?? 0
        var row = try reader.prepare("SELECT status FROM observations WHERE id = ?1")
        var after = Int64.min
        for claim in chain.live {
            let through = claim.lasts[types]
            defer { after = through }
            row.reset()
            row.bind(1, claim.observationID)
            guard try row.step() else {
                log.add(
                    .historyObservationMissing, table, row: claim.sequence, column: "observation_id",
                    expected: "its row")
                continue
            }
            let digest = try history.observation(claim, types: (after, through), reader)
            guard digest != claim.observationHash else { continue }
            log.add(
                .historyObservation, table, row: claim.sequence, column: "entry_json",
                expected: "the observation as the entry states",
                found: "observation \(claim.observationID) is another")
        }
        for claim in chain.withdrawals
        where try history.withdrawal(claim.observationID, reader) != claim.observationHash {
            log.add(
                .historyObservation, table, row: claim.sequence, column: "entry_json",
                expected: "the row of withdrawn_observations as the entry states",
                found: "the row of observation \(claim.observationID) is another")
        }
    }

    /// Observations up to the greatest id that entries name have an entry.
    private static func checkCompleteness(
        _ chain: HistoryChain, _ reader: borrowing EvidenceReader, _ log: inout CheckLog
    ) throws(ArchiveError) {
        guard let greatest = chain.greatestNamed else { return }
        let live = Set(chain.live.map(\.observationID))
        var rows = try reader.prepare("SELECT id FROM observations WHERE id <= \(greatest) ORDER BY id")
        while try rows.step() {
            guard let id = rows.exactInteger(0), !live.contains(id) else { continue }
            log.add(.historyNoEntry, "observations", row: id, column: "id", expected: "a live entry of the history")
        }
    }

    // MARK: Notes

    /// Notes of one kind that are listed one by one.
    private static let listed = 20

    private static func note(
        _ chain: HistoryChain, _ reader: borrowing EvidenceReader, _ log: inout CheckLog
    ) throws(ArchiveError) {
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
        let beyond = chain.greatestNamed.map { "AND id > \($0)" } ?? ""
        let open =
            try reader.integer(
                "SELECT count(*) FROM observations WHERE status NOT IN ('running', 'started') \(beyond)") ?? 0
        if open > 0 { log.note("\(open) observation\(open == 1 ? " is" : "s are") not sealed") }
    }

    // MARK: Head

    private static func checkHead(_ chain: HistoryChain, _ head: HistoryHead?, _ log: inout CheckLog) {
        guard let head else {
            return log.note("without --head, a removed end or a complete rewrite cannot be detected")
        }
        switch chain.answer(to: head) {
        case .anotherArchive: log.add(.historyAnotherArchive, expected: "the identity that the head states")
        case .rewound(let length):
            log.add(.historyRewound, expected: "\(head.length) entries, as the head states", found: "\(length)")
        case .forked: log.add(.historyForked, expected: "entry \(head.length) with the link that the head states")
        case .withdrawnSince(let observations):
            let names = observations.prefix(listed).map(String.init).joined(separator: ", ")
            let more = observations.count > listed ? " and \(observations.count - listed) more" : ""
            log.add(
                .historyWithdrawnSince, expected: "the observations that were live at the head",
                found: "withdrawn since: \(names)\(more)")
        case .extends(let more):
            log.extendsHead(by: more)
        case .notSealed: break
        }
    }
}
