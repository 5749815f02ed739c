internal import Archive
internal import Changes
internal import Bytes
internal import CanonicalJSON

/// The places in a text of the members of a change's two versions, to find those that differ.
struct ChangedFields {
    private var places: [Range<Int>] = []
    /// The index at which those of the version before begin.
    private var middle = 0

    mutating func removeAll() {
        places.removeAll(keepingCapacity: true)
        middle = 0
    }

    /// Adds the next member of a version: its key and value, or nothing.
    mutating func add(_ place: Range<Int>) { places.append(place) }

    /// Ends the version after.
    mutating func endSide() { middle = places.count }

    /// Returns `true` if the members at an index are different texts. A version without a row has none.
    func differ(at index: Int, in text: Span<UInt8>) -> Bool {
        let after = index < middle ? text.extracting(places[index]) : Span()
        let before = middle + index < places.count ? text.extracting(places[middle + index]) : Span()
        return !Self.withoutComma(after).isSame(as: Self.withoutComma(before))
    }

    @_lifetime(copy member)
    private static func withoutComma(_ member: Span<UInt8>) -> Span<UInt8> {
        member.count > 0 && member[0] == UInt8(ascii: ",") ? member.extracting(droppingFirst: 1) : member
    }
}

extension RowBatch.Kind {
    /// The kind of change of a record that a row is; nil for other items.
    var change: ChangeKind? {
        switch self {
        case .appeared: .appeared
        case .disappeared: .disappeared
        case .representationChanged: .representationChanged
        default: nil
        }
    }
}

/// Changes: one sample, the version before and the version after (`Spec/changes.md`).
extension ItemWriter {
    /// Writes a change; the row's own values are those of the leading version.
    mutating func writeChange(_ row: RowBatch.Row, of batch: borrowing RowBatch) -> ItemFacts {
        otherValues.removeAll(keepingCapacity: true)
        if let other = row.other { batch.read(other, into: &otherValues) }
        let mark = writer.json.mark
        writeChange(row, of: batch, defects: [])
        var facts = ItemFacts(isPlain: true)
        facts.hasVersion = has(.hasVersion)
        if !writer.defects.isEmpty {
            let defects = writer.defects
            writer.startAgain(from: mark)
            writeChange(row, of: batch, defects: defects)
            facts.defectCount = defects.count
        }
        return facts
    }

    private mutating func writeChange(_ row: RowBatch.Row, of batch: borrowing RowBatch, defects: [Defect]) {
        let bytes = batch.bytes.span
        let kind = row.kind.change
        let hasSample = has(.hasSample)
        fields.removeAll()
        writer.json.beginObject()
        for index in change.members.indices {
            let (origin, member) = change.members[index]
            switch origin {
            case .sample: if hasSample { writer.put(member, of: change.keys, values[member.column], in: bytes) }
            case .after:
                if kind == .appeared { writeVersion(member.key, values, Links(row), of: batch) }
                if let other = row.other { writeVersion(member.key, otherValues, Links(other), of: batch) }
                fields.endSide()
            case .before:
                if kind != nil, kind != .appeared { writeVersion(member.key, values, Links(row), of: batch) }
            case .change: put(kind?.rawValue ?? linkChange, member.key)
            case .changedFields: if kind == .representationChanged { writeChangedFields(member.key) }
            case .defects: if !defects.isEmpty { writer.write(defects: defects) }
            case .events: write(.event, event, change.keys, member.key, row, of: batch)
            case .itemKind: put("change", member.key)
            case .label where kind == nil, .pair where kind == nil, .reasons where kind == nil: break
            case .label:
                let label = text(.label, in: bytes)
                if !label.isEmpty { put(label, member.key) }
            case .pair: writePair(member.key, in: bytes)
            case .reasons: writeReasons(member.key, in: bytes)
            case .relationshipAfter: writeLink(.linkAfter, member.key, row.details.last, row, of: batch)
            case .relationshipBefore: writeLink(.linkBefore, member.key, row.details.first, row, of: batch)
            case .runAfter: put(runs.after, row.type, member.key)
            case .runBefore: put(runs.before, row.type, member.key)
            case .sampleType: if hasSample { writeType(row, member, of: change.keys, in: bytes) }
            }
        }
        writer.json.endObject()
        guard !hasSample else { return }
        let id = values[RecordColumn.sampleID.rawValue]
        writer.defects.append(
            Defect(pointer: "/strict_fingerprint", StoredWriter.fault(inReference: id), id, in: bytes))
    }

