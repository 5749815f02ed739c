internal import Archive
internal import CanonicalJSON
internal import Manifest

/// Writes the canonical JSON of items, one row after the other.
struct ItemWriter: ~Copyable {
    private var writer = StoredWriter()
    private var values: [PackedValue] = []
    private var provenance = ProvenanceWriter()
    private let types: TypeNames

    init(types: TypeNames) { self.types = types }

    /// The hash of the item that was written last.
    func hash(with hasher: inout ItemHasher) -> Digest { hasher.hash(ofItem: writer.json.bytes.span) }

    /// Appends the line of the item that was written last.
    func writeLine(hash: Span<UInt8>, to line: inout Writer) {
        line.beginObject()
        line.key(Keys.item)
        line.embed(canonical: writer.json.bytes.span)
        line.key(Keys.itemHash)
        // 64 hex digits are ASCII.
        try? line.string(hash)
        line.endObject()
        line.append(0x0A)
    }

    /// Prepares for the rows of a batch.
    mutating func start(_ batch: borrowing RowBatch) { provenance.start(batch) }

    /// Writes a row's item; returns what the totals count of it.
    mutating func write(_ row: RowBatch.Row, of batch: borrowing RowBatch) -> ItemFacts {
        batch.read(row, into: &values)
        var facts = writeMembers(row, of: batch, defects: [])
        if !writer.defects.isEmpty {
            let defects = writer.defects
            facts = writeMembers(row, of: batch, defects: defects)
            facts.defectCount = defects.count
        }
        return facts
    }

    private func has(_ column: RecordColumn) -> Bool { values[column.rawValue] == .integer(1) }

    private mutating func writeMembers(_ row: RowBatch.Row, of batch: borrowing RowBatch, defects: [Defect]) -> ItemFacts {
        let bytes = batch.bytes.span
        var facts = ItemFacts(isSample: row.kind == .sample)
        let hasSample = has(.hasSample)
        let hasVersion = has(.hasVersion)
        writer.json.removeAll()
        writer.defects.removeAll(keepingCapacity: true)
        writer.json.beginObject()
        for member in ItemMember.all {
            switch member {
            case .sample(let member):
                if hasSample { writer.put(member, values[member.column], in: bytes) }
            case .version(let member):
                if hasVersion { writer.put(member, values[member.column], in: bytes) }
            case .defects: if !defects.isEmpty { writer.write(defects: defects) }
            case .device: if hasVersion { facts.device = provenance.write(.device, row.device, id: values[RecordColumn.hkDeviceID.rawValue], of: batch, to: &writer) }
            case .source: if hasVersion { facts.source = provenance.write(.source, row.source, id: values[RecordColumn.sourceRevisionID.rawValue], of: batch, to: &writer) }
            case .metadata: if hasVersion { facts.isMetadataText = provenance.writeMetadata(row.metadata, id: values[RecordColumn.metadataID.rawValue], of: batch, to: &writer) }
            case .events: write(.event, Members.event, Keys.events, "/events", row, of: batch)
            case .visibility: write(.visibility, Members.visibility, Keys.visibility, "/visibility", row, of: batch)
            case .relationships: facts.hasEndOutOfScope = writeRelationships(row, of: batch)
            case .itemKind: writeKind(row.kind)
            case .sampleType: writeType(row, hasSample: hasSample, in: bytes)
            }
        }
        writer.json.endObject()
        addReferenceDefects(row, hasSample: hasSample, hasVersion: hasVersion, in: bytes)
        facts.hasVersion = hasVersion
        facts.hasUUID = isText(.sampleUUIDHash, in: bytes) && hasSample
        facts.hasPayload = isText(.payloadHash, in: bytes) && hasVersion
        return facts
    }

    private func isText(_ column: RecordColumn, in bytes: Span<UInt8>) -> Bool {
        switch values[column.rawValue] {
        case .hash: true
        case .text(let range): StoredWriter.fault(inText: bytes.extracting(range)) == nil
        default: false
        }
    }

    private mutating func writeKind(_ kind: RowBatch.Kind) {
        writer.json.key(Keys.itemKind)
        switch kind {
        case .record: writer.json.string("record")
        case .sample: writer.json.string("sample")
        case .version: writer.json.string("version")
        }
    }

    private mutating func writeType(_ row: RowBatch.Row, hasSample: Bool, in bytes: Span<UInt8>) {
        guard hasSample else { return }
        guard row.type >= 0 else {
            let id = values[RecordColumn.sampleTypeID.rawValue]
            writer.defects.append(Defect(pointer: "/sample_type", StoredWriter.fault(inReference: id), id, in: bytes))
            return
        }
        let (value, text) = types[row.type]
        writer.put(Members.sampleType, value, in: text.span)
    }

