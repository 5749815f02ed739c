internal import Archive
internal import Files
internal import SQLite

/// The place of an observation in an archive: its chain, its id, and what must end before it.
struct ObservationPlace {
    let chainID: Int64
    let isNewChain: Bool
    let id: Int64
    let start: ObservationStart
    /// Whether an observation that was cut off was ended for this one.
    let ended: Int64?

    /// What is bound of a new row of `observations`.
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
        let (chainID, isNewChain) = try chain(beginning, archive)
        let observedAt = beginning.facts.observedAt
        var newest = try archive.connection.prepare(
            "SELECT id, observed_at, status FROM observations WHERE device_chain_id = ?1 ORDER BY id DESC LIMIT 1")
        newest.bind(1, chainID)
        guard try newest.step() else {
            return ObservationPlace(
                chainID: chainID, isNewChain: isNewChain, id: try insert(beginning, chainID, archive), start: .new,
                ended: nil)
        }
        // Without them nobody knows whether this observation is the newest.
        guard let id = newest.exactInteger(0), let moment = newest.real(1), moment.isFinite else {
            throw ArchiveError(
                .evidence, "\(archive.path.display): the newest observation of this device chain has no id or no date",
                hint: "hp-verify archive names the values that are not what they should be")
        }
        let status = newest.text(2) ?? ""
        newest.reset()
        let isBackwards = observedAt < moment
        if moment != observedAt, let known = try Self.known(observedAt, chainID, archive) {
            try EarlierState(id: known, chainID: chainID).restore(archive.connection)
            return ObservationPlace(chainID: chainID, isNewChain: false, id: known, start: .compared, ended: nil)
        }
        guard !isBackwards || beginning.acceptsBackwards else {
            throw ArchiveError(
                .order, "\(archive.path.display): observation \(id) of this device chain was made later than this one",
                hint: "a new archive takes all exports in order, with this one's secret, the oldest first: "
                    + "hp-export capture NEW --secret SECRET --apple-health EXPORT")
        }
        if moment == observedAt {
            let isUnfinished =
                status == "running" || status == "started" || status.hasPrefix("partial") || status == "failed"
                || status == "cancelled"
            if isUnfinished {
                try resume(id, archive)
                try keepTypes(beginning, of: id, archive)
            }
            return ObservationPlace(
                chainID: chainID, isNewChain: false, id: id, start: isUnfinished ? .resumed : .compared, ended: nil)
        }
        var ended: Int64?
        if status == "running" || status == "started" {
            let end = ObservationEnd(id: id, chainID: chainID, program: beginning.program, memory: beginning.memory)
            try end.write("partial_interrupted", now: beginning.now, archive.connection)
            ended = id
        }
        let new = try insert(beginning, chainID, archive)
        if isBackwards { try note("clock_backwards", skew: observedAt - moment, of: new, archive) }
        return ObservationPlace(chainID: chainID, isNewChain: isNewChain, id: new, start: .new, ended: ended)
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

    /// What was overruled for an observation that begins.
    func clockOverride(_ beginning: ObservationBeginning) -> GuardOverride? {
        guard start == .new, Self.isAhead(beginning) else { return nil }
        let seconds = Int(beginning.facts.observedAt - beginning.now)
        return GuardOverride(option: "accept-clock", counts: ["seconds": seconds])
    }

    /// The observation of a date on a chain.
    private static func known(_ observedAt: Double, _ chainID: Int64, _ archive: borrowing Archive)
        throws(ArchiveError) -> Int64?
    {
        try archive.connection.integer(
            "SELECT max(id) FROM observations WHERE device_chain_id = ?1 AND observed_at = ?2",
            [.integer(chainID), .real(observedAt)])
    }

    /// Notes what is wrong with the date of an observation.
    private static func note(_ code: String, skew: Double, of id: Int64, _ archive: borrowing Archive)
        throws(ArchiveError)
    {
        var note = try archive.connection.prepare(
            "UPDATE observation_facts SET clock_code = ?1, clock_skew_seconds = ?2 WHERE observation_id = \(id)")
        try note.run([.text(code), .real(skew)], storing: 1)
    }

    private static func chain(_ beginning: ObservationBeginning, _ archive: borrowing Archive) throws(ArchiveError) -> (
        id: Int64, isNew: Bool
    ) {
        var find = try archive.connection.prepare("SELECT id FROM device_chains WHERE device_chain_hash = ?1")
        find.bind(1, text: beginning.deviceChainHash)
        if let id = try find.firstInteger() { return (id, false) }
        let isFirst = try archive.connection.integer("SELECT 1 FROM device_chains LIMIT 1") == nil
        var insert = try archive.connection.prepare(
            "INSERT INTO device_chains(device_chain_hash, created_at, "
                + "recovered_from_keychain) VALUES (?1, ?2, ?3) RETURNING id")
        insert.bind(1, text: beginning.deviceChainHash)
        insert.bind(2, beginning.now)
        insert.bind(3, isFirst && beginning.isSeedKnown ? 1 : 0)
        return (try insert.insertedID(), true)
    }

    private static func resume(_ id: Int64, _ archive: borrowing Archive) throws(ArchiveError) {
        var resume = try archive.connection.prepare(
            "UPDATE observations SET status = 'running', ended_at = NULL WHERE id = \(id)")
        try resume.run(storing: 1)
        try archive.connection.execute("INSERT OR IGNORE INTO observation_facts(observation_id) VALUES (\(id))")
    }

    /// Keeps the types behind the hash of an observation: most have those of the one before.
    private static func keepTypes(_ beginning: ObservationBeginning, of id: Int64, _ archive: borrowing Archive)
        throws(ArchiveError)
    {
        guard let hash = beginning.selectedTypeSetHash, let text = beginning.selectedTypesText else { return }
        // An observation that is gone on with has the set that it stated first.
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
        var note = try archive.connection.prepare("INSERT INTO observation_facts(observation_id) VALUES (?1)")
        try note.run([.integer(id)], storing: 1)
        try keepTypes(beginning, of: id, archive)
        if isAhead(beginning) {
            try Self.note("clock_ahead", skew: facts.observedAt - beginning.now, of: id, archive)
        }
        return id
    }
}
