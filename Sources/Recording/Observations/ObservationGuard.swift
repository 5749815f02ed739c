internal import Archive
internal import Files
internal import SQLite

/// Looks at an export before it is kept, in the transaction that would keep it (`Spec/capture.md`, "Guards").
struct ObservationGuard {
    let id, chainID: Int64
    let guards: CaptureGuards

    /// How many records of a type are more than a few.
    private static let manyRecords = 100

    // MARK: Disappearances

    private struct Loss {
        let type: String
        let closed, visible: Int
    }

    /// Throws where a complete export would close most of what is visible; returns what was overruled.
    ///
    /// - Parameter hasRecords: whether the export has any, also such as were rejected.
    func checkDisappearances(hasRecords: Bool, _ connection: borrowing Connection) throws(ArchiveError)
        -> GuardOverride?
    {
        let losses = try losses(connection)
        let closed = losses.reduce(0) { $0 + $1.closed }
        let visible = losses.reduce(0) { $0 + $1.visible }
        let isWhole = losses.contains { $0.visible > Self.manyRecords && $0.closed == $0.visible }
        guard !hasRecords || closed > visible - closed || isWhole else { return nil }
        if guards.acceptsDisappearances {
            return GuardOverride(option: "accept-disappearances", counts: ["closed": closed, "visible": visible])
        }
        let largest = losses.filter { $0.closed > 0 }.prefix(3).map {
            "\(printable($0.type.utf8, limit: 100)) \($0.closed) of \($0.visible)"
        }
        let list = largest.isEmpty ? "" : ": \(largest.joined(separator: ", "))"
        throw ArchiveError(
            .evidence,
            "\(connection.path.display): the export \(hasRecords ? "" : "has no records and ")would close \(closed) of "
                + "\(visible) visible records\(list); --accept-disappearances goes on",
            hint: "nothing was kept; is this the export of the same person, and all of it?")
    }

    /// What each type would lose, the most first: its summary says what is visible after the observation.
    private func losses(_ connection: borrowing Connection) throws(ArchiveError) -> [Loss] {
        var rows = try connection.prepare(
            """
            SELECT t.type_identifier, m.disappeared_count,
                m.visible_record_count - m.appeared_count + m.disappeared_count
                FROM observation_type_summaries m JOIN sample_types t ON t.id = m.sample_type_id \
            WHERE m.observation_id = \(id) ORDER BY 2 DESC, 1
            """)
        var losses: [Loss] = []
        while try rows.step() {
            losses.append(
                Loss(type: rows.text(0) ?? "", closed: Int(rows.integer(1) ?? 0), visible: Int(rows.integer(2) ?? 0)))
        }
        return losses
    }

    // MARK: The person

    /// Keeps the keyed hash of the person whose records these are; throws where the chain has another's.
    func note(person hash: [UInt8], _ connection: borrowing Connection) throws(ArchiveError) -> GuardOverride? {
        var before = try connection.prepare(
            """
            SELECT f.person_hash FROM observations o JOIN observation_facts f ON f.observation_id = o.id \
            WHERE o.device_chain_id = \(chainID) AND o.id < \(id) AND f.person_hash IS NOT NULL
                ORDER BY o.id DESC LIMIT 1
            """)
        let isOther = try before.step() && before.bytes(0) != hash
        before.reset()
        guard !isOther || guards.acceptsPerson else {
            throw ArchiveError(
                .evidence,
                "\(connection.path.display): the export is of a person with another birth date than those before; "
                    + "--accept-person goes on", hint: "nothing was kept; another person needs another archive")
        }
        var keep = try connection.prepare(
            "INSERT INTO observation_facts(observation_id, person_hash) VALUES (\(id), ?1) "
                + "ON CONFLICT(observation_id) DO UPDATE SET person_hash = excluded.person_hash")
        keep.bind(1, text: hash)
        try keep.run(storing: 1)
        return isOther ? GuardOverride(option: "accept-person") : nil
    }
}
