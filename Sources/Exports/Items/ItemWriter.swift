internal import Archive
internal import Bytes
internal import CanonicalJSON
internal import Format
internal import Manifest

/// Writes the canonical JSON of items, one row after the other.
struct ItemWriter: ~Copyable {
    /// Holds the text, to which items are written one after the other.
    var writer: StoredWriter
    var values: [PackedValue] = []
    var otherValues: [PackedValue] = []
    var provenance: ProvenanceWriter
    let types: TypeNames
    /// The texts in changes about the runs of their types.
    let runs: RunTexts
    /// The places in the text of the members of a change's two versions, in their order; empty if absent.
    var fields = ChangedFields()
    private let profile: ExportProfile
    private let item: ItemMembers
    let change = ChangeMembers()
    private let visibility = Members.visibility
    let event = Members.event
    private let relationship = RelationshipMembers()
    private var common = CommonMembers()
    /// The place in the text at which the last item begins.
    private var start = 0

    /// - Parameter capacity: bytes of text to make room for.
    init(types: TypeNames, runs: RunTexts = RunTexts(), profile: ExportProfile = .whole, capacity: Int = 4096) {
        self.types = types
        self.profile = profile
        item = ItemMembers(profile)
        provenance = ProvenanceWriter(profile)
        self.runs = runs
        writer = StoredWriter(capacity: capacity)
    }

    /// Bytes of the item that was written last.
    var size: Int { writer.json.count - start }

    /// Returns the hash of the item that was written last.
    func hash(with hasher: inout ItemHasher) -> Digest { hasher.hash(ofItem: writer.json.span.extracting(start...)) }

    /// Prepares for the rows of a batch.
    mutating func start(_ batch: borrowing RowBatch) { provenance.start(batch) }

    /// Writes a row's item to the text, as the next value; returns what the totals count of it.
    mutating func write(_ row: RowBatch.Row, of batch: borrowing RowBatch) -> ItemFacts {
        start = writer.json.count
        writer.defects.removeAll(keepingCapacity: true)
        if row.kind.isChange {
            common.forget()
            batch.read(row, into: &values)
            return writeChange(row, of: batch)
        }
        // Only of a record with one range and nothing else do they depend on the common columns and the type alone.
        let isPlain = row.kind == .record && row.details.count == 1
        if !isPlain || common.type != row.type { common.forget() }
        let columns = batch.read(row, into: &values, common: common.columns)
        if columns != nil { common.forget() }
        let mark = writer.json.mark
        var facts = writeMembers(row, of: batch, defects: [], isRemembering: isPlain && columns != nil)
        if !writer.defects.isEmpty {
            let defects = writer.defects
            if columns != nil { common.forget() }
            writer.startAgain(from: mark)
            facts = writeMembers(row, of: batch, defects: defects, isRemembering: false)
            facts.defectCount = defects.count
        } else if isPlain, let columns {
            common.columns.append(copying: batch.bytes.span.extracting(columns))
            common.type = row.type
        }
        return facts
    }

    func has(_ column: RecordColumn) -> Bool { values[column.rawValue] == .integer(1) }

