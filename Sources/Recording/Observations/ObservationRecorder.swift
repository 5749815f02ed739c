public import Archive
internal import Files
internal import SQLite

/// Records one observation in an archive: pages of samples, type runs, and its end (`Spec/capture.md`).
///
///     begin ──► ( begin run ──► page … ──► end run ) … ──► finish
///
/// Each call is one transaction, and `begin` and `finish` are one with what the caller logs up to `keep`. A page that
/// throws has changed nothing; sent again, it changes what it did not change before. An archive has one recorder at a
/// time.
///
/// An observation that is whole, or that goes beyond another, is one transaction from its beginning up to the last
/// `keep`. One that is resumed is one transaction up to where all that it has was sent again.
public struct ObservationRecorder: ~Copyable {
    /// `observations.id`. At the end of a source that has nothing beyond an observation, that of the observation.
    public internal(set) var id: Int64
    /// At the end of a source that has nothing beyond an observation, `compared`.
    public internal(set) var start: ObservationStart
    /// The overruled guard of an observation that is dated in the future.
    public let clockOverride: GuardOverride?
    let place: ObservationPlace
    var samples: SampleRecorder
    private var provenance: ProvenanceRecorder
    var relationships: RelationshipRecorder
    var runs: RunRecorder
    private var rejections: RejectionRecorder
    let implicitMode: RunFacts.Mode?
    private let isWhole: Bool
    let guards: ObservationGuard
    let program: String, memory: AggregateMemory
    private(set) var hasUntypedRejection = false
    /// The last event before, if the source was sent before.
    let lastEventID: Int64
    /// `true` if not everything of the resumed observation was sent again: nothing is kept so far.
    var isBehind: Bool
    /// Of an observation that is resumed, the first event that may not have been sent again.
    var nextEvent: Int64
    /// The differences of a source that was sent before, when it is finished.
    public internal(set) var differences = ObservationDifferences()
    /// Guards that were overruled so far.
    public internal(set) var overrides: [GuardOverride] = []

    /// The counts of the capture so far.
    public var counts: CaptureCounts { samples.counts }
    /// `true` if the observation began a device chain.
    public var isNewChain: Bool { place.isNewChain }
    /// Observations that were running and were ended for this one.
    public var endedBefore: [Int64] { place.ended }
    /// The observation of the same date that this one goes beyond.
    public var goesBeyond: Int64? { start == .new ? place.goesBeyond : nil }
    /// The newest observation of the chain, if the one that is compared is older and did not end well.
    public var later: Int64? { place.later }
    /// `true` if a failure leaves the observation as it is, with the pages that were committed.
    public var isKeptByPages: Bool { start != .compared && !isWhole && !isBehind }
    var chainID: Int64 { place.chainID }

    /// Begins an observation, resumes the one that is running, or compares with one that ended; its transaction is
    /// open.
    ///
    /// - Throws: `ArchiveError`: `order` where the chain has a later observation, `evidence` for a damaged history.
    public static func begin(_ beginning: ObservationBeginning, in archive: borrowing Archive) throws(ArchiveError)
        -> ObservationRecorder
    {
        try archive.begin(writing: true)
        do throws(ArchiveError) {
            try archive.addCaptureFacts(program: beginning.program, now: beginning.now)
            try HistoryRecorder.checkNewest(archive.connection)
            let place = try ObservationPlace.find(beginning, in: archive)
            return try open(place, beginning, archive.connection)
        } catch {
            archive.rollBack()
            throw error
        }
    }

    private static func open(
        _ place: ObservationPlace, _ beginning: ObservationBeginning, _ connection: borrowing Connection
    ) throws(ArchiveError) -> ObservationRecorder {
        let observedAt = beginning.facts.observedAt
        let samples = try SampleRecorder.open(connection, place, observedAt: observedAt)
        let lastKnownID = samples.lastKnownID
        let firstEvent = "SELECT min(id) FROM sample_observation_events WHERE observation_id = \(place.id)"
        var recorder = ObservationRecorder(
            place: place, samples: samples,
            provenance: try ProvenanceRecorder.open(connection, observationID: place.id),
            relationships: try RelationshipRecorder.open(connection, place),
            runs: try RunRecorder.open(connection, place, observedAt: observedAt, lastKnownID: lastKnownID),
            rejections: try RejectionRecorder.open(connection, place),
            lastEventID: place.isSentAgain
                ? try connection.integer("SELECT max(id) FROM sample_observation_events") ?? 0 : 0,
            nextEvent: place.start == .resumed ? try connection.integer(firstEvent) ?? 0 : 0,
            beginning: beginning)
        try recorder.catchUp(connection)
        return recorder
    }

