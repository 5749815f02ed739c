internal import CanonicalJSON
internal import Format
internal import Timestamps

/// What later checks need to know of an item: places in its line, and the entries of its arrays.
struct ItemFacts: ShapeVisitor {
    struct RangeEntry { var first, last: Int64? }
    struct EventEntry { var observation: Int64?; var kind: Captured? }
    struct RelationshipEntry {
        var end, identity, type, kind: Captured?; var observation, ended: Int64?; var isInScope = false
    }
    struct DefectEntry { var pointer, reason, storageClass, value: Captured? }

    private var values: [Captured] = Array(repeating: Captured(), count: Slot.allCases.count)
    /// Which of the values are there, by slot.
    private var present: UInt128 = 0
    var ranges: [RangeEntry] = []
    var events: [EventEntry] = []
    var relationships: [RelationshipEntry] = []
    var defects: [DefectEntry] = []
    /// Where the item's own members stand; only where `keepsPlaces` says so.
    private(set) var members = MemberPlaces()
    /// Whether it is wanted where members stand.
    var keepsPlaces = false

    subscript(slot: Slot) -> Captured? { present & Self.bit(slot) == 0 ? nil : values[slot.rawValue] }

    /// Whether there is a value at a slot.
    func has(_ slot: Slot) -> Bool { present & Self.bit(slot) != 0 }

    @inline(__always)
    private static func bit(_ slot: Slot) -> UInt128 { 1 &<< UInt128(truncatingIfNeeded: slot.rawValue) }

    /// What the last number means that took long to read, and where it stands.
    private var number: (value: Double, start: Int)?

    mutating func visit(number: Double, at index: Int) { self.number = (number, index) }

    /// What a number means.
    func double(_ place: Range<Int>, in line: Span<UInt8>) -> Double {
        if let number, number.start == place.lowerBound { return number.value }
        return Reader.double(place, in: line)
    }

    /// Forgets the item before.
    mutating func reset() {
        number = nil
        present = 0
        hasComparisonSources = false
        members.reset()
        ranges.removeAll(keepingCapacity: true)
        events.removeAll(keepingCapacity: true)
        relationships.removeAll(keepingCapacity: true)
        defects.removeAll(keepingCapacity: true)
    }

    /// Whether a comparison has a member `sources`.
    private(set) var hasComparisonSources = false

    mutating func beginArray(of slot: Slot) {
        if slot == .comparisonSources { hasComparisonSources = true }
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

    mutating func visit(_ slot: Slot, _ value: Captured, in line: Span<UInt8>) {
        values[slot.rawValue] = value
        present |= Self.bit(slot)
        switch slot {
        case .rangeFirst: ranges[ranges.count - 1].first = Self.integer(value, line)
        case .rangeLast: ranges[ranges.count - 1].last = Self.integer(value, line)
        case .eventKind: events[events.count - 1].kind = value
        case .eventObservation: events[events.count - 1].observation = Self.integer(value, line)
        case .relationshipEnd: relationships[relationships.count - 1].end = value
        case .relationshipIdentity: relationships[relationships.count - 1].identity = value
        case .relationshipType: relationships[relationships.count - 1].type = value
        case .relationshipKind: relationships[relationships.count - 1].kind = value
        case .relationshipObservation: relationships[relationships.count - 1].observation = Self.integer(value, line)
        case .relationshipEnded: relationships[relationships.count - 1].ended = Self.integer(value, line)
        case .relationshipInScope: relationships[relationships.count - 1].isInScope = value.isTrue
        case .defectPointer: defects[defects.count - 1].pointer = value
        case .defectReason: defects[defects.count - 1].reason = value
        case .defectClass: defects[defects.count - 1].storageClass = value
        case .defectValue: defects[defects.count - 1].value = value
        default: break
        }
    }

    mutating func endItemMember(_ index: Int, _ place: MemberPlaces.Place) {
        if keepsPlaces { members.note(index, place) }
    }

    /// The integer at a captured number.
    static func integer(_ value: Captured, _ line: Span<UInt8>) -> Int64? {
        Reader.integer(value.range, in: line)
    }

    /// The bytes of a captured text, unescaped.
    static func bytes(_ value: Captured?, _ line: Span<UInt8>) -> [UInt8]? {
        guard let value else { return nil }
        guard value.hasEscapes else { return (value.range).map { line[$0] } }
        var bytes: [UInt8] = []
        Reader.unescape(StringContents(range: value.range, hasEscapes: true), in: line, into: &bytes)
        return bytes
    }

    /// The identity hash: `sample_uuid_hash`, else `strict_fingerprint`.
    var identity: Captured? { self[.sampleUUIDHash] ?? self[.strictFingerprint] }
}
