internal import Archive
internal import Derivation
internal import Files
internal import Manifest
internal import SQLite

/// The prepared statements of `SampleRecorder`, each with what it binds.
struct SampleStatements: ~Copyable {
    private var findByFingerprint: Statement
    private var findByUUID: Statement
    private var findIncoming: Statement
    private var insertSampleRow: Statement
    private var findVersion: Statement
    private var insertVersionRow: Statement
    private var insertEvent: Statement
    private var hasEvent: Statement
    private var hasOtherPayload: Statement
    private var insertRange: Statement
    private var updateRange: Statement
    private var closedNow: Statement
    private var firstOfThis: Statement
    private var renameSample: Statement
    private var datePayload: Statement
    private var versionPayload: Statement
    /// Finds what is shown of records with an unread part.
    var unread: UnreadStatement
    /// The likely kind of the records to come.
    var upcoming: UpcomingSamples
    private var insertVersions: Statement
    private var insertEvents: Statement
    private var insertRanges: Statement
    private var lastSampleID: Int64
    private var lastVersionID: Int64
    private let observationID: Int64
    private let observedAt: Double

    static func open(_ connection: borrowing Connection, _ place: ObservationPlace, observedAt: Double)
        throws(ArchiveError) -> SampleStatements
    {
        // Only with several chains must a range's chain be looked up.
        let chains = try connection.integer("SELECT count(*) FROM device_chains") ?? 0
        let sql = SampleQueries(place: place, chainID: chains > 1 ? place.chainID : nil)
        let incoming = IncomingStatements(observationID: place.id)
        return SampleStatements(
            findByFingerprint: try connection.prepare(sql.findByFingerprint),
            findByUUID: try connection.prepare(sql.findByUUID),
            findIncoming: try connection.prepare(sql.findIncoming),
            insertSampleRow: try connection.prepare(sql.insertSample),
            findVersion: try connection.prepare(
                "SELECT id FROM sample_versions WHERE sample_id = ?1 AND payload_hash = ?2"),
            insertVersionRow: try connection.prepare(sql.insertVersion),
            insertEvent: try connection.prepare(sql.insertEvent), hasEvent: try connection.prepare(sql.hasEvent),
            hasOtherPayload: try connection.prepare(sql.hasOtherPayload),
            insertRange: try connection.prepare(sql.insertRange), updateRange: try connection.prepare(sql.updateRange),
            closedNow: try connection.prepare(sql.closedNow), firstOfThis: try connection.prepare(sql.firstOfThis),
            renameSample: try connection.prepare("UPDATE samples SET strict_fingerprint = ?2 WHERE id = ?1"),
            datePayload: try connection.prepare(sql.datePayload),
            versionPayload: try connection.prepare("SELECT payload_hash FROM sample_versions WHERE id = ?1"),
            unread: try UnreadStatement.open(connection, chainID: place.chainID),
            upcoming: try UpcomingSamples.open(connection, sql),
            insertVersions: try connection.prepare(incoming.versions),
            insertEvents: try connection.prepare(incoming.events),
            insertRanges: try connection.prepare(incoming.ranges),
            lastSampleID: try connection.integer("SELECT max(id) FROM samples") ?? 0,
            lastVersionID: try connection.integer("SELECT max(id) FROM sample_versions") ?? 0,
            observationID: place.id, observedAt: observedAt)
    }

    // MARK: Samples and versions

    /// Returns the sample of a type with a strict fingerprint.
    mutating func find(_ type: Int64, fingerprint: Digest, payload: Digest) throws(ArchiveError) -> Found? {
        findByFingerprint.bind(1, type)
        findByFingerprint.bind(2, hex: fingerprint)
        return try Self.found(&findByFingerprint, payload)
    }

    /// Returns the sample of a type with a UUID hash.
    mutating func find(_ type: Int64, uuid: Digest, payload: Digest) throws(ArchiveError) -> Found? {
        findByUUID.bind(1, type)
        findByUUID.bind(2, hex: uuid)
        return try Self.found(&findByUUID, payload)
    }

