internal import Archive
internal import Bytes
internal import CanonicalJSON
internal import Format
internal import Manifest
internal import Measures

/// The facts of one item that the totals count.
struct ItemFacts {
    let isSample: Bool
    /// `true` if provenance loss is looked for: in records, samples and versions.
    let raisesLosses: Bool
    var defectCount = 0
    var device: ObjectFacts?
    var source: ObjectFacts?
    var isMetadataText = false
    var hasEndOutOfScope = false
    var hasUUID = false
    /// `true` if the version's row exists.
    var hasVersion = false
    var hasPayload = false

    init(isSample: Bool) {
        self.isSample = isSample
        raisesLosses = true
    }

    /// Facts of an item of another kind.
    init(isPlain: Bool) {
        isSample = false
        raisesLosses = !isPlain
    }

    /// The provenance losses that the item raises, a bit for each `ProvenanceLoss`.
    var losses: UInt16 {
        guard raisesLosses else { return 0 }
        var losses: UInt16 = 0
        for code in 0..<ProvenanceLoss.count where ProvenanceLoss(rawValue: code)!.isRaised(by: self) {
            losses |= 1 << UInt16(code)
        }
        return losses
    }
}

/// The sums of a day report's items (`Spec/days.md`, Totals).
struct DayTally: Sendable {
    /// The kept and dropped amounts, as the items state them, in whole numbers of the last decimal of a unit.
    struct Sums: Sendable {
        let unit: String
        var kept, dropped: Int128
    }

    /// Records, without nights and naps.
    var recordCount: Int
    var sums: Sums?

    mutating func add(_ other: DayTally) {
        recordCount += other.recordCount
        guard let added = other.sums else { return }
        guard var own = sums else { return sums = added }
        own.kept += added.kept
        own.dropped += added.dropped
        sums = own
    }
}

/// Counts of the items of one sample type.
struct Tally: Sendable {
    var itemCount = 0
    var defectCount = 0
    /// Items per provenance-loss code, in the order of `ProvenanceLoss`.
    var losses = InlineArray<10, Int>(repeating: 0)
    var days: DayTally?

    mutating func add(_ added: DayTally?) {
        guard let added else { return }
        if days?.add(added) == nil { days = added }
    }

    mutating func add(_ facts: ItemFacts) {
        itemCount += 1
        defectCount += facts.defectCount
        var raised = facts.losses
        while raised != 0 {
            losses[raised.trailingZeroBitCount] += 1
            raised &= raised - 1
        }
    }

    mutating func add(_ other: Tally) {
        itemCount += other.itemCount
        defectCount += other.defectCount
        for index in losses.indices { losses[index] += other.losses[index] }
        add(other.days)
    }
}

/// The facts that an outside tool could not put back (`Spec/items.md`, Provenance loss), sorted by name.
enum ProvenanceLoss: Int, CaseIterable {
    case deviceAbsent, deviceIdentifiersHashed, metadataAsText, operatingSystemVersionAbsent, payloadAbsent,
        relationshipEndNotInScope
    case sampleUUIDAbsent, sourceAbsent, sourceNameHashed, sourceVersionAbsent

    /// Number of codes.
    static let count = 10

    /// Keys in the totals, in the order of the cases.
    static let keys = ObjectFormat.manifestTotalsTypesProvenanceLoss.names.map { Key($0) }

    func isRaised(by facts: ItemFacts) -> Bool {
        switch self {
        case .deviceAbsent: !facts.isSample && facts.device == nil
        case .deviceIdentifiersHashed: facts.device?.hasIdentifiers ?? false
        case .metadataAsText: facts.isMetadataText
        case .operatingSystemVersionAbsent: facts.source.map { !$0.hasOperatingSystemVersion } ?? false
        case .payloadAbsent: !facts.isSample && !facts.hasPayload
        case .relationshipEndNotInScope: facts.hasEndOutOfScope
        case .sampleUUIDAbsent: !facts.hasUUID
        case .sourceAbsent: !facts.isSample && facts.source == nil
        case .sourceNameHashed: facts.source?.hasSourceName ?? false
        case .sourceVersionAbsent: facts.source.map { !$0.hasVersion } ?? false
        }
    }
}

