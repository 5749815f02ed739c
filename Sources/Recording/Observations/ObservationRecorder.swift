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
/// An observation that is whole is one transaction from its beginning up to the last `keep`.
public struct ObservationRecorder: ~Copyable {
    /// `observations.id`.
    public let id: Int64
    public let start: ObservationStart
    /// Whether the observation began a device chain, and one that was cut off and was ended for this one.
    public let isNewChain: Bool, endedBefore: Int64?
    /// The overruled guard of an observation that is dated in the future.
    public let clockOverride: GuardOverride?
    private let chainID: Int64
    private var samples: SampleRecorder
    private var provenance: ProvenanceRecorder
    private var relationships: RelationshipRecorder
    private var runs: RunRecorder
    private var rejections: RejectionRecorder
    private let implicitMode: RunFacts.Mode?
    private let isWhole: Bool, guards: ObservationGuard
    private let program: String, memory: AggregateMemory
    private var hasUntypedRejection = false
    /// Of what is compared, the last event before.
    private let lastEventID: Int64
    /// What of a comparison that is finished is not as it was captured before.
    public private(set) var differences = ObservationDifferences()
    /// Guards that were overruled so far.
    public private(set) var overrides: [GuardOverride] = []

    /// What the capture did so far.
    public var counts: CaptureCounts { samples.counts }

