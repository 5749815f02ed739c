internal import Bytes
internal import Files
internal import Manifest
internal import Measures
internal import Preimages
internal import SQLite
internal import Archive

/// Goes once through what is visible at either observation: counts it by type, and gathers what findings rest on, in
/// the order of types and findings.
///
/// - Complexity: one pass over the ranges, and a sort of what is gathered; memory does not grow with them.
struct FindingScan: SlicedScan, ~Copyable {
    /// The visible records of a type.
    struct Counts {
        var before = 0
        var after = 0
        var disappeared = 0
    }

    struct Found {
        var runs: [RowRun]
        /// By the place of the type, from 1; of types without an identifier first.
        var counts: [Counts]
        /// The same places.
        var sources: [SourceTally]
        /// `true` if a record is late, unless it was there in another form.
        var hasLate = false
        /// The values that records that are alike have in common (`AlikeNotes`).
        var notes: [RowRun] = []
        /// The contents of one side's records (`PayloadForms`), and places of types with some that pairs may leave out.
        var forms: [RowRun] = []
        var undecided: Set<Int> = []
    }

    /// The rows to read, and the way to read them.
    enum Reading {
        case all
        /// Of samples that are alike what they say of themselves, or what they come to: late records, and how many
        /// disappeared.
        case alike, matched
    }

    /// The limits that decide which records are late, and which belong to the days of a divergence.
    struct Limits {
        let days: DivergenceDays?
        let lateArrivalSeconds: Double
        /// The newest moment that a late record's dates lie before, by the place of the type; nil where none is late.
        let lateBefore: [Double?]
        /// The older observation.
        let older: Int64
        /// The rules of fingerprints that the archive states.
        let identityRules: IdentityRules?
    }

    private let context: ExportContext
    private let measures: [Measure]
    private let limits: Limits
    private var readers: [VersionReader]
    private var rows: Statement
    private var sorter: FindingSorter
    private var semantics = SemanticPreimage()
    private var counts: [Counts]
    private var sources: [SourceTally]
    var found = Result<Found, ArchiveError>.success(Found(runs: [], counts: [], sources: []))

    /// The sample that is being read.
    private var sample = StoredID.absent
    private var place = 0
    private var version: (id: StoredID, isBefore: Bool, isAfter: Bool)?
    /// Its selected versions, and those that are late if none was visible before.
    private var (selectedBefore, hasBefore, hasAfter) = (0, false, false)
    private var late: [FindingSorter.Late] = []
    private let reading: Reading
    private var notes: AlikeNotes
    private var hasLate = false
    private var forms: PayloadFormSorter
    private var undecided: Set<Int> = []
    /// The version of the sample if it has one alone, and what it says if pairs look at it.
    private var form: (count: Int, form: PayloadFormSorter.Form?) = (0, nil)
    /// The source revisions that pairs know.
    private let revisions: Set<Int64>
    /// The relation of the row to samples that are alike, once they are matched.
    private var standing: AlikeRecords.Standing?

    /// Columns behind those of `visibleOnEitherSide`.
    private enum Column: Int32 {
        case canBeAlike = 16, payload, fingerprint, firstSeenAt, uuidHash, strictFingerprint, isKnown, version, sample,
            valueKind, hasKnownKind, standing
    }

    init(
        _ connection: borrowing Connection, _ query: ChangeQuery, _ context: ExportContext, _ limits: Limits,
        _ path: Path, isSliced: Bool, _ reading: Reading = .all
    ) throws(ArchiveError) {
        let (sql, parameters) = query.visibleWithFindings(isSliced: isSliced, ofAlike: reading != .all)
        let revisions = try Self.revisions(connection)
        var rows = try connection.prepare(sql)
        try rows.bind(parameters)
        self.rows = rows
        self.revisions = revisions
        self.limits = limits
        self.reading = reading
        notes = AlikeNotes(of: path)
        forms = PayloadFormSorter(of: path)
        self.context = context
        measures = context.measuresByPlace
        readers = measures.map { VersionReader($0) }
        counts = [Counts](repeating: Counts(), count: measures.count)
        sources = [SourceTally](repeating: SourceTally(), count: measures.count)
        sorter = FindingSorter(of: path)
    }

    mutating func take(_ slices: RowSlices) -> Bool { rows.take(slices) }

    mutating func finish() throws(ArchiveError) -> Found {
        Found(
            runs: try sorter.finish(), counts: counts, sources: sources, hasLate: hasLate, notes: try notes.finish(),
            forms: try forms.finish(), undecided: undecided)
    }

