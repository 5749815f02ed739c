internal import Archive
internal import CanonicalJSON
internal import Derivation
internal import Manifest
internal import Preimages
internal import SQLite

/// Writes what an observation saw of samples: which sample a record is, its versions, events and ranges
/// (`Spec/capture.md`, "Which sample a record is").
///
/// A sample that was written by this process has a greater id than any before it and so was seen; which older ones
/// were seen stands in a temporary table.
struct SampleRecorder: ~Copyable {
    let observedAt: Double
    /// The greatest sample id before this process wrote.
    let lastKnownID: Int64
    /// `true` if a part of the sent records may be there already: the records that this part saw count.
    let hasPart: Bool
    /// `true` if the sent records are compared with those that were captured before.
    let isSentAgain: Bool
    /// The first sample that contradicts what was captured before, and how many do.
    private(set) var contradictions: (first: Int64, count: Int)?
    var counts = CaptureCounts()
    var hasher = ContentHasher()
    let incoming: IncomingRows
    var statements: SampleStatements
    var semanticIndex: SemanticIndex
    var likelyNew = LikelyNew()
    /// Older samples that were seen in this observation.
    var seen: SeenSamples
    /// Samples that this process made without a record: of deleted objects.
    var deletedOnly: SampleSet
    /// Samples of the deleted objects that were sent, where they are compared.
    var deletionsSent: SampleSet
    /// Records without a UUID whose samples are decided later.
    var waiting: WaitingRecords
    /// Samples that are members of a correlation.
    var linkedMembers: SampleSet
    /// Samples that records with an unread part were taken for.
    var settledSamples: SampleSet
    /// The numbers of records with an unread part, and of those that contradicted another one of their sample, by type.
    var unreadCounts: [Int64: Int64] = [:]
    private(set) var conflictCounts: [Int64: Int64] = [:]
    /// Of alike samples, the first ordinal that may be free.
    var firstFree: FingerprintNumbers
    /// A lower bound of the number of alike samples, by fingerprint.
    var alikeCounts: FingerprintNumbers
    /// Of alike samples, the first ordinal that may be that of a member: all before are of others, or were not seen.
    var firstUnlinked: FingerprintNumbers

    /// The number of alike samples that are searched for one with the same payload, before a record waits.
    static let lookahead = 8

    static func open(_ connection: borrowing Connection, _ place: ObservationPlace, observedAt: Double)
        throws(ArchiveError) -> SampleRecorder
    {
        let incoming = IncomingRows()
        try connection.add(incoming)
        let lastKnownID = try connection.integer("SELECT max(id) FROM samples") ?? 0
        return SampleRecorder(
            observedAt: observedAt, lastKnownID: lastKnownID, hasPart: place.hasPart,
            isSentAgain: place.isSentAgain, incoming: incoming,
            statements: try SampleStatements.open(connection, place, observedAt: observedAt),
            seen: try SeenSamples.make(connection),
            deletedOnly: try SampleSet.make("deleted_only", connection),
            deletionsSent: try SampleSet.make("deletions_sent", connection),
            waiting: try WaitingRecords.open(connection),
            linkedMembers: try SampleSet.make("linked_members", connection),
            settledSamples: try SampleSet.make("settled_unread", connection),
            firstFree: try FingerprintNumbers.make("first_free", connection),
            alikeCounts: try FingerprintNumbers.make("alike_counts", connection),
            firstUnlinked: try FingerprintNumbers.make("first_unlinked", connection))
    }

    private init(
        observedAt: Double, lastKnownID: Int64, hasPart: Bool, isSentAgain: Bool,
        incoming: IncomingRows, statements: consuming SampleStatements, seen: consuming SeenSamples,
        deletedOnly: consuming SampleSet, deletionsSent: consuming SampleSet,
        waiting: consuming WaitingRecords, linkedMembers: consuming SampleSet,
        settledSamples: consuming SampleSet,
        firstFree: consuming FingerprintNumbers, alikeCounts: consuming FingerprintNumbers,
        firstUnlinked: consuming FingerprintNumbers
    ) {
        self.observedAt = observedAt
        self.lastKnownID = lastKnownID
        self.hasPart = hasPart
        self.isSentAgain = isSentAgain
        self.incoming = incoming
        self.statements = statements
        semanticIndex = SemanticIndex(known: lastKnownID)
        self.seen = seen
        self.deletedOnly = deletedOnly
        self.deletionsSent = deletionsSent
        self.waiting = waiting
        self.linkedMembers = linkedMembers
        self.settledSamples = settledSamples
        self.firstFree = firstFree
        self.alikeCounts = alikeCounts
        self.firstUnlinked = firstUnlinked
    }

