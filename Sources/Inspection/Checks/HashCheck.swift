internal import Archive
internal import Codes
internal import Derivation
internal import Manifest
internal import SQLite

/// The content hashes of versions, samples and metadata, recomputed from their rows (`Spec/identity.md`, "Content
/// hashes").
struct HashCheck: ~Copyable {
    private var preimage = SamplePreimage()
    /// Dates and numbers of the row that is looked at.
    private var texts = SampleTexts()
    private var hasher = ContentHasher()
    private var objects: ProvenanceObjects
    private var semantics = SemanticPreimage()
    /// The values that the weak identities of the row depend on.
    private var values = SemanticPreimage.Values()
    private let sample: Int?

    init(_ reader: borrowing EvidenceReader, _ subject: Subject) throws(ArchiveError) {
        objects = try ProvenanceObjects(reader.connection)
        sample = subject.sample
    }

    mutating func run(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        try checkMetadata(reader, &log)
        try reader.execute("CREATE TEMP TABLE alike(first BLOB, strict TEXT, sample INTEGER)")
        try checkVersions(reader, &log)
        try checkUnseen(reader, &log)
        try checkAlike(reader, &log)
    }

    private func checkMetadata(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        var hasher = ContentHasher()
        try RowWalk(sample: sample).forEach(
            reader, "b.id, b.metadata_hash, b.metadata_json", from: "metadata_blobs b NOT INDEXED", rowID: "b.id"
        ) { row throws(ArchiveError) in
            log.countRow()
            guard row.storageClass(1) == .text, row.storageClass(2) == .text else { return }
            let digest = row.withBytes(2) { hasher.digest(of: $0, in: .metadata) }
            if !row.isHex(1, digest) {
                log.add(
                    .identitiesMetadataHash, "metadata_blobs", row: row.exactInteger(0), column: "metadata_hash",
                    expected: digest.hex)
            }
        }
    }

    /// Columns of a version, its sample and its type.
    fileprivate enum Column: Int32 {
        case id, sampleID, payloadHash, startDate, endDate, valueKind, numericValue, unit, categoryValue,
            workoutActivityType, durationSeconds, sourceRevisionID, hkDeviceID
        case metadataID, metadataHash, sampleType, strictFingerprint, sampleUUIDHash, semanticFingerprint, fuzzyKey
    }

    private static let columns = """
        v.id, v.sample_id, v.payload_hash, v.start_date, v.end_date, v.value_kind, v.numeric_value, v.unit,
            v.category_value, v.workout_activity_type, v.duration_seconds, \
        v.source_revision_id, v.hk_device_id, v.metadata_id, b.metadata_hash, t.type_identifier,
            s.strict_fingerprint, s.sample_uuid_hash, s.semantic_fingerprint, s.fuzzy_key
        """
    private static let joins =
        "JOIN samples s ON s.id = v.sample_id JOIN sample_types t "
        + "ON t.id = s.sample_type_id LEFT JOIN metadata_blobs b ON b.id = v.metadata_id"

    private mutating func checkVersions(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError)
    {
        var later = try reader.prepare("INSERT INTO temp.alike VALUES (?1, ?2, ?3)")
        var earlier = try reader.prepare("SELECT 1 FROM sample_versions WHERE sample_id = ?1 AND id < ?2")
        // Of a sample above all before it no version came yet.
        var last = Int64.min
        var rows = try reader.prepare(Self.select(sample))
        while try rows.step() {
            log.countRow()
            let number = rows.value(Column.sampleID).exactInteger
            let isAbove = sample == nil && number ?? last > last
            last = max(last, number ?? last)
            guard isWhole(rows) else { continue }
            let source = try rows.value(Column.sourceRevisionID).exactInteger.flatMap { id throws(ArchiveError) in
                try objects.source(id)
            }
            let device = try rows.value(Column.hkDeviceID).exactInteger.flatMap { id throws(ArchiveError) in
                try objects.device(id)
            }
            // A row that does not exist is for the check of references.
            guard (source == nil) == (rows.value(Column.sourceRevisionID).storageClass == .null),
                (device == nil) == (rows.value(Column.hkDeviceID).storageClass == .null)
            else { continue }
            let payload = digest(SampleMember.payload, in: .payload, rows, source, device)
            guard rows.isHex(Column.payloadHash.rawValue, payload) else {
                log.add(
                    .identitiesPayloadHash, "sample_versions", row: rows.exactInteger(0), column: "payload_hash",
                    expected: payload.hex)
                continue
            }
            if !isAbove, try !Self.isFirst(rows, &earlier) { continue }
            try checkSample(rows, source, &later, &log)
        }
    }