    private static func found(_ statement: inout Statement, _ payload: Digest) throws(ArchiveError) -> Found? {
        let hasRow: Bool
        do throws(ArchiveError) {
            hasRow = try statement.step()
        } catch {
            statement.reset()
            throw error
        }
        let found = hasRow ? Found(row: statement, payload) : nil
        statement.reset()
        return found
    }

    /// Returns the samples of the incoming rows, by number; `nil` if there is none with the fingerprint.
    mutating func find(_ incoming: IncomingRows) throws(ArchiveError) -> [Found?] {
        var found = [Found?](repeating: nil, count: incoming.count)
        do throws(ArchiveError) {
            while try findIncoming.step() {
                let number = Int(findIncoming.integer(4) ?? 0)
                if found[number] == nil { found[number] = Found(row: findIncoming, incoming.payload(number)) }
            }
        } catch {
            findIncoming.reset()
            throw error
        }
        findIncoming.reset()
        return found
    }

    /// Writes a sample under the next id; nil where there is one with its fingerprint.
    ///
    /// The statement has one row: SQLite keeps a copy of each page that a statement of many rows changes, and new
    /// hashes change as many pages as there are rows.
    mutating func addSample(
        _ sample: CapturePage.Sample, _ fingerprint: Digest, _ type: Int64, of page: borrowing CapturePage
    ) throws(ArchiveError) -> Int64? {
        insertSampleRow.bind(SampleColumn.sampleTypeID, type)
        insertSampleRow.bind(SampleColumn.sampleUUIDHash, hex: sample.uuidHash)
        insertSampleRow.bind(SampleColumn.strictFingerprint, hex: fingerprint)
        insertSampleRow.bind(SampleColumn.semanticFingerprint, hex: sample.semanticFingerprint)
        insertSampleRow.bind(SampleColumn.fuzzyKey, text: page.bytes.span.extracting(sample.fuzzyKey))
        insertSampleRow.bind(SampleColumn.firstSeenAt, observedAt)
        let lastBefore = lastSampleID
        let id = try takeSampleID()
        insertSampleRow.bind(SampleColumn.id, id)
        try insertSampleRow.run()
        if insertSampleRow.changes == 1 { return id }
        lastSampleID = lastBefore
        // What was not written must have been there.
        let isThere = try find(type, fingerprint: fingerprint, payload: sample.payloadHash) != nil
        try insertSampleRow.check(stored: isThere ? 1 : 0, meant: 1)
        return nil
    }

    /// Writes a sample that no lookup finds.
    mutating func insertSample(
        _ sample: CapturePage.Sample, _ fingerprint: Digest, _ type: Int64, of page: borrowing CapturePage
    ) throws(ArchiveError) -> Int64 {
        if let id = try addSample(sample, fingerprint, type, of: page) { return id }
        throw ArchiveError(
            .evidence, "\(insertSampleRow.path.display): samples: an index does not agree with its table")
    }

    /// Inserts a sample of which only its UUID is known.
    mutating func insertUnseen(_ type: Int64, _ uuidHash: Digest, _ fingerprint: Digest) throws(ArchiveError) -> Int64 {
        insertSampleRow.bind(SampleColumn.sampleTypeID, type)
        insertSampleRow.bind(SampleColumn.sampleUUIDHash, hex: uuidHash)
        insertSampleRow.bind(SampleColumn.strictFingerprint, hex: fingerprint)
        insertSampleRow.bindNull(SampleColumn.semanticFingerprint)
        insertSampleRow.bindNull(SampleColumn.fuzzyKey)
        insertSampleRow.bind(SampleColumn.firstSeenAt, observedAt)
        let id = try takeSampleID()
        insertSampleRow.bind(SampleColumn.id, id)
        try insertSampleRow.run(storing: 1)
        return id
    }

    mutating func version(_ payload: Digest, of sample: Int64) throws(ArchiveError) -> Int64? {
        findVersion.bind(1, sample)
        findVersion.bind(2, hex: payload)
        return try findVersion.firstInteger()
    }