    private init(
        place: ObservationPlace, samples: consuming SampleRecorder, provenance: consuming ProvenanceRecorder,
        relationships: consuming RelationshipRecorder, runs: consuming RunRecorder,
        rejections: consuming RejectionRecorder, lastEventID: Int64, nextEvent: Int64,
        beginning: ObservationBeginning
    ) {
        id = place.id
        start = place.start
        clockOverride = place.clockOverride(beginning)
        self.place = place
        self.samples = samples
        self.provenance = provenance
        self.relationships = relationships
        self.runs = runs
        self.rejections = rejections
        self.lastEventID = lastEventID
        self.nextEvent = nextEvent
        isBehind = place.start == .resumed
        implicitMode = beginning.implicitMode
        isWhole = beginning.isWhole || place.goesBeyond != nil
        (program, memory) = (beginning.program, beginning.memory)
        guards = ObservationGuard(
            id: place.id, chainID: place.chainID, guards: beginning.guards,
            source: beginning.isBackup
                ? "backup" : "export")
    }

    // MARK: Transactions

    func begin(_ archive: borrowing Archive) throws(ArchiveError) {
        if isKeptByPages { try archive.begin(writing: true) }
    }

    private mutating func end(_ archive: borrowing Archive) throws(ArchiveError) {
        try catchUp(archive.connection)
        if isKeptByPages { try archive.commitInPlace() }
    }

    /// Keeps the beginning of an observation, if it is kept by pages, or its end. What is compared is rolled back.
    public func keep(in archive: borrowing Archive, atEnd isEnd: Bool) throws(ArchiveError) {
        if isKeptByPages || isEnd && start != .compared { try archive.commitInPlace() }
    }

    /// Notes whose records these are, by the keyed hash of a birth date, 64 hex digits; an observation that is whole.
    ///
    /// - Throws: `ArchiveError` with the code `evidence` where the chain is another person's; nothing is kept.
    public mutating func note(person hash: [UInt8], in archive: borrowing Archive) throws(ArchiveError) {
        try note(hash, of: .person, in: archive)
    }

    /// Notes which phone the records are of, by the keyed hash of its identifier; throws as for a person.
    public mutating func note(phone hash: [UInt8], in archive: borrowing Archive) throws(ArchiveError) {
        try note(hash, of: .phone, in: archive)
    }

    private mutating func note(_ hash: [UInt8], of owner: ObservationGuard.Owner, in archive: borrowing Archive)
        throws(ArchiveError)
    {
        guard start != .compared else { return }
        do throws(ArchiveError) {
            if let override = try guards.note(hash, of: owner, archive.connection) { overrides.append(override) }
        } catch {
            archive.rollBack()
            throw error
        }
    }

    // MARK: Pages

    /// Writes a page.
    public mutating func ingest(_ page: borrowing CapturePage, now: Double, in archive: borrowing Archive)
        throws(ArchiveError)
    {
        try begin(archive)
        do throws(ArchiveError) {
            samples.seen.keep()
            try write(page, now: now)
            if isWhole { try samples.semanticIndex.note(changed: counts.newSamples, archive.connection) }
            try end(archive)
        } catch {
            samples.seen.undo()
            archive.rollBack()
            throw error
        }
    }

