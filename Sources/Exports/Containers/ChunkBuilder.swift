internal import Archive
internal import CanonicalJSON
internal import Format
internal import Manifest
import Synchronization

/// A piece of an export, ready to be written, and what has to be remembered of it.
struct BuiltChunk: Sendable {
    /// The piece as the container has it.
    let bytes: [UInt8]
    /// Bytes of its text before compression.
    let textSize: Int
    /// Its item hashes in order, quoted and separated by commas; the n-th begins at byte 67·n + 1.
    let quotedHashes: [UInt8]
    /// The rows of its items that `export_items` and observation manifests need, in order.
    let rows: [RecordedItem]
    let totals: Totals
    /// Columns of a view that hold something, by their place.
    let present: UInt32
    /// The rows of a view.
    let peopleRows: [PeopleRow]

    /// Calls `body` with what has to be remembered of each item, and the text of its hash.
    func forEachItem(_ body: (RecordedItem, Span<UInt8>) throws -> Void) rethrows {
        for (index, row) in rows.enumerated() {
            let start = index * 67 + 1
            try body(row, quotedHashes.span.extracting(start..<start + 64))
        }
    }
}

/// The rows of which an item is made.
struct RecordedItem: Sendable {
    /// `samples.id`.
    let sampleID: Int64
    /// `sample_versions.id`; nil where the item has no version, or two.
    let versionID: Int64?
    /// Index into the types of the context, −1 for a type that does not exist.
    let type: Int
    let defectCount: Int

    init(_ row: RowBatch.Row, _ facts: ItemFacts) {
        sampleID = row.sampleID
        versionID = facts.hasVersion && row.kind != .representationChanged ? row.versionID : nil
        type = row.type
        defectCount = facts.defectCount
    }
}

/// An item that comes from no row: a comparison, a finding, a manifest of a type.
struct Document: Sendable {
    /// Its canonical bytes.
    let bytes: [UInt8]
    /// Index into the types of the context, −1 where it has no type.
    let type: Int
    /// The amounts that the totals of a day report add.
    var days: DayTally?
}

/// Turns batches of rows into pieces of an export. One builder works on one batch at a time; several builders work
/// side by side.
///
/// Contexts and buffers are kept from batch to batch.
final class ChunkBuilder: Sendable {
    private let state: Mutex<Workbench>

    /// - Parameters:
    ///   - runs: what changes say of the runs of their types.
    ///   - columns: of the table, where the container is one.
    init(
        types: TypeNames, runs: RunTexts = RunTexts(), profile: ExportProfile = .whole, container: ExportContainer,
        columns: [TableColumn] = [], people: (view: PeopleView, kind: ExportKind)? = nil, lineLimit: Int
    ) {
        state = Mutex(
            Workbench(
                items: ItemWriter(
                    types: types, runs: runs, profile: profile, capacity: container == .table ? 4096 : 3 << 20),
                packing: Packing(container, columns: columns, people: people), lineLimit: lineLimit))
    }

    /// Returns the piece that a batch makes.
    func chunk(of batch: RowBatch) throws(ExportError) -> BuiltChunk {
        try state.withLock { workbench throws(ExportError) in try workbench.chunk(of: batch) }
    }

    /// Returns the piece that some documents make.
    func chunk(of documents: [Document]) -> BuiltChunk { state.withLock { $0.chunk(of: documents) } }

    /// Returns the text before the items.
    func opening(header: [UInt8]) -> (bytes: [UInt8], textSize: Int) {
        state.withLock { $0.packing.opening(header: header) }
    }

    /// Returns the SHA-256 of what is read in a page, all items of which were built; `nil` in other containers.
    func pageHash() -> String? { state.withLock { $0.packing.pageHash() } }

    /// Returns the text after the items.
    func closing(totals: [UInt8], manifestHash: String) -> (bytes: [UInt8], textSize: Int) {
        state.withLock { $0.packing.closing(totals: totals, manifestHash: manifestHash) }
    }
}

/// The state that a builder keeps from batch to batch.
private struct Workbench: ~Copyable {
    var items: ItemWriter
    var hasher = ItemHasher()
    var packing: Packing
    let lineLimit: Int

    /// The number of bytes of a line around its item: `{"item":`, `,"item_hash":"`, the hash, `"}`.
    private static let frameOfItem = 8 + 14 + 64 + 2

    init(items: consuming ItemWriter, packing: consuming Packing, lineLimit: Int) {
        self.items = items
        self.packing = packing
        self.lineLimit = lineLimit
    }

    mutating func chunk(of batch: RowBatch) throws(ExportError) -> BuiltChunk {
        var hashes: [UInt8] = []
        hashes.reserveCapacity(batch.rows.count * 67)
        var totals = Totals()
        var rows: [RecordedItem] = []
        rows.reserveCapacity(batch.rows.count)
        packing.start(&items.writer.json)
        items.start(batch)
        for row in batch.rows {
            packing.beginItem(&items.writer.json)
            let facts = items.write(row, of: batch)
            totals.add(facts, type: row.type)
            rows.append(RecordedItem(row, facts))
            ManifestHasher.appendQuoted(items.hash(with: &hasher), to: &hashes)
            let size = items.size + Self.frameOfItem
            guard size <= lineLimit else {
                throw ExportError.lineLimit(sampleID: row.sampleID, bytes: size, limit: lineLimit)
            }
            packing.endItem(
                hash: hashes.span.extracting(last: 65).extracting(first: 64), sample: row.sampleID,
                &items.writer.json)
        }
        let piece = packing.finish(items.writer.json)
        return BuiltChunk(
            bytes: piece.bytes, textSize: piece.textSize, quotedHashes: hashes, rows: rows, totals: totals,
            present: packing.present, peopleRows: packing.peopleRows)
    }

    mutating func chunk(of documents: [Document]) -> BuiltChunk {
        var hashes: [UInt8] = []
        var totals = Totals()
        packing.start(&items.writer.json)
        for document in documents {
            packing.beginItem(&items.writer.json)
            items.writer.json.embed(canonical: document.bytes.span)
            totals.add(ItemFacts(isPlain: true), type: document.type, days: document.days)
            ManifestHasher.appendQuoted(hasher.hash(ofItem: document.bytes.span), to: &hashes)
            packing.endItem(
                hash: hashes.span.extracting(last: 65).extracting(first: 64), sample: nil, &items.writer.json)
        }
        let piece = packing.finish(items.writer.json)
        return BuiltChunk(
            bytes: piece.bytes, textSize: piece.textSize, quotedHashes: hashes, rows: [], totals: totals,
            present: packing.present, peopleRows: packing.peopleRows)
    }
}