    /// Returns `true` if no version of the same sample has a lower id.
    private static func isFirst(_ row: borrowing Statement, _ earlier: inout Statement) throws(ArchiveError) -> Bool {
        guard let sample = row.value(Column.sampleID).exactInteger, let id = row.value(Column.id).exactInteger else {
            return true
        }
        earlier.bind(1, sample)
        earlier.bind(2, id)
        defer { earlier.reset() }
        return try !earlier.step()
    }

    private static func select(_ sample: Int?) -> String {
        // A sample takes every n-th row: what stands beside it is read in the same order.
        let part = sample.map { "WHERE v.id % max((SELECT count(*) FROM sample_versions) / \($0), 1) = 0" } ?? ""
        return "SELECT \(columns) FROM sample_versions v NOT INDEXED \(joins) \(part) ORDER BY v.id"
    }

    /// Returns `true` if everything that goes into the preimages has the form that it must have; the check of values
    /// reports the rest. The texts of the dates are kept.
    private mutating func isWhole(_ row: borrowing Statement) -> Bool {
        guard let start = row.value(Column.startDate).number, let end = row.value(Column.endDate).number,
            texts.setDates(start, end)
        else { return false }
        return Self.isText(row, .valueKind) && Self.isText(row, .unit) && Self.isText(row, .metadataHash)
            && Self.isText(row, .sampleType) && Self.isInteger(row, .categoryValue)
            && Self.isInteger(row, .workoutActivityType) && Self.isNumber(row, .numericValue)
            && Self.isNumber(row, .durationSeconds)
            && (row.value(Column.metadataID).storageClass == .null)
                == (row.value(Column.metadataHash).storageClass == .null)
    }

    /// Returns `true` if a value is NULL or a text that can be carried.
    private static func isText(_ row: borrowing Statement, _ column: Column) -> Bool {
        let value = row.value(column), storage = value.storageClass
        return storage == .null || storage == .text && isCarryable(value.bytes(of: .text))
    }

    /// Returns `true` if a value is NULL or an integer that canonical JSON has.
    private static func isInteger(_ row: borrowing Statement, _ column: Column) -> Bool {
        let value = row.value(column), storage = value.storageClass
        return storage == .null || storage == .integer && value.integer.magnitude < 1 << 53
    }

    /// Returns `true` if a value is NULL or a finite number.
    private static func isNumber(_ row: borrowing Statement, _ column: Column) -> Bool {
        let value = row.value(column)
        return value.storageClass == .null || value.number?.isFinite ?? false
    }

    // MARK: Preimages

    private mutating func digest(
        _ members: [SampleMember], in domain: Domain, _ row: borrowing Statement, _ source: ProvenanceObjects.Object?,
        _ device: ProvenanceObjects.Object? = nil
    ) -> Digest {
        preimage.begin(domain)
        for member in members { add(member, row, source, device) }
        preimage.end()
        return Self.digest(&hasher, preimage)
    }

    private static func digest(_ hasher: inout ContentHasher, _ preimage: borrowing SamplePreimage) -> Digest {
        hasher.digest(ofPreimage: preimage.span)
    }

    private static func digest(_ hasher: inout ContentHasher, _ preimage: borrowing SemanticPreimage) -> Digest {
        hasher.digest(ofPreimage: preimage.span)
    }

    /// Adds a member if the row has it.
    private mutating func add(
        _ member: SampleMember, _ row: borrowing Statement, _ source: ProvenanceObjects.Object?,
        _ device: ProvenanceObjects.Object?
    ) {
        let key = member.key
        switch member {
        case .bundleIdentifier: if let bundle = source?.bundle { preimage.add(key, text: bundle.span) }
        case .categoryValue: add(key, integer: row, .categoryValue)
        case .device: if let device { preimage.add(key, device.text) }
        case .durationSeconds:
            guard let value = row.value(Column.durationSeconds).number else { return }
            texts.setDuration(value)
            preimage.add(key, texts.duration)
        case .endDate: preimage.add(key, texts.end)
        case .metadataHash: add(key, text: row, .metadataHash)
        case .numericValue:
            guard let value = row.value(Column.numericValue).number else { return }
            texts.setNumber(value)
            preimage.add(key, texts.number)
        case .sampleType: add(key, text: row, .sampleType)
        case .source: if let source { preimage.add(key, source.text) }
        case .startDate: preimage.add(key, texts.start)
        case .unit: add(key, text: row, .unit)
        case .comparedUnit:
            guard let unit = row.value(Column.unit).text else { return }
            guard let name = SampleMember.comparedName(of: unit) else { return preimage.add(key, text: unit) }
            preimage.add(key, name)
        case .valueKind: add(key, text: row, .valueKind)
        case .workoutActivityType: add(key, integer: row, .workoutActivityType)
        }
    }