    // MARK: Records

    /// Writes the records of a page; returns their samples' ids, and for those that wait minus their numbers.
    ///
    /// New samples are written together. What can only be decided when they are there, such as a second record that
    /// is alike, comes after them.
    mutating func record(_ page: borrowing CapturePage, _ rows: RowIDs, _ modes: [RunFacts.Mode]) throws(ArchiveError)
        -> [Int64]
    {
        var ids = [Int64](repeating: 0, count: page.samples.count)
        var new: [(index: Int, fingerprint: Digest)] = []
        var later: [Int] = []
        var fingerprints: Set<Digest> = []
        var uuids: Set<Digest> = []
        incoming.start(page, rows)
        // In an archive without samples nothing need be looked up, unless records that are alike find their samples
        // in two ways.
        let isAllNew = lastKnownID == 0 && page.samples.allSatisfy { $0.uuidHash == nil }
        let lookups = isAllNew ? [] : try find(page, rows, modes)
        var known = 0
        for (index, sample) in page.samples.enumerated() {
            let match: Match =
                isAllNew
                ? .new(sample.fingerprint)
                : try self.match(sample, rows.types[sample.type], lookups.isEmpty ? .notLookedUp : lookups[index])
            switch match {
            case .known(let found, let wasSeen):
                known += 1
                ids[index] = try write(found, wasSeen, sample, of: page, rows, modes[sample.type])
            case .undecided:
                known += 1
                ids[index] = try waiting.add(sample, of: page, rows, modes[sample.type])
            case .new(let fingerprint):
                // The fingerprint covers the type; a UUID may stand for samples of two types.
                let isNewUUID = sample.uuidHash.map { uuids.insert($0).inserted } ?? true
                guard fingerprints.insert(fingerprint).inserted, isNewUUID else {
                    later.append(index)
                    continue
                }
                new.append((index, fingerprint))
            }
        }
        // A few stay in the order of their source, which is easier to read.
        if new.count > 256 { Self.sort(&new, page) }
        known += try add(new, of: page, rows, modes, &ids, &later)
        likelyNew.note(known: known)
        try statements.insert(incoming)
        let written = incoming.count
        counts.records += written
        counts.newSamples += written
        counts.newVersions += written
        counts.appeared += written
        for index in later.sorted() {
            ids[index] = try record(page.samples[index], of: page, rows, evidence: modes[page.samples[index].type])
        }
        return ids
    }

    /// Adds the samples of new records to those that are written together; returns how many turned out to be known.
    private mutating func add(
        _ new: [(index: Int, fingerprint: Digest)], of page: borrowing CapturePage, _ rows: RowIDs,
        _ modes: [RunFacts.Mode], _ ids: inout [Int64], _ later: inout [Int]
    ) throws(ArchiveError) -> Int {
        var known = 0
        for (index, fingerprint) in new {
            let sample = page.samples[index]
            guard let id = try statements.addSample(sample, fingerprint, rows.types[sample.type], of: page) else {
                known += 1
                later.append(index)
                continue
            }
            ids[index] = id
            incoming.add(
                sample, fingerprint: fingerprint, id: id, version: try statements.takeVersionID(),
                evidence: modes[sample.type])
        }
        return known
    }

    /// Writes one record; returns its sample's id, or minus its number where it waits.
    private mutating func record(
        _ sample: CapturePage.Sample, of page: borrowing CapturePage, _ rows: RowIDs, evidence: RunFacts.Mode
    ) throws(ArchiveError) -> Int64 {
        let type = rows.types[sample.type]
        switch try match(sample, type, .notLookedUp) {
        case .new(let fingerprint): return try add(sample, fingerprint, of: page, rows, evidence)
        case .known(let found, let wasSeen): return try write(found, wasSeen, sample, of: page, rows, evidence)
        case .undecided: return try waiting.add(sample, of: page, rows, evidence)
        }
    }

