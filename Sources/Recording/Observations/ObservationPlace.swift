internal import Archive
internal import Files
internal import Manifest
internal import SQLite
internal import Timestamps

/// The place of an observation in an archive: its chain, its id, and the observations that must end before it.
struct ObservationPlace {
    let chainID: Int64
    let isNewChain: Bool
    let id: Int64
    let start: ObservationStart
    /// The other observations of the chain with the same date, ascending: the source was sent before.
    let sameDate: [Int64]
    /// Observations that were still running and that the beginning of this one ended.
    let ended: [Int64]
    /// The newest observation of the chain, if the one that is compared is older and did not end well.
    var later: Int64?

    /// The observation that this one goes beyond, if it does: what is sent again is not written again.
    var goesBeyond: Int64? { start == .new ? sameDate.last : nil }
    /// `true` if a part of the sent source may be in the archive, as events of this date.
    var hasPart: Bool { start == .resumed || goesBeyond != nil }
    /// `true` if the source was sent before, as a whole or in part.
    var isSentAgain: Bool { start != .new || goesBeyond != nil }
    /// The observations that what is sent is held against, as a list in SQL: of one that is resumed, itself.
    var captured: String {
        switch start {
        case .new: "(\(sameDate.map(String.init).joined(separator: ", ")))"
        case .resumed: "(\(id))"
        case .compared: ofDate
        }
    }
    /// All observations of the date, this one included, as a list in SQL.
    var ofDate: String { "(\((sameDate + [id]).map(String.init).joined(separator: ", ")))" }
    /// The first of them.
    var firstOfDate: Int64 { sameDate.first ?? id }

    /// The columns that are bound for a new row of `observations`.
    private enum ObservationColumn: Int32, SQLiteColumn {
        case deviceChainID = 1, observedAt, startedAt, triggerReason, appVersion, osVersion
        case timeZoneIdentifier, timeZoneSecondsFromGMT, selectedTypeSetHash
    }

    /// Finds or makes the place, in the caller's transaction. Its id is one that documents can name.
    static func find(_ beginning: ObservationBeginning, in archive: borrowing Archive) throws(ArchiveError)
        -> ObservationPlace
    {
        let place = try findAny(beginning, in: archive)
        _ = try archive.named(place.id)
        return place
    }

    private static func findAny(_ beginning: ObservationBeginning, in archive: borrowing Archive)
        throws(ArchiveError) -> ObservationPlace
    {
        try checkDate(beginning, archive)
        guard let chainID = try chain(beginning, archive), let newest = try Newest.find(chainID, archive) else {
            return try begin(beginning, after: [], skew: nil, archive)
        }
        var sameDate = try sameDate(beginning.facts.observedAt, chainID, archive)
        guard let known = sameDate.last else {
            let skew = beginning.facts.observedAt - newest.observedAt
            guard skew >= 0 || beginning.acceptsBackwards else { throw later(newest.id, beginning, archive) }
            return try begin(beginning, after: [], skew: skew, archive)
        }
        let isNewest = known == newest.id
        if isNewest, newest.isUnfinished {
            let isLast = try archive.connection.integer("SELECT 1 FROM observations WHERE id > \(known) LIMIT 1") == nil
            let hasEntry =
                try archive.connection.integer(
                    "SELECT 1 FROM observations o WHERE id = \(known) \(withoutEntry(archive))") == nil
            guard newest.isRunning, isLast, !hasEntry else {
                return try begin(beginning, after: sameDate, skew: try skew(beginning, chainID, archive), archive)
            }
            let ended = try endRunning("AND id < \(known)", beginning, archive)
            try resume(known, beginning, archive)
            try keepTypes(beginning, of: known, archive)
            return ObservationPlace(
                chainID: chainID, isNewChain: false, id: known, start: .resumed, sameDate: sameDate.dropLast(),
                ended: ended)
        }
        sameDate.removeLast()
        var place = ObservationPlace(
            chainID: chainID, isNewChain: false, id: known, start: .compared, sameDate: sameDate, ended: [])
        guard !isNewest else { return place }
        let status = try archive.connection.text("SELECT status FROM observations WHERE id = \(known)") ?? ""
        if Self.isUnfinished(status) { place.later = newest.id }
        try EarlierState(id: known, chainID: chainID).restore(archive.connection)
        return place
    }

    private static func isRunning(_ status: String) -> Bool { status == "running" || status == "started" }

