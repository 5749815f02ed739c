internal import Archive
internal import Bytes
internal import CanonicalJSON
internal import Format
internal import SQLite

/// What a row of the archive adds to the sums.
struct RowElement {
    /// The sample and the version that the row names; nil for a relationship.
    let row: (sample: Int64?, version: Int64?)?
    let key: UInt128
    /// The hash of everything that is said of the version and its sample; it comes with each range. nil for a
    /// relationship.
    let item: UInt128?
    /// The hash of the range or the relationship.
    let addition: UInt128

    /// What the sums grow by.
    var sum: UInt128 { (item ?? 0) &+ addition }
}

/// Reads the rows that the items of a scope are made of, in the order in which they are stored, and encodes them
/// (`FieldEncoding`). Nothing is sorted, and no item is written.
struct EvidencePass: ~Copyable {
    private let hash: KeyedHash
    private let scope: EvidenceScope
    private var rows: Statement
    private var others: EvidenceLookups
    private var encoding = FieldEncoding()
    /// The key of the row that was read last.
    private var key = FieldEncoding()

    /// Columns of a row: of the sample, of the version, of the range.
    private enum Column: Int32, CaseIterable {
        case sampleID, type, uuid, strict, semantic, fuzzy, firstSeenObservation, firstSeenAt
        case versionID, payload, start, end, valueKind, number, unit, category, activity, duration, source, device,
            metadata, created
        case rangeSample, rangeVersion, rangeFirst, rangeFirstSeenAt

        static let names = [
            "s.id", "s.sample_type_id", "s.sample_uuid_hash", "s.strict_fingerprint", "s.semantic_fingerprint",
            "s.fuzzy_key", "s.first_seen_observation_id", "s.first_seen_at", "v.id", "v.payload_hash", "v.start_date",
            "v.end_date", "v.value_kind", "v.numeric_value", "v.unit", "v.category_value", "v.workout_activity_type",
            "v.duration_seconds", "v.source_revision_id", "v.hk_device_id", "v.metadata_id", "v.created_observation_id",
            "r.sample_id", "r.version_id", "r.first_observation_id", "r.first_seen_at",
        ]
    }

    /// Prepares to read a scope.
    init(_ reader: borrowing EvidenceReader, _ scope: EvidenceScope, _ hash: KeyedHash) throws(ArchiveError) {
        let (sql, values) = scope.ranges(Column.names.joined(separator: ", "))
        var rows = try reader.prepare(sql)
        try rows.bind(values)
        let others = try EvidenceLookups(reader, hash)
        self.rows = rows
        self.others = others
        self.scope = scope
        self.hash = hash
    }

    /// Reads everything; `take` gets each element, and the bytes of its key.
    ///
    /// - Parameter shouldStop: asked between rows.
    mutating func run(
        _ reader: borrowing EvidenceReader, shouldStop: () -> Bool,
        _ take: (RowElement, borrowing FieldEncoding) throws -> Void
    ) throws {
        var count = 0
        while try rows.step() {
            count &+= 1
            if count & 4095 == 0, shouldStop() { throw CancellationError() }
            let parts = Self.encodeKey(rows, &others, to: &key)
            let hashed = hash.hash(key.bytes.span)
            encoding.beginItem(ofKey: hashed)
            try Self.encodeItem(rows, parts, &others, to: &encoding)
            let item = hash.hash(encoding.bytes.span)
            Self.encodeRange(rows, ofKey: hashed, to: &encoding)
            let row = (
                rows.exactInteger(Column.rangeSample.rawValue), rows.exactInteger(Column.rangeVersion.rawValue)
            )
            try take(RowElement(row: row, key: hashed, item: item, addition: hash.hash(encoding.bytes.span)), key)
        }
        try RelationshipPass(reader, scope, hash).run(&others, shouldStop: shouldStop, take)
    }

    /// Encodes the range of a row, which is visible: its end is not said.
    private static func encodeRange(_ rows: borrowing Statement, ofKey key: UInt128, to encoding: inout FieldEncoding) {
        encoding.beginRange(ofKey: key)
        encoding.add(kind: .range)
        let first = rows.value(Column.rangeFirst.rawValue), seen = rows.value(Column.rangeFirstSeenAt.rawValue)
        encoding.add(0, stored: first, as: .integer, isRequired: true)
        encoding.add(1, stored: seen, as: .date, isRequired: true)
    }