/// The totals of an export: tallies per sample type, by the type's index.
struct Totals: Sendable {
    /// By index into the context's types, plus one; the first is for items whose type does not exist.
    private var tallies: [Tally] = []

    /// Items so far.
    var itemCount: Int { tallies.reduce(0) { $0 + $1.itemCount } }
    /// Defects of items so far.
    var defectCount: Int { tallies.reduce(0) { $0 + $1.defectCount } }

    /// Counts an item of a type, −1 where its type does not exist.
    mutating func add(_ facts: ItemFacts, type: Int, days: DayTally? = nil) {
        reserve(type + 2)
        tallies[type + 1].add(facts)
        tallies[type + 1].add(days)
    }

    mutating func add(_ other: Totals) {
        reserve(other.tallies.count)
        for index in other.tallies.indices { tallies[index].add(other.tallies[index]) }
    }

    private mutating func reserve(_ count: Int) {
        while tallies.count < count { tallies.append(Tally()) }
    }

    /// Writes the `totals` object.
    ///
    /// - Parameter pageHash: of a page, the SHA-256 of what is read in it.
    func write(types: TypeNames, headerDefects: Int, pageHash: String? = nil, to json: inout Writer) {
        json.beginObject()
        json.key("defect_count")
        json.integer(Int64(headerDefects + defectCount))
        json.key("item_count")
        json.integer(Int64(itemCount))
        if let pageHash {
            json.key("page_sha256")
            json.string(pageHash)
            json.key("renderer")
            json.integer(Bundle.renderer)
        }
        json.key("types")
        json.beginArray()
        for (name, tally) in ordered(types) { Self.write(tally, name: name, to: &json) }
        json.endArray()
        json.endObject()
    }

    /// Returns the tallies in the order of the items: types without an identifier, together, then by identifier.
    private func ordered(_ types: TypeNames) -> [(name: [UInt8]?, tally: Tally)] {
        var unnamed = Tally()
        var named: [(name: [UInt8]?, tally: Tally)] = []
        for (index, tally) in tallies.enumerated() where tally.itemCount > 0 {
            if let name = index == 0 ? nil : types.name(index - 1) {
                named.append((name, tally))
            } else {
                unnamed.add(tally)
            }
        }
        return unnamed.itemCount > 0 ? [(nil, unnamed)] + named : named
    }

    private static func write(_ tally: Tally, name: [UInt8]?, to json: inout Writer) {
        json.beginObject()
        json.key("defect_count")
        json.integer(Int64(tally.defectCount))
        let sums = tally.days?.sums
        let digits = DecimalAmount.digits(ofUnit: sums?.unit)
        if let sums {
            json.key("dropped_sum")
            json.number(DecimalAmount.number(sums.dropped, digits: digits))
        }
        json.key("item_count")
        json.integer(Int64(tally.itemCount))
        json.key("provenance_loss")
        json.beginObject()
        for loss in ProvenanceLoss.allCases where tally.losses[loss.rawValue] > 0 {
            json.key(ProvenanceLoss.keys[loss.rawValue])
            json.integer(Int64(tally.losses[loss.rawValue]))
        }
        json.endObject()
        json.member("record_count", tally.days?.recordCount)
        if let name {
            json.key(Keys.sampleType)
            json.string(String(decoding: name, as: UTF8.self))
        }
        if let sums {
            json.member("unit", sums.unit)
            json.key("value_sum")
            json.number(DecimalAmount.number(sums.kept, digits: digits))
        }
        json.endObject()
    }
}

extension TypeNames {
    /// Returns the identifier's bytes, `nil` if it has no canonical form.
    func name(_ index: Int) -> [UInt8]? {
        let (value, bytes) = self[index]
        switch value {
        case .text(let range):
            return StoredWriter.fault(inText: bytes.span.extracting(range)) == nil ? Array(bytes[range]) : nil
        case .hash(let range): return Hexadecimal.digits(bytes[range])
        default: return nil
        }
    }
}