    /// Returns `true` if an observation may be gone beyond: its source may have more.
    private static func isUnfinished(_ status: String) -> Bool {
        isRunning(status) || status.hasPrefix("partial") || status == "failed" || status == "cancelled"
    }

    /// The newest observation of a chain.
    private struct Newest {
        let id: Int64
        let observedAt: Double
        let isRunning, isUnfinished: Bool

        static func find(_ chainID: Int64, _ archive: borrowing Archive) throws(ArchiveError) -> Newest? {
            var row = try archive.connection.prepare(
                "SELECT id, observed_at, status FROM observations WHERE device_chain_id = ?1 ORDER BY id DESC LIMIT 1")
            row.bind(1, chainID)
            guard try row.step() else { return nil }
            // Without them nobody knows whether this observation is the newest.
            guard let id = row.exactInteger(0), let moment = row.real(1), moment.isFinite else {
                throw ArchiveError(
                    .evidence,
                    "\(archive.path.display): the newest observation of this device chain has no id or no date",
                    hint: "hp-verify archive names the values that are not what they should be")
            }
            let status = row.text(2) ?? ""
            return Newest(
                id: id, observedAt: moment, isRunning: ObservationPlace.isRunning(status),
                isUnfinished: ObservationPlace.isUnfinished(status))
        }
    }

    private static func later(_ id: Int64, _ beginning: ObservationBeginning, _ archive: borrowing Archive)
        -> ArchiveError
    {
        let (sources, option) =
            beginning.isBackup ? ("backups", "--iphone-backup FOLDER") : ("exports", "--apple-health EXPORT")
        return ArchiveError(
            .order, "\(archive.path.display): observation \(id) of this device chain was made later than this one",
            hint: "a new archive takes all \(sources) in order, with this one's secret, the oldest first: "
                + "hp-export capture NEW --secret SECRET \(option)")
    }

    /// Returns the observations of a date on a chain, ascending.
    private static func sameDate(_ observedAt: Double, _ chainID: Int64, _ archive: borrowing Archive)
        throws(ArchiveError) -> [Int64]
    {
        var rows = try archive.connection.prepare(
            "SELECT id FROM observations WHERE device_chain_id = ?1 AND observed_at = ?2 ORDER BY id")
        rows.bind(1, chainID)
        rows.bind(2, observedAt)
        var ids: [Int64] = []
        while try rows.step() { if let id = rows.exactInteger(0) { ids.append(id) } }
        return ids
    }

    /// Returns the seconds since the newest observation of the chain with another date; `nil` if there is none.
    private static func skew(_ beginning: ObservationBeginning, _ chainID: Int64, _ archive: borrowing Archive)
        throws(ArchiveError) -> Double?
    {
        let observedAt = beginning.facts.observedAt
        var row = try archive.connection.prepare(
            "SELECT observed_at FROM observations WHERE device_chain_id = ?1 AND observed_at <> ?2 "
                + "ORDER BY id DESC LIMIT 1")
        row.bind(1, chainID)
        row.bind(2, observedAt)
        guard try row.step(), let moment = row.real(0), moment.isFinite else { return nil }
        return observedAt - moment
    }

    // MARK: Beginning

    /// Begins a new observation.
    ///
    /// - Parameters:
    ///   - sameDate: the observations that it goes beyond.
    ///   - skew: the seconds since the observation before it on the chain.
    private static func begin(
        _ beginning: ObservationBeginning, after sameDate: [Int64], skew: Double?, _ archive: borrowing Archive
    ) throws(ArchiveError) -> ObservationPlace {
        // What an observation brings has greater ids than everything of the observations before: they end first.
        let ended = try endRunning("", beginning, archive)
        let known = try chain(beginning, archive)
        let chainID: Int64
        if let known { chainID = known } else { chainID = try insertChain(beginning, archive) }
        let id = try insert(beginning, chainID, archive)
        if let skew, skew < 0 { try note("clock_backwards", skew: skew, of: id, archive) }
        return ObservationPlace(
            chainID: chainID, isNewChain: known == nil, id: id, start: .new, sameDate: sameDate, ended: ended)
    }

