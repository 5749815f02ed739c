internal import Archive
internal import CanonicalJSON

/// Writes sources, devices and metadata: each once a batch, then copied into every item that points to it.
struct ProvenanceWriter: ~Copyable {
    /// Which object.
    enum Object { case source, device }

    /// A fragment of JSON that was written before.
    private struct Fragment {
        var text: Range<Int>
        var facts: ObjectFacts
        var defects: [Defect]
    }

    private var fragments: [Fragment?] = []
    private var text: [UInt8] = []
    private var scratch = StoredWriter()
    private static let metadataNesting = 64

    /// Forgets the fragments of the batch before.
    mutating func start(_ batch: borrowing RowBatch) {
        fragments.removeAll(keepingCapacity: true)
        for _ in 0..<batch.provenanceCount { fragments.append(nil) }
        text.removeAll(keepingCapacity: true)
    }

    /// Writes the member `source` or `device`; returns what is there of it, or nil when the item has none.
    mutating func write(_ object: Object, _ index: Int?, id: PackedValue, of batch: borrowing RowBatch, to writer: inout StoredWriter) -> ObjectFacts? {
        let name = object == .source ? "source" : "device"
        guard let index, index != RowBatch.missing else {
            Self.addMissing(id, "/" + name, of: batch, to: &writer)
            return nil
        }
        let fragment = fragment(at: index) { scratch in
            object == .source ? Self.source(index, of: batch, to: &scratch) : Self.device(index, of: batch, to: &scratch)
        }
        writer.json.key(object == .source ? Keys.source : Keys.device)
        writer.json.embed(canonical: text.span.extracting(fragment.text))
        if !fragment.defects.isEmpty { writer.defects += fragment.defects }
        return fragment.facts
    }

    /// Writes `metadata` and `metadata_hash`; returns whether the metadata is text.
    mutating func writeMetadata(_ index: Int?, id: PackedValue, of batch: borrowing RowBatch, to writer: inout StoredWriter, at prefix: String = "") -> Bool {
        guard let index, index != RowBatch.missing else {
            Self.addMissing(id, prefix + "/metadata", of: batch, to: &writer)
            return false
        }
        let fragment = fragment(at: index) { Self.metadata(index, of: batch, to: &$0) }
        if !fragment.text.isEmpty {
            writer.json.key(Keys.metadata)
            writer.json.embed(canonical: text.span.extracting(fragment.text))
        }
        let columns = batch.provenanceValues(index, count: MetadataColumn.allCases.count)
        for defect in fragment.defects {
            var placed = defect
            placed.pointer = prefix + defect.pointer
            writer.defects.append(placed)
        }
        writer.put(Members.metadataHash, columns[MetadataColumn.metadataHash.rawValue], in: batch.bytes.span, at: prefix)
        return fragment.facts.isMetadataText
    }

    private static func addMissing(_ id: PackedValue, _ pointer: String, of batch: borrowing RowBatch, to writer: inout StoredWriter) {
        if id != .null { writer.defects.append(Defect(pointer: pointer, StoredWriter.fault(inReference: id), id, in: batch.bytes.span)) }
    }

    private mutating func fragment(at index: Int, _ write: (inout StoredWriter) -> ObjectFacts) -> Fragment {
        if let known = fragments[index] { return known }
        scratch.json.removeAll()
        scratch.defects.removeAll()
        let facts = write(&scratch)
        let start = text.count
        text += scratch.json.bytes
        let fragment = Fragment(text: start..<text.count, facts: facts, defects: scratch.defects)
        fragments[index] = fragment
        return fragment
    }

    private static func source(_ index: Int, of batch: borrowing RowBatch, to scratch: inout StoredWriter) -> ObjectFacts {
        let columns = batch.provenanceValues(index, count: SourceColumn.allCases.count)
        let before = scratch.defects.count
        scratch.json.beginObject()
        for member in Members.source { scratch.put(member, columns[member.column], in: batch.bytes.span, at: "/source") }
        scratch.json.endObject()
        let missing = columns[SourceColumn.missingSourceID.rawValue]
        if missing != .null { scratch.defects.append(Defect(pointer: "/source", StoredWriter.fault(inReference: missing), missing, in: batch.bytes.span)) }
        func has(_ column: SourceColumn) -> Bool {
            let name = Members.source.first { $0.column == column.rawValue }!.name
            return columns[column.rawValue] != .null && !scratch.defects[before...].contains { $0.pointer == "/source/" + name }
        }
        return ObjectFacts(hasOperatingSystemVersion: has(.operatingSystemVersion), hasSourceName: has(.sourceNameHash), hasVersion: has(.version))
    }

    private static func device(_ index: Int, of batch: borrowing RowBatch, to scratch: inout StoredWriter) -> ObjectFacts {
        let columns = batch.provenanceValues(index, count: DeviceColumn.allCases.count)
        scratch.json.beginObject()
        for member in Members.device { scratch.put(member, columns[member.column], in: batch.bytes.span, at: "/device") }
        scratch.json.endObject()
        let identifiers: [DeviceColumn] = [.deviceHash, .localIdentifierHash, .manufacturerHash, .udiHash]
        let faulty = Set(scratch.defects.map(\.pointer))
        return ObjectFacts(hasIdentifiers: identifiers.contains { column in
            columns[column.rawValue] != .null && !faulty.contains("/device/" + Members.device.first { $0.column == column.rawValue }!.name)
        })
    }

    /// The stored JSON itself where it is the canonical text of an object, else a string of the stored text.
    private static func metadata(_ index: Int, of batch: borrowing RowBatch, to scratch: inout StoredWriter) -> ObjectFacts {
        let stored = batch.provenanceValues(index, count: MetadataColumn.allCases.count)[MetadataColumn.metadataJSON.rawValue]
        func add(_ reason: Defect.Reason) { scratch.defects.append(Defect(pointer: "/metadata", reason, stored, in: batch.bytes.span)) }
        switch stored {
        case .text(let range):
            let text = batch.bytes.span.extracting(range)
            if let reason = StoredWriter.fault(inText: text) {
                add(reason)
            } else if range.count >= 2, text[0] == 0x7B, Validator.firstDeviation(in: text, nestingLimit: metadataNesting) == nil {
                scratch.json.embed(canonical: text)
            } else {
                scratch.write(carryable: text)
                return ObjectFacts(isMetadataText: true)
            }
        case .hash(let range):
            scratch.json.hex(batch.bytes.span.extracting(range))
            return ObjectFacts(isMetadataText: true)
        case .null: add(.null)
        default: add(.storageClass)
        }
        return ObjectFacts()
    }
}

/// What the totals need to know of a source, a device or metadata.
struct ObjectFacts {
    var hasOperatingSystemVersion = false
    var hasSourceName = false
    var hasVersion = false
    var hasIdentifiers = false
    var isMetadataText = false
}
