internal import Archive
internal import Bytes
internal import Files
internal import SQLite

/// Puts the records of one side in the order of what they say, so that it is known of late records whether one that is
/// no longer visible says the same, without a search for pairs.
///
///     row         place of the type (4) │ start, end in whole seconds (8, 8) │ payload hash, 0 │ 0 before, 1 after
///     companion   of a late record: sample (8) │ version (8)
struct PayloadFormSorter: ~Copyable {
    /// The part of a record that pairs look at.
    struct Form {
        var start, end: Double
        var payload: [UInt8]
    }

    private var rows: RowSorter
    private var spare = ByteBuffer()
    private var spareCompanion = ByteBuffer()

    /// - Parameter path: the archive's, for errors.
    init(of path: Path) { rows = RowSorter(of: path, memory: 2 << 20, fanIn: 128) }

    /// Adds a record.
    ///
    /// - Parameter late: its ids if it is late.
    mutating func add(_ form: Form, _ place: Int, isBefore: Bool, late: (sample: Int64, version: Int64)?)
        throws(ArchiveError)
    {
        var row = ByteBuffer()
        var companion = ByteBuffer()
        swap(&row, &spare)
        swap(&companion, &spareCompanion)
        row.removeAll()
        row.append(bigEndian: UInt64(place), count: 4)
        for date in [form.start, form.end] {
            row.append(bigEndian: UInt64(bitPattern: Int64(date.rounded(.down))) ^ 1 << 63)
        }
        row.append(copying: form.payload.span)
        for byte in [0, isBefore ? 0 : 1] as [UInt8] { row.append(byte) }
        companion.removeAll()
        if let late {
            for id in [late.sample, late.version] { companion.append(lowBytesOf: UInt64(bitPattern: id)) }
        }
        try rows.add(row.span, companion: companion.span)
        swap(&row, &spare)
        swap(&companion, &spareCompanion)
    }

    /// Returns all rows, in runs that `PayloadForms` reads. The sorter is empty then.
    mutating func finish() throws(ArchiveError) -> [RowRun] { try rows.finish() }
}

/// Matches late records with those that are no longer visible by their payloads, which is the first level at which
/// pairs are found (`Spec/pairs.md`).
///
/// A pair has a record of each side that touches one of the other. So of a type everything is known if no late record
/// without a match touches an earlier one without a match. Late records without a match are in `temp.single_forms`.
struct PayloadForms {
    /// Places of types of which more has to be asked.
    private(set) var undecided: Set<Int>
    /// Places of types with a late record that has none.
    private(set) var withSingle: Set<Int> = []

    /// The group that is being read, and its records before that are not matched.
    private var group: [UInt8] = []
    private var left = 0
    private var hasBefore = false
    /// The place of the type that is being read, and the latest ends so far, in the order of rows, of its records
    /// without a match: of those before, and of late ones.
    private var current = 0
    private var latestLeft: UInt64 = 0
    private var latestSingle: UInt64 = 0

    static let tables = [
        "CREATE TEMP TABLE IF NOT EXISTS single_forms(sample_id, version_id, PRIMARY KEY (sample_id, version_id)) "
            + "WITHOUT ROWID",
        "DELETE FROM temp.single_forms",
    ]

    /// Reads what a scan found.
    ///
    /// - Parameter undecided: places of types with records that the scan could not judge.
    init(_ runs: [RowRun], undecided: Set<Int>, _ connection: borrowing Connection) throws(ArchiveError) {
        self.undecided = undecided
        for sql in Self.tables { try connection.execute(sql) }
        var insert = try connection.prepare("INSERT OR IGNORE INTO temp.single_forms VALUES (?1, ?2)")
        var merge = try RowMerge(runs)
        var row = ByteBuffer()
        var companion = ByteBuffer()
        while try merge.next(into: &row, companion: &companion) {
            let bytes = row.span
            let key = bytes.extracting(0..<bytes.count - 1)
            if !key.isSame(as: group.span) {
                endGroup()
                group = key.array
                if place != current { (current, latestLeft, latestSingle) = (place, 0, 0) }
            }
            if bytes[bytes.count - 1] == 0 {
                (left, hasBefore) = (left + 1, true)
                continue
            }
            guard !hasBefore else {
                left -= 1
                continue
            }
            guard companion.count > 0 else { continue }
            latestSingle = max(latestSingle, date(at: 12))
            if date(at: 4) <= latestLeft { self.undecided.insert(place) }
            var reader = CompactReader(companion.span)
            for place in Int32(1)...2 { insert.bind(place, reader.integer()) }
            try insert.run()
            withSingle.insert(place)
        }
        endGroup()
    }

