internal import CanonicalJSON
internal import Timestamps

/// What later checks need to know of an item: places in its line, and the entries of its arrays.
struct ItemFacts: ShapeVisitor {
    struct RangeEntry { var first, last: Int64?; var hasFirst = false, hasEnd = false, hasEndTime = false }
    struct EventEntry { var observation: Int64?; var kind: Captured? }
    struct RelationshipEntry { var end, identity, type, kind: Captured?; var observation: Int64?; var isInScope = false }
    struct DefectEntry { var pointer, reason, storageClass, value: Captured? }

    var values: [Captured?] = Array(repeating: nil, count: Slot.allCases.count)
    var ranges: [RangeEntry] = []
    var events: [EventEntry] = []
    var relationships: [RelationshipEntry] = []
    var defects: [DefectEntry] = []

    subscript(slot: Slot) -> Captured? { values[slot.rawValue] }

    /// Forgets the item before.
    mutating func reset() {
        for index in values.indices { values[index] = nil }
        hasVisibility = false
        ranges.removeAll(keepingCapacity: true)
        events.removeAll(keepingCapacity: true)
        relationships.removeAll(keepingCapacity: true)
        defects.removeAll(keepingCapacity: true)
    }

    /// Whether there is a member `visibility`.
    private(set) var hasVisibility = false

    mutating func beginArray(of slot: Slot) {
        if slot == .visibility { hasVisibility = true }
    }

    mutating func beginEntry(of slot: Slot) {
        switch slot {
        case .visibility: ranges.append(RangeEntry())
        case .events: events.append(EventEntry())
        case .relationships: relationships.append(RelationshipEntry())
        case .defects: defects.append(DefectEntry())
        default: break
        }
    }

    mutating func take(_ slot: Slot, _ value: Captured, in line: Span<UInt8>) {
        values[slot.rawValue] = value
        switch slot {
        case .rangeFirst: ranges[ranges.count - 1].first = Self.integer(value, line)
        case .rangeLast:
            ranges[ranges.count - 1].last = Self.integer(value, line)
            ranges[ranges.count - 1].hasEnd = true
        case .rangeLastSeen: ranges[ranges.count - 1].hasEndTime = true
        case .eventKind: events[events.count - 1].kind = value
        case .eventObservation: events[events.count - 1].observation = Self.integer(value, line)
        case .relationshipEnd: relationships[relationships.count - 1].end = value
        case .relationshipIdentity: relationships[relationships.count - 1].identity = value
        case .relationshipType: relationships[relationships.count - 1].type = value
        case .relationshipKind: relationships[relationships.count - 1].kind = value
        case .relationshipObservation: relationships[relationships.count - 1].observation = Self.integer(value, line)
        case .relationshipInScope: relationships[relationships.count - 1].isInScope = value.isTrue
        case .defectPointer: defects[defects.count - 1].pointer = value
        case .defectReason: defects[defects.count - 1].reason = value
        case .defectClass: defects[defects.count - 1].storageClass = value
        case .defectValue: defects[defects.count - 1].value = value
        default: break
        }
    }

    /// The integer at a captured number.
    static func integer(_ value: Captured, _ line: Span<UInt8>) -> Int64? {
        Reader(.canonical).integer(value.range, in: line)
    }

    /// The bytes of a captured text, unescaped.
    static func bytes(_ value: Captured?, _ line: Span<UInt8>) -> [UInt8]? {
        guard let value else { return nil }
        guard value.hasEscapes else { return (value.range).map { line[$0] } }
        var bytes: [UInt8] = []
        Reader(.canonical).unescape(StringContents(range: value.range, hasEscapes: true), in: line, into: &bytes)
        return bytes
    }

    /// The identity hash: `sample_uuid_hash`, else `strict_fingerprint`.
    var identity: Captured? { self[.sampleUUIDHash] ?? self[.strictFingerprint] }
}

/// The order of items: `Spec/bundle.md`, Order of items. Absent sorts first.
struct OrderKey: Sendable {
    let type: [UInt8]?
    let start, end: Moment?
    let identity, payload, strict: [UInt8]?

    init(_ facts: ItemFacts, in line: Span<UInt8>) {
        func moment(_ slot: Slot) -> Moment? { facts[slot].flatMap { TimestampReader.moment(in: line.extracting($0.range)) } }
        type = ItemFacts.bytes(facts[.sampleType], line)
        start = moment(.startDate)
        end = moment(.endDate)
        identity = ItemFacts.bytes(facts.identity, line)
        payload = ItemFacts.bytes(facts[.payloadHash], line)
        strict = ItemFacts.bytes(facts[.strictFingerprint], line)
    }

    /// Whether an item with this key may not stand after one with `other`.
    func precedes(_ other: OrderKey) -> Bool {
        for result in [Self.compare(type, other.type), Self.compare(start, other.start), Self.compare(end, other.end), Self.compare(identity, other.identity), Self.compare(payload, other.payload)] where result != 0 {
            return result < 0
        }
        return Self.compare(strict, other.strict) < 0
    }

    static func compare(_ left: [UInt8]?, _ right: [UInt8]?) -> Int {
        guard let left, let right else { return (left == nil ? 0 : 1) - (right == nil ? 0 : 1) }
        return left.span.precedes(right.span) ? -1 : left == right ? 0 : 1
    }

    static func compare(_ left: Moment?, _ right: Moment?) -> Int {
        guard let left, let right else { return (left == nil ? 0 : 1) - (right == nil ? 0 : 1) }
        return left < right ? -1 : left == right ? 0 : 1
    }
}
