public import Archive
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
    /// Whether not all that an observation which is resumed has was sent again: nothing is kept so far.
    var isBehind: Bool
    /// Of an observation that is resumed, the first event that may not have been sent again.
    var nextEvent: Int64
    /// The differences of a source that was sent before, when it is finished.
    public internal(set) var differences = ObservationDifferences()
    /// Guards that were overruled so far.
    public internal(set) var overrides: [GuardOverride] = []

    /// What the capture did so far.
    public var counts: CaptureCounts { samples.counts }
    /// Whether the observation began a device chain.
    public var isNewChain: Bool { place.isNewChain }
    /// Observations that were running and were ended for this one.
    public var endedBefore: [Int64] { place.ended }
    /// The observation of the same date that this one goes beyond.
    public var goesBeyond: Int64? { start == .new ? place.goesBeyond : nil }
    /// The newest observation of the chain, if the one that is compared is older and did not end well.
    public var later: Int64? { place.later }
    /// Whether a failure leaves the observation as it is, with the pages that were committed.
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
        guards = ObservationGuard(id: place.id, chainID: place.chainID, guards: beginning.guards)
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
        guard start != .compared else { return }
        do throws(ArchiveError) {
            if let override = try guards.note(person: hash, archive.connection) { overrides.append(override) }
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
        let ids = try samples.record(page, rows, modes)
        for reference in page.deleted {
            try samples.delete(
                type: rows.types[reference.type], typeIdentifier: page.types[reference.type], reference.uuidHash)
        }
        for member in page.members {
            let target = try samples.member(member.sample, of: page, rows, evidence: modes[member.sample.type])
            try relate(ids[member.parent], target, page.texts[member.kind])
        }
        for link in page.links { try relate(ids[link.source], ids[link.target], page.texts[link.kind]) }
        for link in page.distantLinks { try relationships.keep(link, of: page, rows) }
    }

    mutating func relate(_ source: Int64, _ target: Int64, _ kind: [UInt8], metadata: Int64? = nil)
        throws(ArchiveError)
    {
        if try relationships.add(source, target, kind: kind, metadata: metadata) { samples.noteRelationship() }
    }

    /// How each type of a page is asked for; runs that are implied begin here.
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
        let closed = try runs.finish(ends, isLast: isLast, now: now, rejections, connection)
        samples.noteWithheld(Int(try connection.integer("SELECT count(*) FROM temp.withheld") ?? 0))
        return closed
    }
}