    /// Begins an observation, goes on with one that did not end well, or compares with one that did; its transaction
    /// is open.
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
        let samples = try SampleRecorder.open(
            connection, observationID: place.id, chainID: place.chainID, observedAt: observedAt,
            isResumed: place.start == .resumed, isCompared: place.start == .compared)
        let lastKnownID = samples.lastKnownID
        return ObservationRecorder(
            place: place, samples: samples,
            provenance: try ProvenanceRecorder.open(connection, observationID: place.id),
            relationships: try RelationshipRecorder.open(connection, observationID: place.id, chainID: place.chainID),
            runs: try RunRecorder.open(
                connection, observationID: place.id, chainID: place.chainID, observedAt: observedAt,
                lastKnownID: lastKnownID, isCompared: place.start == .compared),
            rejections: try RejectionRecorder.open(
                connection, observationID: place.id, chainID: place.chainID, isResumed: place.start == .resumed),
            lastEventID: place.start == .compared
                ? try connection.integer("SELECT max(id) FROM sample_observation_events") ?? 0 : 0,
            beginning: beginning)
    }

    private init(
        place: ObservationPlace, samples: consuming SampleRecorder, provenance: consuming ProvenanceRecorder,
        relationships: consuming RelationshipRecorder, runs: consuming RunRecorder,
        rejections: consuming RejectionRecorder, lastEventID: Int64, beginning: ObservationBeginning
    ) {
        id = place.id
        start = place.start
        isNewChain = place.isNewChain
        endedBefore = place.ended
        clockOverride = place.clockOverride(beginning)
        chainID = place.chainID
        self.samples = samples
        self.provenance = provenance
        self.relationships = relationships
        self.runs = runs
        self.rejections = rejections
        self.lastEventID = lastEventID
        implicitMode = beginning.implicitMode
        isWhole = beginning.isWhole
        (program, memory) = (beginning.program, beginning.memory)
        guards = ObservationGuard(id: place.id, chainID: place.chainID, guards: beginning.guards)
    }

    // MARK: Transactions

    private func begin(_ archive: borrowing Archive) throws(ArchiveError) {
        if start != .compared, !isWhole { try archive.begin(writing: true) }
    }

    private func end(_ archive: borrowing Archive) throws(ArchiveError) {
        if start != .compared, !isWhole { try archive.commitInPlace() }
    }

    /// Keeps the beginning of an observation, unless it is whole, or its end. What is compared is rolled back.
    public func keep(in archive: borrowing Archive, atEnd isEnd: Bool) throws(ArchiveError) {
        if start != .compared, isEnd || !isWhole { try archive.commitInPlace() }
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

    private mutating func relate(_ source: Int64, _ target: Int64, _ kind: [UInt8], metadata: Int64? = nil)
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

    // MARK: The end

    /// Ends the observation; returns its status. What was compared is rolled back, all else still has to be kept.
    ///
    /// - Parameter account: what the source has beside its records.
    /// - Throws: `ArchiveError` with the code `evidence` also where a guard refuses what is whole.
    public mutating func finish(
        _ source: SourceEnd, account: SourceAccount = SourceAccount(), now: Double, in archive: borrowing Archive
    ) throws(ArchiveError) -> String {
        try begin(archive)
        do throws(ArchiveError) {
            samples.endRecords()
            try resolveLinks(archive.connection)
            // What follows sorts, and a sorter takes as much memory as the cache may have.
            try archive.connection.execute("PRAGMA cache_size = -8000")
            defer { try? archive.connection.execute("PRAGMA cache_size = -40000") }
            try samples.semanticIndex.restore(archive.connection)
            try endOpenRuns(source, but: account.unaskedTypes, now: now, archive.connection)
            try write(account, source, archive.connection)
            samples.noteEndedRelationships(try relationships.end(archive.connection))
            guard start != .compared else {
                let status = try storedStatus(archive.connection)
                differences = try ObservationDifferences.find(
                    id, after: lastEventID, hasMissing: implicitMode == nil, archive.connection)
                archive.rollBack()
                return status
            }
            let status = try ObservationEnd(id: id, chainID: chainID, program: program, memory: memory).write(
                status(source), now: now, archive.connection)
            if isWhole, source == .complete { try checkDisappearances(archive.connection) }
            return status
        } catch {
            archive.rollBack()
            throw error
        }
    }

    private mutating func write(
        _ account: SourceAccount, _ source: SourceEnd, _ connection: borrowing Connection
    ) throws(ArchiveError) {
        let recorder = DocumentRecorder(observationID: id, chainID: chainID)
        if let documents = account.documents {
            let (opened, closed) = try recorder.write(
                documents, closes: source == .complete && account.hasAllDocuments, connection)
            samples.noteDocuments(opened: opened, closed: closed)
        }
        if start != .compared { try recorder.write(account.unknownNames, connection) }
    }

    private mutating func checkDisappearances(_ connection: borrowing Connection) throws(ArchiveError) {
        let hasRecords = counts.records > 0 || !counts.rejected.isEmpty
        let override = try guards.checkDisappearances(hasRecords: hasRecords, connection)
        if let override { overrides.append(override) }
    }

    private mutating func resolveLinks(_ connection: borrowing Connection) throws(ArchiveError) {
        var links = try DistantLinks.open(connection)
        while let link = try links.next() {
            let source = try samples.sample(
                type: link.source.type, typeIdentifier: link.source.identifier, link.source.uuidHash)
            let target = try samples.sample(
                type: link.target.type, typeIdentifier: link.target.identifier, link.target.uuidHash)
            try relate(source, target, link.kind, metadata: link.metadata)
        }
    }

    /// Ends the runs that the source did not end. Implied runs of a complete source are complete, those of earlier
    /// observations' types included.
    ///
    /// - Parameter unasked: types that a complete source says nothing of.
    private mutating func endOpenRuns(
        _ source: SourceEnd, but unasked: [[UInt8]], now: Double, _ connection: borrowing Connection
    ) throws(ArchiveError) {
        if implicitMode != nil, source == .complete {
            var known = try connection.prepare(
                """
                SELECT DISTINCT u.sample_type_id, t.type_identifier FROM observation_type_runs u
                    JOIN observations o ON o.id = u.observation_id JOIN sample_types t ON t.id = u.sample_type_id \
                WHERE o.device_chain_id = \(chainID) ORDER BY 1
                """)
            var missing: [(Int64, [UInt8])] = []
            while try known.step() {
                guard let type = known.integer(0), runs.mode(of: type) == nil else { continue }
                let identifier = known.bytes(1)
                if !unasked.contains(identifier) { missing.append((type, identifier)) }
            }
            for (type, identifier) in missing {
                try runs.begin(RunFacts(sampleType: identifier, mode: .fullScan), type: type, now: now)
            }
        }
        if hasUntypedRejection { runs.noteRejectionOfAll() }
        let open = runs.runs.filter { $0.value.isOpen }.keys.sorted()
        let ends = open.map { type in
            var end = RunEnd(sampleType: [], status: implicitMode != nil && source == .complete ? .completed : .failed)
            if end.status == .failed {
                end.errorKind = Array("source_\(source == .complete ? "incomplete" : source.rawValue)".utf8)
            }
            return (type, end)
        }
        let isLast = implicitMode != nil && source == .complete
        samples.noteDisappeared(try end(ends, isLast: isLast, now: now, connection))
    }

    private mutating func end(
        _ ends: [(type: Int64, end: RunEnd)], isLast: Bool, now: Double, _ connection: borrowing Connection
    ) throws(ArchiveError) -> Int {
        let closed = try runs.finish(ends, isLast: isLast, now: now, rejections, connection)
        samples.noteWithheld(Int(try connection.integer("SELECT count(*) FROM temp.withheld") ?? 0))
        return closed
    }

    private func storedStatus(_ connection: borrowing Connection) throws(ArchiveError) -> String {
        try connection.text("SELECT status FROM observations WHERE id = \(id)") ?? ""
    }

    private func status(_ source: SourceEnd) -> String {
        if let status = source.status { return status }
        if runs.runs.values.contains(where: \.isIncomplete) { return "partial_types" }
        return !counts.rejected.isEmpty || counts.conflicts > 0 ? "needs_review" : "completed"
    }
}
