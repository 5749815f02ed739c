internal import Archive
internal import Manifest
internal import SQLite

/// Records without a UUID whose samples are decided when the run of their type ends, and what belongs to another
/// record, which is decided when the observation ends (`Spec/capture.md`, "Which sample a record is").
///
///     temp.waiting          records, and members of others, with all that is written of them
///     temp.waiting_links    links of these: a number below 0 is that of a record
///     temp.alike_samples    of each record's group, the samples that were not seen
///     temp.settled          the sample of each record
///
/// All of it is in temporary tables, so memory does not grow, and a transaction that is undone takes it back.
struct WaitingRecords: ~Copyable {
    /// The number of records that wait to be settled.
    private(set) var count = 0
    /// The number of members that wait for the end of the observation.
    private(set) var memberCount = 0
    /// `true` if links wait.
    private(set) var hasLinks = false
    private var insert: Statement
    private var insertLink: Statement
    private var insertKnown: Statement
    private var note: Statement
    private var lookup: Statement

    /// The columns of `temp.waiting`. A member has a parent.
    private enum Column: Int32, SQLiteColumn {
        case typeID = 1, fingerprint, payload, semantic, fuzzyKey, startDate, endDate, valueKind, numericValue, unit
        case categoryValue, workoutActivityType, durationSeconds, revisionID, deviceID, metadataID, isFullScan
        case parent, linkKind
    }

    /// A record as it was kept, with the tables that it needs of a page.
    struct Record {
        let id: Int64
        let type: Int64
        let sample: CapturePage.Sample
        let page: CapturePage
        let rows: RowIDs
        let evidence: RunFacts.Mode
        /// Of a member: the sample that it belongs to, or minus the number of its record; and the kind of the link.
        let parent: Int64?
        let linkKind: [UInt8]
    }

    static func open(_ connection: borrowing Connection) throws(ArchiveError) -> WaitingRecords {
        try connection.execute(
            """
            DROP TABLE IF EXISTS temp.waiting; DROP TABLE IF EXISTS temp.waiting_links;
            DROP TABLE IF EXISTS temp.alike_samples; DROP TABLE IF EXISTS temp.settled;
            CREATE TEMP TABLE waiting(id INTEGER PRIMARY KEY, \(Column.names));
            CREATE TEMP TABLE waiting_links(id INTEGER PRIMARY KEY, source, target, kind);
            CREATE TEMP TABLE alike_samples(id INTEGER PRIMARY KEY, type_id, fingerprint, place, sample_id, range_id,
                version_id, payload, standing);
            CREATE TEMP TABLE settled(id INTEGER PRIMARY KEY, sample_id);
            """)
        return WaitingRecords(
            insert: try connection.prepare(
                "INSERT INTO temp.waiting(\(Column.names)) VALUES (\(Column.parameters)) RETURNING id"),
            insertLink: try connection.prepare(
                "INSERT INTO temp.waiting_links(source, target, kind) VALUES (?1, ?2, ?3)"),
            insertKnown: try connection.prepare(
                "INSERT INTO temp.alike_samples(type_id, fingerprint, place, sample_id, range_id, version_id, payload, "
                    + "standing) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"),
            note: try connection.prepare("INSERT INTO temp.settled VALUES (?1, ?2)"),
            lookup: try connection.prepare("SELECT sample_id FROM temp.settled WHERE id = ?1"))
    }

    private init(
        insert: consuming Statement, insertLink: consuming Statement, insertKnown: consuming Statement,
        note: consuming Statement, lookup: consuming Statement
    ) {
        self.insert = insert
        self.insertLink = insertLink
        self.insertKnown = insertKnown
        self.note = note
        self.lookup = lookup
    }

    // MARK: What waits

