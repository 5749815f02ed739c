internal import Bytes
internal import SQLite

/// Recomputed items of an export, added up: enough to know whether they are those that were recorded.
///
/// A sum of keyed hashes (`KeyedHash`), so nothing is sorted or kept. Where the sums differ, `ItemComparison` says what
/// does.
public struct ItemSum: ~Copyable {
    private let hash = KeyedHash()
    private var sum: UInt128 = 0
    private var bytes = ByteBuffer(capacity: 128)

    /// No items.
    public init() {}

    /// Adds an item. `hash` is the text of its item hash.
    public mutating func add(sampleID: Int64, versionID: Int64?, hash text: Span<UInt8>) {
        sum &+= Self.element(sampleID, versionID, text, hash, &bytes)
    }

    /// Whether these are the items that an archive recorded of an export, as often as it did. O(n), in the order of
    /// the table's key.
    public mutating func isRecorded(_ record: ExportRecord, in archive: borrowing Archive) throws(ArchiveError) -> Bool
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
