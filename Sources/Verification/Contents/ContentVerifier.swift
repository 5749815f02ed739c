internal import Bytes
internal import CanonicalJSON
internal import Codes
internal import Format
internal import Manifest
internal import Preimages
internal import Timestamps

/// Recomputes the content hashes in an item from the item's own bytes (`Spec/identity.md`, "What a verifier
/// recomputes").
///
/// Nothing is parsed and written anew: the members of an item are canonical, and sorted as those of the preimages
/// are, so a preimage is put together from their bytes.
struct ContentVerifier: ~Copyable {
    private var hash = SHA256()
    private var preimage = Preimage()
    private var families = FamilyReader()
    private var privateMetadata = PrivateMetadata()
    private var metadataTexts = RecentTexts()
    private var knownMetadata = [Metadata?](repeating: nil, count: RecentTexts.count)
    // Arrays of its own: verifiers side by side would otherwise count references to the same ones.
    private let metadataPrefix = Domain.metadata.prefix.map { $0 }
    private let payloadPrefix = Domain.payload.prefix.map { $0 }
    private let strictPrefix = Domain.strictFingerprint.prefix.map { $0 }
    private let unseenPrefix = Domain.unseenSample.prefix.map { $0 }
    private let semanticPrefix = Domain.semanticFingerprint.prefix.map { $0 }
    private let payloadOrder: [ItemMember] = [
        .categoryValue, .device, .durationSeconds, .endDate, .metadataHash, .numericValue, .sampleType, .source,
        .startDate, .unit, .valueKind, .workoutActivityType,
    ]
    private let appeared = Array("appeared".utf8)
    private let calories = Array("\"Cal\"".utf8)

    private let metadataInputs = Inputs(ItemMembers(.metadata, .metadataHash))
    private let payloadInputs = Inputs(
        Self.dated.union(ItemMembers(.payloadHash)), and: Self.contents.union(ItemMembers(.device, .metadataHash)))
    private let strictInputs = Inputs(
        Self.dated.union(ItemMembers(.strictFingerprint, .createdObservationID, .firstSeenObservationID)),
        and: Self.contents.union(ItemMembers(.sampleUUIDHash)))
    private let semanticInputs = Inputs(ItemMembers(.semanticFingerprint))

    private static let dated = ItemMembers(.sampleType, .startDate, .endDate)
    private static let contents = ItemMembers(
        .categoryValue, .durationSeconds, .numericValue, .source, .unit, .valueKind, .workoutActivityType)

    /// The members that must be there for a hash to be looked at, and those that must not be tainted.
    private struct Inputs {
        let required, all: ItemMembers

        init(_ required: ItemMembers, and others: ItemMembers = []) {
            self.required = required
            all = required.union(others)
        }

        func areThere(in present: ItemMembers, tainted: ItemMembers) -> Bool {
            present.isSuperset(of: required) && all.isDisjoint(with: tainted)
        }
    }

    /// Adds a finding for each content hash of an item that is wrong. A strict fingerprint that may be that of a later
    /// ordinal is left to whoever puts frames together.
    mutating func check(
        _ facts: ItemFacts, _ kind: Forms, in text: Span<UInt8>, line: Int, _ run: inout ItemRun
    ) {
        guard kind != .sample, Forms.selected.isSuperset(of: kind) else { return }
        let present = facts.members.present
        let tainted = facts.taintedMembers(in: text)
        if let place = facts.members[.metadata], tainted.isDisjoint(with: ItemMembers(.metadata)) {
            let metadata = metadata(at: place.value, facts, text)
            if kind != .sharedRecord, !metadata.keepsPrivate {
                run.findings.append(facts.finding(.itemPrivateMetadata, .metadata, expected: nil, in: text, line: line))
            }
            if metadataInputs.areThere(in: present, tainted: tainted),
                !holds(metadata.hash, facts, at: .metadataHash, in: text)
            {
                run.findings.append(
                    facts.finding(.itemMetadataHash, .metadataHash, expected: metadata.hash, in: text, line: line))
            }
        }
        if payloadInputs.areThere(in: present, tainted: tainted) {
            let computed = payloadHash(facts, text)
            guard holds(computed, facts, at: .payloadHash, in: text) else {
                run.findings.append(
                    facts.finding(.itemPayloadHash, .payloadHash, expected: computed, in: text, line: line))
                return
            }
        }
        guard strictInputs.areThere(in: present, tainted: tainted),
            facts.isFirstVersion(kind, appeared: appeared, in: text)
        else { return }
        let first = strictFingerprint(facts, text)
        var semantic: Finding?
        if semanticInputs.areThere(in: present, tainted: tainted), case let computed = semanticFingerprint(facts, text),
            !(computed.map { holds($0, facts, at: .semanticFingerprint, in: text) } ?? false)
        {
            semantic = facts.finding(
                .itemSemanticFingerprint, .semanticFingerprint, expected: computed, in: text, line: line)
        }
        if holds(first, facts, at: .strictFingerprint, in: text) || isUnseen(facts, text) {
            if let semantic { run.findings.append(semantic) }
        } else if let stated = facts.digest(at: .strictFingerprint, in: text) {
            run.laterFingerprints.append(
                LaterFingerprint(
                    stated: stated, first: first, line: line, place: run.findings.count, semantic: semantic))
        } else {
            run.findings.append(
                facts.finding(.itemStrictFingerprint, .strictFingerprint, expected: first, in: text, line: line))
        }
    }