    private mutating func add(_ key: SamplePreimage.Key, text row: borrowing Statement, _ column: Column) {
        guard let text = row.value(column).text else { return }
        preimage.add(key, text: text)
    }

    private mutating func add(_ key: SamplePreimage.Key, integer row: borrowing Statement, _ column: Column) {
        guard let value = row.value(column).exactInteger else { return }
        preimage.add(key, value)
    }

    private mutating func unseen(_ row: borrowing Statement, type: Int32, uuid: Int32) -> Digest {
        let text = ProvenancePreimage.unseenSample(type: row.bytes(type), uuidHash: row.bytes(uuid))
        return hasher.digest(of: text.span, in: .unseenSample)
    }

    // MARK: Fingerprints

    /// Checks the strict fingerprint, which belongs to a sample's first version. One that is not that of ordinal 0 is
    /// put off: its place among those alike is not known yet.
    private mutating func checkSample(
        _ row: borrowing Statement, _ source: ProvenanceObjects.Object?, _ later: inout Statement,
        _ log: inout CheckLog
    ) throws(ArchiveError) {
        guard row.value(Column.strictFingerprint).storageClass == .text else { return }
        let first = digest(SampleMember.strictFingerprint, in: .strictFingerprint, row, source)
        if row.isHex(Column.strictFingerprint.rawValue, first) { return checkWeakIdentities(row, &log) }
        let uuid = Column.sampleUUIDHash.rawValue
        if row.storageClass(uuid) == .text, row.withBytes(uuid, isCarryable) {
            // It was known by its deletion, or a relationship, first.
            let unseen = unseen(row, type: Column.sampleType.rawValue, uuid: uuid)
            if row.isHex(Column.strictFingerprint.rawValue, unseen) { return checkNoWeakIdentities(row, &log) }
        }
        checkWeakIdentities(row, &log)
        later.bind(1, text: Array(first.hex.utf8))
        later.bind(2, text: row.bytes(Column.strictFingerprint.rawValue))
        if let sample = row.exactInteger(Column.sampleID.rawValue) { later.bind(3, sample) } else { later.bindNull(3) }
        try later.run()
    }

    /// Checks the semantic fingerprint and the fuzzy key, which belong to the first version, as the strict fingerprint
    /// does.
    private mutating func checkWeakIdentities(_ row: borrowing Statement, _ log: inout CheckLog) {
        Self.keep(row, .sampleType, &values.type)
        Self.keep(row, .valueKind, &values.kind)
        if row.value(Column.unit).storageClass == .null {
            values.unit = nil
        } else {
            var unit = values.unit ?? []
            values.unit = nil
            Self.keep(row, .unit, &unit)
            values.unit = unit
        }
        values.start = row.value(Column.startDate).real
        values.end = row.value(Column.endDate).real
        values.number = row.value(Column.numericValue).number
        values.category = row.value(Column.categoryValue).exactInteger
        values.activity = row.value(Column.workoutActivityType).exactInteger
        let semantic = semantics.write(values) ? Self.digest(&hasher, semantics) : nil
        let stored = row.value(Column.semanticFingerprint).storageClass
        if let semantic {
            if stored == .null || stored == .text && !row.isHex(Column.semanticFingerprint.rawValue, semantic) {
                reportSemantic(row, expected: semantic.hex, &log)
            }
        } else if stored == .text {
            reportSemantic(row, expected: "NULL", &log)
        }
        switch row.value(Column.fuzzyKey).storageClass {
        case .null: reportFuzzyKey(row, &log)
        case .text where !Self.isSame(row.value(Column.fuzzyKey).bytes(of: .text), semantics.fuzzyKey):
            reportFuzzyKey(row, &log)
        default: break
        }
    }

    /// Returns `true` if both are the same bytes.
    private static func isSame(_ text: Span<UInt8>, _ other: [UInt8]) -> Bool {
        guard text.count == other.count else { return false }
        for index in text.indices where text[index] != other[index] { return false }
        return true
    }