    /// Keeps a record; returns minus its number, which stands for its sample in links.
    mutating func add(
        _ sample: CapturePage.Sample, of page: borrowing CapturePage, _ rows: RowIDs, _ evidence: RunFacts.Mode
    ) throws(ArchiveError) -> Int64 {
        let id = try keep(sample, of: page, rows, evidence, parent: nil, kind: nil)
        count += 1
        return -id
    }

    /// Keeps a member of another record until the observation ends.
    mutating func add(
        member sample: CapturePage.Sample, of page: borrowing CapturePage, _ rows: RowIDs, _ evidence: RunFacts.Mode,
        parent: Int64, kind: [UInt8]
    ) throws(ArchiveError) {
        _ = try keep(sample, of: page, rows, evidence, parent: parent, kind: kind)
        memberCount += 1
    }

    /// Keeps a link with a record that waits.
    mutating func add(link source: Int64, _ target: Int64, _ kind: [UInt8]) throws(ArchiveError) {
        insertLink.bind(1, source)
        insertLink.bind(2, target)
        insertLink.bind(3, text: kind)
        try insertLink.run()
        hasLinks = true
    }

    private mutating func keep(
        _ sample: CapturePage.Sample, of page: borrowing CapturePage, _ rows: RowIDs, _ evidence: RunFacts.Mode,
        parent: Int64?, kind: [UInt8]?
    ) throws(ArchiveError) -> Int64 {
        insert.bind(Column.typeID, rows.types[sample.type])
        insert.bind(Column.fingerprint, hex: sample.fingerprint)
        insert.bind(Column.payload, hex: sample.payloadHash)
        insert.bind(Column.semantic, hex: sample.semanticFingerprint)
        insert.bind(Column.fuzzyKey, text: page.bytes.span.extracting(sample.fuzzyKey))
        insert.bind(Column.startDate, sample.startDate)
        insert.bind(Column.endDate, sample.endDate)
        insert.bind(Column.valueKind, text: sample.valueKind >= 0 ? page.texts[sample.valueKind] : nil)
        insert.bind(Column.numericValue, sample.numericValue)
        insert.bind(Column.unit, text: sample.unit >= 0 ? page.texts[sample.unit] : nil)
        insert.bind(Column.categoryValue, optional: sample.categoryValue)
        insert.bind(Column.workoutActivityType, optional: sample.workoutActivityType)
        insert.bind(Column.durationSeconds, sample.durationSeconds)
        insert.bind(Column.revisionID, optional: sample.source >= 0 ? rows.revisions[sample.source] : nil)
        insert.bind(Column.deviceID, optional: sample.device >= 0 ? rows.devices[sample.device] : nil)
        insert.bind(Column.metadataID, optional: sample.metadata >= 0 ? rows.metadata[sample.metadata] : nil)
        insert.bind(Column.isFullScan, evidence == .fullScan ? 1 as Int64 : 0)
        insert.bind(Column.parent, optional: parent)
        insert.bind(Column.linkKind, text: kind)
        return try insert.insertedID()
    }

    // MARK: Settling

    private static let ofTypes = "(?1 IS NULL OR type_id = ?1) AND parent IS NULL"

    /// Returns the groups of records that are alike and wait, each once: type, fingerprint of ordinal 0.
    ///
    /// - Parameter type: `nil` for all.
    func groups(of type: Int64?, _ connection: borrowing Connection) throws(ArchiveError) -> Statement {
        var rows = try connection.prepare(
            "SELECT DISTINCT type_id, fingerprint FROM temp.waiting WHERE \(Self.ofTypes) ORDER BY 1, 2")
        rows.bind(1, optional: type)
        return rows
    }