    /// Returns `true` if a strict fingerprint is that of a sample that was known only by its deletion.
    private mutating func isUnseen(_ facts: ItemFacts, _ text: Span<UInt8>) -> Bool {
        guard facts.members[.sampleUUIDHash] != nil else { return false }
        return holds(unseenFingerprint(facts, text), facts, at: .strictFingerprint, in: text)
    }

    /// The results that follow only from the bytes of metadata, which come again and again.
    private struct Metadata {
        let hash: Digest
        /// `true` if each private value is a hash in its form.
        let keepsPrivate: Bool
    }

    private mutating func metadata(
        at range: Range<Int>, _ facts: ItemFacts, _ text: Span<UInt8>
    ) -> Metadata {
        let number = RecentTexts.number(range.lowerBound, in: text)
        if let known = knownMetadata[number],
            metadataTexts.length(of: number, at: range.lowerBound, in: text) == range.count
        {
            return known
        }
        let metadata = Metadata(
            hash: metadataHash(facts, text),
            keepsPrivate: privateMetadata.holds(text.extracting(range)))
        if metadataTexts.keep(range, as: number, in: text) { knownMetadata[number] = metadata }
        return metadata
    }

    private mutating func finish() -> Digest { Self.digest(&hash, preimage) }

    private static func digest(_ hash: inout SHA256, _ preimage: borrowing Preimage) -> Digest {
        hash.update(preimage.span)
        return hash.finish()
    }

    /// Returns `true` if a member of texts is the digest that was computed.
    private func holds(_ computed: Digest, _ facts: ItemFacts, at member: ItemMember, in text: Span<UInt8>) -> Bool {
        facts.text(at: member, in: text).map { computed.isWritten(as: text.extracting($0)) } ?? false
    }

    // MARK: Hashes

    mutating func metadataHash(_ facts: ItemFacts, _ text: Span<UInt8>) -> Digest {
        preimage.begin(metadataPrefix)
        if let metadata = facts[.metadata] { preimage.append(contentsOf: metadata, in: text) }
        return finish()
    }

    mutating func payloadHash(_ facts: ItemFacts, _ text: Span<UInt8>) -> Digest {
        preimage.beginObject(payloadPrefix)
        for index in payloadOrder.indices { preimage.append(facts.members[payloadOrder[index]], in: text) }
        preimage.endObject(in: text)
        return finish()
    }

    /// Returns the strict fingerprint of ordinal 0.
    mutating func strictFingerprint(_ facts: ItemFacts, _ text: Span<UInt8>) -> Digest {
        preimage.beginObject(strictPrefix)
        if let bundle = facts[.sourceBundle] {
            preimage.append(name: "\"bundle_identifier\":\"", in: text)
            preimage.append(bundle.range, in: text)
            preimage.append("\"")
        }
        preimage.append(facts.members[.categoryValue], in: text)
        preimage.append(facts.members[.durationSeconds], in: text)
        preimage.append(facts.members[.endDate], in: text)
        preimage.append(facts.members[.numericValue], in: text)
        preimage.append(facts.members[.sampleType], in: text)
        preimage.append(facts.members[.startDate], in: text)
        if let unit = facts.members[.unit], text.extracting(unit.value).isSame(as: calories.span) {
            preimage.append(name: "\"unit\":\"kcal\"", in: text)
        } else {
            preimage.append(facts.members[.unit], in: text)
        }
        preimage.append(facts.members[.valueKind], in: text)
        preimage.append(facts.members[.workoutActivityType], in: text)
        preimage.endObject(in: text)
        return finish()
    }

