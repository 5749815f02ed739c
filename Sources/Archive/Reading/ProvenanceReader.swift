internal import SQLite

/// Looks up the sources, devices and metadata that rows point to.
///
/// Few of them serve many records. Within a batch each is there once; between batches a cache of bounded size keeps
/// the packed rows that were seen last.
struct ProvenanceReader: ~Copyable {
    /// Which table.
    enum Table: Int { case source, device, metadata }

    /// Where a row stands in the batch, and about how much text it makes.
    struct Found {
        let index: Int?
        let size: Int
    }

    private var sources: Statement
    private var devices: Statement
    private var metadata: Statement
    /// What the batch holds, by the lowest bits of table and id. Where two rows share a slot, the batch holds one
    /// of them again.
    private var slots = [Slot](repeating: Slot(), count: 1024)
    private var batchNumber = 0
    private var cache: [Key: [UInt8]] = [:]
    private var cacheSize = 0
    private static let cacheLimit = 2 << 20

    private struct Key: Hashable {
        let table: Int
        let id: Int64
    }

    private struct Slot {
        var batch = -1
        var table = 0
        var id: Int64 = 0
        var index = 0
        var size = 0
    }

    init(_ connection: borrowing Connection) throws(ArchiveError) {
        let sources = try connection.prepare(SourceColumn.sql)
        let devices = try connection.prepare(DeviceColumn.sql)
        let metadata = try connection.prepare(MetadataColumn.sql)
        self.sources = sources
        self.devices = devices
        self.metadata = metadata
    }

    /// Forgets what the batch before held.
    mutating func startBatch() { batchNumber += 1 }

    /// Makes sure that the batch holds a row; the index is nil for no id, `RowBatch.missing` where there is no such
    /// row.
    mutating func add(_ table: Table, _ id: Int64?, to batch: inout RowBatch) throws(ArchiveError) -> Found {
        guard let id else { return Found(index: nil, size: 0) }
        let place = (Int(truncatingIfNeeded: id) &* 3 &+ table.rawValue) & 1023
        let slot = slots[place]
        if slot.batch == batchNumber, slot.id == id, slot.table == table.rawValue {
            return Found(index: slot.index, size: slot.size)
        }
        let packed = try packed(Key(table: table.rawValue, id: id), table)
        let index = packed.isEmpty ? RowBatch.missing : batch.addProvenance(packed.span)
        slots[place] = Slot(batch: batchNumber, table: table.rawValue, id: id, index: index, size: packed.count)
        return Found(index: index, size: packed.count)
    }

    private mutating func packed(_ key: Key, _ table: Table) throws(ArchiveError) -> [UInt8] {
        if let known = cache[key] { return known }
        let packed =
            switch table {
            case .source: try Self.read(&sources, key.id)
            case .device: try Self.read(&devices, key.id)
            case .metadata: try Self.read(&metadata, key.id)
            }
        if cacheSize + packed.count > Self.cacheLimit {
            cache.removeAll(keepingCapacity: true)
            cacheSize = 0
        }
        if packed.count <= Self.cacheLimit {
            cache[key] = packed
            cacheSize += packed.count + 64
        }
        return packed
    }

    private static func read(_ statement: inout Statement, _ id: Int64) throws(ArchiveError) -> [UInt8] {
        statement.bind(1, id)
        defer { statement.reset() }
        var packed: [UInt8] = []
        if try statement.step() { statement.appendPacked(to: &packed) }
        return packed
    }
}