    mutating func insertVersion(
        _ sample: CapturePage.Sample, of id: Int64, _ page: borrowing CapturePage, _ rows: RowIDs
    ) throws(ArchiveError) -> Int64 {
        insertVersionRow.bind(VersionColumn.sampleID, id)
        insertVersionRow.bind(VersionColumn.payloadHash, hex: sample.payloadHash)
        insertVersionRow.bind(VersionColumn.startDate, sample.startDate)
        insertVersionRow.bind(VersionColumn.endDate, sample.endDate)
        if sample.valueKind >= 0 {
            insertVersionRow.bind(VersionColumn.valueKind, text: page.texts[sample.valueKind])
        } else {
            insertVersionRow.bindNull(VersionColumn.valueKind)
        }
        insertVersionRow.bind(VersionColumn.numericValue, sample.numericValue)
        if sample.unit >= 0 {
            insertVersionRow.bind(VersionColumn.unit, text: page.texts[sample.unit])
        } else {
            insertVersionRow.bindNull(VersionColumn.unit)
        }
        insertVersionRow.bind(VersionColumn.categoryValue, optional: sample.categoryValue)
        insertVersionRow.bind(VersionColumn.workoutActivityType, optional: sample.workoutActivityType)
        insertVersionRow.bind(VersionColumn.durationSeconds, sample.durationSeconds)
        insertVersionRow.bind(
            VersionColumn.sourceRevisionID, optional: sample.source >= 0 ? rows.revisions[sample.source] : nil)
        insertVersionRow.bind(
            VersionColumn.hkDeviceID, optional: sample.device >= 0 ? rows.devices[sample.device] : nil)
        insertVersionRow.bind(
            VersionColumn.metadataID, optional: sample.metadata >= 0 ? rows.metadata[sample.metadata] : nil)
        let version = try takeVersionID()
        insertVersionRow.bind(VersionColumn.id, version)
        try insertVersionRow.run(storing: 1)
        return version
    }

    // MARK: Ids

    /// Returns the next id of a sample. Ids are given here, so that rows can be written many at a time.
    mutating func takeSampleID() throws(ArchiveError) -> Int64 { try Self.take(&lastSampleID, insertSampleRow.path) }

    /// Returns the next id of a version.
    mutating func takeVersionID() throws(ArchiveError) -> Int64 { try Self.take(&lastVersionID, insertVersionRow.path) }

    private static func take(_ last: inout Int64, _ path: Path) throws(ArchiveError) -> Int64 {
        guard last < .max else {
            throw ArchiveError(
                .evidence,
                "\(path.display): samples or sample_versions has no id left")
        }
        last = max(last, 0) + 1
        return last
    }

    // MARK: Many at once

    /// Writes what the samples of the incoming rows have: versions, events and ranges.
    mutating func insert(_ incoming: IncomingRows) throws(ArchiveError) {
        guard incoming.count > 0 else { return }
        try insertVersions.run(storing: incoming.count)
        insertEvents.bind(1, observedAt)
        try insertEvents.run(storing: incoming.count)
        insertRanges.bind(1, observedAt)
        try insertRanges.run(storing: incoming.count)
    }

    // MARK: Events and ranges

    /// Adds an event; false if the date has one of this kind for the sample.
    mutating func addEvent(_ kind: EventKind, _ sample: Int64, _ version: Int64?, _ evidence: String)
        throws(ArchiveError)
        -> Bool
    {
        insertEvent.bind(1, sample)
        insertEvent.bind(2, optional: version)
        insertEvent.bind(3, text: kind.rawValue.utf8Span.span)
        insertEvent.bind(4, observedAt)
        insertEvent.bind(5, text: evidence.utf8Span.span)
        try insertEvent.run()
        // What was not written must have been there.
        if insertEvent.changes == 0, try !has(kind, sample) { try insertEvent.check(stored: 0, meant: 1) }
        return insertEvent.changes > 0
    }

    /// Returns the evidence by which this date found a sample no longer visible; `nil` if it did not.
    ///
    /// `isEarlier` says that it was an observation that this one goes beyond.
    mutating func disappearance(of sample: Int64) throws(ArchiveError) -> (evidence: String, isEarlier: Bool)? {
        hasEvent.bind(1, sample)
        hasEvent.bind(2, text: EventKind.disappeared.rawValue.utf8Span.span)
        defer { hasEvent.reset() }
        guard try hasEvent.step() else { return nil }
        return (hasEvent.text(1) ?? "", hasEvent.integer(2) != observationID)
    }

