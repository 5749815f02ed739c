internal import Archive
internal import Bytes
internal import Format
internal import SQLite

/// Adds up what an archive recorded of the items of an export while the rows of the evidence are read.
///
/// A row has the key of the sample and the version that an item was made of, and most rows come in the order in which
/// the items are recorded. Only for an item that no row comes for at its place are the sample and the version looked
/// up. What is added up is the same in any order of the rows.
struct RecordMerge: ~Copyable {
    /// What was added up so far.
    private(set) var sums = BucketSums()
    private let hash: KeyedHash
    private var items, lookup: Statement
    private var types: EvidenceTypes
    private var encoding = FieldEncoding()
    private var key = FieldEncoding()
    /// The item that is to come next: nil at the end.
    private var next: (sample: Int64?, version: Int64?)?

    private static let (sample, version, itemHash, row) = (Int32(0), Int32(1), Int32(2), Int32(3))

    init(_ reader: borrowing EvidenceReader, exportRow id: Int64, _ hash: KeyedHash) throws(ArchiveError) {
        let types = try EvidenceTypes(reader)
        var items = try reader.prepare(
            "SELECT sample_id, version_id, item_hash, rowid FROM export_items WHERE export_manifest_id = \(id)")
        let lookup = try reader.prepare(
            """
            SELECT s.sample_type_id, s.sample_uuid_hash, s.strict_fingerprint, v.payload_hash FROM export_items i
                LEFT JOIN samples s ON s.id = i.sample_id LEFT JOIN sample_versions v ON v.id = i.version_id
                WHERE i.rowid = ?1
            """)
        next = try items.step() ? (items.exactInteger(Self.sample), items.exactInteger(Self.version)) : nil
        self.hash = hash
        self.items = items
        self.lookup = lookup
        self.types = types
    }

    /// Takes a row of the evidence, of which the ids and the hash of the key are known.
    ///
    /// - Parameter shouldStop: asked where an item is looked up.
    mutating func take(_ row: (sample: Int64?, version: Int64?), key: UInt128, shouldStop: () -> Bool) throws {
        guard let sample = row.sample, let version = row.version else { return }
        while let next {
            if let nextSample = next.sample, let nextVersion = next.version {
                if (nextSample, nextVersion) > (sample, version) { return }
                if (nextSample, nextVersion) == (sample, version) {
                    add(key)
                    return try step()
                }
            }
            try lookUp(shouldStop)
        }
    }

    /// Looks up what no row came for.
    mutating func finish(shouldStop: () -> Bool) throws {
        while next != nil { try lookUp(shouldStop) }
    }

    private mutating func step() throws(ArchiveError) {
        let isThere = try items.step()
        next = isThere ? (items.exactInteger(Self.sample), items.exactInteger(Self.version)) : nil
    }

    /// Adds the next item with the key of its own sample and version.
    private mutating func lookUp(_ shouldStop: () -> Bool) throws {
        if shouldStop() { throw CancellationError() }
        if let row = items.exactInteger(Self.row) {
            lookup.bind(1, row)
            if try lookup.step() {
                _ = types.encodeKey(lookup, type: 0, uuid: 1, strict: 2, payload: 3, to: &key)
                add(hash.hash(key.bytes.span))
            }
            lookup.reset()
        }
        try step()
    }

    private mutating func add(_ key: UInt128) {
        encoding.beginRecorded(ofKey: key)
        Self.addHash(items, to: &encoding)
        sums.add(hash.hash(encoding.bytes.span), key: key)
    }

    private static func addHash(_ items: borrowing Statement, to encoding: inout FieldEncoding) {
        encoding.add(plain: items.value(itemHash).bytes)
    }
}
