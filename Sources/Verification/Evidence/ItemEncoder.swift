internal import Bytes
internal import CanonicalJSON
internal import Format
internal import Timestamps

/// Encodes what stands in the items of a bundle or a table (`FieldEncoding`), from their lines. Rows are encoded by
/// `EvidencePass`.
struct ItemEncoder: ~Copyable {
    private let hash: KeyedHash
    private let isOfEvidence: Bool
    private var encoding = FieldEncoding()
    private var objects = ObjectEncoder()
    private var timestamps = TimestampMemory()
    private var scratch: [UInt8] = []
    private var memory = ObjectHashes()
    // Lists of its own: verifiers side by side would otherwise count references to the same ones.
    private let plain: [(member: ItemMember, form: FieldEncoding.Form)?] = ItemMember.allCases.map(Self.plain)
    private let members = ItemMember.allCases
    private let source = FieldEncoding.source
    private let device = FieldEncoding.device
    private let range = FieldEncoding.range
    private let relationship = FieldEncoding.relationship

    /// An encoder for sums under a key, of what is recorded and, where it is wanted, of the evidence.
    init(_ hash: KeyedHash, ofEvidence: Bool) {
        self.hash = hash
        isOfEvidence = ofEvidence
    }

    /// How a member is read that holds one value.
    private static func plain(_ member: ItemMember) -> (member: ItemMember, form: FieldEncoding.Form)? {
        switch member {
        case .categoryValue, .createdObservationID, .firstSeenObservationID, .workoutActivityType: (member, .integer)
        case .durationSeconds, .numericValue: (member, .number)
        case .endDate, .firstSeenAt, .startDate: (member, .date)
        case .fuzzyKey, .metadataHash, .semanticFingerprint, .strictFingerprint, .unit, .valueKind: (member, .text)
        // Parts of the key.
        case .payloadHash, .sampleType, .sampleUUIDHash: nil
        case .defects, .device, .events, .itemKind, .metadata, .relationships, .source, .visibility: nil
        }
    }

    /// What an item without damage adds to the sums.
    ///
    /// - Parameters:
    ///   - declared: the text of its item hash.
    ///   - isRecorded: whether items of its kind are recorded one by one; `hasVersion`, whether with a version.
    mutating func element(
        _ facts: ItemFacts, _ form: Forms, _ key: OrderKey, in text: Span<UInt8>, declared: Span<UInt8>,
        isRecorded: Bool, hasVersion: Bool
    ) -> ItemElement {
        key.encode(hasVersion: hasVersion, to: &encoding)
        var element = ItemElement(key: hash.hash(encoding.bytes.span))
        if isRecorded {
            encoding.beginRecorded(ofKey: element.key)
            encoding.add(plain: declared)
            element.recorded = hash.hash(encoding.bytes.span)
        }
        if isOfEvidence, form == .record { element.evidence = evidence(facts, element.key, in: text) }
        return element
    }

    private mutating func evidence(_ facts: ItemFacts, _ key: UInt128, in text: Span<UInt8>) -> UInt128 {
        let defects = facts.defects.isEmpty ? nil : StatedDefects(facts.defects, in: text)
        encoding.beginItem(ofKey: key)
        for index in members.indices {
            if let place = facts.members[members[index]] {
                if index == ItemMember.strictFingerprint.rawValue, !facts.has(.sampleUUIDHash) {
                    encoding.addKeyPart(index)
                } else if let (member, form) = plain[index] {
                    add(member, form, place.value, facts, in: text)
                } else {
                    addObject(members[index], place.value, defects, in: text)
                }
            } else if let defect = defects?["/" + members[index].name] {
                encoding.add(index, defect: defect.storageClass.span, defect.value.span)
            }
        }
        // A row is one range of an item, and says all of the item with it.
        let item = hash.hash(encoding.bytes.span)
        var sum: UInt128 = 0
        if let place = facts.members[.visibility] { addRanges(place.value, of: item, key, defects, in: text, to: &sum) }
        if let place = facts.members[.relationships] {
            addRelationships(text.extracting(place.value), key, defects, to: &sum)
        }
        return sum
    }

    @inline(__always)
    private mutating func add(
        _ member: ItemMember, _ form: FieldEncoding.Form, _ value: Range<Int>, _ facts: ItemFacts, in text: Span<UInt8>
    ) {
        switch form {
        case .integer: encoding.add(member.rawValue, integer: Reader.integer(value, in: text) ?? 0)
        case .number: encoding.add(member.rawValue, number: facts.double(value, in: text))
        case .date:
            let known = member == .startDate ? facts[.startDate] : member == .endDate ? facts[.endDate] : nil
            let moment =
                known?.moment ?? timestamps.moment(in: text.extracting(value.lowerBound + 1..<value.upperBound - 1))
            encoding.add(member.rawValue, date: moment?.unixSeconds ?? 0)
        case .text:
            let contents = value.lowerBound + 1..<value.upperBound - 1
            guard text.extracting(contents).hasBackslash else {
                return encoding.add(member.rawValue, text: text.extracting(contents))
            }
            scratch.removeAll(keepingCapacity: true)
            Reader.unescape(
                StringContents(range: contents, hasEscapes: true), in: text, into: &scratch)
            encoding.add(member.rawValue, text: scratch)
        }
    }

