internal import Archive
internal import Bytes
internal import CanonicalJSON
internal import Format
internal import SQLite

/// The texts of a row that are parts of its key.
struct KeyParts {
    let hasUUID, hasStrict, hasPayload: Bool
}

/// The sample types of an archive, by id, as they are encoded.
struct EvidenceTypes: ~Copyable {
    private struct Entry {
        /// The identifier, where it can be carried.
        let name: Range<Int>?
        /// The member of an item, unless it is a part of the key; and that of a relationship.
        let field, ofEnd: Range<Int>
    }

    private var bytes = ByteBuffer(capacity: 1 << 14)
    private var entries: [Int64: Entry] = [:]
    private var last: (id: Int64, entry: Entry)?

    init(_ reader: borrowing EvidenceReader) throws(ArchiveError) {
        var rows = try reader.prepare("SELECT id, type_identifier FROM sample_types")
        var encoding = FieldEncoding()
        while try rows.step() {
            guard let id = rows.exactInteger(0) else { continue }
            let name = rows.carryableText(1)
            encoding.clear()
            if name != nil {
                encoding.addKeyPart(ItemMember.sampleType.rawValue)
            } else {
                encoding.add(ItemMember.sampleType.rawValue, stored: rows.value(1), as: .text, isRequired: true)
            }
            let field = keep(encoding.bytes.span)
            encoding.clear()
            encoding.add(RelationshipPass.typeField, stored: rows.value(1), as: .text, isRequired: true)
            let ofEnd = keep(encoding.bytes.span)
            entries[id] = Entry(name: name.map { keep($0.span) }, field: field, ofEnd: ofEnd)
        }
    }

    private mutating func keep(_ part: Span<UInt8>) -> Range<Int> {
        bytes.append(copying: part)
        return bytes.count - part.count..<bytes.count
    }

    /// Encodes the key of a row, whose texts and type stand in these columns; which of the texts are parts of it.
    mutating func encodeKey(
        _ row: borrowing Statement, type: Int32, uuid: Int32, strict: Int32, payload: Int32,
        to key: inout FieldEncoding
    ) -> KeyParts {
        key.beginKey()
        if let name = entry(row.exactInteger(type))?.name { key.add(keyText: bytes.span.extracting(name)) }
        key.endKeyPart()
        let hasUUID = key.add(keyText: row.value(uuid))
        let hasStrict = !hasUUID && key.add(keyText: row.value(strict))
        key.endKeyPart()
        let hasPayload = key.add(keyText: row.value(payload))
        key.endKeyPart()
        return KeyParts(hasUUID: hasUUID, hasStrict: hasStrict, hasPayload: hasPayload)
    }

    /// Adds the member of an item; false where the id names no type.
    mutating func addMember(_ id: Int64?, to encoding: inout FieldEncoding) -> Bool {
        guard let entry = entry(id) else { return false }
        encoding.add(plain: bytes.span.extracting(entry.field))
        return true
    }

    /// Adds the member of a relationship; false where the id names no type.
    mutating func addEnd(_ id: Int64?, to encoding: inout FieldEncoding) -> Bool {
        guard let entry = entry(id) else { return false }
        encoding.add(plain: bytes.span.extracting(entry.ofEnd))
        return true
    }

    private mutating func entry(_ id: Int64?) -> Entry? {
        guard let id else { return nil }
        if let last, last.id == id { return last.entry }
        guard let entry = entries[id] else { return nil }
        last = (id, entry)
        return entry
    }
}

extension ByteBuffer {
    /// Appends what was encoded; where it stands.
    fileprivate mutating func append(_ encoding: borrowing FieldEncoding) -> Range<Int> {
        let start = count
        append(copying: encoding.bytes.span)
        return start..<count
    }
}

/// Looks up the rows that versions point to, and keeps what those that come again are encoded to.
struct EvidenceLookups: ~Copyable {
    var types: EvidenceTypes
    private let hash: KeyedHash
    private var sources, devices, metadata: Statement
    private var object = FieldEncoding()
    private var field = FieldEncoding()
    private var known = [Known](repeating: Known(), count: 4096)
    /// What is known, one behind the other.
    private var kept = ByteBuffer(capacity: 1 << 14)
    private static let longest = 4096, most = 4 << 20

    private struct Known {
        var member: ItemMember?
        var id: Int64 = 0
        var field = 0..<0
    }

    init(_ reader: borrowing EvidenceReader, _ hash: KeyedHash) throws(ArchiveError) {
        let types = try EvidenceTypes(reader)
        let sources = try reader.prepare(
            """
            SELECT o.bundle_identifier, r.operating_system_version, r.product_type, o.source_name_hash, r.version,
                o.id, r.source_id FROM source_revisions r LEFT JOIN sources o ON o.id = r.source_id WHERE r.id = ?1
            """)
        let devices = try reader.prepare(
            "SELECT \(FieldEncoding.device.map(\.name).joined(separator: ", ")) FROM hk_devices WHERE id = ?1")
        let metadata = try reader.prepare("SELECT metadata_json, metadata_hash FROM metadata_blobs WHERE id = ?1")
        self.types = types
        self.hash = hash
        self.sources = sources
        self.devices = devices
        self.metadata = metadata
    }

