internal import Files

/// What is needed to begin an observation.
public struct ObservationBeginning: Sendable {
    public var facts: ObservationFacts
    /// 64 hex digits.
    public var deviceChainHash: [UInt8]
    /// Whether the seed of the chain was there before.
    public var isSeedKnown: Bool
    /// SHA-256 of the selected types, 64 hex digits.
    public var selectedTypeSetHash: [UInt8]?
    /// How types are asked for that no run is begun for; nil where each needs one.
    public var implicitMode: RunFacts.Mode?
    /// Unix seconds.
    public var now: Double

    /// A beginning.
    public init(facts: ObservationFacts, deviceChainHash: [UInt8], isSeedKnown: Bool, now: Double) {
        self.facts = facts
        self.deviceChainHash = deviceChainHash
        self.isSeedKnown = isSeedKnown
        self.now = now
    }
}

/// How an observation stands to what the archive has.
public enum ObservationStart: Sendable {
    case new
    /// It was begun before and did not end well: everything is sent again.
    case resumed
    /// It ended before: what is sent is compared, and nothing is kept.
    case compared
}

/// The place of an observation in an archive: its chain, its id, and what must end before it.
struct ObservationPlace {
    let chainID: Int64
    let isNewChain: Bool
    let id: Int64
    let start: ObservationStart
    /// Whether an observation that was cut off was ended for this one.
    let ended: Int64?

    /// Finds or makes the place, in the caller's transaction.
    static func find(_ beginning: ObservationBeginning, in archive: borrowing Archive) throws(ArchiveError) -> ObservationPlace {
        let (chainID, isNewChain) = try chain(beginning, archive)
        let observedAt = beginning.facts.observedAt
        var newest = try archive.connection.prepare("SELECT id, observed_at, status FROM observations WHERE device_chain_id = ?1 ORDER BY id DESC LIMIT 1")
        newest.bind(1, chainID)
        guard try newest.step() else {
            return ObservationPlace(chainID: chainID, isNewChain: isNewChain, id: try insert(beginning, chainID, archive), start: .new, ended: nil)
        }
        // Without them nobody knows whether this observation is the newest.
        guard let id = newest.exactInteger(0), let moment = newest.real(1), moment.isFinite else {
            throw ArchiveError(
                .evidence, "\(archive.path.display): the newest observation of this device chain has no id or no date",
                hint: "hp-verify archive names the values that are not what they should be")
        }
        let status = newest.text(2) ?? ""
        newest.reset()
        guard moment <= observedAt else {
            throw ArchiveError(
                .order, "\(archive.path.display): observation \(id) of this device chain was made later than this one",
                hint: "observations enter in the order of time; an older one needs an archive of its own")
        }
        if moment == observedAt {
            let isUnfinished = status == "running" || status == "started" || status.hasPrefix("partial") || status == "failed" || status == "cancelled"
            if isUnfinished { try resume(id, archive) }
            return ObservationPlace(chainID: chainID, isNewChain: false, id: id, start: isUnfinished ? .resumed : .compared, ended: nil)
        }
        var ended: Int64?
        if status == "running" || status == "started" {
            try ObservationEnd(id: id, chainID: chainID).write("partial_interrupted", now: beginning.now, archive.connection)
            ended = id
        }
        return ObservationPlace(chainID: chainID, isNewChain: isNewChain, id: try insert(beginning, chainID, archive), start: .new, ended: ended)
    }

    private static func chain(_ beginning: ObservationBeginning, _ archive: borrowing Archive) throws(ArchiveError) -> (id: Int64, isNew: Bool) {
        var find = try archive.connection.prepare("SELECT id FROM device_chains WHERE device_chain_hash = ?1")
        find.bind(1, text: beginning.deviceChainHash)
        if let id = try find.firstInteger() { return (id, false) }
        let isFirst = try archive.connection.integer("SELECT 1 FROM device_chains LIMIT 1") == nil
        var insert = try archive.connection.prepare("INSERT INTO device_chains(device_chain_hash, created_at, recovered_from_keychain) VALUES (?1, ?2, ?3) RETURNING id")
        insert.bind(1, text: beginning.deviceChainHash)
        insert.bind(2, beginning.now)
        insert.bind(3, isFirst && beginning.isSeedKnown ? 1 : 0)
        return (try insert.insertedID(), true)
    }

    private static func resume(_ id: Int64, _ archive: borrowing Archive) throws(ArchiveError) {
        var resume = try archive.connection.prepare(
            "UPDATE observations SET status = 'running', ended_at = NULL WHERE id = \(id)")
        try resume.run(storing: 1)
    }

    private static func insert(_ beginning: ObservationBeginning, _ chainID: Int64, _ archive: borrowing Archive) throws(ArchiveError) -> Int64 {
        let facts = beginning.facts
        var insert = try archive.connection.prepare(
            """
            INSERT INTO observations(device_chain_id, observed_at, started_at, status, trigger_reason, app_version, os_version, time_zone_identifier, time_zone_seconds_from_gmt, schema_version, \
            selected_type_set_hash) VALUES (?1, ?2, ?3, 'running', ?4, ?5, ?6, ?7, ?8, \(Schema.version), ?9) RETURNING id
            """)
        insert.bind(1, chainID)
        insert.bind(2, facts.observedAt)
        insert.bind(3, beginning.now)
        insert.bind(4, text: facts.triggerReason)
        insert.bind(5, text: facts.appVersion)
        insert.bind(6, text: facts.operatingSystemVersion)
        insert.bind(7, text: facts.timeZoneIdentifier)
        insert.bind(8, optional: facts.timeZoneSecondsFromGMT)
        insert.bind(9, text: beginning.selectedTypeSetHash)
        return try insert.insertedID()
    }
}

/// The end of an observation: its aggregates, what its runs counted, its status.
struct ObservationEnd {
    let id: Int64
    let chainID: Int64

    /// Writes the end, in the caller's transaction.
    func write(_ status: String, now: Double, _ connection: borrowing Connection) throws(ArchiveError) {
        // Runs that did not end, did not complete.
        try connection.execute("UPDATE observation_type_runs SET status = 'failed', error_kind = 'not_ended' WHERE observation_id = \(id) AND status = 'started'")
        var zone = try connection.prepare("SELECT time_zone_identifier, time_zone_seconds_from_gmt FROM observations WHERE id = \(id)")
        guard try zone.step() else { throw ArchiveError(.evidence, "\(connection.path.display): observation \(id) is gone") }
        let rules = ZoneFiles.rules(identifier: zone.isNull(0) ? nil : zone.bytes(0), seconds: zone.exactInteger(1))
        zone.reset()
        try connection.execute("DELETE FROM daily_type_aggregates WHERE observation_id = \(id); DELETE FROM observation_type_summaries WHERE observation_id = \(id)")
        var aggregation = Aggregation(observationID: id, chainID: chainID, rules: rules)
        try aggregation.write(connection)
        try RunRecorder.writeCounts(aggregation.events, of: id, connection)
        var end = try connection.prepare("UPDATE observations SET status = ?1, ended_at = ?2 WHERE id = \(id)")
        try end.run([.text(status), .real(now)], storing: 1)
    }
}