    /// Returns `true` if the date has an event of a kind for the sample.
    mutating func has(_ kind: EventKind, _ sample: Int64) throws(ArchiveError) -> Bool {
        hasEvent.bind(1, sample)
        hasEvent.bind(2, text: kind.rawValue.utf8Span.span)
        return try hasEvent.firstInteger() != nil
    }

    /// Returns `true` if events of this date name other payloads of a sample, and not this one.
    mutating func wasSeen(_ sample: Int64, withOtherThan payload: Digest) throws(ArchiveError) -> Bool {
        hasOtherPayload.bind(1, sample)
        hasOtherPayload.bind(2, hex: payload)
        return try hasOtherPayload.firstInteger() != nil
    }

    /// Returns `true` if a sample that is no longer visible was visible before this date.
    mutating func wasVisibleBefore(_ sample: Int64) throws(ArchiveError) -> Bool {
        closedNow.bind(1, sample)
        return try closedNow.firstInteger() != nil
    }

    /// Returns a sample without a UUID that this observation saw first, by its strict fingerprint, and its visible
    /// payload.
    mutating func firstOfThisObservation(_ type: Int64, _ fingerprint: Digest) throws(ArchiveError)
        -> (id: Int64, payload: Digest)?
    {
        firstOfThis.bind(1, type)
        firstOfThis.bind(2, hex: fingerprint)
        defer { firstOfThis.reset() }
        guard try firstOfThis.step(), let id = firstOfThis.integer(0),
            let payload = firstOfThis.withBytes(1, { Digest(hex: $0) })
        else { return nil }
        return (id, payload)
    }

    /// Takes the strict fingerprint of a sample away until `rename` gives it another one, in the same transaction.
    mutating func setAside(_ sample: Int64) throws(ArchiveError) {
        renameSample.bind(1, sample)
        renameSample.bind(2, text: Array("aside".utf8))
        try renameSample.run(storing: 1)
    }

    /// Gives a sample that was set aside its strict fingerprint.
    mutating func rename(_ sample: Int64, _ fingerprint: Digest) throws(ArchiveError) {
        renameSample.bind(1, sample)
        renameSample.bind(2, hex: fingerprint)
        try renameSample.run(storing: 1)
    }

    /// Returns the payload hash of a sample that an event of this date names; the least of several.
    mutating func payloadOfThisDate(_ sample: Int64) throws(ArchiveError) -> [UInt8]? {
        datePayload.bind(1, sample)
        return try Self.payload(&datePayload)
    }

    /// Returns the payload hash of a version.
    mutating func payload(ofVersion version: Int64) throws(ArchiveError) -> [UInt8]? {
        versionPayload.bind(1, version)
        return try Self.payload(&versionPayload)
    }

    private static func payload(_ statement: inout Statement) throws(ArchiveError) -> [UInt8]? {
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.bytes(0)
    }

    /// Changes the ranges of a sample as an event does.
    ///
    /// - Parameters:
    ///   - range: the open range of the sample; 0 if it has none.
    ///   - version: the version that the event names.
    mutating func follow(_ kind: EventKind, _ sample: Int64, range: Int64, _ version: Int64?) throws(ArchiveError) {
        let effect = kind.effect(isOpen: range != 0)
        if effect.closes { try closeRange(range, of: sample) }
        if effect.opens, let version { try openRange(sample, version) }
    }

    private mutating func openRange(_ sample: Int64, _ version: Int64) throws(ArchiveError) {
        insertRange.bind(1, sample)
        insertRange.bind(2, version)
        insertRange.bindNull(3)
        insertRange.bind(4, observedAt)
        insertRange.bindNull(5)
        try insertRange.run(storing: 1)
    }

