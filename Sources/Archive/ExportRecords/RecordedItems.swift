internal import Bytes
internal import SQLite

extension Archive {
    /// Calls `body` with the recorded items of an export: the key that each has in a file, its hash, and its rows.
    ///
    /// - Parameter shouldStop: asked between rows.
    package func recordedItems(
        of record: ExportRecord, shouldStop: () -> Bool = { false },
        _ body: (_ key: Span<UInt8>, _ hash: Span<UInt8>, ItemDiffer.Place) throws(ArchiveError) -> Void
    ) throws {
        var rows = try connection.prepare(
            """
            SELECT hp_text(t.type_identifier), hp_text(s.sample_uuid_hash, s.strict_fingerprint),
                hp_text(v.payload_hash), hp_text(i.item_hash), i.sample_id, i.version_id
            FROM export_items i LEFT JOIN samples s ON s.id = i.sample_id LEFT JOIN sample_types t
                ON t.id = s.sample_type_id LEFT JOIN sample_versions v ON v.id = i.version_id
            WHERE i.export_manifest_id = \(record.id)
            """)
        var key = ByteBuffer(capacity: 256)
        var count = 0
        while try rows.step() {
            count &+= 1
            if count & 4095 == 0, shouldStop() { throw CancellationError() }
            key.removeAll()
            for column in 0..<3 as Range<Int32> { ItemKey.append(rows.value(column).bytes, to: &key) }
            try body(
                key.span, rows.value(3).bytes,
                ItemDiffer.Place(rows.exactInteger(4) ?? 0, rows.exactInteger(5)))
        }
    }

    /// Calls `body` with the recorded items of an export, by the rows that they name alone.
    package func recordedRows(
        of record: ExportRecord,
        _ body: (_ sampleID: Int64?, _ versionID: Int64?, _ hash: Span<UInt8>) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        var rows = try connection.prepare(
            "SELECT sample_id, version_id, item_hash FROM export_items WHERE export_manifest_id = \(record.id)")
        while try rows.step() { try body(rows.exactInteger(0), rows.exactInteger(1), rows.value(2).bytes) }
    }
}

/// Items of an export by the rows that they name, added up: enough to know whether they are those that were recorded.
///
/// A sum of keyed hashes (`KeyedHash`), so nothing is sorted or kept. If the sums differ, `ItemDiffer` says what does.
package struct ItemSum: ~Copyable {
    private let hash = KeyedHash()
    private var sum: UInt128 = 0
    private var bytes = ByteBuffer(capacity: 128)

    /// No items.
    package init() {}

    /// Adds an item. `hash` is the text of its item hash.
    package mutating func add(sampleID: Int64, versionID: Int64?, hash text: Span<UInt8>) {
        sum &+= Self.element(sampleID, versionID, text, hash, &bytes)
    }

    /// Returns `true` if an archive recorded these items of an export, as often as they were added. O(n), in the order
    /// of the table's key.
    package mutating func isRecorded(_ record: ExportRecord, in archive: borrowing Archive) throws(ArchiveError)
        -> Bool
    {
        var rows = try archive.connection.prepare(
            "SELECT sample_id, version_id, item_hash FROM export_items WHERE export_manifest_id = \(record.id)")
        var recorded: UInt128 = 0
        while try rows.step() {
            let version = rows.exactInteger(1)
            // What is no row of ours is no item that was made.
            guard let sample = rows.exactInteger(0), version != nil || rows.isNull(1), rows.storageClass(2) == .text
            else { return false }
            recorded &+= Self.element(sample, version, rows.value(2).bytes, hash, &bytes)
        }
        return recorded == sum
    }

    private static func element(
        _ sampleID: Int64, _ versionID: Int64?, _ text: Span<UInt8>, _ hash: KeyedHash, _ bytes: inout ByteBuffer
    ) -> UInt128 {
        bytes.removeAll()
        bytes.append(bytesOf: sampleID)
        bytes.append(bytesOf: versionID ?? 0)
        bytes.append(versionID == nil ? 0 : 1)
        bytes.append(copying: text)
        return hash.hash(bytes.span)
    }
}