    mutating func readRows() throws(ArchiveError) {
        while try rows.step() {
            let sample = StoredID(rows, 3)
            if version == nil || sample != self.sample {
                try endSample()
                self.sample = sample
                place = (context.typeIndex(rows.exactInteger(0)) ?? -1) + 1
            }
            let id = StoredID(rows, 4)
            let isSame = version?.id == id
            if !isSame { form = (form.count + 1, nil) }
            let (isBefore, isAfter) = (rows.integer(1) == 1, rows.integer(2) == 1)
            // Ranges of one version follow each other.
            let isNewBefore = isBefore && !(isSame && version!.isBefore)
            let isNewAfter = isAfter && !(isSame && version!.isAfter)
            version = (
                id, isBefore || isSame && version!.isBefore, isAfter || isSame && version!.isAfter
            )
            (hasBefore, hasAfter) = (hasBefore || isBefore, hasAfter || isAfter)
            if reading == .matched {
                standing = rows.exactInteger(Column.standing.rawValue).flatMap { AlikeRecords.Standing(rawValue: $0) }
            }
            if reading == .all, isBefore != isAfter, rows.integer(Column.canBeAlike.rawValue) == 1 {
                try notes.add(rows, at: 5, type: 0, sample: 3, version: 4, isBefore: isBefore)
            }
            guard rows.integer(14) == 1, isNewBefore || isNewAfter else { continue }
            let (source, start) = (rows.exactInteger(9), rows.date(5))
            if reading == .all, isBefore != isAfter, limits.lateBefore[place] != nil { form.form = pairable() }
            if isNewBefore {
                counts[place].before += 1
                sources[place].addBefore(source, start)
                if standing == nil { selectedBefore += 1 }
                if standing == .disappeared { counts[place].disappeared += 1 }
            }
            if isNewAfter {
                counts[place].after += 1
                sources[place].addAfter(source, start)
                try addVisible()
            }
        }
        try endSample()
    }

    private mutating func endSample() throws(ArchiveError) {
        if hasBefore, !hasAfter { counts[place].disappeared += selectedBefore }
        if reading == .all, version != nil, hasBefore != hasAfter, limits.lateBefore[place] != nil { try addForm() }
        if !hasBefore {
            for record in late { try sorter.add(record, place) }
            hasLate = hasLate || !late.isEmpty
        }
        version = nil
        form = (0, nil)
        (selectedBefore, hasBefore, hasAfter) = (0, false, false)
        if !late.isEmpty { late.removeAll(keepingCapacity: true) }
    }

    /// Adds what the sample says, which has been visible at one of the observations alone.
    private mutating func addForm() throws(ArchiveError) {
        guard place > 0 else { return }
        guard form.count == 1, late.count < 2, let said = form.form else {
            // Pairs leave out samples with several versions, and records with a defect.
            if !late.isEmpty || form.count == 1 { undecided.insert(place) }
            return
        }
        let ids = late.first.map { (sample: $0.sample, version: $0.version) }
        try forms.add(said, place, isBefore: hasBefore, late: ids)
    }

    /// Returns the content of the row; `nil` if pairs may leave it out.
    private func pairable() -> PayloadFormSorter.Form? {
        func isText(_ column: Int32) -> Bool { rows.value(column).isCarryableText }
        func isNumber(_ column: Int32) -> Bool {
            rows.isNull(column) || rows.number(column) != nil && rows.exactInteger(column)?.magnitude ?? 0 < 1 << 53
        }
        func isInteger(_ column: Int32) -> Bool {
            rows.isNull(column) || rows.exactInteger(column).map { $0.magnitude < 1 << 53 } ?? false
        }
        guard let start = rows.date(5), let end = rows.date(6), end >= start, isNumber(7), isNumber(12),
            rows.isNull(8) || isText(8), rows.isNull(9) || rows.exactInteger(9).map(revisions.contains) ?? false,
            isInteger(10), isInteger(11), rows.integer(Column.hasKnownKind.rawValue) == 1,
            rows.isNull(Column.uuidHash.rawValue) || isText(Column.uuidHash.rawValue),
            isText(Column.strictFingerprint.rawValue), rows.exactInteger(Column.sample.rawValue) != nil,
            let payload = rows.carryableText(Column.payload.rawValue)
        else { return nil }
        return PayloadFormSorter.Form(start: start, end: end, payload: payload)
    }

