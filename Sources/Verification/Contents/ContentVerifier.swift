internal import Bytes
internal import CanonicalJSON
internal import Codes
internal import Format
internal import Manifest

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

    /// What must be there for a hash to be looked at, and what must not be tainted.
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

    /// Adds a finding for each content hash of an item that is wrong; a strict fingerprint that may be that of a
    /// later ordinal is left to whoever puts frames together.
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

    /// Whether a strict fingerprint is that of a sample that was known by its deletion alone.
    private mutating func isUnseen(_ facts: ItemFacts, _ text: Span<UInt8>) -> Bool {
        guard facts.members[.sampleUUIDHash] != nil else { return false }
        return holds(unseenFingerprint(facts, text), facts, at: .strictFingerprint, in: text)
    }

    /// What follows from the bytes of metadata alone: they come again and again.
    private struct Metadata {
        let hash: Digest
        /// Whether each private value is a hash in its form.
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

    /// Whether a member of texts is the digest that was computed.
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

    /// The strict fingerprint of ordinal 0.
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

    /// The strict fingerprint of a sample that was known by its deletion alone.
    mutating func unseenFingerprint(_ facts: ItemFacts, _ text: Span<UInt8>) -> Digest {
        preimage.beginObject(unseenPrefix)
        preimage.append(facts.members[.sampleType], in: text)
        preimage.append(facts.members[.sampleUUIDHash], in: text)
        preimage.endObject(in: text)
        return finish()
    }

    /// The semantic fingerprint; nil where the item has none.
    mutating func semanticFingerprint(_ facts: ItemFacts, _ text: Span<UInt8>) -> Digest? {
        preimage.beginObject(semanticPrefix)
        guard families.append(facts, text, to: &preimage) else { return nil }
        preimage.endObject(in: text)
        return finish()
    }
}

extension ItemFacts {
    /// The members that defects name.
    fileprivate func taintedMembers(in text: Span<UInt8>) -> ItemMembers {
        var tainted: ItemMembers = []
        for defect in defects {
            guard let pointer = ItemFacts.bytes(defect.pointer, text) else { continue }
            tainted.formUnion(ItemMembers(taintedBy: pointer.dropFirst().prefix { $0 != UInt8(ascii: "/") }))
        }
        return tainted
    }

    /// Whether an item speaks of the version that its sample began with.
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

    /// The digest that a member of texts states; nil where it is none.
    fileprivate func digest(at member: ItemMember, in text: Span<UInt8>) -> Digest? {
        self.text(at: member, in: text).flatMap { Digest(hex: text.extracting($0)) }
    }

    /// The place of a member's text between its quotes; nil where there is none.
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
