public import Archive
internal import CanonicalJSON
internal import Manifest
internal import Timestamps

/// Makes pages of records: gives types, texts, sources, devices and metadata their places in the page's tables, and computes every hash (`Spec/identity.md`).
///
///     var builder = PageBuilder(secret)
///     let type = builder.sampleType(identifier)
///     let source = builder.source(key: rawText) { SourceDescription(…) }
///     builder.add(CapturedRecord(type: type, start: …, end: …, valueKind: .quantity))
///     let page = builder.take()        // indices from before are void now
///
/// Everything is O(bytes given); the memory of a page is used again for the next.
public struct PageBuilder: ~Copyable {
    private var page = CapturePage()
    private var hashes: PrivateHasher
    private var content = ContentHasher()
    private var json = Writer(capacity: 1024)
    /// The text of the sample's numeric value, which stands in two preimages.
    private var number = Writer(capacity: 32)
    private var types = Interner()
    private var texts = Interner()
    private var sources = Interner()
    private var devices = Interner()
    private var metadata = Interner()
    private var metadataKeys = Interner()
    private var metadataPlaces: [Int] = []
    private var typeFacts: [TypeFacts] = []
    private var unitFacts: [BaseUnit] = []
    private var sourceFacts: [SourceFacts] = []
    private var deviceJSON: [[UInt8]] = []
    private let fingerprintKeys = KeyList([
        "bundle_identifier", "category_value", "duration_seconds", "end_date", "numeric_value", "sample_type", "start_date", "unit", "value_kind", "workout_activity_type",
    ])
    private let payloadKeys = KeyList([
        "category_value", "device", "duration_seconds", "end_date", "metadata_hash", "numeric_value", "sample_type", "source", "start_date", "unit", "value_kind", "workout_activity_type",
    ])
    private let semanticKeys = KeyList(["activity", "category", "end", "family", "sample_type", "start", "unit", "value"])

    /// What is known of a type in this page.
    private struct TypeFacts {
        let identifier: [UInt8]
        let isCumulative: Bool
    }

    private struct SourceFacts {
        let json: [UInt8]
        let bundleIdentifier: [UInt8]?
    }

    /// A builder whose private hashes are made with a secret.
    public init(_ secret: ArchiveSecret) { hashes = PrivateHasher(secret) }

    /// Number of samples, members, deleted objects, distant links and rejected records so far.
    public var count: Int { page.samples.count + page.members.count + page.deleted.count + page.distantLinks.count + page.rejections.count }

    /// Hands over the page. Indices that were given out before are void.
    public mutating func take() -> CapturePage {
        var taken = CapturePage()
        swap(&taken, &page)
        page.samples.reserveCapacity(taken.samples.count)
        page.bytes.reserveCapacity(taken.bytes.count)
        types.removeAll()
        texts.removeAll()
        sources.removeAll()
        devices.removeAll()
        metadata.removeAll()
        metadataKeys.removeAll()
        metadataPlaces.removeAll(keepingCapacity: true)
        typeFacts.removeAll(keepingCapacity: true)
        unitFacts.removeAll(keepingCapacity: true)
        sourceFacts.removeAll(keepingCapacity: true)
        deviceJSON.removeAll(keepingCapacity: true)
        return taken
    }

    // MARK: Tables

    /// The place of a type.
    public mutating func sampleType(_ identifier: Span<UInt8>) -> Int {
        let (index, isNew) = types.intern(identifier)
        if isNew {
            let bytes = types.array(index)
            page.types.append(bytes)
            typeFacts.append(TypeFacts(identifier: bytes, isCumulative: SampleFamily.isCumulative(bytes)))
        }
        return index
    }

    /// The place of a unit, or of a kind of relationship.
    public mutating func text(_ text: Span<UInt8>) -> Int {
        let (index, isNew) = texts.intern(text)
        if isNew {
            let bytes = texts.array(index)
            page.texts.append(bytes)
            unitFacts.append(BaseUnit(of: bytes))
        }
        return index
    }

    /// The place of a source. `key` is anything that is equal for equal sources; `describe` is called when it is new to the page.
    public mutating func source(key: Span<UInt8>, describe: () -> SourceDescription) -> Int {
        let (index, isNew) = sources.intern(key)
        if isNew { add(describe()) }
        return index
    }

    /// The place of a device, like that of a source.
    public mutating func device(key: Span<UInt8>, describe: () -> DeviceDescription) -> Int {
        let (index, isNew) = devices.intern(key)
        if isNew { add(describe()) }
        return index
    }