    /// Keeps a text, unless it is the one of the row before. Nothing is allocated for a text that was kept.
    private static func keep(_ row: borrowing Statement, _ column: Column, _ text: inout [UInt8]) {
        let value = row.value(column)
        guard value.storageClass == .text else { return text.removeAll(keepingCapacity: true) }
        if !Self.isSame(value.bytes(of: .text), text) { text = row.bytes(column.rawValue) }
    }

    /// Checks that a sample that was known by its deletion or a relationship first has neither.
    private func checkNoWeakIdentities(_ row: borrowing Statement, _ log: inout CheckLog) {
        if row.value(Column.semanticFingerprint).storageClass == .text {
            reportSemantic(row, expected: "NULL", &log)
        }
        if row.value(Column.fuzzyKey).storageClass == .text { reportFuzzyKey(row, &log) }
    }

    private func reportSemantic(_ row: borrowing Statement, expected: String, _ log: inout CheckLog) {
        log.add(
            .identitiesSemanticFingerprint, "samples", row: row.exactInteger(Column.sampleID.rawValue),
            column: "semantic_fingerprint", expected: expected)
    }

    /// Reports a fuzzy key, which has a value of the record: it is not printed.
    private func reportFuzzyKey(_ row: borrowing Statement, _ log: inout CheckLog) {
        log.add(
            .identitiesFuzzyKey, "samples", row: row.exactInteger(Column.sampleID.rawValue), column: "fuzzy_key",
            expected: "the key of the sample's first version")
    }

    /// Checks a sample without a version, which was known by its deletion or a relationship alone.
    private mutating func checkUnseen(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        var rows = try reader.prepare(
            """
            SELECT s.id, t.type_identifier, s.sample_uuid_hash, s.strict_fingerprint FROM samples s NOT INDEXED
                JOIN sample_types t ON t.id = s.sample_type_id \
            WHERE NOT EXISTS (SELECT 1 FROM sample_versions v WHERE v.sample_id = s.id) ORDER BY s.id
            """)
        while try rows.step() {
            log.countRow()
            guard rows.storageClass(1) == .text, rows.withBytes(1, isCarryable), rows.storageClass(2) == .text,
                rows.withBytes(2, isCarryable)
            else { continue }
            let digest = unseen(rows, type: 1, uuid: 2)
            if !rows.isHex(3, digest) {
                log.add(
                    .identitiesStrictFingerprint, "samples", row: rows.exactInteger(0), column: "strict_fingerprint",
                    expected: digest.hex)
            }
        }
    }

    /// Samples that are alike have ordinals without a gap, so there are no more of them than samples
    /// (`Spec/capture.md`, "Which sample a record is").
    private mutating func checkAlike(_ reader: borrowing EvidenceReader, _ log: inout CheckLog) throws(ArchiveError) {
        var rows = try reader.prepare(
            "SELECT first, strict, sample, count(*) OVER (PARTITION BY first) FROM temp.alike ORDER BY first, sample")
        var first: [UInt8] = []
        var ordinals: Set<[UInt8]> = []
        while try rows.step() {
            let group = rows.bytes(0)
            if group != first {
                first = group
                ordinals = ordinalFingerprints(first, count: sample == nil ? Int(rows.integer(3) ?? 0) : 64)
            }
            if !ordinals.contains(rows.bytes(1)) {
                log.add(
                    .identitiesStrictFingerprint, "samples", row: rows.exactInteger(2), column: "strict_fingerprint",
                    expected: String(decoding: first, as: UTF8.self))
            }
        }
    }

    private mutating func ordinalFingerprints(_ first: [UInt8], count: Int) -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        guard let base = Digest(hex: first.span) else { return found }
        for ordinal in 1...max(count, 1) {
            let text = CapturePreimage.alike(base, ordinal: ordinal)
            found.insert(Array(hasher.digest(of: text.span, in: .strictFingerprint).hex.utf8))
        }
        return found
    }
}

extension Statement {
    /// Returns `true` if a column is the text of a digest.
    func isHex(_ column: Int32, _ digest: Digest) -> Bool {
        guard let text = value(column).text else { return false }
        return digest.isWritten(as: text)
    }

    /// Returns a column as an integer that canonical JSON has; `nil` for anything else.
    func canonicalInteger(_ column: Int32) -> Int64? {
        guard let value = value(column).exactInteger, value.magnitude < 1 << 53 else { return nil }
        return value
    }

    @_lifetime(borrow self)
    fileprivate func value(_ column: HashCheck.Column) -> SQLiteValue { value(column.rawValue) }
}