    /// Ends the observations that are still running, in the order of their ids, on all chains; returns them.
    private static func endRunning(
        _ condition: String, _ beginning: ObservationBeginning, _ archive: borrowing Archive
    ) throws(ArchiveError) -> [Int64] {
        var rows = try archive.connection.prepare(
            "SELECT id, device_chain_id FROM observations o WHERE status IN ('running', 'started') \(condition) "
                + "\(withoutEntry(archive)) ORDER BY id")
        var running: [(id: Int64, chainID: Int64)] = []
        while try rows.step() {
            guard let id = rows.exactInteger(0), let chainID = rows.exactInteger(1) else {
                throw ArchiveError(
                    .evidence, "\(archive.path.display): an observation that is running has no id or no device chain",
                    hint: "hp-verify archive names the values that are not what they should be")
            }
            running.append((id, chainID))
        }
        rows.reset()
        for (id, chainID) in running {
            let end = ObservationEnd(id: id, chainID: chainID, program: beginning.program, memory: beginning.memory)
            try end.write("partial_interrupted", now: beginning.now, archive.connection)
        }
        return running.map(\.id)
    }

    /// Returns the condition that an observation `o` has no entry in the history: one that has an entry is over,
    /// whatever another engine says of it.
    private static func withoutEntry(_ archive: borrowing Archive) throws(ArchiveError) -> String {
        guard try Schema.hasHistory(archive.connection) else { return "" }
        return "AND NOT EXISTS (SELECT 1 FROM history_links h WHERE h.observation_id = o.id)"
    }

    /// Throws where an observation has a date that nobody can have seen yet, and nobody said that it be taken.
    private static func checkDate(_ beginning: ObservationBeginning, _ archive: borrowing Archive)
        throws(ArchiveError)
    {
        guard isAhead(beginning), !beginning.acceptsClock else { return }
        throw ArchiveError(
            .order, "\(archive.path.display): this observation is dated more than a day in the future",
            hint: "with --accept-clock it is captured, as one that needs review")
    }

    private static func isAhead(_ beginning: ObservationBeginning) -> Bool {
        beginning.facts.observedAt > beginning.now + 86_400
    }

    /// Returns the override for an observation that begins; `nil` if it needs none.
    func clockOverride(_ beginning: ObservationBeginning) -> GuardOverride? {
        guard start == .new, Self.isAhead(beginning) else { return nil }
        let seconds = Int(beginning.facts.observedAt - beginning.now)
        return GuardOverride(option: "accept-clock", counts: ["seconds": seconds])
    }

    /// Notes what is wrong with the date of an observation.
    private static func note(_ code: String, skew: Double, of id: Int64, _ archive: borrowing Archive)
        throws(ArchiveError)
    {
        var note = try archive.connection.prepare(
            "UPDATE observation_facts SET clock_code = ?1, clock_skew_seconds = ?2 WHERE observation_id = \(id)")
        try note.run([.text(code), .real(skew)], storing: 1)
    }

    private static func chain(_ beginning: ObservationBeginning, _ archive: borrowing Archive) throws(ArchiveError)
        -> Int64?
    {
        var find = try archive.connection.prepare("SELECT id FROM device_chains WHERE device_chain_hash = ?1")
        find.bind(1, text: beginning.deviceChainHash)
        return try find.firstInteger()
    }

    private static func insertChain(_ beginning: ObservationBeginning, _ archive: borrowing Archive)
        throws(ArchiveError) -> Int64
    {
        let isFirst = try archive.connection.integer("SELECT 1 FROM device_chains LIMIT 1") == nil
        var insert = try archive.connection.prepare(
            "INSERT INTO device_chains(device_chain_hash, created_at, "
                + "recovered_from_keychain) VALUES (?1, ?2, ?3) RETURNING id")
        insert.bind(1, text: beginning.deviceChainHash)
        insert.bind(2, beginning.now)
        insert.bind(3, isFirst && beginning.isSeedKnown ? 1 : 0)
        return try insert.insertedID()
    }

    private static func resume(_ id: Int64, _ beginning: ObservationBeginning, _ archive: borrowing Archive)
        throws(ArchiveError)
    {
        var resume = try archive.connection.prepare(
            "UPDATE observations SET status = 'running', ended_at = NULL WHERE id = \(id)")
        try resume.run(storing: 1)
        // Another engine may have begun it.
        let hasFacts =
            try archive.connection.integer("SELECT 1 FROM observation_facts WHERE observation_id = \(id)") == 1
        if !hasFacts { try keepZone(beginning, of: id, archive) }
    }