    /// Writes an item; of the common members, those that are remembered as they are.
    private mutating func writeMembers(
        _ row: RowBatch.Row, of batch: borrowing RowBatch, defects: [Defect], isRemembering: Bool
    ) -> ItemFacts {
        let bytes = batch.bytes.span
        var facts = profile == .whole ? ItemFacts(isSample: row.kind == .sample) : ItemFacts(isPlain: true)
        let form = form(of: row.kind)
        let hasSample = has(.hasSample)
        let hasVersion = has(.hasVersion)
        writer.json.beginObject()
        var place = 0
        for part in item.parts {
            if part.isCommon, place < common.members.count, !isRemembering {
                writer.json.embed(common.members[place], of: common.text)
                place += 1
                continue
            }
            let start = writer.json.count
            for index in part.members {
                let (origin, forms, member) = item.members[index]
                guard !forms.isDisjoint(with: form) else { continue }
                switch origin {
                case .sample: if hasSample { writer.put(member, of: item.keys, values[member.column], in: bytes) }
                case .version: if hasVersion { writer.put(member, of: item.keys, values[member.column], in: bytes) }
                case .defects: if !defects.isEmpty { writer.write(defects: defects) }
                case .device:
                    if hasVersion {
                        facts.device = provenance.write(
                            .device, row.device, id: values[member.column], of: batch, as: item.keys, member.key,
                            to: &writer)
                    }
                case .source:
                    if hasVersion {
                        facts.source = provenance.write(
                            .source, row.source, id: values[member.column], of: batch, as: item.keys, member.key,
                            to: &writer)
                    }
                case .metadata:
                    guard hasVersion else { continue }
                    facts.isMetadataText = provenance.writeMetadata(
                        row.metadata, id: values[member.column], of: batch, as: item.keys, member.key,
                        item.metadataHash, to: &writer)
                case .events: write(.event, event, item.keys, member.key, row, of: batch)
                case .visibility: write(.visibility, visibility, item.keys, member.key, row, of: batch)
                case .relationships: facts.hasEndOutOfScope = writeRelationships(member.key, row, of: batch)
                case .itemKind: writeKind(row.kind, member.key)
                case .sampleType: if hasSample { writeType(row, member, of: item.keys, in: bytes) }
                }
            }
            if part.isCommon, isRemembering {
                common.members.append(writer.json.copyMembers(since: start, to: &common.text))
            }
        }
        writer.json.endObject()
        addReferenceDefects(row, hasSample: hasSample, hasVersion: hasVersion, in: bytes)
        // A shared record is recorded without its version: it does not name it.
        facts.hasVersion = hasVersion && profile == .whole
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

    /// Returns the form of an item that is no change.
    private func form(of kind: RowBatch.Kind) -> Forms {
        switch kind {
        case .sample: .sample
        case .version: .version
        default: profile == .whole ? .record : .sharedRecord
        }
    }

    private mutating func writeKind(_ kind: RowBatch.Kind, _ key: Int) {
        let name =
            switch kind {
            case .record: profile == .whole ? "record" : "shared_record"
            case .sample: "sample"
            case .version: "version"
            default: "change"
            }
        writer.json.key(item.keys, key)
        writer.json.string(plain: name.utf8Span.span)
    }

    mutating func writeType(_ row: RowBatch.Row, _ member: Member, of keys: KeyList, in bytes: Span<UInt8>) {
        guard row.type >= 0 else {
            let id = values[member.column]
            writer.defects.append(Defect(pointer: "/sample_type", StoredWriter.fault(inReference: id), id, in: bytes))
            return
        }
        types.put(row.type, as: member, of: keys, to: &writer)
    }

    /// References to the sample and the version themselves that lead nowhere.
    private mutating func addReferenceDefects(
        _ row: RowBatch.Row, hasSample: Bool, hasVersion: Bool, in bytes: Span<UInt8>
    ) {
        if !hasSample {
            let id = values[RecordColumn.sampleID.rawValue]
            writer.defects.append(
                Defect(pointer: "/strict_fingerprint", StoredWriter.fault(inReference: id), id, in: bytes))
        }
        if !hasVersion, row.kind != .sample {
            let id = values[RecordColumn.versionID.rawValue]
            writer.defects.append(
                Defect(
                    pointer: profile == .whole ? "/payload_hash" : "/start_date",
                    id == .null ? .noVersion : StoredWriter.fault(inReference: id), id,
                    in: bytes))
        }
    }

    /// Writes an array of ranges or events, if there are any.
    mutating func write(
        _ kind: RowBatch.Detail.Kind, _ list: MemberList, _ keys: KeyList, _ key: Int, _ row: RowBatch.Row,
        of batch: borrowing RowBatch
    ) {
        var index = 0
        for place in row.details where batch.details[place].kind == kind {
            if index == 0 {
                writer.json.key(keys, key)
                writer.json.beginArray()
            }
            writer.json.beginObject()
            // Columns of details are packed in the order of their members.
            var position = batch.details[place].start
            for number in list.members.indices {
                let value = batch.next(&position)
                writer.put(
                    list.members[number], of: list.keys, value, in: batch.bytes.span, at: "/\(keys.name(key))/\(index)")
            }
            writer.json.endObject()
            index += 1
        }
        if index > 0 { writer.json.endArray() }
    }

    private mutating func writeRelationships(_ key: Int, _ row: RowBatch.Row, of batch: borrowing RowBatch) -> Bool {
        var index = 0
        var hasEndOutOfScope = false
        for place in row.details where batch.details[place].kind == .relationship {
            if index == 0 {
                writer.json.key(item.keys, key)
                writer.json.beginArray()
            }
            let isInScope = writeRelationship(batch.details[place], at: "/relationships/\(index)", of: batch)
            hasEndOutOfScope = hasEndOutOfScope || !isInScope
            index += 1
        }
        if index > 0 { writer.json.endArray() }
        return hasEndOutOfScope
    }

    mutating func writeRelationship(_ detail: RowBatch.Detail, at pointer: String, of batch: borrowing RowBatch)
        -> Bool
    {
        let bytes = batch.bytes.span
        let columns = batch.values(of: detail, count: RelationshipColumn.allCases.count)
        func value(_ column: RelationshipColumn) -> PackedValue { columns[column.rawValue] }
        let isInScope = value(.endInScope) == .integer(1)
        writer.json.beginObject()
        writer.json.key(relationship.keys, relationship.end)
        if case .text(let range) = value(.end) { writer.write(carryable: bytes.extracting(range)) }
        let hasEnd = value(.endExists) == .integer(1)
        if hasEnd {
            let uuid = value(.endUUIDHash)
            let member = Self.isCarryable(uuid, in: bytes) ? relationship.uuidHash : relationship.strictFingerprint
            writer.put(member, of: relationship.keys, columns[member.column], in: bytes, at: pointer)
        } else {
            writer.defects.append(
                Defect(
                    pointer: pointer + "/end_identity_hash", StoredWriter.fault(inReference: value(.endSampleID)),
                    value(.endSampleID), in: bytes))
        }
        writer.json.key(relationship.keys, relationship.endInScope)
        writer.json.bool(isInScope)
        if hasEnd {
            if value(.endTypeExists) == .integer(1) {
                writer.put(
                    relationship.sampleType, of: relationship.keys, value(.endTypeIdentifier), in: bytes, at: pointer)
            } else {
                writer.defects.append(
                    Defect(
                        pointer: pointer + "/end_sample_type", StoredWriter.fault(inReference: value(.endTypeID)),
                        value(.endTypeID), in: bytes))
            }
        }
        writer.put(relationship.ended, of: relationship.keys, value(.endedObservationID), in: bytes, at: pointer)
        _ = provenance.writeMetadata(
            detail.metadata, id: value(.metadataID), of: batch, as: relationship.keys, relationship.metadata,
            relationship.metadataHash, to: &writer, at: pointer)
        writer.put(relationship.observation, of: relationship.keys, value(.observationID), in: bytes, at: pointer)
        writer.put(relationship.kind, of: relationship.keys, value(.relationshipKind), in: bytes, at: pointer)
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

/// Members that most records have as the record before has them.
private struct CommonMembers: ~Copyable {
    /// Index of the type whose records have them.
    var type = RowBatch.missing
    /// The packed columns that they come from; empty where nothing is remembered.
    var columns = ByteBuffer()
    /// The members of each part, and their text.
    var members: [Writer.Members] = []
    var text = ByteBuffer()

    mutating func forget() {
        columns.removeAll()
        members.removeAll(keepingCapacity: true)
        text.removeAll()
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

    /// Writes an identifier as a member.
    func put(_ index: Int, as member: Member, of keys: borrowing KeyList, to writer: inout StoredWriter) {
        writer.put(member, of: keys, values[index], in: table.bytes.span)
    }

    /// The stored value and the bytes that it is a range of.
    subscript(index: Int) -> (PackedValue, [UInt8]) { (values[index], table.bytes) }
}
