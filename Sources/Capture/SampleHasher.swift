internal import Bytes
internal import Manifest
internal import Preimages
internal import Recording

/// Computes the hashes and the fuzzy key of each sample of a page (`Spec/identity.md`). Its memory is used again for
/// the next page.
struct SampleHasher: ~Copyable {
    private var content = ContentHasher()
    private var preimage = SamplePreimage()
    private var values = SampleTexts()
    private let keys = PreimageKeys()
    private let noUnit = BaseUnit(of: [])

    /// Returns the page of a draft.
    mutating func page(_ draft: borrowing PageDraft) -> CapturePage {
        var page = draft.page
        page.samples.reserveCapacity(draft.records.count)
        for index in draft.records.indices {
            page.samples.append(sample(draft.records[index], of: draft, &page.bytes))
        }
        for member in draft.members {
            let sample = sample(member.record, of: draft, &page.bytes)
            page.members.append(CapturePage.Member(parent: member.parent, sample: sample, kind: member.kind))
        }
        return page
    }

    private mutating func sample(
        _ draft: borrowing PageDraft.Record, of page: borrowing PageDraft, _ bytes: inout [UInt8]
    ) -> CapturePage.Sample {
        let (record, kind) = (draft.record, draft.valueKind)
        let startDate = PageBuilder.seconds(record.start)
        let endDate = PageBuilder.seconds(record.end)
        guard values.setDates(startDate, endDate) else {
            preconditionFailure("a source gives dates of the years 1 to 9999")
        }
        if let number = record.numericValue { values.setNumber(number) }
        if let duration = record.durationSeconds { values.setDuration(duration) }
        write(SampleMember.strictFingerprint, in: .strictFingerprint, record, kind, of: page)
        let fingerprint = Self.digest(&content, preimage)
        write(SampleMember.payload, in: .payload, record, kind, of: page)
        let payload = Self.digest(&content, preimage)
        let family = SampleFamily(
            of: record.valueKind.name.span, hasNumber: record.numericValue != nil,
            isCumulative: page.types[record.type].isCumulative)
        let semantic = writeSemantics(record, family, of: page) ? Self.digest(&content, preimage) : nil
        var sample = CapturePage.Sample(
            fingerprint: fingerprint, semanticFingerprint: semantic, payloadHash: payload,
            fuzzyKey: Self.addFuzzyKey(record, family, to: &bytes), startDate: startDate, endDate: endDate)
        sample.type = record.type
        sample.uuidHash = draft.uuidHash
        sample.valueKind = kind
        sample.numericValue = record.numericValue.map { $0 + 0 }
        sample.unit = record.unit ?? -1
        sample.categoryValue = record.categoryValue
        sample.workoutActivityType = record.workoutActivityType
        sample.durationSeconds = record.durationSeconds.map { $0 + 0 }
        sample.source = record.source ?? -1
        sample.device = record.device ?? -1
        sample.metadata = record.metadata ?? -1
        sample.isUnread = record.isUnread
        return sample
    }

    private static func digest(_ hasher: inout ContentHasher, _ preimage: borrowing SamplePreimage) -> Digest {
        hasher.digest(ofPreimage: preimage.span)
    }

    private mutating func write(
        _ members: [SampleMember], in domain: Domain, _ record: CapturedRecord, _ kind: Int,
        of page: borrowing PageDraft
    ) {
        preimage.begin(domain)
        for member in members { add(member, record, kind, of: page) }
        preimage.end()
    }

    /// Adds a member if the record has it.
    private mutating func add(
        _ member: SampleMember, _ record: CapturedRecord, _ kind: Int, of page: borrowing PageDraft
    ) {
        let key = member.key
        switch member {
        case .bundleIdentifier:
            if let source = record.source, let bundle = page.sources[source].bundleIdentifier {
                preimage.add(key, bundle)
            }
        case .categoryValue: if let category = record.categoryValue { preimage.add(key, category) }
        case .device: if let device = record.device { preimage.add(key, page.devices[device]) }
        case .durationSeconds: if record.durationSeconds != nil { preimage.add(key, values.duration) }
        case .endDate: preimage.add(key, values.end)
        case .metadataHash:
            if let metadata = record.metadata { preimage.add(key, page.page.metadata[metadata].hash) }
        case .numericValue: if record.numericValue != nil { preimage.add(key, values.number) }
        case .sampleType: preimage.add(key, page.types[record.type].json)
        case .source: if let source = record.source { preimage.add(key, page.sources[source].json) }
        case .startDate: preimage.add(key, values.start)
        case .unit: if let unit = record.unit { preimage.add(key, page.units[unit].json) }
        case .comparedUnit: if let unit = record.unit { preimage.add(key, page.units[unit].identity) }
        case .valueKind: preimage.add(key, page.units[kind].json)
        case .workoutActivityType:
            if let activity = record.workoutActivityType { preimage.add(key, activity) }
        }
    }

    /// Writes the preimage of the semantic fingerprint; false where there is none.
    private mutating func writeSemantics(
        _ record: CapturedRecord, _ family: SampleFamily, of page: borrowing PageDraft
    ) -> Bool {
        let value = family == .quantity || family == .cumulative ? record.numericValue : nil
        if let value {
            guard let converted = record.unit.map({ page.units[$0].base.value(value) }) ?? noUnit.value(value) else {
                return false
            }
            if converted == value { values.setBaseToNumber() } else { values.setBase(converted) }
        }
        preimage.begin(.semanticFingerprint)
        if family == .workout, let activity = record.workoutActivityType { preimage.add(keys.activity, activity) }
        if family == .category, let category = record.categoryValue { preimage.add(keys.category, category) }
        preimage.add(keys.end, PageBuilder.floor(record.end, 1_000_000))
        preimage.add(keys.family, family.json)
        preimage.add(keys.sampleType, page.types[record.type].json)
        preimage.add(keys.start, PageBuilder.floor(record.start, 1_000_000))
        if value != nil {
            if let unit = record.unit { preimage.add(keys.unit, page.units[unit].baseJSON) }
            preimage.add(keys.value, values.base)
        }
        preimage.end()
        return true
    }

    private static func addFuzzyKey(
        _ record: CapturedRecord, _ family: SampleFamily, to bytes: inout [UInt8]
    ) -> Range<Int> {
        let start = bytes.count
        family.addFuzzyKey(
            window: PageBuilder.floor(record.start, family.window * 1_000_000), category: record.categoryValue,
            activity: record.workoutActivityType, to: &bytes)
        return start..<bytes.count
    }
}