    private mutating func write(_ page: borrowing CapturePage, now: Double) throws(ArchiveError) {
        try provenance.resolve(page)
        let rows = RowIDs(
            types: provenance.types, revisions: provenance.revisions, devices: provenance.devices,
            metadata: provenance.metadata)
        let modes = try runModes(page, rows, now: now)
        for rejection in page.rejections {
            samples.note(rejection)
            let type = rejection.type >= 0 ? rows.types[rejection.type] : nil
            try rejections.note(rejection, type: type)
            if let type { runs.noteRejection(of: type) } else { hasUntypedRejection = true }
        }
        let ids =
            page.samples.contains(where: \.isUnread)
            ? try samples.record(samples.settled(page, rows), rows, modes) : try samples.record(page, rows, modes)
        for reference in page.deleted {
            try samples.delete(
                type: rows.types[reference.type], typeIdentifier: page.types[reference.type], reference.uuidHash)
        }
        for member in page.members {
            try samples.waiting.add(
                member: member.sample, of: page, rows, modes[member.sample.type], parent: ids[member.parent],
                kind: page.texts[member.kind])
        }
        for link in page.links { try relate(ids[link.source], ids[link.target], page.texts[link.kind]) }
        for link in page.distantLinks { try relationships.keep(link, of: page, rows) }
    }

    mutating func relate(_ source: Int64, _ target: Int64, _ kind: [UInt8], metadata: Int64? = nil)
        throws(ArchiveError)
    {
        guard source >= 0, target >= 0 else { return try samples.waiting.add(link: source, target, kind) }
        if try relationships.add(source, target, kind: kind, metadata: metadata) { samples.noteRelationship() }
    }

    /// Returns the mode of each type of a page; runs that are implied begin here.
    private mutating func runModes(_ page: borrowing CapturePage, _ rows: RowIDs, now: Double) throws(ArchiveError)
        -> [RunFacts.Mode]
    {
        var modes: [RunFacts.Mode] = []
        for (index, type) in rows.types.enumerated() {
            if let mode = runs.mode(of: type) {
                modes.append(mode)
            } else if let implicitMode {
                try runs.begin(RunFacts(sampleType: page.types[index], mode: implicitMode), type: type, now: now)
                modes.append(implicitMode)
            } else {
                // The ends of a relationship may be of types that were not asked for.
                modes.append(.anchored)
            }
        }
        return modes
    }

    // MARK: Type runs

    /// Begins the run of a type.
    public mutating func beginRun(_ facts: RunFacts, now: Double, in archive: borrowing Archive) throws(ArchiveError) {
        try begin(archive)
        do throws(ArchiveError) {
            let type = try provenance.type(facts.sampleType, displayName: facts.displayName, category: facts.category)
            try runs.begin(facts, type: type, now: now)
            try end(archive)
        } catch {
            archive.rollBack()
            throw error
        }
    }

    /// Ends the run of a type: closes what a completed full scan did not see, then writes status and anchor.
    public mutating func endRun(_ facts: RunEnd, now: Double, in archive: borrowing Archive) throws(ArchiveError) {
        try begin(archive)
        do throws(ArchiveError) {
            let type = try provenance.type(facts.sampleType, displayName: nil, category: nil)
            samples.noteDisappeared(try end([(type, facts)], isLast: false, now: now, archive.connection))
            try end(archive)
        } catch {
            archive.rollBack()
            throw error
        }
    }

    /// Ends runs; returns how many samples are no longer visible.
    mutating func end(
        _ ends: [(type: Int64, end: RunEnd)], isLast: Bool, now: Double, _ connection: borrowing Connection
    ) throws(ArchiveError) -> Int {
        for (type, _) in ends { try samples.settle(type, connection) }
        let counts = (conflicts: samples.conflictCounts, unread: samples.unreadCounts)
        let closed = try runs.finish(ends, counts, isLast: isLast, now: now, rejections, connection)
        samples.noteWithheld(Int(try connection.integer("SELECT count(*) FROM temp.withheld") ?? 0))
        return closed
    }
}

/// Looks at an export before it is kept, in the transaction that would keep it (`Spec/capture.md`, "Guards").
struct ObservationGuard {
    let id, chainID: Int64
    let guards: CaptureGuards
    /// The name of the captured source, in messages.
    let source: String