    /// Writes a record of a new sample; returns the id of that.
    mutating func add(
        _ sample: CapturePage.Sample, _ fingerprint: Digest, of page: borrowing CapturePage, _ rows: RowIDs,
        _ evidence: RunFacts.Mode
    ) throws(ArchiveError) -> Int64 {
        counts.records += 1
        let id = try statements.insertSample(sample, fingerprint, rows.types[sample.type], of: page)
        let version = try statements.insertVersion(sample, of: id, page, rows)
        counts.newSamples += 1
        counts.newVersions += 1
        try appear(id, version, of: rows.types[sample.type], evidence)
        return id
    }

    private mutating func match(_ sample: CapturePage.Sample, _ type: Int64, _ lookup: Lookup) throws(ArchiveError)
        -> Match
    {
        try sample.uuidHash == nil ? matchByFingerprint(sample, type, lookup) : matchByUUID(sample, type)
    }

    /// Writes a record of a sample that is there; returns the id of that.
    mutating func write(
        _ found: SampleStatements.Found, _ wasSeen: Bool, _ sample: CapturePage.Sample, of page: borrowing CapturePage,
        _ rows: RowIDs, _ evidence: RunFacts.Mode
    ) throws(ArchiveError) -> Int64 {
        counts.records += 1
        if !wasSeen {
            try update(found, sample, of: page, rows, evidence)
        } else if try found.isVisible
            ? found.isSamePayload : statements.version(sample.payloadHash, of: found.id) != nil
        {
            // Where a deleted object removed it meanwhile, a payload that it never had contradicts the record before.
            counts.unchanged += 1
        } else {
            noteConflict(rows.types[sample.type])
        }
        return found.id
    }

    /// Updates a sample that is there: nothing, another representation, or a return.
    private mutating func update(
        _ found: SampleStatements.Found, _ sample: CapturePage.Sample, of page: borrowing CapturePage, _ rows: RowIDs,
        _ evidence: RunFacts.Mode
    ) throws(ArchiveError) {
        if found.isVisible, found.isSamePayload {
            counts.unchanged += 1
            return
        }
        // A full scan of this date did not see it, and it is sent after all.
        let removal = found.isVisible ? nil : try statements.disappearance(of: found.id)
        var isContradiction = removal?.evidence == "full_scan"
        if !isContradiction { isContradiction = try self.isContradiction(found, sample) }
        if !isContradiction, hasPart, removal?.isEarlier == true { isContradiction = try saysMore(sample, of: found) }
        guard !isContradiction else {
            noteConflict(rows.types[sample.type])
            contradictions = (contradictions?.first ?? found.id, (contradictions?.count ?? 0) + 1)
            return
        }
        let version = try self.version(sample, of: found.id, page, rows)
        if found.isVisible {
            guard try statements.addEvent(.representationChanged, found.id, version, evidence.rawValue) else {
                return noteConflict(rows.types[sample.type])
            }
            counts.representationChanged += 1
            try statements.follow(.representationChanged, found.id, range: found.range, version)
            return
        }
        guard removal == nil else {
            // A deleted object of this date stands; what it deleted is kept.
            guard try !statements.wasVisibleBefore(found.id),
                try statements.addEvent(.appeared, found.id, version, evidence.rawValue)
            else {
                counts.unchanged += 1
                return
            }
            counts.appeared += 1
            try statements.addClosedRange(found.id, version)
            return
        }
        try appear(found.id, version, of: rows.types[sample.type], evidence)
    }

    /// Returns `true` if the part that was there before saw the sample with another payload.
    mutating func isContradiction(_ found: SampleStatements.Found, _ sample: CapturePage.Sample) throws(ArchiveError)
        -> Bool
    {
        guard hasPart else { return false }
        return try statements.wasSeen(found.id, withOtherThan: sample.payloadHash)
    }

    /// Returns `true` if a record has more of a sample that an observation which is gone beyond deleted. Their events
    /// could not be in the order of the observations.
    private mutating func saysMore(_ sample: CapturePage.Sample, of found: SampleStatements.Found) throws(ArchiveError)
        -> Bool
    {
        if try statements.version(sample.payloadHash, of: found.id) == nil { return true }
        if try statements.wasVisibleBefore(found.id) { return false }
        return try !statements.has(.appeared, found.id)
    }