    /// Keeps the rules that say what the local days of an observation are, and notes them with it.
    private static func keepZone(_ beginning: ObservationBeginning, of id: Int64, _ archive: borrowing Archive)
        throws(ArchiveError)
    {
        let facts = beginning.facts
        let text = (facts.zoneRules ?? TimeZoneRules(secondsFromGMT: facts.timeZoneSecondsFromGMT ?? 0)).text
        var hasher = ContentHasher()
        let hash = Array(hasher.digest(of: text.span, in: .zoneRules).hex.utf8)
        var keep = try archive.connection.prepare(
            "INSERT OR IGNORE INTO zone_rules(zone_rules_hash, transitions_json) VALUES (?1, ?2)")
        keep.bind(1, text: hash)
        keep.bind(2, text: text)
        try keep.run()
        var note = try archive.connection.prepare(
            "INSERT INTO observation_facts(observation_id, zone_rules_hash) VALUES (\(id), ?1)")
        note.bind(1, text: hash)
        try note.run(storing: 1)
    }

    /// Keeps the types behind the hash of an observation: most have those of the one before.
    private static func keepTypes(_ beginning: ObservationBeginning, of id: Int64, _ archive: borrowing Archive)
        throws(ArchiveError)
    {
        guard let hash = beginning.selectedTypeSetHash, let text = beginning.selectedTypesText else { return }
        // An observation that is resumed has the set that it stated first.
        var keep = try archive.connection.prepare(
            "INSERT OR IGNORE INTO selected_type_sets(selected_type_set_hash, types_json) SELECT ?1, ?2 "
                + "WHERE ?1 = (SELECT selected_type_set_hash FROM observations WHERE id = \(id))")
        keep.bind(1, text: hash)
        keep.bind(2, text: text)
        try keep.run()
    }

    private static func insert(_ beginning: ObservationBeginning, _ chainID: Int64, _ archive: borrowing Archive)
        throws(ArchiveError) -> Int64
    {
        let facts = beginning.facts
        // An id that was withdrawn is not given again; without one, SQLite gives the next.
        var insert = try archive.connection.prepare(
            """
            INSERT INTO observations(\(ObservationColumn.names), status, schema_version, id) \
            VALUES (\(ObservationColumn.parameters), 'running', \(Schema.version),
                (SELECT max(observation_id) + 1 FROM withdrawn_observations
                 WHERE observation_id > (SELECT coalesce(max(id), 0) FROM observations))) RETURNING id
            """)
        insert.bind(ObservationColumn.deviceChainID, chainID)
        insert.bind(ObservationColumn.observedAt, facts.observedAt)
        insert.bind(ObservationColumn.startedAt, beginning.now)
        insert.bind(ObservationColumn.triggerReason, text: facts.triggerReason)
        insert.bind(ObservationColumn.appVersion, text: facts.appVersion)
        insert.bind(ObservationColumn.osVersion, text: facts.operatingSystemVersion)
        insert.bind(ObservationColumn.timeZoneIdentifier, text: facts.timeZoneIdentifier)
        insert.bind(ObservationColumn.timeZoneSecondsFromGMT, optional: facts.timeZoneSecondsFromGMT)
        insert.bind(ObservationColumn.selectedTypeSetHash, text: beginning.selectedTypeSetHash)
        let id = try insert.insertedID()
        try keepZone(beginning, of: id, archive)
        try keepTypes(beginning, of: id, archive)
        if isAhead(beginning) {
            try Self.note("clock_ahead", skew: facts.observedAt - beginning.now, of: id, archive)
        }
        return id
    }
}

/// The state of a chain at an observation that is not its newest, for comparison (`Spec/capture.md`, "Sent again").
///
/// It is restored in a transaction that is rolled back: what later observations of the chain opened is taken out, and
/// what they closed is open.
struct EarlierState {
    let id, chainID: Int64

    /// Restores what a comparison looks at: ranges, relationships and documents. Samples and versions may stay, since
    /// what was first seen later is not visible.
    func restore(_ connection: borrowing Connection) throws(ArchiveError) {
        let later = "(SELECT id FROM observations WHERE device_chain_id = \(chainID) AND id > \(id))"
        for table in ["sample_visibility_ranges", "rejected_records", "withheld_closures", "source_documents"] {
            try connection.execute(
                """
                DELETE FROM \(table) WHERE first_observation_id IN \(later);
                UPDATE \(table) SET last_observation_id = NULL WHERE last_observation_id IN \(later)
                """)
        }
        for table in ["sample_relationships", "relationship_ends"] {
            try connection.execute("DELETE FROM \(table) WHERE observation_id IN \(later)")
        }
    }
}