    /// The number of records of a type that are more than a few.
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
            "\(connection.path.display): the \(source) \(hasRecords ? "" : "has no records and ")would close "
                + "\(closed) of \(visible) visible records\(list); --accept-disappearances goes on",
            hint: "nothing was kept; is this the \(source) of the same person, and all of it?")
    }

    /// Returns the loss of each type, the greatest first: its summary counts what is visible after the observation.
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

    // MARK: The person, or the phone

    /// Whose records a chain has: one of the two, by its kind of source.
    enum Owner { case person, phone }

    /// Keeps the keyed hash of whose records these are; throws where the chain has another's.
    func note(_ hash: [UInt8], of owner: Owner, _ connection: borrowing Connection) throws(ArchiveError)
        -> GuardOverride?
    {
        var before = try connection.prepare(
            """
            SELECT f.person_hash FROM observations o JOIN observation_facts f ON f.observation_id = o.id \
            WHERE o.device_chain_id = \(chainID) AND o.id < \(id) AND f.person_hash IS NOT NULL
                ORDER BY o.id DESC LIMIT 1
            """)
        let isOther = try before.step() && before.bytes(0) != hash
        before.reset()
        guard !isOther || (owner == .person ? guards.acceptsPerson : guards.acceptsPhone) else {
            throw refusal(owner, connection.path)
        }
        var keep = try connection.prepare(
            "INSERT INTO observation_facts(observation_id, person_hash) VALUES (\(id), ?1) "
                + "ON CONFLICT(observation_id) DO UPDATE SET person_hash = excluded.person_hash")
        keep.bind(1, text: hash)
        try keep.run(storing: 1)
        return isOther ? GuardOverride(option: owner == .person ? "accept-person" : "accept-phone") : nil
    }

    private func refusal(_ owner: Owner, _ path: Path) -> ArchiveError {
        switch owner {
        case .person:
            ArchiveError(
                .evidence,
                "\(path.display): the export is of a person with another birth date than those before; "
                    + "--accept-person goes on", hint: "nothing was kept; another person needs another archive")
        case .phone:
            ArchiveError(
                .evidence,
                "\(path.display): the backup is of another phone than the one before; --accept-phone goes on",
                hint: "nothing was kept; a phone that was set up from the one before goes on with its history, "
                    + "another person's phone needs another archive")
        }
    }
}

/// Gives the rows of a page's tables their ids: types, sources with their revisions, devices, metadata. A row that
/// is there already is used again.
///
/// The schema has no index from names or hashes to sources and devices, so temporary tables lead there.
struct ProvenanceRecorder: ~Copyable {
    /// Row ids by index into the page's tables.
    private(set) var types: [Int64] = []
    private(set) var revisions: [Int64] = []
    private(set) var devices: [Int64] = []
    private(set) var metadata: [Int64] = []
    private var findType: Statement
    private var insertType: Statement
    private var describeType: Statement
    private var noteType: Statement
    private var noteDescription: Statement
    private var findSource: Statement
    private var insertSource: Statement
    private var noteSource: Statement
    private var findRevision: Statement
    private var insertRevision: Statement
    private var findDevice: Statement
    private var insertDevice: Statement
    private var noteDevice: Statement
    private var findMetadata: Statement
    private var insertMetadata: Statement

    /// The bound values of a row of `hk_devices`.
    private enum DeviceColumn: Int32, SQLiteColumn {
        case deviceHash = 1, manufacturerHash, model, hardwareVersion, firmwareVersion, softwareVersion
        case localIdentifierHash, udiHash
    }