    /// Notes a sample of a group that no record was taken for.
    ///
    /// - Parameters:
    ///   - place: its ordinal.
    ///   - payload: what it has to be equal to; `nil` for any.
    ///   - isReserved: whether only a record of that payload may be it.
    mutating func note(
        _ found: SampleStatements.Found, of type: Int64, _ fingerprint: Digest, place: Int, payload: [UInt8]?,
        isReserved: Bool
    ) throws(ArchiveError) {
        insertKnown.bind(1, type)
        insertKnown.bind(2, hex: fingerprint)
        insertKnown.bind(3, Int64(place))
        insertKnown.bind(4, found.id)
        insertKnown.bind(5, found.range)
        insertKnown.bind(6, optional: found.version)
        insertKnown.bind(7, text: payload)
        insertKnown.bind(8, isReserved ? 2 as Int64 : found.isVisible ? 0 : 1)
        try insertKnown.run()
    }

    /// Matches the records of a type with the samples that were noted: equal payloads first; then, in the order of
    /// payload hashes, those that are visible in the order of ordinals, then those that are not.
    func match(_ type: Int64?, _ connection: borrowing Connection) throws(ArchiveError) {
        func statement(_ key: String, records: String, samples: String) -> String {
            """
            INSERT INTO temp.matched SELECT w.id, k.id FROM
                (SELECT id, \(key), row_number() OVER (PARTITION BY \(key) ORDER BY \(records)) AS number
                FROM temp.waiting WHERE \(Self.ofTypes) AND id NOT IN (SELECT id FROM temp.matched)) w
                JOIN (SELECT id, \(key), row_number() OVER (PARTITION BY \(key) ORDER BY \(samples)) AS number
                FROM temp.alike_samples WHERE id NOT IN (SELECT sample FROM temp.matched)
            """
        }
        try connection.execute(
            """
            DROP TABLE IF EXISTS temp.matched;
            CREATE TEMP TABLE matched(id INTEGER PRIMARY KEY, sample INTEGER UNIQUE)
            """
        )
        let steps = [
            statement("type_id, fingerprint, payload", records: "id", samples: "place")
                + ") k USING (type_id, fingerprint, payload, number)",
            statement("type_id, fingerprint", records: "payload, id", samples: "standing, place")
                + " AND standing < 2) k USING (type_id, fingerprint, number)",
        ]
        for sql in steps {
            var step = try connection.prepare(sql)
            step.bind(1, optional: type)
            try step.run()
        }
    }

    /// Returns the records of a type in the order of their groups and payloads, each with the sample that it was
    /// matched with.
    func matches(of type: Int64?, _ connection: borrowing Connection) throws(ArchiveError) -> Matches {
        var rows = try connection.prepare(
            """
            SELECT w.id, \(Column.allCases.map { "w.\($0.name)" }.joined(separator: ", ")), k.sample_id, k.range_id,
                k.version_id, k.range_id <> 0 AND k.payload = w.payload
                FROM temp.waiting w LEFT JOIN temp.matched m ON m.id = w.id
                LEFT JOIN temp.alike_samples k ON k.id = m.sample \
            WHERE (?1 IS NULL OR w.type_id = ?1) AND w.parent IS NULL ORDER BY w.type_id, w.fingerprint, w.payload, w.id
            """)
        rows.bind(1, optional: type)
        return Matches(rows: rows)
    }

    /// Forgets the records of a type, which are settled.
    mutating func forget(_ type: Int64?, _ connection: borrowing Connection) throws(ArchiveError) {
        var removal = try connection.prepare("DELETE FROM temp.waiting WHERE \(Self.ofTypes)")
        removal.bind(1, optional: type)
        try removal.run()
        count -= removal.changes
        try connection.execute("DELETE FROM temp.alike_samples; DROP TABLE temp.matched")
    }

    /// Notes the sample of a record, for the links of it.
    mutating func settle(_ record: Int64, as sample: Int64) throws(ArchiveError) {
        note.bind(1, record)
        note.bind(2, sample)
        try note.run()
    }

    /// Returns the sample that a number stands for: of a record that waited, what it was settled as.
    mutating func sample(_ number: Int64) throws(ArchiveError) -> Int64 {
        guard number < 0 else { return number }
        lookup.bind(1, -number)
        guard let sample = try lookup.firstInteger() else {
            preconditionFailure("links are resolved when all records are settled")
        }
        return sample
    }