    /// The place of the type of the group.
    private var place: Int { group.prefix(4).reduce(0) { $0 << 8 | Int($1) } }

    /// Returns a date of the group, as its bytes order it.
    private func date(at offset: Int) -> UInt64 { group[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) } }

    private mutating func endGroup() {
        // Which of them has one depends on their order.
        if left < 0 { undecided.insert(place) }
        if left > 0 {
            latestLeft = max(latestLeft, date(at: 12))
            if date(at: 4) <= latestSingle { undecided.insert(place) }
        }
        (left, hasBefore) = (0, false)
    }
}

/// The records that appeared and were there before in another form (`Spec/changes.md`, Findings). A form is another
/// identity, parts or a whole, another unit, or a record that could not be stored.
struct EarlierForms: ~Copyable {
    private let forms: PayloadForms
    private var paired: Statement
    private var single: Statement
    private var rejected: Statement

    init(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext, _ forms: PayloadForms,
        hasAlike: Bool, _ path: Path
    ) throws(ArchiveError) {
        for sql in ChangeQuery.pairMarks { try connection.execute(sql) }
        _ = try PairSearch.marks(
            connection, query, context, ofTypes: Set(forms.undecided.map { $0 - 1 }), hasAlike: hasAlike, path)
        let paired = try connection.prepare(
            "SELECT EXISTS (SELECT 1 FROM temp.pair_marks WHERE sample_id = ?1 AND version_id = ?2)")
        let single = try connection.prepare(
            "SELECT EXISTS (SELECT 1 FROM temp.single_forms WHERE sample_id = ?1 AND version_id = ?2)")
        let rejected = try connection.prepare(query.wasRejected)
        self.forms = forms
        self.paired = paired
        self.single = single
        self.rejected = rejected
    }

    /// Returns `true` if a record was there before, or may have been.
    ///
    /// - Parameters:
    ///   - place: the place of its type, from 1.
    ///   - type: its id.
    mutating func contains(_ record: FindingSorter.Late, _ place: Int, of type: Int64?) throws(ArchiveError) -> Bool {
        if try hasForm(record, place) { return true }
        rejected.bind(1, optional: type)
        rejected.bind(2, record.version)
        return try rejected.firstInteger() == 1
    }

    private mutating func hasForm(_ record: FindingSorter.Late, _ place: Int) throws(ArchiveError) -> Bool {
        if forms.undecided.contains(place) {
            paired.bind(1, record.sample)
            paired.bind(2, record.version)
            return try paired.firstInteger() == 1
        }
        // No record without a type is in a pair.
        guard place > 0 else { return false }
        guard forms.withSingle.contains(place) else { return true }
        single.bind(1, record.sample)
        single.bind(2, record.version)
        return try single.firstInteger() != 1
    }
}

extension ChangeQuery {
    /// True if a record of type ?1 that the older observation rejected can have been version ?2.
    fileprivate var wasRejected: String {
        guard records.hasCaptureFacts else { return "SELECT 0 WHERE ?1 IS ?1 AND ?2 IS ?2" }
        return """
            SELECT EXISTS (SELECT 1 FROM rejected_records k, sample_versions v WHERE v.id = ?2
                AND k.device_chain_id = (SELECT device_chain_id FROM observations WHERE id = \(records.older))
                AND (k.sample_type_id IS ?1 OR k.sample_type_id IS NULL)
                AND (k.start_date = v.start_date OR k.start_date IS NULL)
                AND k.first_observation_id <= \(records.older) AND k.last_observation_id > \(records.older)
                AND k.last_observation_id <= \(records.newer))
            """
    }
}