    /// The place of metadata: the canonical JSON of an object that is not empty, with private values hashed already.
    public mutating func metadata(canonical text: Span<UInt8>) -> Int {
        let (index, isNew) = metadata.intern(text)
        if isNew {
            let start = page.bytes.count
            page.bytes.append(copying: text)
            page.metadata.append(CapturePage.Metadata(hash: content.digest(of: text, in: .metadata), json: start..<page.bytes.count))
        }
        return index
    }

    /// The place of metadata, like that of a source: `key` is anything that is equal for equal metadata, `describe` gives its canonical JSON when it is new to the page.
    public mutating func metadata(key: Span<UInt8>, describe: (inout PageBuilder) -> [UInt8]) -> Int {
        let (index, isNew) = metadataKeys.intern(key)
        if isNew {
            let text = describe(&self)
            metadataPlaces.append(metadata(canonical: text.span))
        }
        return metadataPlaces[index]
    }

    /// What stands in the place of a private metadata value: `hmac:` and 64 hex digits.
    ///
    /// - Parameter value: the canonical JSON of the value.
    public mutating func privateValue(key: Span<UInt8>, value: Span<UInt8>) -> [UInt8] {
        json.removeAll()
        json.beginObject()
        json.key("key")
        // Texts come from parsers that give UTF-8 and nothing else.
        try? json.string(key)
        json.key("value")
        json.embed(canonical: value)
        json.endObject()
        let preimage = json.bytes
        return Array("hmac:".utf8) + Array(hashes.digest(of: preimage.span, in: .privateMetadata).hex.utf8)
    }

    // MARK: Records

    /// Adds a record; returns its place among the samples of the page.
    @discardableResult
    public mutating func add(_ record: CapturedRecord) -> Int {
        page.samples.append(sample(record))
        return page.samples.count - 1
    }

    /// Adds a record that belongs to another of this page and stands for itself elsewhere.
    public mutating func addMember(_ record: CapturedRecord, of parent: Int, kind: String) {
        let kind = text(kind.utf8Span.span)
        page.members.append(CapturePage.Member(parent: parent, sample: sample(record), kind: kind))
    }

    /// Adds a relationship between two samples of the page.
    public mutating func link(_ source: Int, to target: Int, kind: String) {
        page.links.append(CapturePage.Link(source: source, target: target, kind: text(kind.utf8Span.span)))
    }

    /// Adds a relationship between two samples that may be anywhere.
    public mutating func link(type: Int, _ source: SampleUUID, toType: Int, _ target: SampleUUID, kind: Span<UInt8>, metadata: Int?) {
        let from = CapturePage.Reference(type: type, uuidHash: hash(source))
        let to = CapturePage.Reference(type: toType, uuidHash: hash(target))
        page.distantLinks.append(CapturePage.DistantLink(source: from, target: to, kind: text(kind), metadata: metadata ?? -1))
    }

    /// Adds a deleted object.
    public mutating func addDeleted(type: Int, _ uuid: SampleUUID) { page.deleted.append(CapturePage.Reference(type: type, uuidHash: hash(uuid))) }

    /// Counts a record that cannot be stored as it is.
    ///
    /// - Parameters:
    ///   - type: nil where the type cannot be read.
    ///   - reason: small letters and `_`.
    ///   - place: where, such as `line 12`.
    public mutating func reject(type: Int?, reason: String, place: String) { page.rejections.append(CapturePage.Rejection(type: type ?? -1, reason: reason, place: place)) }

    // MARK: Hashes

    private mutating func hash(_ uuid: SampleUUID) -> Digest {
        let text = uuid.text
        return hashes.digest(of: text.span, in: .sampleUUID)
    }

    private static func digest(of json: borrowing Writer, in domain: Domain, _ hasher: inout ContentHasher) -> Digest {
        let bytes = json.bytes
        return hasher.digest(of: bytes.span, in: domain)
    }