    /// Adds the member `device`, `source` or `metadata`, with `metadata_hash`, of the row that an id names.
    mutating func add(_ member: ItemMember, _ id: SQLiteValue, to encoding: inout FieldEncoding) throws(ArchiveError) {
        guard id.storageClass != .null else { return }
        guard id.storageClass == .integer else { return encoding.add(member.rawValue, defectOf: id) }
        let number = id.integer
        let slot = (Int(truncatingIfNeeded: number) &* 3 &+ member.rawValue) & (known.count - 1)
        let entry = known[slot]
        if entry.id == number, entry.member == member {
            return encoding.add(plain: kept.span.extracting(entry.field))
        }
        guard try encode(member, number) else { return encoding.add(member.rawValue, defectOf: id) }
        encoding.add(plain: field.bytes.span)
        guard field.bytes.count <= Self.longest else { return }
        if kept.count > Self.most {
            kept.removeAll()
            for slot in known.indices { known[slot] = Known() }
        }
        known[slot] = Known(member: member, id: number, field: kept.append(field))
    }

    /// Encodes a member of the row with an id; false where there is none.
    private mutating func encode(_ member: ItemMember, _ id: Int64) throws(ArchiveError) -> Bool {
        field.clear()
        switch member {
        case .source: return try encodeSource(id)
        case .device: return try encodeDevice(id)
        default:
            return try addMetadata(
                id, ItemMember.metadata.rawValue, ItemMember.metadataHash.rawValue)
        }
    }

    private mutating func encodeSource(_ id: Int64) throws(ArchiveError) -> Bool {
        sources.bind(1, id)
        let isThere = try sources.step()
        if isThere {
            object.begin(.source)
            // Without the source's own row the id that the revision has for it stands in the place of its name.
            if sources.isNull(5) {
                Self.add(0, defectIn: 6, of: sources, to: &object)
            } else {
                Self.add(0, in: 0, of: sources, to: &object)
            }
            for column in 1..<FieldEncoding.source.count { Self.add(column, in: column, of: sources, to: &object) }
            field.add(ItemMember.source.rawValue, object: hash.hash(object.bytes.span))
        }
        sources.reset()
        return isThere
    }

    private mutating func encodeDevice(_ id: Int64) throws(ArchiveError) -> Bool {
        devices.bind(1, id)
        let isThere = try devices.step()
        if isThere {
            object.begin(.device)
            for column in 0..<FieldEncoding.device.count { Self.add(column, in: column, of: devices, to: &object) }
            field.add(ItemMember.device.rawValue, object: hash.hash(object.bytes.span))
        }
        devices.reset()
        return isThere
    }

    private mutating func addMetadata(_ id: Int64, _ first: Int, _ second: Int) throws(ArchiveError) -> Bool {
        metadata.bind(1, id)
        let isThere = try metadata.step()
        if isThere {
            if metadata.value(0).isCarryable {
                Self.add(metadata: metadata, to: &object)
                field.add(first, object: hash.hash(object.bytes.span))
            } else {
                Self.add(first, defectIn: 0, of: metadata, to: &field)
            }
            Self.add(second, in: 1, isRequired: true, of: metadata, to: &field)
        }
        metadata.reset()
        return isThere
    }

    private static func add(
        _ number: Int, in column: Int, isRequired: Bool = false, of row: borrowing Statement,
        to encoding: inout FieldEncoding
    ) {
        encoding.add(number, stored: row.value(Int32(column)), as: .text, isRequired: isRequired)
    }

    private static func add(
        _ number: Int, defectIn column: Int, of row: borrowing Statement, to encoding: inout FieldEncoding
    ) {
        encoding.add(number, defectOf: row.value(Int32(column)))
    }

    /// Metadata is an object where its text is the canonical text of one.
    private static func add(metadata row: borrowing Statement, to encoding: inout FieldEncoding) {
        let text = row.value(0).bytes(of: .text)
        encoding.begin(.metadata)
        encoding.add(
            0, flag: text.count >= 2 && text[0] == UInt8(ascii: "{") && Validator.isCanonical(text, nestingLimit: 64))
        encoding.add(1, text: text)
    }

    /// Adds the members `metadata` and `metadata_hash` of a relationship.
    mutating func addMetadata(ofRelationship id: SQLiteValue, _ first: Int, to encoding: inout FieldEncoding)
        throws(ArchiveError)
    {
        guard id.storageClass != .null else { return }
        field.clear()
        guard id.storageClass == .integer, try addMetadata(id.integer, first, first + 1) else {
            return encoding.add(first, defectOf: id)
        }
        encoding.add(plain: field.bytes.span)
    }
}
