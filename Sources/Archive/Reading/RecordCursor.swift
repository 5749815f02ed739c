internal import Bytes
internal import Files
internal import SQLite

/// Streams the rows of a scope in bundle order, batch by batch: one cursor, bounded memory.
public struct RecordCursor: ~Copyable {
    private var sorted: SortedRows
    private var events: Statement
    /// The same in full order, for items with several events of one observation.
    private var orderedEvents: Statement
    private var relationships: Statement
    /// A relationship by its row.
    private var link: Statement
    private var provenance: ProvenanceReader
    private let types: [Int64: Int]
    private let mode: Scope.Mode
    /// The row that did not fit into the batch before.
    private var pending = ByteBuffer()
    /// The bytes that come with that row: the other version of a change with two, or ranges and events of a history.
    private var pendingOther = ByteBuffer()
    private var lastVersion = PackedValue.null
    /// The type of that row, and its index: rows of a type come in runs.
    private var lastType: (id: Int64?, index: Int) = (nil, RowBatch.missing)

    /// Bytes of the identifiers of types, by their indices.
    private let typeSizes: [Int]
    /// Bytes of texts that the last row's item has and that its batch may hold for several, and of the large ones.
    private var shared = 0, large = 0

    /// Estimated text that makes up a batch, and so a frame: see `add`.
    private static let batchSize = 1_400_000
    /// A text that many rows share counts for each of them from here on, wherever it is in their items. It is small in
    /// an archive and large in a frame.
    private static let largeSize = 1 << 16
    /// The most bytes of such texts in one item.
    private static let sharedLimit = 1 << 28

    init(
        _ connection: borrowing Connection, _ query: RecordQuery, _ sorted: consuming SortedRows,
        _ context: ExportContext
    ) throws(ArchiveError) {
        let places = context.typeIDs.enumerated().map { index, id in (id, index) }
        let events = try connection.prepare(query.events(inFullOrder: false))
        let orderedEvents = try connection.prepare(query.events(inFullOrder: true))
        let related = query.relationships()
        var relationships = try connection.prepare(related.sql)
        try relationships.bind([.null] + related.parameters)
        let link = try connection.prepare(RecordQuery.link)
        let provenance = try ProvenanceReader(connection)
        self.sorted = sorted
        self.events = events
        self.orderedEvents = orderedEvents
        self.relationships = relationships
        self.link = link
        self.provenance = provenance
        // Where no constraint keeps it from that, an id stands twice: the first is the type's.
        types = Dictionary(places) { first, _ in first }
        typeSizes = context.typeNames.map(\.count)
        mode = query.scope.mode
    }

    /// `true` if two readers are at work.
    var isShared: Bool { sorted.isShared }

    /// Returns the next rows; `nil` after the last.
    ///
    /// Where a batch ends depends on the rows alone, so that frames are cut alike whoever compresses them.
    public mutating func next() throws(ArchiveError) -> RowBatch? {
        var batch = RowBatch()
        provenance.startBatch()
        var size = 0
        while try fetch() {
            let front = SortKey(pending.span, at: 0)
            if mode == .pointInTime, let last = batch.rows.last, last.sampleID == front.sampleID,
                last.versionID == front.versionID, addRange(front, to: &batch)
            {
                continue
            }
            if size >= Self.batchSize { return batch }
            size += try add(front, to: &batch)
            pending.removeAll()
        }
        return batch.rows.isEmpty ? nil : batch
    }

    /// Makes `pending` hold the next row; false at the end.
    private mutating func fetch() throws(ArchiveError) -> Bool {
        guard pending.count == 0 else { return true }
        return try sorted.next(into: &pending, other: &pendingOther)
    }

    /// Adds a row with everything that belongs to it; returns about how much text it makes.
    private mutating func add(_ front: SortKey, to batch: inout RowBatch) throws(ArchiveError) -> Int {
        let before = batch.bytes.count
        (shared, large) = (0, 0)
        let placed = front.moved(by: batch.addBytes(pending.span))
        let links = batch.links(placed)
        lastVersion = links.version
        let source = try provenance.add(.source, links.source, to: &batch)
        let device = try provenance.add(.device, links.device, to: &batch)
        let metadata = try provenance.add(.metadata, links.metadata, to: &batch)
        if links.type != lastType.id { lastType = (links.type, links.type.flatMap { types[$0] } ?? RowBatch.missing) }
        batch.addRow(
            placed, type: lastType.index, source: source.index, device: device.index, metadata: metadata.index,
            range: mode == .pointInTime ? links.range : nil)
        switch mode {
        case .pointInTime: break
        case .history: addHistory(to: &batch)
        case .changes where batch.rows[batch.rows.count - 1].kind == .link: try addLinks(to: &batch)
        case .changes:
            if pendingOther.count > 0 { try addOther(to: &batch) }
            try addEvents([batch.parameter(batch.sampleID(placed))], to: &batch)
        }
        if links.isRelated { try addRelationships(front.sampleID, to: &batch) }
        if lastType.index >= 0 { try noteShared(typeSizes[lastType.index]) }
        // Keys and digits that the packed row does not have make some 848 bytes, and what is packed grows about as
        // much as hashes double.
        return 848 + pending.count + batch.bytes.count - before + source.size + device.size + metadata.size + large
    }