    /// Returns the strict fingerprint of a sample that was known by its deletion alone.
    mutating func unseenFingerprint(_ facts: ItemFacts, _ text: Span<UInt8>) -> Digest {
        preimage.beginObject(unseenPrefix)
        preimage.append(facts.members[.sampleType], in: text)
        preimage.append(facts.members[.sampleUUIDHash], in: text)
        preimage.endObject(in: text)
        return finish()
    }

    /// Returns the semantic fingerprint; `nil` if the item has none.
    mutating func semanticFingerprint(_ facts: ItemFacts, _ text: Span<UInt8>) -> Digest? {
        preimage.beginObject(semanticPrefix)
        guard families.append(facts, text, to: &preimage) else { return nil }
        preimage.endObject(in: text)
        return finish()
    }
}

extension ItemFacts {
    /// Returns the members that defects name.
    fileprivate func taintedMembers(in text: Span<UInt8>) -> ItemMembers {
        var tainted: ItemMembers = []
        for defect in defects {
            guard let pointer = ItemFacts.bytes(defect.pointer, text) else { continue }
            tainted.formUnion(ItemMembers(taintedBy: pointer.dropFirst().prefix { $0 != UInt8(ascii: "/") }))
        }
        return tainted
    }

    /// Returns `true` if an item is about the version that its sample began with.
    fileprivate func isFirstVersion(_ kind: Forms, appeared: [UInt8], in text: Span<UInt8>) -> Bool {
        guard let created = members[.createdObservationID], let first = members[.firstSeenObservationID],
            text.extracting(created.value).isSame(as: text.extracting(first.value))
        else {
            return false
        }
        guard kind == .version else { return true }
        let observation = Reader.integer(first.value, in: text)
        return events.contains { event in
            event.observation == observation
                && event.kind.map { !$0.hasEscapes && text.extracting($0.range).isSame(as: appeared.span) } ?? false
        }
    }

    /// Returns the digest that a member of texts states; `nil` if it is none.
    fileprivate func digest(at member: ItemMember, in text: Span<UInt8>) -> Digest? {
        self.text(at: member, in: text).flatMap { Digest(hex: text.extracting($0)) }
    }

    /// Returns the place of a member's text between its quotes; `nil` if there is none.
    fileprivate func text(at member: ItemMember, in text: Span<UInt8>) -> Range<Int>? {
        guard let value = members[member]?.value, value.count >= 2 else { return nil }
        return value.lowerBound + 1..<value.upperBound - 1
    }

    fileprivate func finding(
        _ code: Code, _ member: ItemMember, expected: Digest?, in text: Span<UInt8>, line: Int
    ) -> Finding {
        Finding(
            code, line: line, pointer: "/item/" + member.name, expected: expected?.hex,
            found: digest(at: member, in: text)?.hex)
    }
}

/// Puts the preimage of a semantic fingerprint together (`Spec/identity.md`, "Families").
///
/// Items of a type follow each other, so what was found of the last type and the last unit is kept.
struct FamilyReader {
    private var type: (name: [UInt8], isCumulative: Bool)?
    private var unit: (name: [UInt8], base: Base) = ([], Base(name: [], factor: 1))

    /// A unit in terms of the base of its dimension.
    private struct Base {
        /// The base unit, as a JSON string.
        let name: [UInt8]
        let factor: Double
        var isFahrenheit = false
    }

