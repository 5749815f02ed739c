internal import Archive
internal import CanonicalJSON

extension RowBatch.Kind {
    /// The kind of change that a row is; nil for other items.
    var change: ChangeKind? {
        switch self {
        case .appeared: .appeared
        case .disappeared: .disappeared
        case .representationChanged: .representationChanged
        case .record, .sample, .version: nil
        }
    }
}

/// Changes: one sample, the version before and the version after (`Spec/changes.md`).
extension ItemWriter {
    /// Writes a change; the row's own values are those of the leading version.
    mutating func write(_ kind: ChangeKind, _ row: RowBatch.Row, of batch: borrowing RowBatch) -> ItemFacts {
        otherValues.removeAll(keepingCapacity: true)
        if let other = row.other { batch.read(other, into: &otherValues) }
        let mark = writer.json.mark
        writeChange(kind, row, of: batch, defects: [])
        var facts = ItemFacts(isPlain: true)
        facts.hasVersion = has(.hasVersion)
        if !writer.defects.isEmpty {
            let defects = writer.defects
            writer.startAgain(from: mark)
            writeChange(kind, row, of: batch, defects: defects)
            facts.defectCount = defects.count
        }
        return facts
    }

    private mutating func writeChange(
        _ kind: ChangeKind, _ row: RowBatch.Row, of batch: borrowing RowBatch, defects: [Defect]
    ) {
        let bytes = batch.bytes.span
        let hasSample = has(.hasSample)
        writer.json.beginObject()
        for index in change.members.indices {
            let (origin, member) = change.members[index]
            switch origin {
            case .sample: if hasSample { writer.put(member, of: change.keys, values[member.column], in: bytes) }
            case .after:
                if kind == .appeared { writeVersion(member.key, values, Links(row), of: batch) }
                if let other = row.other { writeVersion(member.key, otherValues, Links(other), of: batch) }
            case .before: if kind != .appeared { writeVersion(member.key, values, Links(row), of: batch) }
            case .change: put(kind.rawValue, member.key)
            case .defects: if !defects.isEmpty { writer.write(defects: defects) }
            case .events: write(.event, event, change.keys, member.key, row, of: batch)
            case .itemKind: put("change", member.key)
            case .sampleType: if hasSample { writeType(row, member, of: change.keys, in: bytes) }
            }
        }
        writer.json.endObject()
        guard !hasSample else { return }
        let id = values[RecordColumn.sampleID.rawValue]
        writer.defects.append(
            Defect(pointer: "/strict_fingerprint", StoredWriter.fault(inReference: id), id, in: bytes))
    }

    private mutating func put(_ text: String, _ key: Int) {
        writer.json.key(change.keys, key)
        writer.json.string(text)
    }

    /// Where a version's source, device and metadata stand in the batch.
    private struct Links {
        let source, device, metadata: Int?

        init(_ row: RowBatch.Row) { (source, device, metadata) = (row.source, row.device, row.metadata) }
        init(_ other: RowBatch.Other) { (source, device, metadata) = (other.source, other.device, other.metadata) }
    }

    /// Writes `before` or `after`. Without a row of the version the object is empty and a defect says why.
    private mutating func writeVersion(
        _ key: Int, _ values: [PackedValue], _ links: Links, of batch: borrowing RowBatch
    ) {
        let bytes = batch.bytes.span
        let name = change.keys.name(key)
        writer.json.key(change.keys, key)
        writer.json.beginObject()
        if values[RecordColumn.hasVersion.rawValue] == .integer(1) {
            for index in change.versionMembers.indices {
                let (origin, member) = change.versionMembers[index]
                let value = values[member.column]
                switch origin {
                case .device:
                    _ = provenance.write(
                        .device, links.device, id: value, of: batch, as: change.versionKeys, member.key, to: &writer,
                        at: "/" + name)
                case .source:
                    _ = provenance.write(
                        .source, links.source, id: value, of: batch, as: change.versionKeys, member.key, to: &writer,
                        at: "/" + name)
                case .metadata:
                    _ = provenance.writeMetadata(
                        links.metadata, id: value, of: batch, as: change.versionKeys, member.key, change.metadataHash,
                        to: &writer, at: "/" + name)
                default: writer.put(member, of: change.versionKeys, value, in: bytes, at: "/" + name)
                }
            }
        } else {
            let id = values[RecordColumn.versionID.rawValue]
            writer.defects.append(
                Defect(
                    pointer: "/\(name)/payload_hash", id == .null ? .noVersion : StoredWriter.fault(inReference: id),
                    id, in: bytes))
        }
        writer.json.endObject()
    }
}