    /// Counts a record that contradicts another one of its sample in the same observation.
    private mutating func noteConflict(_ type: Int64) {
        counts.conflicts += 1
        conflictCounts[type, default: 0] += 1
    }

    private mutating func appear(_ id: Int64, _ version: Int64, of type: Int64, _ evidence: RunFacts.Mode)
        throws(ArchiveError)
    {
        guard try statements.addEvent(.appeared, id, version, evidence.rawValue) else { return noteConflict(type) }
        counts.appeared += 1
        try statements.follow(.appeared, id, range: 0, version)
    }

    private mutating func version(
        _ sample: CapturePage.Sample, of id: Int64, _ page: borrowing CapturePage, _ rows: RowIDs
    ) throws(ArchiveError) -> Int64 {
        if let known = try statements.version(sample.payloadHash, of: id) { return known }
        counts.newVersions += 1
        return try statements.insertVersion(sample, of: id, page, rows)
    }

    // MARK: Deleted objects, links, rejections

    /// Writes the evidence that a sample was deleted.
    mutating func delete(type: Int64, typeIdentifier: [UInt8], _ uuidHash: Digest) throws(ArchiveError) {
        counts.deletedObjects += 1
        guard let found = try statements.find(type, uuid: uuidHash, payload: uuidHash) else {
            let id = try unseen(type: type, typeIdentifier: typeIdentifier, uuidHash)
            if isSentAgain { _ = try deletionsSent.insert(id) }
            if try statements.addEvent(.disappeared, id, nil, "deleted_object") { counts.disappeared += 1 }
            return
        }
        if isSentAgain { _ = try deletionsSent.insert(found.id) }
        guard try statements.addEvent(.disappeared, found.id, found.version, "deleted_object") else { return }
        counts.disappeared += 1
        try statements.follow(.disappeared, found.id, range: found.range, nil)
    }

    /// Returns the sample with a UUID, made without a version if there is none.
    mutating func sample(type: Int64, typeIdentifier: [UInt8], _ uuidHash: Digest) throws(ArchiveError) -> Int64 {
        if let found = try statements.find(type, uuid: uuidHash, payload: uuidHash) { return found.id }
        return try unseen(type: type, typeIdentifier: typeIdentifier, uuidHash)
    }

    private mutating func unseen(type: Int64, typeIdentifier: [UInt8], _ uuidHash: Digest) throws(ArchiveError) -> Int64
    {
        counts.newSamples += 1
        let preimage = ProvenancePreimage.unseenSample(type: typeIdentifier, uuidHash: Array(uuidHash.hex.utf8))
        let id = try statements.insertUnseen(type, uuidHash, hasher.digest(of: preimage.span, in: .unseenSample))
        _ = try deletedOnly.insert(id)
        return id
    }

    /// Counts documents that are new and that are gone.
    mutating func noteDocuments(opened: Int, closed: Int) {
        counts.newDocuments += opened
        counts.goneDocuments += closed
    }

    mutating func noteRelationship() { counts.newRelationships += 1 }

    mutating func noteDisappeared(_ count: Int) { counts.disappeared += count }

    mutating func noteEndedRelationships(_ count: Int) { counts.endedRelationships += count }

    mutating func noteWithheld(_ count: Int) { counts.withheld += count }

    mutating func note(_ rejection: CapturePage.Rejection) {
        counts.rejected[rejection.reason, default: 0] += 1
        if counts.firstRejections[rejection.reason] == nil {
            counts.firstRejections[rejection.reason] = rejection.place
        }
    }
}

/// The guess that the records to come are of samples that the archive does not have: those of the pages before were.
///
/// Such records are not looked up. They are written, and the index of fingerprints says on the way which were there.
/// Where the index is larger than the cache, looking up first would read each of its pages twice.
struct LikelyNew {
    /// The minimum number of pages without a known sample.
    static let leastPages = 4

    private var pages = 0

    var holds: Bool { pages >= Self.leastPages }

    /// Notes how many samples of a page were in the archive.
    mutating func note(known: Int) { pages = known == 0 ? pages + 1 : 0 }
}

/// A number for each fingerprint, 0 where none was set: a temporary table.
struct FingerprintNumbers: ~Copyable {
    private var lookup: Statement
    private var assignment: Statement

