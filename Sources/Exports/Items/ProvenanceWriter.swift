internal import Archive
internal import Bytes
internal import CanonicalJSON

/// Writes sources, devices and metadata: each once a batch, then copied into every item that points to it.
struct ProvenanceWriter: ~Copyable {
    /// The kind of object.
    enum Object { case source, device }

    /// A fragment of JSON that was written before.
    private struct Fragment {
        var text: Range<Int>
        var facts: ObjectFacts
        /// Indices into `defects`.
        var defects: Range<Int>
        /// `metadata_hash`, where it is metadata.
        var hash: PackedValue
    }

    private var fragments: [Fragment?] = []
    private var defects: [Defect] = []
    private let sourceMembers = Members.source
    private let deviceMembers = Members.device
    private var text: [UInt8] = []
    private var scratch = StoredWriter()
    /// Metadata that was found to be canonical, by the lowest bits of its id: most of it comes again batch after batch.
    private var canonical = [[UInt8]](repeating: [], count: 256)
    private static let rememberedSize = 1024
    private static let metadataNesting = 64
    private let profile: ExportProfile

    init(_ profile: ExportProfile) { self.profile = profile }

    /// Forgets the fragments of the batch before.
    mutating func start(_ batch: borrowing RowBatch) {
        fragments.removeAll(keepingCapacity: true)
        for _ in 0..<batch.provenanceCount { fragments.append(nil) }
        text.removeAll(keepingCapacity: true)
        defects.removeAll(keepingCapacity: true)
    }

    /// Writes the member `source` or `device` with the key `keys[key]`; returns what is there of it, or nil when
    /// the item has none.
    mutating func write(
        _ object: Object, _ index: Int?, id: PackedValue, of batch: borrowing RowBatch, as keys: borrowing KeyList,
        _ key: Int, to writer: inout StoredWriter,
        at prefix: @autoclosure () -> String = ""
    ) -> ObjectFacts? {
        guard let index, index != RowBatch.missing else {
            if id != .null { Self.addMissing(id, "\(prefix())/\(keys.name(key))", of: batch, to: &writer) }
            return nil
        }
        let fragment = fragment(at: index, object == .source ? .source : .device, id: id, of: batch)
        writer.json.key(keys, key)
        writer.json.embed(canonical: text.span.extracting(fragment.text))
        addDefects(of: fragment, at: prefix(), to: &writer)
        return fragment.facts
    }

    /// Writes `metadata`, with the key `keys[key]`, and `metadata_hash`; returns whether the metadata is text.
    mutating func writeMetadata(
        _ index: Int?, id: PackedValue, of batch: borrowing RowBatch, as keys: borrowing KeyList, _ key: Int,
        _ hash: Member, to writer: inout StoredWriter,
        at prefix: @autoclosure () -> String = ""
    ) -> Bool {
        guard let index, index != RowBatch.missing else {
            if id != .null, profile == .whole { Self.addMissing(id, prefix() + "/metadata", of: batch, to: &writer) }
            return false
        }
        let fragment = fragment(at: index, .metadata, id: id, of: batch)
        if !fragment.text.isEmpty {
            writer.json.key(keys, key)
            writer.json.embed(canonical: text.span.extracting(fragment.text))
        }
        // The hash covers what a shared export leaves out, and a defect may hold it.
        guard profile == .whole else { return false }
        addDefects(of: fragment, at: prefix(), to: &writer)
        writer.put(hash, of: keys, fragment.hash, in: batch.bytes.span, at: prefix())
        return fragment.facts.isMetadataText
    }

    private func addDefects(of fragment: Fragment, at prefix: @autoclosure () -> String, to writer: inout StoredWriter)
    {
        for place in fragment.defects {
            var placed = defects[place]
            placed.pointer = prefix() + placed.pointer
            writer.defects.append(placed)
        }
    }

    private static func addMissing(
        _ id: PackedValue, _ pointer: String, of batch: borrowing RowBatch, to writer: inout StoredWriter
    ) {
        writer.defects.append(Defect(pointer: pointer, StoredWriter.fault(inReference: id), id, in: batch.bytes.span))
    }

    /// The content from which a fragment is written.
    private enum Content { case source, device, metadata }

    @inline(__always)
    private mutating func fragment(at index: Int, _ content: Content, id: PackedValue, of batch: borrowing RowBatch)
        -> Fragment
    {
        fragments[index] ?? add(content, at: index, id: id, of: batch)
    }

    private mutating func add(_ content: Content, at index: Int, id: PackedValue, of batch: borrowing RowBatch)
        -> Fragment
    {
        scratch.json.removeAll()
        scratch.defects.removeAll()
        var hash = PackedValue.null
        let facts: ObjectFacts
        switch content {
        case .source: facts = Self.source(index, sourceMembers, of: batch, to: &scratch)
        case .device: facts = Self.device(index, deviceMembers, of: batch, to: &scratch)
        case .metadata:
            facts = metadata(index, id: id, of: batch)
            hash =
                batch.provenanceValues(index, count: MetadataColumn.allCases.count)[
                    MetadataColumn.metadataHash.rawValue]
        }
        let (start, first) = (text.count, defects.count)
        text += scratch.json.bytes
        defects += scratch.defects
        let fragment = Fragment(text: start..<text.count, facts: facts, defects: first..<defects.count, hash: hash)
        fragments[index] = fragment
        return fragment
    }

