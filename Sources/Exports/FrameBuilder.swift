internal import Archive
internal import CanonicalJSON
internal import Manifest
import Synchronization

/// A frame of items, ready to be written, and what has to be remembered of it.
struct BuiltFrame: Sendable {
    /// The compressed frame.
    let bytes: [UInt8]
    /// Bytes of its text.
    let textSize: Int
    /// Its item hashes in order, quoted and separated by commas; the n-th begins at byte 67·n + 1.
    let quotedHashes: [UInt8]
    /// `samples.id` and `sample_versions.id` of its items, in order.
    let rows: [(sampleID: Int64, versionID: Int64?)]
    let totals: Totals
}

/// Turns batches of rows into frames. One builder works on one batch at a time; several builders work side by side.
///
/// Contexts and buffers are kept from batch to batch.
final class FrameBuilder: Sendable {
    private let state: Mutex<Workbench>

    init(types: TypeNames, level: Int, lineLimit: Int) {
        state = Mutex(Workbench(items: ItemWriter(types: types), compressor: FrameCompressor(level: level), lineLimit: lineLimit))
    }

    /// The frame of a batch.
    func frame(of batch: RowBatch) throws(ExportError) -> BuiltFrame {
        try state.withLock { workbench throws(ExportError) in try workbench.frame(of: batch) }
    }

    /// A frame of one line that is no item: the header or the manifest.
    func frame(ofLine text: [UInt8]) -> (bytes: [UInt8], textSize: Int) {
        state.withLock { workbench in
            let line = text + [0x0A]
            return (workbench.compressor.frame(of: line.span), line.count)
        }
    }
}

/// What a builder keeps from batch to batch.
private struct Workbench: ~Copyable {
    var items: ItemWriter
    var hasher = ItemHasher()
    var line = Writer(capacity: 3 << 20)
    var compressor: FrameCompressor
    let lineLimit: Int

    init(items: consuming ItemWriter, compressor: consuming FrameCompressor, lineLimit: Int) {
        self.items = items
        self.compressor = compressor
        self.lineLimit = lineLimit
    }

    mutating func frame(of batch: RowBatch) throws(ExportError) -> BuiltFrame {
        var hashes: [UInt8] = []
        hashes.reserveCapacity(batch.rows.count * 67)
        var totals = Totals()
        var rows: [(sampleID: Int64, versionID: Int64?)] = []
        rows.reserveCapacity(batch.rows.count)
        line.removeAll()
        items.start(batch)
        for row in batch.rows {
            let facts = items.write(row, of: batch)
            totals.add(facts, type: row.type)
            rows.append((row.sampleID, facts.hasVersion ? row.versionID : nil))
            let hash = items.hash(with: &hasher)
            ManifestHasher.appendQuoted(hash, to: &hashes)
            let start = line.bytes.count
            items.writeLine(hash: hashes.span.extracting(last: 65).extracting(first: 64), to: &line)
            let size = line.bytes.count - start - 1
            guard size <= lineLimit else { throw ExportError.lineLimit(sampleID: row.sampleID, bytes: size, limit: lineLimit) }
        }
        return BuiltFrame(bytes: Self.compress(line, with: &compressor), textSize: line.bytes.count, quotedHashes: hashes, rows: rows, totals: totals)
    }

    private static func compress(_ text: borrowing Writer, with compressor: inout FrameCompressor) -> [UInt8] {
        compressor.frame(of: text.bytes.span)
    }
}