    private static func revisions(_ connection: borrowing Connection) throws(ArchiveError) -> Set<Int64> {
        var rows = try connection.prepare(
            """
            SELECT c.id, o.bundle_identifier, c.product_type, o.source_name_hash
            FROM source_revisions c JOIN sources o ON o.id = c.source_id
            """)
        var known: Set<Int64> = []
        while try rows.step() {
            let areTexts = (Int32(1)...3).allSatisfy { rows.isNull($0) || rows.carryableText($0) != nil }
            if areTexts, let id = rows.exactInteger(0) { known.insert(id) }
        }
        return known
    }

    /// Adds a record that is visible at the observation.
    private mutating func addVisible() throws(ArchiveError) {
        guard let version = rows.exactInteger(Column.version.rawValue) else { return }
        let (start, end) = (rows.date(5), rows.date(6))
        if reading == .all { try addValues(version, start: start, end: end) }
        try addLate(version, start: start, end: end)
    }

    /// Adds the values that a record has in common with others.
    private mutating func addValues(_ version: Int64, start: Double?, end: Double?) throws(ArchiveError) {
        if let days = limits.days, let start, start >= days.baselineStart, start < days.currentEnd,
            measures[place].kind == .cumulative || measures[place].kind == .discrete, rows.number(7) != nil
        {
            try sorter.add(readers[place].version(rows, at: 5), start: start, place)
        }
        if rows.storageClass(Column.payload.rawValue) == .text {
            let payload = rows.bytes(Column.payload.rawValue)
            try sorter.add(
                .init(payload: payload, sample: sample, version: version, start: start, end: end), place)
            if hasSemanticValue, let fingerprint = semanticFingerprint(start: start, end: end) {
                try sorter.add(fingerprint: fingerprint, payload: payload, place)
            }
        }
    }

    private mutating func addLate(_ version: Int64, start: Double?, end: Double?) throws(ArchiveError) {
        if let limit = limits.lateBefore[place], let start, let end, let seen = rows.date(Column.firstSeenAt.rawValue),
            seen - start > limits.lateArrivalSeconds, limit - max(start, end) > limits.lateArrivalSeconds,
            let observation = rows.exactInteger(15), observation > limits.older, observation.magnitude < 1 << 53,
            rows.integer(Column.isKnown.rawValue) == 1, let sample = rows.exactInteger(Column.sample.rawValue)
        {
            let found = ChangeFinding.LateArrival(
                delaySeconds: seen - start, start: start, firstSeenAt: seen, end: end,
                firstSeenObservationID: observation, payloadHash: rows.carryableText(Column.payload.rawValue),
                sampleUUIDHash: rows.carryableText(Column.uuidHash.rawValue),
                strictFingerprint: rows.carryableText(Column.strictFingerprint.rawValue))
            let record = FindingSorter.Late(
                found: found, sample: sample, version: version, isMatched: reading == .matched)
            switch standing {
            case nil: late.append(record)
            case .appeared:
                try sorter.add(record, place)
                hasLate = true
            default: break
            }
        }
    }

    /// Returns the semantic fingerprint of the version: the sample's is that of its first one.
    private mutating func semanticFingerprint(start: Double?, end: Double?) -> [UInt8]? {
        let isStored = rows.storageClass(Column.fingerprint.rawValue) == .text
        let kind = rows.storageClass(Column.valueKind.rawValue)
        guard let rules = limits.identityRules, rules == .two, kind != .integer else {
            return isStored ? rows.bytes(Column.fingerprint.rawValue) : nil
        }
        guard place > 0, let start, let end, [kind, rows.storageClass(8)].allSatisfy({ $0 == .text || $0 == .null })
        else { return nil }
        var values = SemanticPreimage.Values()
        values.type = context.typeNames[place - 1]
        values.kind = kind == .null ? [] : rows.bytes(Column.valueKind.rawValue)
        (values.start, values.end) = (start, end)
        (values.number, values.unit) = (rows.number(7), rows.isNull(8) ? nil : rows.bytes(8))
        (values.category, values.activity) = (rows.exactInteger(10), rows.exactInteger(11))
        guard semantics.write(values) else { return nil }
        return Array(SHA256.digest(of: semantics.span).hex.utf8)
    }

    /// `true` if the version has a value that its fingerprint is about.
    private var hasSemanticValue: Bool {
        let number = rows.storageClass(7)
        return number == .integer || number == .real || rows.storageClass(10) == .integer
            || rows.storageClass(11) == .integer
    }
}

extension ExportContext {
    /// The measures of the types, from the place 1; that of types without an identifier first.
    var measuresByPlace: [Measure] { [.unknown] + typeNames.map { Measure(of: $0) } }
}