    private static func source(
        _ index: Int, _ list: MemberList, of batch: borrowing RowBatch, to scratch: inout StoredWriter
    ) -> ObjectFacts {
        let columns = batch.provenanceValues(index, count: SourceColumn.allCases.count)
        let before = scratch.defects.count
        scratch.json.beginObject()
        for member in list.members {
            scratch.put(member, of: list.keys, columns[member.column], in: batch.bytes.span, at: "/source")
        }
        scratch.json.endObject()
        let missing = columns[SourceColumn.missingSourceID.rawValue]
        if missing != .null {
            scratch.defects.append(
                Defect(
                    pointer: "/source/bundle_identifier", StoredWriter.fault(inReference: missing), missing,
                    in: batch.bytes.span))
        }
        func has(_ column: SourceColumn) -> Bool {
            let name = list.keys.name(list.members.first { $0.column == column.rawValue }!.key)
            return columns[column.rawValue] != .null
                && !scratch.defects[before...].contains { $0.pointer == "/source/" + name }
        }
        return ObjectFacts(
            hasOperatingSystemVersion: has(.operatingSystemVersion), hasSourceName: has(.sourceNameHash),
            hasVersion: has(.version))
    }

    private static func device(
        _ index: Int, _ list: MemberList, of batch: borrowing RowBatch, to scratch: inout StoredWriter
    ) -> ObjectFacts {
        let columns = batch.provenanceValues(index, count: DeviceColumn.allCases.count)
        scratch.json.beginObject()
        for member in list.members {
            scratch.put(member, of: list.keys, columns[member.column], in: batch.bytes.span, at: "/device")
        }
        scratch.json.endObject()
        let identifiers: [DeviceColumn] = [.deviceHash, .localIdentifierHash, .manufacturerHash, .udiHash]
        let faulty = Set(scratch.defects.map(\.pointer))
        return ObjectFacts(
            hasIdentifiers: identifiers.contains { column in
                columns[column.rawValue] != .null
                    && !faulty.contains(
                        "/device/" + list.keys.name(list.members.first { $0.column == column.rawValue }!.key))
            })
    }

    /// Writes the stored JSON itself if it is the canonical text of an object, else a string of the stored text.
    private mutating func metadata(_ index: Int, id: PackedValue, of batch: borrowing RowBatch) -> ObjectFacts {
        let stored = batch.provenanceValues(index, count: MetadataColumn.allCases.count)[
            MetadataColumn.metadataJSON.rawValue]
        var fault: Defect.Reason?
        switch stored {
        case .text(let range):
            let text = batch.bytes.span.extracting(range)
            if isCanonicalObject(text, id: id) {
                if profile == .whole { scratch.json.embed(canonical: text) } else { writeShared(text) }
            } else if profile == .shared {
                return ObjectFacts()
            } else if let reason = StoredWriter.fault(inText: text) {
                fault = reason
            } else {
                scratch.write(carryable: text)
                return ObjectFacts(isMetadataText: true)
            }
        case .hash where profile == .shared: return ObjectFacts()
        case .hash(let range):
            scratch.json.hex(batch.bytes.span.extracting(range))
            return ObjectFacts(isMetadataText: true)
        case .null: fault = .null
        default: fault = .storageClass
        }
        if let fault { scratch.defects.append(Defect(pointer: "/metadata", fault, stored, in: batch.bytes.span)) }
        return ObjectFacts()
    }

    /// Writes the members of metadata that a shared export has, if there are any.
    private mutating func writeShared(_ text: Span<UInt8>) {
        var reader = Reader(.canonical, nestingLimit: Self.metadataNesting)
        var isEmpty = true
        do throws(JSONError) {
            _ = try reader.next(in: text)
            while case .key(let key) = try reader.next(in: text) {
                var name: [UInt8] = []
                reader.unescape(key, in: text, into: &name)
                guard let value = try reader.skipValue(in: text), ExportProfile.sharesMetadata(name) else { continue }
                if isEmpty { scratch.json.beginObject() }
                isEmpty = false
                scratch.json.key(Key(String(decoding: name, as: UTF8.self)))
                scratch.json.embed(canonical: text.extracting(value))
            }
        } catch {
            preconditionFailure("the text is canonical")
        }
        if !isEmpty { scratch.json.endObject() }
    }

    private mutating func isCanonicalObject(_ text: Span<UInt8>, id: PackedValue) -> Bool {
        guard text.count >= 2, text[0] == UInt8(ascii: "{") else { return false }
        let slot = if case .integer(let id) = id { Int(truncatingIfNeeded: id & 255) } else { 0 }
        let known = canonical[slot]
        if known.span.isSame(as: text) { return true }
        guard Validator.firstDeviation(in: text, nestingLimit: Self.metadataNesting) == nil else { return false }
        if text.count <= Self.rememberedSize { canonical[slot] = text.indices.map { text[$0] } }
        return true
    }
}

/// The facts about a source, a device or metadata that the totals need.
struct ObjectFacts {
    var hasOperatingSystemVersion = false
    var hasSourceName = false
    var hasVersion = false
    var hasIdentifiers = false
    var isMetadataText = false
}
