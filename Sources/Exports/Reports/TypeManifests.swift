internal import CanonicalJSON
internal import Manifest

/// Adds up the records of each type for an observation manifest (`Spec/changes.md`, Observation manifest).
struct TypeManifests: ~Copyable {
    private var type: Int?
    private var hasher = ItemListHasher()
    private var itemCount = 0
    private var defectCount = 0
    private var finished: [(type: Int, itemCount: Int, defectCount: Int, hash: String)] = []
    private let types: TypeNames

    init(_ types: TypeNames) { self.types = types }

    /// Adds the records of a piece.
    mutating func add(_ chunk: BuiltChunk) {
        for (index, row) in chunk.rows.enumerated() {
            add(
                type: row.type, defectCount: row.defectCount,
                quotedHash: chunk.quotedHashes.span.extracting(index * 67..<index * 67 + 66))
        }
    }

    /// Adds a record, with its hash in quotes. They come in bundle order, so each type is complete when the next
    /// begins; types without an identifier share one item.
    private mutating func add(type index: Int, defectCount count: Int, quotedHash: Span<UInt8>) {
        let next = index >= 0 && types.name(index) != nil ? index : -1
        if type != next { end() }
        type = next
        itemCount += 1
        defectCount += count
        hasher.add(quotedHashes: quotedHash)
    }

    private mutating func end() {
        guard let type else { return }
        var complete = ItemListHasher()
        swap(&complete, &hasher)
        finished.append((type, itemCount, defectCount, complete.finish().hex))
        (itemCount, defectCount) = (0, 0)
    }

    /// Returns an item per type.
    consuming func finish() -> [Document] {
        end()
        return finished.map { entry in
            var writer = DocumentWriter()
            writer.put("defect_count", entry.defectCount)
            writer.put("item_count", entry.itemCount)
            writer.put("item_kind", "type_manifest")
            writer.put("items_hash", entry.hash)
            writer.putType(entry.type >= 0 ? entry.type : nil, types)
            return Document(bytes: writer.finish(), type: entry.type)
        }
    }
}