    static func open(_ connection: borrowing Connection, observationID: Int64) throws(ArchiveError)
        -> ProvenanceRecorder
    {
        try connection.execute(
            """
            DROP TABLE IF EXISTS temp.known_sources;
            DROP TABLE IF EXISTS temp.known_devices;
            CREATE TEMP TABLE known_sources(source_name_hash TEXT, bundle_identifier TEXT, id INTEGER);
            INSERT INTO temp.known_sources SELECT source_name_hash, bundle_identifier, id FROM sources ORDER BY id;
            CREATE INDEX temp.known_sources_by_name ON known_sources(source_name_hash, bundle_identifier);
            CREATE TEMP TABLE known_devices(device_hash TEXT, id INTEGER);
            INSERT INTO temp.known_devices SELECT device_hash, id FROM hk_devices ORDER BY id;
            CREATE INDEX temp.known_devices_by_hash ON known_devices(device_hash, id);
            """)
        let same = DeviceColumn.allCases.map { "d.\($0.name) IS ?\($0.rawValue)" }.joined(separator: " AND ")
        return ProvenanceRecorder(
            findType: try connection.prepare("SELECT id FROM sample_types WHERE type_identifier = ?1"),
            insertType: try connection.prepare(
                "INSERT INTO sample_types(type_identifier, display_name, category) VALUES (?1, ?2, ?3) RETURNING id"),
            describeType: try connection.prepare(
                "UPDATE sample_types SET display_name = coalesce(display_name, ?2), category = coalesce(category, "
                    + "?3) WHERE id = ?1 AND (display_name IS NULL OR category IS NULL)"),
            noteType: try connection.prepare(
                "INSERT INTO sample_type_origins(sample_type_id, observation_id, is_new, display_name, category) "
                    + "VALUES (?1, \(observationID), 1, ?2, ?3)"),
            noteDescription: try connection.prepare(
                """
                INSERT INTO sample_type_origins(sample_type_id, observation_id, is_new, display_name, category) \
                SELECT id, \(observationID), 0, iif(display_name IS NULL, ?2, NULL), iif(category IS NULL, ?3, NULL)
                    FROM sample_types WHERE id = ?1 AND (display_name IS NULL AND ?2 IS NOT NULL
                    OR category IS NULL AND ?3 IS NOT NULL) \
                ON CONFLICT(sample_type_id, observation_id) DO UPDATE
                    SET display_name = coalesce(display_name, excluded.display_name),
                    category = coalesce(category, excluded.category)
                """),
            findSource: try connection.prepare(
                "SELECT id FROM temp.known_sources WHERE source_name_hash IS ?1 "
                    + "AND bundle_identifier IS ?2 ORDER BY id LIMIT 1"),
            insertSource: try connection.prepare(
                "INSERT INTO sources(source_name_hash, bundle_identifier) VALUES (?1, ?2) RETURNING id"),
            noteSource: try connection.prepare("INSERT INTO temp.known_sources VALUES (?1, ?2, ?3)"),
            findRevision: try connection.prepare(
                "SELECT id FROM source_revisions WHERE source_id = ?1 AND product_type IS ?2 AND version IS ?3 "
                    + "AND operating_system_version IS ?4 ORDER BY id LIMIT 1"),
            insertRevision: try connection.prepare(
                "INSERT INTO source_revisions(source_id, product_type, version, "
                    + "operating_system_version) VALUES (?1, ?2, ?3, ?4) RETURNING id"),
            findDevice: try connection.prepare(
                "SELECT d.id FROM temp.known_devices k JOIN hk_devices d "
                    + "ON d.id = k.id WHERE k.device_hash IS ?1 AND \(same) ORDER BY d.id LIMIT 1"),
            insertDevice: try connection.prepare(
                "INSERT INTO hk_devices(\(DeviceColumn.names)) VALUES (\(DeviceColumn.parameters)) RETURNING id"),
            noteDevice: try connection.prepare("INSERT INTO temp.known_devices VALUES (?1, ?2)"),
            findMetadata: try connection.prepare("SELECT id FROM metadata_blobs WHERE metadata_hash = ?1"),
            insertMetadata: try connection.prepare(
                "INSERT INTO metadata_blobs(metadata_hash, metadata_json) VALUES (?1, ?2) RETURNING id"))
    }

    private init(
        findType: consuming Statement, insertType: consuming Statement, describeType: consuming Statement,
        noteType: consuming Statement, noteDescription: consuming Statement,
        findSource: consuming Statement, insertSource: consuming Statement,
        noteSource: consuming Statement,
        findRevision: consuming Statement, insertRevision: consuming Statement, findDevice: consuming Statement,
        insertDevice: consuming Statement, noteDevice: consuming Statement,
        findMetadata: consuming Statement, insertMetadata: consuming Statement
    ) {
        self.findType = findType
        self.insertType = insertType
        self.describeType = describeType
        self.noteType = noteType
        self.noteDescription = noteDescription
        self.findSource = findSource
        self.insertSource = insertSource
        self.noteSource = noteSource
        self.findRevision = findRevision
        self.insertRevision = insertRevision
        self.findDevice = findDevice
        self.insertDevice = insertDevice
        self.noteDevice = noteDevice
        self.findMetadata = findMetadata
        self.insertMetadata = insertMetadata
    }