    /// Adds a range that began and ended in this observation: never visible.
    mutating func addClosedRange(_ sample: Int64, _ version: Int64) throws(ArchiveError) {
        insertRange.bind(1, sample)
        insertRange.bind(2, version)
        insertRange.bind(3, observationID)
        insertRange.bind(4, observedAt)
        insertRange.bind(5, observedAt)
        try insertRange.run(storing: 1)
    }

    private mutating func closeRange(_ range: Int64, of sample: Int64) throws(ArchiveError) {
        upcoming.change(sample)
        updateRange.bind(1, range)
        try updateRange.run(storing: 1)
    }
}

/// The SQL that writes what new samples have; ?1 is the moment of the observation.
struct IncomingStatements {
    /// `observations.id`.
    let observationID: Int64

    /// The versions.
    var versions: String {
        """
        INSERT INTO sample_versions(id, sample_id, payload_hash, start_date, end_date, value_kind, numeric_value, \
        unit, category_value, workout_activity_type, duration_seconds, \
        source_revision_id, hk_device_id, metadata_id, created_observation_id) \
        SELECT version, id, payload, start, "end", kind, value, unit, category, activity, duration, source, device, \
        metadata, \(observationID) FROM temp.hp_incoming
        """
    }

    /// That they appeared.
    var events: String {
        """
        INSERT INTO sample_observation_events(observation_id, sample_id, version_id, event_kind, observed_at, \
        evidence_kind) \
        SELECT \(observationID), id, version, 'appeared', ?1, evidence FROM temp.hp_incoming
        """
    }

    /// That they are visible from now on.
    var ranges: String {
        """
        INSERT INTO sample_visibility_ranges(sample_id, version_id, first_observation_id, last_observation_id, \
        first_seen_at, last_seen_at) \
        SELECT id, version, \(observationID), NULL, ?1, NULL FROM temp.hp_incoming
        """
    }
}

extension SampleStatements {
    /// A sample that is in the archive.
    struct Found {
        let id: Int64
        /// Row id of its open range on the chain; 0 where it is not visible.
        let range: Int64
        /// The visible version.
        let version: Int64?
        /// `true` if the visible version has the payload that was asked for.
        let isSamePayload: Bool

        var isVisible: Bool { range != 0 }

        init(id: Int64, range: Int64, version: Int64?, isSamePayload: Bool) {
            (self.id, self.range, self.version, self.isSamePayload) = (id, range, version, isSamePayload)
        }

        init(row: borrowing Statement, _ payload: Digest) {
            id = row.integer(0) ?? 0
            range = row.integer(1) ?? 0
            version = row.integer(2)
            isSamePayload = row.isHex(3, of: payload)
        }
    }

    /// The bound values of a new row of `samples`.
    enum SampleColumn: Int32, SQLiteColumn {
        case sampleTypeID = 1, sampleUUIDHash, strictFingerprint, semanticFingerprint
        case fuzzyKey, firstSeenAt, id
    }

    /// The bound values of a new row of `sample_versions`.
    enum VersionColumn: Int32, SQLiteColumn {
        case sampleID = 1, payloadHash, startDate, endDate, valueKind, numericValue
        case unit, categoryValue, workoutActivityType, durationSeconds, sourceRevisionID
        case hkDeviceID, metadataID, id
    }
}

/// Visible samples that the records to come are likely to be: those that come next in the archive.
///
/// A capture mostly gives again what the ones before gave, in their order, and the archive has it in that order. To
/// read rows in a row costs a fraction of looking each up. What is found here is what a lookup by the strict
/// fingerprint would find; what is not found has to be looked up.
///
///     ranges by row id:   … ─► [ current ][ following ] ─► …
///                              both are searched; the next rows are read when most of `following` came
struct UpcomingSamples: ~Copyable {
    private struct Entry {
        let payload: Digest
        let type, id, range, version: Int64
    }

    /// Rows that were read at once, by strict fingerprint.
    private struct Block {
        var entries: [Digest: Entry] = [:]
        /// The number of them that came.
        var hits = 0
        /// The number of rows with which it was read.
        var rowCount = 0
    }