    /// The kind of change of a relationship.
    private var linkChange: String {
        if values[RecordColumn.linkBefore.rawValue] == .null { return "relationship_appeared" }
        return values[RecordColumn.linkAfter.rawValue] == .null ? "relationship_disappeared" : "relationship_changed"
    }

    /// Writes a relationship that changed, as it was before or is after, if it was there.
    private mutating func writeLink(
        _ side: RecordColumn, _ key: Int, _ detail: Int?, _ row: RowBatch.Row, of batch: borrowing RowBatch
    ) {
        guard row.kind == .link, values[side.rawValue] != .null, let detail else { return }
        writer.json.key(change.keys, key)
        _ = writeRelationship(batch.details[detail], at: "/" + change.keys.name(key), of: batch)
    }

    private mutating func put(_ text: String, _ key: Int) {
        writer.json.key(change.keys, key)
        writer.json.string(text)
    }

    /// Writes what a list says of a type, if it says anything.
    private mutating func put(_ texts: [[UInt8]?], _ type: Int, _ key: Int) {
        guard texts.indices.contains(type), let text = texts[type] else { return }
        put(String(decoding: text, as: UTF8.self), key)
    }

    /// Writes in which pairs the leading version is, if it is in any.
    private mutating func writePair(_ key: Int, in bytes: Span<UInt8>) {
        guard case .integer(let number) = values[RecordColumn.pairKind.rawValue],
            let kind = Pair.Kind(rawValue: UInt8(truncatingIfNeeded: number))
        else { return }
        let keys: [UInt8] =
            switch values[RecordColumn.pairKeys.rawValue] {
            case .text(let range): range.map { bytes[$0] }
            case .hash(let range): Hexadecimal.digits(range.map { bytes[$0] })
            default: []
            }
        writer.json.key(change.keys, key)
        writer.json.beginObject()
        writer.json.key("keys")
        writer.json.beginArray()
        for key in keys.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
            writer.json.string(String(decoding: key, as: UTF8.self))
        }
        writer.json.endArray()
        writer.json.member("kind", kind.name)
        writer.json.endObject()
    }

    /// Returns a text of our own that stands in a column; empty where there is none.
    private func text(_ column: RecordColumn, in bytes: Span<UInt8>) -> String {
        guard case .text(let range) = values[column.rawValue] else { return "" }
        return String(decoding: range.map { bytes[$0] }, as: UTF8.self)
    }

    /// Writes why the label is uncertain, if it is.
    private mutating func writeReasons(_ key: Int, in bytes: Span<UInt8>) {
        let reasons = text(.reasons, in: bytes)
        guard !reasons.isEmpty else { return }
        writer.json.key(change.keys, key)
        writer.json.beginArray()
        for reason in reasons.split(separator: " ") { writer.json.string(String(reason)) }
        writer.json.endArray()
    }

    private mutating func writeChangedFields(_ key: Int) {
        writer.json.key(change.keys, key)
        writer.json.beginArray()
        for index in change.versionMembers.indices where !change.isOwn[index] {
            guard fields.differ(at: index, in: writer.json.span) else { continue }
            writer.json.string(change.versionKeys.name(change.versionMembers[index].member.key))
        }
        writer.json.endArray()
    }

    /// The places of a version's source, device and metadata in the batch.
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
                let start = writer.json.count
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
                fields.add(start..<writer.json.count)
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