    private mutating func sample(_ record: CapturedRecord) -> CapturePage.Sample {
        let startDate = Self.seconds(record.start)
        let endDate = Self.seconds(record.end)
        let dates = (start: Self.text(startDate), end: Self.text(endDate))
        let kind = text(record.valueKind.name.span)
        number.removeAll()
        if let value = record.numericValue { number.number(value) }
        writeFingerprint(record, dates)
        let fingerprint = Self.digest(of: json, in: .strictFingerprint, &content)
        writePayload(record, dates)
        let payload = Self.digest(of: json, in: .payload, &content)
        let family = SampleFamily(of: record, isCumulative: typeFacts[record.type].isCumulative)
        var semantic: Digest?
        if writeSemantics(record, family) { semantic = Self.digest(of: json, in: .semanticFingerprint, &content) }
        var sample = CapturePage.Sample(
            fingerprint: fingerprint, semanticFingerprint: semantic, payloadHash: payload, fuzzyKey: addFuzzyKey(record, family), startDate: startDate, endDate: endDate)
        sample.type = record.type
        if let uuid = record.uuid { sample.uuidHash = hash(uuid) }
        sample.valueKind = kind
        sample.numericValue = record.numericValue.map { $0 + 0 }
        sample.unit = record.unit ?? -1
        sample.categoryValue = record.categoryValue
        sample.workoutActivityType = record.workoutActivityType
        sample.durationSeconds = record.durationSeconds.map { $0 + 0 }
        sample.source = record.source ?? -1
        sample.device = record.device ?? -1
        sample.metadata = record.metadata ?? -1
        return sample
    }

    private mutating func writeFingerprint(_ record: CapturedRecord, _ dates: (start: TimestampText, end: TimestampText)) {
        json.removeAll()
        json.beginObject()
        if let source = record.source, let bundle = sourceFacts[source].bundleIdentifier { put(bundle, 0) }
        if let category = record.categoryValue { put(category, 1) }
        if let duration = record.durationSeconds { put(duration, 2) }
        put(dates.end, 3)
        if record.numericValue != nil { writeNumber(fingerprintKeys, 4) }
        put(typeFacts[record.type].identifier, 5)
        put(dates.start, 6)
        if let unit = record.unit { put(Self.identityUnit(page.texts[unit]), 7) }
        put(record.valueKind.name, 8)
        if let activity = record.workoutActivityType { put(activity, 9) }
        json.endObject()
    }

    private mutating func writePayload(_ record: CapturedRecord, _ dates: (start: TimestampText, end: TimestampText)) {
        json.removeAll()
        json.beginObject()
        if let category = record.categoryValue { put(payload: category, 0) }
        if let device = record.device {
            json.key(payloadKeys, 1)
            let text = deviceJSON[device]
            json.embed(canonical: text.span)
        }
        if let duration = record.durationSeconds { put(payload: duration, 2) }
        put(payload: dates.end, 3)
        if let metadata = record.metadata {
            json.key(payloadKeys, 4)
            writeHex(page.metadata[metadata].hash)
        }
        if record.numericValue != nil { writeNumber(payloadKeys, 5) }
        put(payload: typeFacts[record.type].identifier, 6)
        if let source = record.source {
            json.key(payloadKeys, 7)
            let text = sourceFacts[source].json
            json.embed(canonical: text.span)
        }
        put(payload: dates.start, 8)
        if let unit = record.unit { put(payload: page.texts[unit], 9) }
        put(payload: record.valueKind.name, 10)
        if let activity = record.workoutActivityType { put(payload: activity, 11) }
        json.endObject()
    }

    /// Writes the preimage of the semantic fingerprint; false where there is none.
    private mutating func writeSemantics(_ record: CapturedRecord, _ family: SampleFamily) -> Bool {
        var base: (unit: [UInt8]?, value: Double)?
        if family == .quantity || family == .cumulative, let value = record.numericValue {
            let unit = record.unit.map { unitFacts[$0] } ?? BaseUnit(of: [])
            guard let converted = unit.value(value) else { return false }
            base = (record.unit == nil ? nil : unit.text, converted)
        }
        json.removeAll()
        json.beginObject()
        if family == .workout, let activity = record.workoutActivityType { put(semantic: activity, 0) }
        if family == .category, let category = record.categoryValue { put(semantic: category, 1) }
        put(semantic: Self.floor(record.end, 1_000_000), 2)
        put(semantic: Array(family.name.utf8), 3)
        put(semantic: typeFacts[record.type].identifier, 4)
        put(semantic: Self.floor(record.start, 1_000_000), 5)
        if let base {
            if let unit = base.unit { put(semantic: unit, 6) }
            json.key(semanticKeys, 7)
            json.number(base.value)
        }
        json.endObject()
        return true
    }

