internal import Archive
internal import Bytes
internal import Format
internal import SQLite

/// Reads relationships in the order in which they are stored, and encodes each as it stands in the items of its two
/// samples. What it costs follows the number of relationships.
struct RelationshipPass: ~Copyable {
    /// The number of `end_sample_type` among the fields.
    static let typeField = 3
    private let hash: KeyedHash
    private var rows, records, ends: Statement
    private var encoding = FieldEncoding()
    private var key = FieldEncoding()

    init(_ reader: borrowing EvidenceReader, _ scope: EvidenceScope, _ hash: KeyedHash) throws(ArchiveError) {
        let rows = try reader.prepare(
            scope.relationships(
                "e.source_sample_id, e.target_sample_id, e.observation_id, e.relationship_kind, e.metadata_id",
                hasFacts: try reader.hasCaptureFacts()))
        let (sql, values) = scope.ranges(
            "DISTINCT r.version_id, v.payload_hash, s.sample_type_id, s.sample_uuid_hash, s.strict_fingerprint",
            ofSample: true)
        var records = try reader.prepare(sql)
        try records.bind([.null] + values)
        let ends = try reader.prepare(
            "SELECT sample_uuid_hash, strict_fingerprint, sample_type_id FROM samples WHERE id = ?1")
        self.hash = hash
        self.rows = rows
        self.records = records
        self.ends = ends
    }

    /// Reads everything.
    consuming func run(
        _ others: inout EvidenceLookups, shouldStop: () -> Bool,
        _ take: (RowElement, borrowing FieldEncoding) throws -> Void
    ) throws {
        while try rows.step() {
            if shouldStop() { throw CancellationError() }
            // Seen from each of both samples, the other one is the end.
            try add(owner: 0, end: 1, "target", &others, take)
            try add(owner: 1, end: 0, "source", &others, take)
        }
    }

    private mutating func add(
        owner: Int32, end: Int32, _ name: String, _ others: inout EvidenceLookups,
        _ take: (RowElement, borrowing FieldEncoding) throws -> Void
    ) throws {
        guard let id = rows.exactInteger(owner) else { return }
        var isInScope = false, hasEnd = false
        if let end = rows.exactInteger(end) {
            records.bind(1, end)
            isInScope = try records.step()
            records.reset()
            ends.bind(1, end)
            hasEnd = try ends.step()
        }
        encoding.begin(.relationship)
        encoding.add(0, text: Array(name.utf8))
        Self.encodeEnd(hasEnd ? Self.isCarryable(ends) : nil, rows, end, ends, to: &encoding)
        encoding.add(2, flag: isInScope)
        if hasEnd { Self.encodeType(ends, &others, to: &encoding) }
        ends.reset()
        try Self.encodeRest(rows, &others, to: &encoding)
        let fields = encoding.bytes.array
        records.bind(1, id)
        while try records.step() {
            Self.encodeKey(records, &others, to: &key)
            let hashed = hash.hash(key.bytes.span)
            encoding.begin(.relationship)
            encoding.add(hash: hashed)
            encoding.add(encoded: fields)
            try take(RowElement(row: nil, key: hashed, item: nil, addition: hash.hash(encoding.bytes.span)), key)
        }
        records.reset()
    }

    /// Whether the other sample's hash of its UUID can be carried.
    private static func isCarryable(_ ends: borrowing Statement) -> Bool { ends.value(0).isCarryable }

    /// - Parameter hasUUID: nil where there is no other sample.
    private static func encodeEnd(
        _ hasUUID: Bool?, _ rows: borrowing Statement, _ end: Int32, _ ends: borrowing Statement,
        to encoding: inout FieldEncoding
    ) {
        guard let hasUUID else { return encoding.add(1, defectOf: rows.value(end)) }
        encoding.add(1, stored: ends.value(hasUUID ? 0 : 1), as: .text, isRequired: true)
    }

    private static func encodeType(
        _ ends: borrowing Statement, _ others: inout EvidenceLookups, to encoding: inout FieldEncoding
    ) {
        if !others.types.addEnd(ends.exactInteger(2), to: &encoding) {
            encoding.add(typeField, defectOf: ends.value(2))
        }
    }

    private static func encodeRest(
        _ rows: borrowing Statement, _ others: inout EvidenceLookups, to encoding: inout FieldEncoding
    ) throws(ArchiveError) {
        try others.addMetadata(ofRelationship: rows.value(4), 4, to: &encoding)
        encoding.add(6, stored: rows.value(2), as: .integer)
        encoding.add(7, stored: rows.value(3), as: .text, isRequired: true)
    }

    private static func encodeKey(
        _ records: borrowing Statement, _ others: inout EvidenceLookups, to key: inout FieldEncoding
    ) {
        _ = others.types.encodeKey(records, type: 2, uuid: 3, strict: 4, payload: 1, to: &key)
    }
}