    /// Appends the members of an item's family; false where the item has no semantic fingerprint.
    mutating func append(_ facts: ItemFacts, _ text: Span<UInt8>, to preimage: inout Preimage) -> Bool {
        guard let end = facts[.endDate]?.moment, let start = facts[.startDate]?.moment,
            let type = facts.members[.sampleType]
        else { return false }
        let kind = facts.members[.valueKind].map { Kind(text.extracting($0.value)) } ?? .other
        var family = "\"correlation\""
        var number: (value: Double, hasUnit: Bool)?
        switch kind {
        case .quantity:
            if let value = facts.members[.numericValue] {
                let hasUnit = facts.members[.unit].map { setUnit(text.extracting($0.value)) } != nil
                guard
                    let converted = Self.convert(
                        self.value(value.value, facts, in: text), by: hasUnit ? unit.base.factor : 1,
                        isFahrenheit: hasUnit && unit.base.isFahrenheit)
                else { return false }
                number = (converted, hasUnit)
                family = isCumulative(text.extracting(type.value)) ? "\"cumulative\"" : "\"quantity\""
            }
        case .category:
            family = "\"category\""
            if let category = facts.members[.categoryValue] {
                preimage.append(name: "\"category\":", in: text)
                preimage.append(category.value, in: text)
            }
        case .workout:
            family = "\"workout\""
            if let activity = facts.members[.workoutActivityType] {
                preimage.append(name: "\"activity\":", in: text)
                preimage.append(activity.value, in: text)
            }
        case .other: break
        }
        preimage.append(name: "\"end\":", in: text)
        preimage.append(end.seconds)
        preimage.append(name: "\"family\":", in: text)
        preimage.append(family)
        preimage.append(type, in: text)
        preimage.append(name: "\"start\":", in: text)
        preimage.append(start.seconds)
        if let number {
            if number.hasUnit {
                preimage.append(name: "\"unit\":", in: text)
                preimage.append(unit.base.name)
            }
            preimage.append(name: "\"value\":", in: text)
            preimage.append(number.value)
        }
        return true
    }

    /// Kinds of value that have a family of their own.
    private enum Kind {
        case quantity, category, workout, other

        /// - Parameter text: a JSON string.
        init(_ text: Span<UInt8>) {
            func holds(_ name: String) -> Bool { text.isSame(as: name.utf8Span.span) }
            self =
                holds("\"quantity\"")
                ? .quantity : holds("\"category\"") ? .category : holds("\"workout\"") ? .workout : .other
        }
    }

    // MARK: Types

    private mutating func isCumulative(_ name: Span<UInt8>) -> Bool {
        if let type, type.name.span.isSame(as: name) { return type.isCumulative }
        let bytes = name.indices.map { name[$0] }
        let isCumulative = Self.isCumulative(bytes)
        type = (bytes, isCumulative)
        return isCumulative
    }

    /// - Parameter bytes: a JSON string.
    private static func isCumulative(_ bytes: [UInt8]) -> Bool {
        let prefix = Array("\"HKQuantityTypeIdentifier".utf8)
        guard bytes.starts(with: prefix) else { return false }
        let rest = bytes.dropFirst(prefix.count).dropLast()
        if rest.starts(with: Array("Distance".utf8)) || rest.starts(with: Array("Dietary".utf8)) { return true }
        return cumulative.contains { $0.utf8.elementsEqual(rest) }
    }

    private static let cumulative = [
        "ActiveEnergyBurned", "AppleExerciseTime", "AppleMoveTime", "AppleStandTime", "BasalEnergyBurned",
        "FlightsClimbed", "InhalerUsage", "InsulinDelivery",
        "NikeFuel", "NumberOfAlcoholicBeverages", "NumberOfTimesFallen", "PushCount", "StepCount",
        "SwimmingStrokeCount", "TimeInDaylight",
    ]

    // MARK: Units

    /// Makes `unit` the one with a name.
    private mutating func setUnit(_ name: Span<UInt8>) {
        if unit.name.isSame(as: name) { return }
        let bytes = name.indices.map { name[$0] }
        unit = (bytes, Self.base(of: bytes))
    }

    /// - Parameter bytes: a JSON string.
    private static func base(of bytes: [UInt8]) -> Base {
        for (base, units) in dimensions {
            for (unit, factor) in units where "\"\(unit)\"".utf8.elementsEqual(bytes) {
                return Base(name: Array("\"\(base)\"".utf8), factor: factor, isFahrenheit: unit == "degF")
            }
        }
        return Base(name: bytes, factor: 1)
    }

    /// Returns the value of a number. Whole ones are many, and read without the standard library.
    private func value(_ range: Range<Int>, _ facts: ItemFacts, in text: Span<UInt8>) -> Double {
        Reader.integer(range, in: text).flatMap { $0.magnitude < 1 << 53 ? Double($0) : nil }
            ?? facts.double(range, in: text)
    }

