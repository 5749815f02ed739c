internal import Archive
internal import Bytes
internal import CanonicalJSON
internal import Format
internal import Timestamps

/// The order of items: `Spec/bundle.md`, Order of items, and `Spec/changes.md`. Absent sorts first.
///
/// One buffer holds the texts, so that a key can be set again and again without new memory.
struct OrderKey: Sendable {
    private var bytes: [UInt8] = []
    private var typeRange, partRange, identityRange, payloadRange, lastRange: Range<Int>?
    /// `true` if another item may have the same key.
    private(set) var mayComeAgain = false
    /// Before everything else: the row of all types of a comparison comes first.
    private var isFirst = false
    /// Kinds whose keys are compared with each other.
    private enum Group { case versions, rows, findings, pairs, typeManifests, days }

    private var group = Group.versions
    private var start, end: Moment?
    /// Of a day.
    private var numbers: (category: Int64?, activity: Int64?)

    /// Takes the keys of an item.
    mutating func set(_ facts: ItemFacts, _ form: Forms, in line: Span<UInt8>) {
        bytes.removeAll(keepingCapacity: true)
        typeRange = append(facts[.sampleType], line)
        mayComeAgain = false
        if Forms.comparison.isSuperset(of: form) {
            group = .rows
            setRow(facts, form)
        } else if Forms.finding.isSuperset(of: form) {
            group = .findings
            setFinding(facts, line)
        } else if Forms.pair.isSuperset(of: form) {
            group = .pairs
            setPair(facts, line)
        } else if Forms.day.isSuperset(of: form) {
            group = .days
            setDay(facts, line)
        } else {
            group = form == .typeManifest ? .typeManifests : .versions
            setVersion(facts, form, line)
        }
    }

    private mutating func setVersion(_ facts: ItemFacts, _ form: Forms, _ line: Span<UInt8>) {
        let leading = facts.leading(form)
        isFirst = false
        partRange = nil
        start = facts[leading.start]?.moment
        end = facts[leading.end]?.moment
        identityRange = append(facts.identity, line)
        payloadRange = append(facts[leading.payload], line)
        // What a shared record leaves out comes before it in the order, and told two apart that look alike now.
        lastRange = form == .sharedRecord ? nil : append(facts[.strictFingerprint], line)
        mayComeAgain = form == .sharedRecord
    }

    /// Sets the row; a whole type has no part, a window has one.
    private mutating func setRow(_ facts: ItemFacts, _ form: Forms) {
        isFirst = form == .allTypes
        partRange = form == .window ? bytes.count..<bytes.count : nil
        start = facts[.windowStart]?.moment
        end = facts[.windowEnd]?.moment
        (identityRange, payloadRange, lastRange) = (nil, nil, nil)
    }

    private mutating func setFinding(_ facts: ItemFacts, _ line: Span<UInt8>) {
        isFirst = false
        partRange = append(facts[.finding], line)
        start = facts[.startDate]?.moment
        end = nil
        identityRange = append(facts.identity, line)
        payloadRange = append(facts[.payloadHash], line)
        lastRange = append(facts[.semanticFingerprint], line)
    }

    private mutating func setPair(_ facts: ItemFacts, _ line: Span<UInt8>) {
        isFirst = false
        (partRange, payloadRange, lastRange) = (nil, nil, nil)
        start = facts[.startDate]?.moment
        end = facts[.endDate]?.moment
        identityRange = append(facts[.pairKey], line)
    }

    private mutating func setDay(_ facts: ItemFacts, _ line: Span<UInt8>) {
        isFirst = false
        (start, end) = (nil, nil)
        partRange = append(facts[.date], line)
        identityRange = append(facts[.measure], line)
        func number(_ slot: Slot) -> Int64? { facts[slot].flatMap { ItemFacts.integer($0, line) } }
        numbers = (number(.categoryValue), number(.activity))
        payloadRange = append(facts[.sourceName], line)
        lastRange = append(facts[.sourceBundle], line)
    }

    private mutating func append(_ value: Captured?, _ line: Span<UInt8>) -> Range<Int>? {
        guard let value else { return nil }
        let start = bytes.count
        if value.hasEscapes {
            Reader.unescape(StringContents(range: value.range, hasEscapes: true), in: line, into: &bytes)
        } else {
            bytes.append(copying: line.extracting(value.range))
        }
        return start..<bytes.count
    }

    /// The sample type.
    var type: ArraySlice<UInt8>? { typeRange.map { bytes[$0] } }

    /// Returns `true` if both have the same sample type, or none.
    func hasType(of other: OrderKey) -> Bool { compare(typeRange, other, other.typeRange) == 0 }

    /// The identity hash.
    var identity: ArraySlice<UInt8>? { identityRange.map { bytes[$0] } }
    /// The version hash.
    var payload: ArraySlice<UInt8>? { payloadRange.map { bytes[$0] } }

    /// Appends sample type, identity and, if it is asked for, version hash as an `ItemKey`.
    func append(hasVersion: Bool, to key: inout ByteBuffer) {
        for part in [typeRange, identityRange, hasVersion ? payloadRange : nil] {
            ItemKey.append(bytes.span.extracting(part ?? 0..<0), to: &key)
        }
    }

    /// Returns `true` if an item with this key repeats one with `other`, though their bytes may differ.
    func repeats(_ other: OrderKey) -> Bool {
        // A comparison has one row for all types, and like a manifest one for each type. No two days have the same key.
        let isOnce = group == .typeManifests || group == .days || (group == .rows && partRange == nil)
        return isOnce && other.group == group && compared(with: other) == 0
    }

    /// Returns `true` if an item with this key may not come after one with `other`.
    func precedes(_ other: OrderKey) -> Bool { compared(with: other) < 0 }

    /// Returns a number below 0, 0 or above 0, as an item with this key sorts before one with `other`, ties with it, or
    /// sorts after it. Items of which one has no place among the other's kind tie.
    func compared(with other: OrderKey) -> Int {
        if group != other.group { return 0 }
        if isFirst != other.isFirst { return isFirst ? -1 : 1 }
        var result = compare(typeRange, other, other.typeRange)
        if result == 0 { result = compare(partRange, other, other.partRange) }
        if result == 0 { result = Self.compare(start, other.start) }
        if result == 0 { result = Self.compare(end, other.end) }
        if result == 0 { result = compare(identityRange, other, other.identityRange) }
        if result == 0, group == .days {
            result = Self.compare(numbers.category, other.numbers.category)
            if result == 0 { result = Self.compare(numbers.activity, other.numbers.activity) }
        }
        if result == 0 { result = compare(payloadRange, other, other.payloadRange) }
        if result == 0 { result = compare(lastRange, other, other.lastRange) }
        return result
    }

    private func compare(_ left: Range<Int>?, _ other: OrderKey, _ right: Range<Int>?) -> Int {
        guard let left, let right else { return (left == nil ? 0 : 1) - (right == nil ? 0 : 1) }
        return bytes.span.extracting(left).compared(with: other.bytes.span.extracting(right))
    }

    private static func compare<Value: Comparable>(_ left: Value?, _ right: Value?) -> Int {
        guard let left, let right else { return (left == nil ? 0 : 1) - (right == nil ? 0 : 1) }
        return left < right ? -1 : left == right ? 0 : 1
    }

    /// Texts in the order of their bytes, absent first.
    static func compare(_ left: [UInt8]?, _ right: [UInt8]?) -> Int {
        guard let left, let right else { return (left == nil ? 0 : 1) - (right == nil ? 0 : 1) }
        return left.span.compared(with: right.span)
    }
}