    /// References to the sample and the version themselves that lead nowhere.
    private mutating func addReferenceDefects(_ row: RowBatch.Row, hasSample: Bool, hasVersion: Bool, in bytes: Span<UInt8>) {
        if !hasSample {
            let id = values[RecordColumn.sampleID.rawValue]
            writer.defects.append(Defect(pointer: "/strict_fingerprint", StoredWriter.fault(inReference: id), id, in: bytes))
        }
        if !hasVersion, row.kind != .sample {
            let id = values[RecordColumn.versionID.rawValue]
            writer.defects.append(Defect(pointer: "/payload_hash", id == .null ? .noVersion : StoredWriter.fault(inReference: id), id, in: bytes))
        }
    }

    /// Writes an array of ranges or events, if there are any.
    private mutating func write(_ kind: RowBatch.Detail.Kind, _ members: [Member], _ key: Key, _ pointer: String, _ row: RowBatch.Row, of batch: borrowing RowBatch) {
        var index = 0
        for detail in batch.details(of: row) where detail.kind == kind {
            if index == 0 {
                writer.json.key(key)
                writer.json.beginArray()
            }
            writer.json.beginObject()
            // Columns of details are packed in the order of their members.
            var position = detail.start
            for member in members { writer.put(member, batch.next(&position), in: batch.bytes.span, at: "\(pointer)/\(index)") }
            writer.json.endObject()
            index += 1
        }
        if index > 0 { writer.json.endArray() }
    }

    private mutating func writeRelationships(_ row: RowBatch.Row, of batch: borrowing RowBatch) -> Bool {
        var index = 0
        var hasEndOutOfScope = false
        for detail in batch.details(of: row) where detail.kind == .relationship {
            if index == 0 {
                writer.json.key(Keys.relationships)
                writer.json.beginArray()
            }
            let isInScope = writeRelationship(detail, at: "/relationships/\(index)", of: batch)
            hasEndOutOfScope = hasEndOutOfScope || !isInScope
            index += 1
        }
        if index > 0 { writer.json.endArray() }
        return hasEndOutOfScope
    }

    private mutating func writeRelationship(_ detail: RowBatch.Detail, at pointer: String, of batch: borrowing RowBatch) -> Bool {
        let bytes = batch.bytes.span
        let columns = batch.values(of: detail, count: RelationshipColumn.allCases.count)
        func value(_ column: RelationshipColumn) -> PackedValue { columns[column.rawValue] }
        let isInScope = value(.endInScope) == .integer(1)
        writer.json.beginObject()
        writer.json.key(Keys.end)
        if case .text(let range) = value(.end) { writer.write(carryable: bytes.extracting(range)) }
        let hasEnd = value(.endExists) == .integer(1)
        if hasEnd {
            let uuid = value(.endUUIDHash)
            let member = Self.isCarryable(uuid, in: bytes) ? Members.endUUIDHash : Members.endStrictFingerprint
            writer.put(member, columns[member.column], in: bytes, at: pointer)
        } else {
            writer.defects.append(Defect(pointer: pointer + "/end_identity_hash", StoredWriter.fault(inReference: value(.endSampleID)), value(.endSampleID), in: bytes))
        }
        writer.json.key(Keys.endInScope)
        writer.json.bool(isInScope)
        if hasEnd {
            if value(.endTypeExists) == .integer(1) {
                writer.put(Members.endSampleType, value(.endTypeIdentifier), in: bytes, at: pointer)
            } else {
                writer.defects.append(Defect(pointer: pointer + "/end_sample_type", StoredWriter.fault(inReference: value(.endTypeID)), value(.endTypeID), in: bytes))
            }
        }
        _ = provenance.writeMetadata(detail.metadata, id: value(.metadataID), of: batch, to: &writer, at: pointer)
        writer.put(Members.relationshipObservation, value(.observationID), in: bytes, at: pointer)
        writer.put(Members.relationshipKind, value(.relationshipKind), in: bytes, at: pointer)
        writer.json.endObject()
        return isInScope
    }

    private static func isCarryable(_ value: PackedValue, in bytes: Span<UInt8>) -> Bool {
        switch value {
        case .hash: true
        case .text(let range): StoredWriter.fault(inText: bytes.extracting(range)) == nil
        default: false
        }
    }
}

/// The type identifiers of an export's context, by index.
struct TypeNames: Sendable {
    private let table: PackedTable
    private let values: [PackedValue]

    init(_ table: PackedTable, column: Int = 0) {
        self.table = table
        values = (0..<table.count).map { table.values($0)[column] }
    }

    /// The stored value and the bytes that it is a range of.
    subscript(index: Int) -> (PackedValue, [UInt8]) { (values[index], table.bytes) }
}