    /// Returns a value in the base unit, rounded to a binary32; `nil` if that is infinite.
    private static func convert(_ value: Double, by factor: Double, isFahrenheit: Bool) -> Double? {
        let converted = isFahrenheit ? (value - 32) * 5 / 9 : value * factor
        let rounded = Float(converted)
        // Negative zero becomes 0.
        return rounded.isFinite ? Double(rounded) + 0 : nil
    }

    private static let dimensions: [(base: String, units: [(String, Double)])] = [
        ("kcal", [("Cal", 1), ("kcal", 1), ("cal", 0.001), ("kJ", 0.2390057361376673), ("J", 0.0002390057361376673)]),
        (
            "m",
            [
                ("m", 1), ("km", 1000), ("cm", 0.01), ("mm", 0.001), ("mi", 1609.344), ("ft", 0.3048), ("yd", 0.9144),
                ("in", 0.0254),
            ]
        ),
        ("kg", [("kg", 1), ("g", 0.001), ("lb", 0.45359237), ("st", 6.35029318), ("oz", 0.028349523125)]),
        ("s", [("s", 1), ("ms", 0.001), ("min", 60), ("hr", 3600), ("d", 86400)]),
        ("degC", [("degC", 1), ("degF", 1)]),
        (
            "mL",
            [("mL", 1), ("L", 1000), ("dL", 100), ("cL", 10), ("fl_oz_us", 29.5735295625), ("fl_oz_imp", 28.4130625)]
        ),
    ]
}

/// A preimage that is put together from pieces of a line; its memory is used again.
struct Preimage: ~Copyable {
    private var buffer = ByteBuffer(capacity: 1024)
    /// A text without its escapes.
    private var piece: [UInt8] = []
    /// Members that stand next to each other in the line and here: they are copied in one go.
    private var pending = 0..<0
    /// `true` if the object has no member yet.
    private var isEmpty = true

    /// The bytes that were put together.
    var span: Span<UInt8> {
        @_lifetime(borrow self) get { buffer.span }
    }

    /// Begins with a domain prefix.
    mutating func begin(_ prefix: [UInt8]) {
        buffer.removeAll()
        pending = 0..<0
        append(prefix)
    }

    /// Begins an object behind a domain prefix.
    mutating func beginObject(_ prefix: [UInt8]) {
        begin(prefix)
        buffer.append(UInt8(ascii: "{"))
        isEmpty = true
    }

    mutating func endObject(in text: Span<UInt8>) {
        flush(text)
        buffer.append(UInt8(ascii: "}"))
    }

    private mutating func separate() {
        if !isEmpty { buffer.append(UInt8(ascii: ",")) }
        isEmpty = false
    }

    private mutating func flush(_ text: Span<UInt8>) {
        guard !pending.isEmpty else { return }
        separate()
        append(pending, in: text)
        pending = 0..<0
    }

    /// Appends a member as it stands in a line; nothing where it is absent.
    mutating func append(_ place: MemberPlaces.Place?, in text: Span<UInt8>) {
        guard let place else { return }
        if pending.upperBound &+ 1 != place.whole.lowerBound || pending.isEmpty {
            flush(text)
            pending = place.whole
        } else {
            pending = pending.lowerBound..<place.whole.upperBound
        }
    }

    /// Appends a name, such as `"end":`, to which a value is appended next.
    mutating func append(name: String, in text: Span<UInt8>) {
        flush(text)
        separate()
        append(name)
    }

    /// Appends what stands in a line.
    mutating func append(_ range: Range<Int>, in text: Span<UInt8>) { buffer.append(copying: text.extracting(range)) }

    /// Appends bytes.
    mutating func append(_ other: [UInt8]) { buffer.append(copying: other.span) }

    /// Appends bytes of a text.
    mutating func append(_ text: String) { buffer.append(copying: text.utf8Span.span) }

    /// Appends an integer.
    mutating func append(_ value: Int64) { buffer.append(decimal: value) }

    /// Appends a finite number, as canonical text has it.
    mutating func append(_ value: Double) { buffer.append(ecmaScript: value) }

    /// Appends the contents of a text, or an object, that was captured.
    mutating func append(contentsOf value: Captured, in text: Span<UInt8>) {
        guard value.hasEscapes else { return append(value.range, in: text) }
        piece.removeAll(keepingCapacity: true)
        Reader.unescape(StringContents(range: value.range, hasEscapes: true), in: text, into: &piece)
        append(piece)
    }
}