    /// Counts a text that the row's item has and that its batch may hold for several.
    private mutating func noteShared(_ size: Int) throws(ArchiveError) {
        shared += size
        if size > Self.largeSize { large += size }
        guard shared <= Self.sharedLimit else {
            throw ArchiveError(
                .sqlite, "\(link.path.display): an item has more than \(Self.sharedLimit) bytes of shared texts",
                hint: "hp-verify archive names the values that are not what they should be")
        }
    }

    /// Adds the pending row's range to the last row, where both speak of the same version: one record, two ranges.
    private mutating func addRange(_ front: SortKey, to batch: inout RowBatch) -> Bool {
        let placed = front.moved(by: batch.addBytes(pending.span))
        let links = batch.links(placed)
        // Ids that are no integers are alike in front of their rows.
        guard batch.isSame(links.version, lastVersion), batch.isSame(batch.sampleID(placed), batch.lastSampleID) else {
            return false
        }
        batch.addRange(at: links.range)
        pending.removeAll()
        return true
    }

    /// Adds the ranges and events that the pending row of a history brought along.
    private mutating func addHistory(to batch: inout RowBatch) {
        let counts = HistoryDetails.counts(pendingOther.span)
        var position = batch.addBytes(pendingOther.span) + HistoryDetails.headSize
        for _ in 0..<counts.ranges {
            batch.addDetail(.visibility, at: &position, count: VisibilityColumn.allCases.count)
        }
        for _ in 0..<counts.events { batch.addDetail(.event, at: &position, count: EventColumn.allCases.count) }
    }

    /// Adds the version after of a change of representation.
    private mutating func addOther(to batch: inout RowBatch) throws(ArchiveError) {
        let start = batch.addBytes(pendingOther.span)
        let front = SortKey(batch.bytes.span, at: start)
        let links = batch.links(front)
        let source = try provenance.add(.source, links.source, to: &batch)
        let device = try provenance.add(.device, links.device, to: &batch)
        let metadata = try provenance.add(.metadata, links.metadata, to: &batch)
        for found in [source, device, metadata] { try noteShared(found.size) }
        batch.setOther(front, source: source.index, device: device.index, metadata: metadata.index)
    }

    /// Adds the events of a sample or version. The index has them by observation; only where one observation has
    /// several are they sorted.
    private mutating func addEvents(_ parameters: [Parameter], to batch: inout RowBatch) throws(ArchiveError) {
        let start = batch.details.count
        var last: Double?
        var isTied = false
        try events.bind(parameters)
        while try events.step() {
            let observation = events.real(Int32(EventColumn.observationID.rawValue))
            isTied = isTied || observation == last
            last = observation
            batch.addDetail(.event, events)
        }
        events.reset()
        guard isTied else { return }
        batch.removeDetails(from: start)
        try orderedEvents.bind(parameters)
        while try orderedEvents.step() { batch.addDetail(.event, orderedEvents) }
        orderedEvents.reset()
    }

    /// Adds the relationship that changed, as it was before and as it is after.
    private mutating func addLinks(to batch: inout RowBatch) throws(ArchiveError) {
        var values: [PackedValue] = []
        batch.read(batch.rows[batch.rows.count - 1], into: &values)
        for column in [RecordColumn.linkBefore, .linkAfter] {
            guard case .integer(let id) = values[column.rawValue] else { continue }
            try link.bind([.integer(id)])
            while try link.step() {
                let metadata = try provenance.add(
                    .metadata, link.exactInteger(Int32(RelationshipColumn.metadataID.rawValue)), to: &batch)
                try noteShared(metadata.size)
                batch.addDetail(.relationship, link, metadata: metadata.index)
            }
            link.reset()
        }
    }

    private mutating func addRelationships(_ sampleID: Int64, to batch: inout RowBatch) throws(ArchiveError) {
        relationships.bind(1, sampleID)
        while try relationships.step() {
            let metadata = try provenance.add(
                .metadata, relationships.exactInteger(Int32(RelationshipColumn.metadataID.rawValue)), to: &batch)
            try noteShared(metadata.size)
            batch.addDetail(.relationship, relationships, metadata: metadata.index)
        }
        relationships.reset()
    }
}

/// Looks up the sources, devices and metadata that rows point to.
///
/// Few of them serve many records. Within a batch each is there once; between batches a cache of bounded size keeps
/// the packed rows that were seen last.
struct ProvenanceReader: ~Copyable {
    /// The table of a row.
    enum Table: Int { case source, device, metadata }

    /// The place of a row in the batch, and roughly the size of its text.
    struct Found {
        let index: Int?
        let size: Int
    }

    private var sources: Statement
    private var devices: Statement
    private var metadata: Statement
    /// The rows that the batch holds, by the lowest bits of table and id. Where two rows share a slot, the batch holds
    /// one of them again.
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
