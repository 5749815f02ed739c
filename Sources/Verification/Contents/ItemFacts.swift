internal import Bytes
internal import CanonicalJSON
internal import Codes
internal import Format
internal import Timestamps

/// The facts of an item that later checks need: places in its line, and the entries of its arrays.
struct ItemFacts: ShapeVisitor {
    struct RangeEntry { var first, last: Int64? }
    struct EventEntry { var observation: Int64?; var kind: Captured? }
    struct RelationshipEntry {
        var end, identity, type, kind: Captured?; var observation, ended: Int64?; var isInScope = false
    }
    struct DaySourceEntry { var name, bundle: Captured? }
    struct DefectEntry { var pointer, reason, storageClass, value: Captured? }

    private var values: [Captured] = Array(repeating: Captured(), count: Slot.allCases.count)
    /// The set of values that are there, by slot.
    private var present: UInt128 = 0
    var ranges: [RangeEntry] = []
    var events: [EventEntry] = []
    var relationships: [RelationshipEntry] = []
    var defects: [DefectEntry] = []
    var daySources: [DaySourceEntry] = []
    /// The places of the item's own members; only if `keepsPlaces` is `true`.
    private(set) var members = MemberPlaces()
    /// `true` if the places of members are wanted.
    var keepsPlaces = false

    subscript(slot: Slot) -> Captured? { present & Self.bit(slot) == 0 ? nil : values[slot.rawValue] }

    /// Returns `true` if there is a value at a slot.
    func has(_ slot: Slot) -> Bool { present & Self.bit(slot) != 0 }

    @inline(__always)
    private static func bit(_ slot: Slot) -> UInt128 { 1 &<< UInt128(truncatingIfNeeded: slot.rawValue) }

    /// The value and the place of the last number that took long to read.
    private var number: (value: Double, start: Int)?

    mutating func visit(number: Double, at index: Int) { self.number = (number, index) }

    /// Returns the value of a number.
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
        daySources.removeAll(keepingCapacity: true)
    }

    /// `true` if a comparison has a member `sources`.
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
        case .daySources: daySources.append(DaySourceEntry())
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
        case .daySourceName: daySources[daySources.count - 1].name = value
        case .daySourceBundle: daySources[daySources.count - 1].bundle = value
        default: break
        }
    }

    mutating func endItemMember(_ index: Int, _ place: MemberPlaces.Place) {
        if keepsPlaces { members.note(index, place) }
    }

    /// Returns the integer at a captured number.
    static func integer(_ value: Captured, _ line: Span<UInt8>) -> Int64? {
        Reader.integer(value.range, in: line)
    }

    /// Returns the bytes of a captured text, unescaped.
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

extension ItemFacts {
    /// Returns `true` if nothing has to be compared with anything else: no defects, and at most one entry in arrays
    /// that are sorted.
    func isUnremarkable(_ kind: Forms) -> Bool {
        guard defects.isEmpty, ranges.count < 2, events.count < 2, relationships.count < 2, daySources.isEmpty else {
            return false
        }
        return ![.window, .wholeType, .representationChanged].contains(kind)
    }

    /// Returns the faults of an item whose kind is missing or unknown: without it, its members cannot be judged.
    func faultsWithoutKind(_ every: [ShapeFault]) -> [ShapeFault] {
        let faults = every.filter { !$0.pointer.hasPrefix("/item/") || $0.pointer == "/item/item_kind" }
        guard !faults.contains(where: { $0.pointer == "/item" || $0.pointer == "/item/item_kind" }) else {
            return faults
        }
        let code: Code = self[.itemKind] == nil ? .shapeMemberMissing : .shapeValue
        return faults + [ShapeFault(code: code, pointer: "/item/item_kind")]
    }

    /// Returns `true` if both sides of a change without defects have the same bytes.
    func hasEqualSides(_ kind: Forms, in line: Span<UInt8>) -> Bool {
        guard kind == .representationChanged, defects.isEmpty, let before = self[.before], let after = self[.after]
        else { return false }
        return line.extracting(before.range).isSame(as: line.extracting(after.range))
    }

    /// Counts the provenance losses of this item, in the order of `ShapeTables.losses`.
    func addLosses(_ kind: Forms, to losses: inout [Int64]) {
        func raise(_ index: Int, _ isRaised: Bool) { if isRaised { losses[index] += 1 } }
        let hasPayload = kind != .sample
        let hasSource = has(.source)
        raise(0, hasPayload && !has(.device))
        raise(1, has(.deviceIdentifier))
        raise(2, self[.metadata]?.isText ?? false)
        raise(3, hasSource && !has(.sourceSystemVersion))
        raise(4, hasPayload && !has(.payloadHash))
        raise(5, relationships.contains { !$0.isInScope })
        raise(6, !has(.sampleUUIDHash))
        raise(7, hasPayload && !hasSource)
        raise(8, has(.sourceName))
        raise(9, hasSource && !has(.sourceVersion))
    }

    /// Returns the form of an item; if the member that decides it is absent or at fault, all forms of its kind.
    func form(of kind: ItemKind, in line: Span<UInt8>) -> Forms {
        switch kind {
        case .change: return form(.change, of: Forms.changes, in: line) ?? .change
        case .comparison:
            if self[.windowPart] != nil || self[.windowStart] != nil || self[.windowEnd] != nil { return .window }
            return self[.sampleType] != nil || hasComparisonSources ? .wholeType : .allTypes
        case .finding: return form(.finding, of: Forms.findings, in: line) ?? .finding
        case .pair: return form(.pairKind, of: Forms.pairs, in: line) ?? .pair
        case .day: return form(.measure, of: Forms.measures, in: line) ?? .day
        default: return kind.forms
        }
    }

    private func form(_ slot: Slot, of list: [(name: String, form: Forms)], in line: Span<UInt8>) -> Forms? {
        guard let value = self[slot] else { return nil }
        let text = line.extracting(value.range)
        for entry in list where text.isText(entry.name) { return entry.form }
        return nil
    }

    /// Returns the slots of the dates and the hash of the version that an item is sorted by.
    func leading(_ form: Forms) -> (start: Slot, end: Slot, payload: Slot) {
        guard Forms.change.isSuperset(of: form) else { return (.startDate, .endDate, .payloadHash) }
        return form == .appeared ? (.afterStart, .afterEnd, .afterPayload) : (.beforeStart, .beforeEnd, .beforePayload)
    }
}