    private static func encodeKey(
        _ rows: borrowing Statement, _ others: inout EvidenceLookups, to key: inout FieldEncoding
    ) -> KeyParts {
        others.types.encodeKey(
            rows, type: Column.type.rawValue, uuid: Column.uuid.rawValue, strict: Column.strict.rawValue,
            payload: Column.payload.rawValue, to: &key)
    }

    /// Encodes all fields in the order of the members that they become.
    ///
    /// - Parameter key: what the key has of them.
    private static func encodeItem(
        _ rows: borrowing Statement, _ key: KeyParts, _ others: inout EvidenceLookups,
        to encoding: inout FieldEncoding
    ) throws(ArchiveError) {
        let hasSample = !rows.isNull(Column.sampleID.rawValue)
        let hasVersion = !rows.isNull(Column.versionID.rawValue)
        if hasVersion {
            add(.categoryValue, .category, .integer, rows, &encoding)
            add(.createdObservationID, .created, .integer, isRequired: true, rows, &encoding)
            try others.add(.device, rows.value(Column.device.rawValue), to: &encoding)
            add(.durationSeconds, .duration, .number, rows, &encoding)
            add(.endDate, .end, .date, isRequired: true, rows, &encoding)
        }
        if hasSample {
            add(.firstSeenAt, .firstSeenAt, .date, isRequired: true, rows, &encoding)
            add(.firstSeenObservationID, .firstSeenObservation, .integer, isRequired: true, rows, &encoding)
            add(.fuzzyKey, .fuzzy, .text, rows, &encoding)
        }
        if hasVersion {
            try others.add(.metadata, rows.value(Column.metadata.rawValue), to: &encoding)
            add(.numericValue, .number, .number, rows, &encoding)
            addKeyPart(.payloadHash, key.hasPayload, .payload, isRequired: true, rows, &encoding)
        } else {
            encoding.add(ItemMember.payloadHash.rawValue, defectOf: rows.value(Column.rangeVersion.rawValue))
        }
        if hasSample {
            addType(rows, &others, to: &encoding)
            addKeyPart(.sampleUUIDHash, key.hasUUID, .uuid, rows, &encoding)
            add(.semanticFingerprint, .semantic, .text, rows, &encoding)
        }
        if hasVersion {
            try others.add(.source, rows.value(Column.source.rawValue), to: &encoding)
            add(.startDate, .start, .date, isRequired: true, rows, &encoding)
        }
        if hasSample {
            addKeyPart(.strictFingerprint, key.hasStrict, .strict, isRequired: true, rows, &encoding)
        } else {
            encoding.add(ItemMember.strictFingerprint.rawValue, defectOf: rows.value(Column.rangeSample.rawValue))
        }
        if hasVersion {
            add(.unit, .unit, .text, rows, &encoding)
            add(.valueKind, .valueKind, .text, rows, &encoding)
            add(.workoutActivityType, .activity, .integer, rows, &encoding)
        }
    }

    @inline(__always)
    private static func add(
        _ member: ItemMember, _ column: Column, _ form: FieldEncoding.Form, isRequired: Bool = false,
        _ rows: borrowing Statement, _ encoding: inout FieldEncoding
    ) {
        encoding.add(member.rawValue, stored: rows.value(column.rawValue), as: form, isRequired: isRequired)
    }

    /// Adds a member whose text is a part of the key where it can be carried.
    @inline(__always)
    private static func addKeyPart(
        _ member: ItemMember, _ isInKey: Bool, _ column: Column, isRequired: Bool = false, _ rows: borrowing Statement,
        _ encoding: inout FieldEncoding
    ) {
        if isInKey { return encoding.addKeyPart(member.rawValue) }
        add(member, column, .text, isRequired: isRequired, rows, &encoding)
    }

    private static func addType(
        _ rows: borrowing Statement, _ others: inout EvidenceLookups, to encoding: inout FieldEncoding
    ) {
        if !others.types.addMember(rows.exactInteger(Column.type.rawValue), to: &encoding) {
            encoding.add(ItemMember.sampleType.rawValue, defectOf: rows.value(Column.type.rawValue))
        }
    }
}