    private var rows: Statement
    private let lastRange: Int64
    private var current = Block()
    private var following = Block()
    /// The row id of the last range that was read.
    private var place: Int64 = 0
    /// Samples that are no longer as they were read.
    private var changed: Set<Int64> = []
    private var hitsInPage = 0
    /// Pages until another place is looked for, and until then after the next one that leads nowhere.
    private var pause = 0, nextPause = 1

    static func open(_ connection: borrowing Connection, _ queries: SampleQueries) throws(ArchiveError)
        -> UpcomingSamples
    {
        UpcomingSamples(
            rows: try connection.prepare(queries.upcoming),
            lastRange: try connection.integer("SELECT max(rowid) FROM sample_visibility_ranges") ?? 0)
    }

    private init(rows: consuming Statement, lastRange: Int64) {
        self.rows = rows
        self.lastRange = lastRange
    }

    /// Prepares for the records of a page.
    mutating func begin(count: Int) throws(ArchiveError) {
        hitsInPage = 0
        if changed.count > 4096 {
            changed.removeAll()
            (current, following) = (Block(), Block())
        }
        // Records of a page were put in another order when they were new: a page may need those of two.
        if current.rowCount == 0 { try Self.read(count * 2, into: &current, &rows, &place, upTo: lastRange) }
        guard following.hits * 2 >= following.rowCount, place < lastRange else { return }
        if following.rowCount > 0 { swap(&current, &following) }
        try Self.read(count * 2, into: &following, &rows, &place, upTo: lastRange)
    }

    private static func read(
        _ count: Int, into block: inout Block, _ rows: inout Statement, _ place: inout Int64, upTo last: Int64
    ) throws(ArchiveError) {
        block.entries.removeAll(keepingCapacity: true)
        (block.hits, block.rowCount) = (0, 0)
        guard place < last else { return }
        rows.bind(1, place)
        rows.bind(2, last)
        rows.bind(3, Int64(count))
        do throws(ArchiveError) {
            while try rows.step() {
                place = rows.integer(0) ?? last
                block.rowCount += 1
                let fingerprint = rows.withBytes(4) { Digest(hex: $0) }
                let payload = rows.withBytes(5) { Digest(hex: $0) }
                // What another program wrote is for a lookup.
                guard let fingerprint, let payload, let id = rows.exactInteger(1), let version = rows.exactInteger(2),
                    let type = rows.exactInteger(3)
                else { continue }
                block.entries[fingerprint] = Entry(payload: payload, type: type, id: id, range: place, version: version)
            }
        } catch {
            rows.reset()
            throw error
        }
        rows.reset()
        if block.rowCount < count { place = last }
    }

    /// Returns the sample with a record's fingerprint, if its visible payload is the record's.
    mutating func find(_ sample: CapturePage.Sample, _ type: Int64) -> SampleStatements.Found? {
        let isInCurrent: Bool
        let entry: Entry
        if let found = current.entries[sample.fingerprint] {
            (entry, isInCurrent) = (found, true)
        } else if let found = following.entries[sample.fingerprint] {
            (entry, isInCurrent) = (found, false)
        } else {
            return nil
        }
        guard entry.type == type, entry.payload == sample.payloadHash, changed.isEmpty || !changed.contains(entry.id)
        else { return nil }
        if isInCurrent { current.hits += 1 } else { following.hits += 1 }
        hitsInPage += 1
        return SampleStatements.Found(id: entry.id, range: entry.range, version: entry.version, isSamePayload: true)
    }

    /// Notes what was found by lookups: where that was much, the records to come are likely to be behind it.
    mutating func note(lookups: [SampleStatements.Found?], count: Int) {
        guard hitsInPage * 2 < count else { return nextPause = 1 }
        guard pause == 0 else { return pause -= 1 }
        var (last, known) = (0 as Int64, 0)
        for case let found? in lookups where found.isVisible && found.range <= lastRange {
            (last, known) = (max(last, found.range), known + 1)
        }
        guard known * 2 > count else { return }
        (pause, nextPause) = (nextPause, min(nextPause * 2, 64))
        (current, following) = (Block(), Block())
        place = max(0, last - Int64(2 * count))
    }

    /// Notes that a sample is not as it was read.
    mutating func change(_ sample: Int64) { changed.insert(sample) }
}
