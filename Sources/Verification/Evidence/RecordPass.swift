internal import Archive
internal import Bytes
internal import SQLite

/// Reads what an archive recorded of the items of an export, in the order of its key. Nothing is sorted.
///
/// `RecordMerge` does the same beside the rows of the evidence.
struct RecordPass: ~Copyable {
    /// Columns of a recorded item.
    enum Column: Int32 {
        case sampleID, versionID, hash, type, uuid, strict, payload
    }

    private let hash: KeyedHash
    private var rows: Statement
    private var types: EvidenceTypes
    private var encoding = FieldEncoding()
    private var key = FieldEncoding()

    init(_ reader: borrowing EvidenceReader, exportRow id: Int64, _ hash: KeyedHash) throws(ArchiveError) {
        let types = try EvidenceTypes(reader)
        let rows = try reader.prepare(
            """
            SELECT i.sample_id, i.version_id, i.item_hash, s.sample_type_id, s.sample_uuid_hash, s.strict_fingerprint,
                v.payload_hash FROM export_items i LEFT JOIN samples s ON s.id = i.sample_id
                LEFT JOIN sample_versions v ON v.id = i.version_id WHERE i.export_manifest_id = \(id)
            """)
        self.hash = hash
        self.rows = rows
        self.types = types
    }

    /// Reads everything; `take` gets the hash of the key and of the item with its key, the bytes of the key, and the
    /// row.
    mutating func run(
        shouldStop: () -> Bool, _ take: (UInt128, UInt128, borrowing FieldEncoding, borrowing Statement) throws -> Void
    ) throws {
        var count = 0
        while try rows.step() {
            count &+= 1
            if count & 4095 == 0, shouldStop() { throw CancellationError() }
            Self.encodeKey(rows, &types, to: &key)
            let hashed = hash.hash(key.bytes.span)
            encoding.beginRecorded(ofKey: hashed)
            Self.addHash(rows, to: &encoding)
            try take(hashed, hash.hash(encoding.bytes.span), key, rows)
        }
    }

    private static func encodeKey(
        _ rows: borrowing Statement, _ types: inout EvidenceTypes, to key: inout FieldEncoding
    ) {
        _ = types.encodeKey(
            rows, type: Column.type.rawValue, uuid: Column.uuid.rawValue, strict: Column.strict.rawValue,
            payload: Column.payload.rawValue, to: &key)
    }

    private static func addHash(_ rows: borrowing Statement, to encoding: inout FieldEncoding) {
        encoding.add(plain: rows.value(Column.hash.rawValue).bytes)
    }
}