    /// Adds a member that is an object, or a part of the key.
    private mutating func addObject(
        _ member: ItemMember, _ value: Range<Int>, _ defects: StatedDefects?, in text: Span<UInt8>
    ) {
        let fields: [FieldEncoding.Field]
        switch member {
        case .source: fields = source
        case .device: fields = device
        case .metadata:
            if let known = memory.known(text, at: value, .metadata) {
                return encoding.add(member.rawValue, object: memory.hash(of: known))
            }
            let found = metadata(text.extracting(value))
            encoding.add(member.rawValue, object: found)
            return memory.remember(text, value, .metadata, hash: found)
        case .payloadHash, .sampleType, .sampleUUIDHash: return encoding.addKeyPart(member.rawValue)
        case .defects, .events, .itemKind, .relationships, .visibility: return
        default: preconditionFailure("a member with one value")
        }
        let kind = member == .source ? FieldEncoding.Kind.source : .device
        if defects == nil, let known = memory.known(text, at: value, kind) {
            return encoding.add(member.rawValue, object: memory.hash(of: known))
        }
        objects.begin(kind)
        objects.add(text.extracting(value), fields, defects, at: "/" + member.name)
        let found = hash.hash(objects.encoding.bytes.span)
        encoding.add(member.rawValue, object: found)
        if defects == nil { memory.remember(text, value, kind, hash: found) }
    }

    /// The hash of metadata, which is an object or a text.
    private mutating func metadata(_ value: Span<UInt8>) -> UInt128 {
        objects.begin(.metadata)
        objects.add(metadata: value)
        return hash.hash(objects.encoding.bytes.span)
    }

    private mutating func addRanges(
        _ value: Range<Int>, of item: UInt128, _ key: UInt128, _ defects: StatedDefects?, in text: Span<UInt8>,
        to sum: inout UInt128
    ) {
        let kind = FieldEncoding.Kind.range
        if defects == nil, let known = memory.known(text, at: value, kind) {
            for part in 0..<memory.partCount(of: known) {
                encoding.beginRange(ofKey: key)
                memory.add(part: part, of: known, to: &encoding)
                sum &+= item &+ hash.hash(encoding.bytes.span)
            }
            return
        }
        var parts: [[UInt8]] = []
        for (index, entry) in ObjectEncoder.entries(text.extracting(value)).enumerated() {
            objects.begin(.range)
            objects.add(
                text.extracting(value).extracting(entry), range, defects, at: "/visibility/\(index)")
            parts.append(objects.encoding.bytes.array)
        }
        for part in parts {
            encoding.beginRange(ofKey: key)
            encoding.add(encoded: part)
            sum &+= item &+ hash.hash(encoding.bytes.span)
        }
        if defects == nil { memory.remember(text, value, kind, parts: parts) }
    }

    private mutating func addRelationships(
        _ value: Span<UInt8>, _ key: UInt128, _ defects: StatedDefects?, to sum: inout UInt128
    ) {
        for (index, place) in ObjectEncoder.entries(value).enumerated() {
            let entry = value.extracting(place)
            var metadata: UInt128?
            if let place = ObjectEncoder.value(of: "metadata", in: entry) {
                metadata = self.metadata(entry.extracting(place))
            }
            objects.begin(.relationship)
            objects.add(entry, relationship, defects, at: "/relationships/\(index)", metadata: metadata)
            encoding.begin(.relationship)
            encoding.add(hash: key)
            encoding.add(encoded: objects.encoding.bytes.array)
            sum &+= hash.hash(encoding.bytes.span)
        }
    }
}

/// The entries of an item's `defects`, by their pointers.
struct StatedDefects {
    private var entries: [String: (storageClass: [UInt8], value: [UInt8])] = [:]

    init(_ defects: [ItemFacts.DefectEntry], in text: Span<UInt8>) {
        for defect in defects {
            guard let pointer = ItemFacts.bytes(defect.pointer, text) else { continue }
            entries[String(decoding: pointer, as: UTF8.self)] = (
                ItemFacts.bytes(defect.storageClass, text) ?? [], ItemFacts.bytes(defect.value, text) ?? []
            )
        }
    }

    subscript(pointer: String) -> (storageClass: [UInt8], value: [UInt8])? { entries[pointer] }
}

extension Span where Element == UInt8 {
    /// Whether there is a backslash. Without a way out of the loop the compiler looks at many bytes at once.
    fileprivate var hasBackslash: Bool {
        var found = false
        for index in indices { found = found || self[index] == UInt8(ascii: "\\") }
        return found
    }
}