    /// Resolves the tables of a page, inside its transaction.
    mutating func resolve(_ page: borrowing CapturePage) throws(ArchiveError) {
        types.removeAll(keepingCapacity: true)
        revisions.removeAll(keepingCapacity: true)
        devices.removeAll(keepingCapacity: true)
        metadata.removeAll(keepingCapacity: true)
        for type in page.types { types.append(try self.type(type, displayName: nil, category: nil)) }
        for source in page.sources { revisions.append(try revision(source)) }
        for device in page.devices { devices.append(try self.device(device)) }
        for metadata in page.metadata {
            findMetadata.bind(1, hex: metadata.hash)
            if let id = try findMetadata.firstInteger() {
                self.metadata.append(id)
                continue
            }
            insertMetadata.bind(1, hex: metadata.hash)
            insertMetadata.bind(2, text: page.bytes.span.extracting(metadata.json))
            self.metadata.append(try insertMetadata.insertedID())
        }
    }

    /// Returns the id of a type; name and category are stored if it has none yet.
    mutating func type(_ identifier: [UInt8], displayName: [UInt8]?, category: [UInt8]?) throws(ArchiveError) -> Int64 {
        findType.bind(1, text: identifier)
        if let id = try findType.firstInteger() {
            guard displayName != nil || category != nil else { return id }
            // What the type lacked is noted before it has it.
            try Self.run(&noteDescription, id, displayName, category)
            try Self.run(&describeType, id, displayName, category)
            return id
        }
        insertType.bind(1, text: identifier)
        insertType.bind(2, text: displayName)
        insertType.bind(3, text: category)
        let id = try insertType.insertedID()
        try Self.run(&noteType, id, displayName, category)
        return id
    }

    private static func run(_ statement: inout Statement, _ id: Int64, _ displayName: [UInt8]?, _ category: [UInt8]?)
        throws(ArchiveError)
    {
        statement.bind(1, id)
        statement.bind(2, text: displayName)
        statement.bind(3, text: category)
        try statement.run()
    }

    private mutating func revision(_ source: CapturePage.Source) throws(ArchiveError) -> Int64 {
        let sourceID = try self.source(source)
        findRevision.bind(1, sourceID)
        findRevision.bind(2, text: source.productType)
        findRevision.bind(3, text: source.version)
        findRevision.bind(4, text: source.operatingSystemVersion)
        if let id = try findRevision.firstInteger() { return id }
        insertRevision.bind(1, sourceID)
        insertRevision.bind(2, text: source.productType)
        insertRevision.bind(3, text: source.version)
        insertRevision.bind(4, text: source.operatingSystemVersion)
        return try insertRevision.insertedID()
    }

    private mutating func source(_ source: CapturePage.Source) throws(ArchiveError) -> Int64 {
        findSource.bind(1, hex: source.nameHash)
        findSource.bind(2, text: source.bundleIdentifier)
        if let id = try findSource.firstInteger() { return id }
        insertSource.bind(1, hex: source.nameHash)
        insertSource.bind(2, text: source.bundleIdentifier)
        let id = try insertSource.insertedID()
        noteSource.bind(1, hex: source.nameHash)
        noteSource.bind(2, text: source.bundleIdentifier)
        noteSource.bind(3, id)
        try noteSource.run()
        return id
    }

    private mutating func device(_ device: CapturePage.Device) throws(ArchiveError) -> Int64 {
        Self.bind(device, to: &findDevice)
        if let id = try findDevice.firstInteger() { return id }
        Self.bind(device, to: &insertDevice)
        let id = try insertDevice.insertedID()
        noteDevice.bind(1, hex: device.hash)
        noteDevice.bind(2, id)
        try noteDevice.run()
        return id
    }

    private static func bind(_ device: CapturePage.Device, to statement: inout Statement) {
        statement.bind(DeviceColumn.deviceHash, hex: device.hash)
        statement.bind(DeviceColumn.manufacturerHash, hex: device.manufacturerHash)
        statement.bind(DeviceColumn.model, text: device.model)
        statement.bind(DeviceColumn.hardwareVersion, text: device.hardwareVersion)
        statement.bind(DeviceColumn.firmwareVersion, text: device.firmwareVersion)
        statement.bind(DeviceColumn.softwareVersion, text: device.softwareVersion)
        statement.bind(DeviceColumn.localIdentifierHash, hex: device.localIdentifierHash)
        statement.bind(DeviceColumn.udiHash, hex: device.udiHash)
    }
}