    /// Creates an empty table under a name of its own.
    static func make(_ name: String, _ connection: borrowing Connection) throws(ArchiveError) -> FingerprintNumbers {
        try connection.execute(
            "DROP TABLE IF EXISTS temp.\(name); CREATE TEMP TABLE \(name)(fingerprint TEXT "
                + "PRIMARY KEY, number INTEGER) WITHOUT ROWID")
        return FingerprintNumbers(
            lookup: try connection.prepare("SELECT number FROM temp.\(name) WHERE fingerprint = ?1"),
            assignment: try connection.prepare(
                "INSERT INTO temp.\(name) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET number = excluded.number"))
    }

    private init(lookup: consuming Statement, assignment: consuming Statement) {
        self.lookup = lookup
        self.assignment = assignment
    }

    /// Returns the number of a fingerprint.
    mutating func number(of fingerprint: Digest) throws(ArchiveError) -> Int {
        lookup.bind(1, hex: fingerprint)
        return Int(try lookup.firstInteger() ?? 0)
    }

    /// Sets the number of a fingerprint.
    mutating func set(_ number: Int, for fingerprint: Digest) throws(ArchiveError) {
        assignment.bind(1, hex: fingerprint)
        assignment.bind(2, Int64(number))
        try assignment.run()
    }
}

/// The samples of a page, as far as they are known before it is written.
extension SampleRecorder {
    /// The known sample with a record's fingerprint.
    enum Lookup {
        case notLookedUp
        case lookedUp(SampleStatements.Found?)
        /// It is taken for new; what is written says whether it was there.
        case likelyNew
    }

    /// The sample that a record is.
    enum Match {
        case known(SampleStatements.Found, wasSeen: Bool)
        /// A new sample, with its strict fingerprint.
        case new(Digest)
        /// Others that are alike may still come.
        case undecided
    }

    /// Looks the samples of a page up: among those that come next in the archive, then in one statement, which starting
    /// one for each would cost more than; nothing where samples have UUIDs.
    ///
    /// Of records that are alike only the first is looked up: what is written for it changes what the next one finds.
    /// A sample that one of them takes is no longer free for the others, whatever was found for them before.
    mutating func find(_ page: borrowing CapturePage, _ rows: RowIDs, _ modes: [RunFacts.Mode]) throws(ArchiveError)
        -> [Lookup]
    {
        guard page.samples.allSatisfy({ $0.uuidHash == nil }) else { return [] }
        var lookups = [Lookup](repeating: .notLookedUp, count: page.samples.count)
        var records: [(index: Int, fingerprint: Digest)] = []
        try statements.upcoming.begin(count: page.samples.count)
        for index in page.samples.indices {
            let sample = page.samples[index]
            if let found = statements.upcoming.find(sample, rows.types[sample.type]) {
                lookups[index] = .lookedUp(found)
            } else {
                records.append((index, sample.fingerprint))
            }
        }
        guard !records.isEmpty else { return lookups }
        // What turns out to be there is matched when the new ones are written, in the order of the page. A record that
        // came next in the archive would be matched before an alike one in front of it: then all are looked up.
        if likelyNew.holds, records.count == page.samples.count {
            return [Lookup](repeating: .likelyNew, count: records.count)
        }
        Self.sort(&records, page)
        var first: [Int] = []
        for (place, record) in records.enumerated()
        where place == 0 || records[place - 1].fingerprint != record.fingerprint {
            let sample = page.samples[record.index]
            incoming.add(sample, fingerprint: record.fingerprint, id: 0, version: 0, evidence: modes[sample.type])
            first.append(record.index)
        }
        let found = try statements.find(incoming)
        for (index, found) in zip(first, found) { lookups[index] = .lookedUp(found) }
        incoming.removeAll()
        statements.upcoming.note(lookups: found, count: page.samples.count)
        return lookups
    }

    /// Brings records into the order of the index of fingerprints, in which neighbours then stand on one of its pages.
    static func sort(_ records: inout [(index: Int, fingerprint: Digest)], _ page: borrowing CapturePage) {
        records.sort {
            let (left, right) = (page.samples[$0.index].type, page.samples[$1.index].type)
            return left == right ? ($0.fingerprint, $0.index) < ($1.fingerprint, $1.index) : left < right
        }
    }
}