    private mutating func addFuzzyKey(_ record: CapturedRecord, _ family: SampleFamily) -> Range<Int> {
        let start = page.bytes.count
        page.bytes.append(family.letter)
        page.bytes.append(0x3A)
        page.bytes.append(contentsOf: String(Self.floor(record.start, family.window * 1_000_000)).utf8)
        let more = family == .category ? record.categoryValue : family == .workout ? record.workoutActivityType : nil
        if let more {
            page.bytes.append(0x3A)
            page.bytes.append(contentsOf: String(more).utf8)
        }
        return start..<page.bytes.count
    }

    // MARK: Provenance

    private mutating func add(_ description: SourceDescription) {
        var source = CapturePage.Source()
        source.nameHash = hashes.digest(of: description.name, in: .sourceName)
        source.bundleIdentifier = description.bundleIdentifier
        source.productType = description.productType
        source.version = description.version
        source.operatingSystemVersion = description.operatingSystemVersion.flatMap { $0.elementsEqual("0.0.0".utf8) ? nil : $0 }
        page.sources.append(source)
        sourceFacts.append(SourceFacts(json: ProvenanceJSON.text(of: source), bundleIdentifier: description.bundleIdentifier))
    }

    private mutating func add(_ description: DeviceDescription) {
        var device = CapturePage.Device()
        let preimage = ProvenanceJSON.preimage(of: description)
        device.hash = hashes.digest(of: preimage.span, in: .device)
        device.manufacturerHash = hashes.digest(of: description.manufacturer, in: .manufacturer)
        device.model = description.model
        device.hardwareVersion = description.hardwareVersion
        device.firmwareVersion = description.firmwareVersion
        device.softwareVersion = description.softwareVersion
        device.localIdentifierHash = hashes.digest(of: description.localIdentifier, in: .localIdentifier)
        device.udiHash = hashes.digest(of: description.udi, in: .udi)
        page.devices.append(device)
        deviceJSON.append(ProvenanceJSON.text(of: device))
    }

    // MARK: Members

    /// `Cal` and `kcal` are one unit.
    private static func identityUnit(_ unit: [UInt8]) -> [UInt8] { unit.elementsEqual("Cal".utf8) ? Array("kcal".utf8) : unit }

    /// Microseconds as the archive stores them: one division, rounded once.
    private static func seconds(_ microseconds: Int64) -> Double { Double(microseconds) / 1_000_000 }

    private static func text(_ seconds: Double) -> TimestampText {
        guard let text = try? TimestampText(seconds) else { preconditionFailure("a source gives dates of the years 1 to 9999") }
        return text
    }

    private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 { value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor) }

    private mutating func put(_ value: [UInt8], _ key: Int) { write(value, fingerprintKeys, key) }
    private mutating func put(_ value: Int64, _ key: Int) { write(value, fingerprintKeys, key) }
    private mutating func put(_ value: Double, _ key: Int) { write(value, fingerprintKeys, key) }
    private mutating func put(_ value: TimestampText, _ key: Int) { write(value, fingerprintKeys, key) }
    private mutating func put(payload value: [UInt8], _ key: Int) { write(value, payloadKeys, key) }
    private mutating func put(payload value: Int64, _ key: Int) { write(value, payloadKeys, key) }
    private mutating func put(payload value: Double, _ key: Int) { write(value, payloadKeys, key) }
    private mutating func put(payload value: TimestampText, _ key: Int) { write(value, payloadKeys, key) }
    private mutating func put(semantic value: [UInt8], _ key: Int) { write(value, semanticKeys, key) }
    private mutating func put(semantic value: Int64, _ key: Int) { write(value, semanticKeys, key) }

    private mutating func write(_ value: [UInt8], _ keys: KeyList, _ key: Int) {
        json.key(keys, key)
        try? json.string(value.span)
    }

    private mutating func write(_ value: Int64, _ keys: KeyList, _ key: Int) {
        json.key(keys, key)
        json.integer(value)
    }

    private mutating func write(_ value: Double, _ keys: KeyList, _ key: Int) {
        json.key(keys, key)
        json.number(value)
    }

    private mutating func write(_ value: TimestampText, _ keys: KeyList, _ key: Int) {
        json.key(keys, key)
        let bytes = value.bytes
        try? json.string(bytes.span.extracting(0..<value.count))
    }

    private mutating func writeNumber(_ keys: KeyList, _ key: Int) {
        json.key(keys, key)
        let text = number.bytes
        json.embed(canonical: text.span)
    }

    private mutating func writeHex(_ digest: Digest) {
        var hex: [UInt8] = []
        digest.appendHex(to: &hex)
        try? json.string(hex.span)
    }
}