    // MARK: Members and links

    /// Returns the members in their order.
    func members(_ connection: borrowing Connection) throws(ArchiveError) -> Matches {
        Matches(
            rows: try connection.prepare(
                "SELECT id, \(Column.names), NULL, NULL, NULL, 0 FROM temp.waiting WHERE parent IS NOT NULL ORDER BY id"
            ))
    }

    /// Returns the links in their order: source, target, kind.
    func links(_ connection: borrowing Connection) throws(ArchiveError) -> Statement {
        try connection.prepare("SELECT source, target, kind FROM temp.waiting_links ORDER BY id")
    }

    /// Forgets members and links, which are written.
    mutating func forgetLinks(_ connection: borrowing Connection) throws(ArchiveError) {
        try connection.execute(
            "DELETE FROM temp.waiting; DELETE FROM temp.waiting_links; DELETE FROM temp.settled")
        (count, memberCount, hasLinks) = (0, 0, false)
    }

    /// Streams records.
    struct Matches: ~Copyable {
        fileprivate var rows: Statement

        /// Returns the next record, and the sample that it was matched with.
        mutating func next() throws(ArchiveError) -> (record: Record, found: SampleStatements.Found?)? {
            guard try rows.step() else { return nil }
            let first = Int32(Column.allCases.count) + 1
            let found = rows.exactInteger(first).map {
                SampleStatements.Found(
                    id: $0, range: rows.integer(first + 1) ?? 0, version: rows.integer(first + 2),
                    isSamePayload: rows.integer(first + 3) == 1)
            }
            return (try record(), found)
        }

        private func record() throws(ArchiveError) -> Record {
            func digest(_ column: Column) -> Digest? { rows.withBytes(column.rawValue) { Digest(hex: $0) } }
            func number(_ column: Column) -> Int64? { rows.exactInteger(column.rawValue) }
            guard let fingerprint = digest(.fingerprint), let payload = digest(.payload), let type = number(.typeID)
            else { preconditionFailure("a record keeps digests") }
            var page = CapturePage()
            page.bytes = rows.bytes(Column.fuzzyKey.rawValue)
            var sample = CapturePage.Sample(
                fingerprint: fingerprint, semanticFingerprint: digest(.semantic), payloadHash: payload,
                fuzzyKey: 0..<page.bytes.count, startDate: rows.real(Column.startDate.rawValue) ?? 0,
                endDate: rows.real(Column.endDate.rawValue) ?? 0)
            sample.type = 0
            for (column, path) in [(Column.valueKind, \CapturePage.Sample.valueKind), (.unit, \.unit)]
            where !rows.isNull(column.rawValue) {
                sample[keyPath: path] = page.texts.count
                page.texts.append(rows.bytes(column.rawValue))
            }
            sample.numericValue = rows.real(Column.numericValue.rawValue)
            sample.categoryValue = number(.categoryValue)
            sample.workoutActivityType = number(.workoutActivityType)
            sample.durationSeconds = rows.real(Column.durationSeconds.rawValue)
            let (revision, device, metadata) = (number(.revisionID), number(.deviceID), number(.metadataID))
            if revision != nil { sample.source = 0 }
            if device != nil { sample.device = 0 }
            if metadata != nil { sample.metadata = 0 }
            return Record(
                id: rows.integer(0) ?? 0, type: type, sample: sample, page: page,
                rows: RowIDs(
                    types: [type], revisions: revision.map { [$0] } ?? [], devices: device.map { [$0] } ?? [],
                    metadata: metadata.map { [$0] } ?? []),
                evidence: number(.isFullScan) == 1 ? .fullScan : .anchored, parent: number(.parent),
                linkKind: rows.bytes(Column.linkKind.rawValue))
        }
    }
}
