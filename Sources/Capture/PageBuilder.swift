internal import Bytes
internal import CanonicalJSON
internal import Manifest
internal import Preimages
public import Recording

/// Makes pages of records: gives types, texts, sources, devices and metadata their places in the page's tables, and
/// computes their hashes (`Spec/identity.md`). Those of samples are for `SampleHasher`.
///
///     var builder = PageBuilder(secret)
///     let type = builder.sampleType(identifier)
///     let source = builder.source(key: rawText) { SourceDescription(…) }
///     builder.add(CapturedRecord(type: type, start: …, end: …, valueKind: .quantity))
///     let page = builder.finishPage()  // indices from before are void now
///
/// Everything is O(bytes given); the memory of a page is used again for the next.
public struct PageBuilder: ~Copyable {
    private var page = CapturePage()
    private var records: [PageDraft.Record] = []
    private var members: [PageDraft.Member] = []
    private var hashes: PrivateHasher
    private var privateKeys: PrivateKeys
    private var content = ContentHasher()
    private var types = Interner()
    private var texts = Interner()
    private var sources = Interner()
    private var devices = Interner()
    private var metadata = Interner()
    private var metadataKeys = Interner()
    private var metadataPlaces: [Int] = []
    private var typeFacts: [TypeFacts] = []
    private var unitFacts: [UnitFacts] = []
    private var sourceFacts: [SourceFacts] = []
    private var deviceJSON: [[UInt8]] = []
    private var samples = SampleHasher()
    /// The names of sources and devices so far, where they are kept.
    public private(set) var keptNames: KeptNames?

    /// A builder whose private hashes are made with a secret.
    ///
    /// - Parameters:
    ///   - rules: those of the archive.
    ///   - keepsNames: whether names are kept for labels.
    public init(_ secret: ArchiveSecret, rules: CaptureRules = CaptureRules(), keepsNames: Bool = false) {
        keptNames = keepsNames ? KeptNames() : nil
        hashes = PrivateHasher(secret)
        privateKeys = PrivateKeys(rules)
    }

    /// Number of samples, members, deleted objects, distant links and rejected records so far.
    public var count: Int {
        records.count + members.count + page.deleted.count + page.distantLinks.count + page.rejections.count
    }

    /// Hands over the page. Indices that were given out before are void.
    public mutating func finishPage() -> CapturePage {
        let draft = finishDraft()
        return samples.page(draft)
    }

    /// Returns the same page, without the hashes of its samples.
    public mutating func finishDraft() -> PageDraft {
        let draft = PageDraft(
            page: page, records: records, members: members, types: typeFacts, units: unitFacts, sources: sourceFacts,
            devices: deviceJSON)
        page = CapturePage()
        page.bytes.reserveCapacity(draft.page.bytes.count)
        records = []
        records.reserveCapacity(draft.records.count)
        members = []
        types.removeAll()
        texts.removeAll()
        sources.removeAll()
        devices.removeAll()
        metadata.removeAll()
        metadataKeys.removeAll()
        metadataPlaces.removeAll(keepingCapacity: true)
        typeFacts = []
        unitFacts = []
        sourceFacts = []
        deviceJSON = []
        return draft
    }

    // MARK: Tables

    /// Returns the place of a type.
    public mutating func sampleType(_ identifier: Span<UInt8>) -> Int {
        let (index, isNew) = types.intern(identifier)
        if isNew {
            let bytes = types.array(index)
            page.types.append(bytes)
            typeFacts.append(TypeFacts(json: SampleTexts.json(bytes), isCumulative: SampleFamily.isCumulative(bytes)))
        }
        return index
    }

    /// Returns the place of a unit, or of a kind of relationship.
    public mutating func text(_ text: Span<UInt8>) -> Int {
        let (index, isNew) = texts.intern(text)
        if isNew {
            let bytes = texts.array(index)
            page.texts.append(bytes)
            unitFacts.append(UnitFacts(bytes))
        }
        return index
    }

    /// Returns the place of a source. `key` is anything that is equal for equal sources; `describe` is called when it
    /// is new to the page.
    public mutating func source(key: Span<UInt8>, describe: () -> SourceDescription) -> Int {
        let (index, isNew) = sources.intern(key)
        if isNew { add(describe()) }
        return index
    }

    /// Returns the place of a device, like that of a source.
    public mutating func device(key: Span<UInt8>, describe: () -> DeviceDescription) -> Int {
        let (index, isNew) = devices.intern(key)
        if isNew { add(describe()) }
        return index
    }

    /// Returns the place of metadata: the canonical JSON of an object that is not empty, with private values hashed
    /// already.
    public mutating func metadata(canonical text: Span<UInt8>) -> Int {
        let (index, isNew) = metadata.intern(text)
        if isNew {
            let start = page.bytes.count
            page.bytes.append(copying: text)
            page.metadata.append(
                CapturePage.Metadata(hash: content.digest(of: text, in: .metadata), json: start..<page.bytes.count))
        }
        return index
    }

    /// Returns the place of metadata, like that of a source: `key` is anything that is equal for equal metadata,
    /// `describe` gives its canonical JSON when it is new to the page.
    public mutating func metadata(key: Span<UInt8>, describe: (inout PageBuilder) -> [UInt8]) -> Int {
        let (index, isNew) = metadataKeys.intern(key)
        if isNew {
            let text = describe(&self)
            metadataPlaces.append(metadata(canonical: text.span))
        }
        return metadataPlaces[index]
    }

    /// Returns `true` if the value of a metadata key is private.
    public mutating func isPrivate(key: Span<UInt8>) -> Bool { privateKeys.contains(key) }

    /// Returns the replacement of a private metadata value: `hmac:` and 64 hex digits.
    ///
    /// - Parameter value: the canonical JSON of the value.
    public mutating func privateValue(key: Span<UInt8>, value: Span<UInt8>) -> [UInt8] {
        let preimage = CapturePreimage.privateMetadata(key: key, value: value)
        return Array("hmac:".utf8) + Array(hashes.digest(of: preimage.span, in: .privateMetadata).hex.utf8)
    }

    // MARK: Records

    /// Adds a record; returns its place among the samples of the page.
    @discardableResult
    public mutating func add(_ record: CapturedRecord) -> Int {
        records.append(draft(of: record))
        return records.count - 1
    }

    /// Adds a record that belongs to another of this page and stands for itself elsewhere.
    public mutating func addMember(_ record: CapturedRecord, of parent: Int, kind: String) {
        let kind = text(kind.utf8Span.span)
        members.append(PageDraft.Member(parent: parent, record: draft(of: record), kind: kind))
    }

    private mutating func draft(of record: CapturedRecord) -> PageDraft.Record {
        let kind = text(record.valueKind.name.span)
        return PageDraft.Record(record: record, valueKind: kind, uuidHash: record.uuid.map { hash($0) })
    }

    /// Adds a relationship between two samples of the page.
    public mutating func link(_ source: Int, to target: Int, kind: String) {
        page.links.append(CapturePage.Link(source: source, target: target, kind: text(kind.utf8Span.span)))
    }

    /// Adds a relationship between two samples that may be anywhere.
    public mutating func link(
        type: Int, _ source: SampleUUID, toType: Int, _ target: SampleUUID, kind: Span<UInt8>, metadata: Int?
    ) {
        let from = CapturePage.Reference(type: type, uuidHash: hash(source))
        let to = CapturePage.Reference(type: toType, uuidHash: hash(target))
        page.distantLinks.append(
            CapturePage.DistantLink(source: from, target: to, kind: text(kind), metadata: metadata ?? -1))
    }

    /// Adds a deleted object.
    public mutating func addDeleted(type: Int, _ uuid: SampleUUID) {
        page.deleted.append(CapturePage.Reference(type: type, uuidHash: hash(uuid)))
    }

    /// Counts a record that cannot be stored as it is. Type and start (microseconds since 1970) are nil where they
    /// cannot be read; the content is canonical JSON (`Spec/capture.md`, "Rejected records").
    ///
    /// - Parameter place: where, such as `line 12`.
    public mutating func reject(type: Int?, reason: String, place: String, start: Int64?, content: Span<UInt8>) {
        let (start, hash) = (start.map(Self.seconds), hashes.digest(of: content, in: .rejectedRecord))
        page.rejections.append(
            CapturePage.Rejection(
                type: type ?? -1, reason: reason, place: place, startDate: start, contentHash: hash))
    }

    // MARK: Hashes

    private mutating func hash(_ uuid: SampleUUID) -> Digest {
        let text = uuid.text
        return hashes.digest(of: text.span, in: .sampleUUID)
    }

    // MARK: Provenance

    private mutating func add(_ description: SourceDescription) {
        var source = CapturePage.Source()
        source.nameHash = hashes.digest(of: description.name, in: .sourceName)
        keptNames?.add(source.nameHash, description.name)
        source.bundleIdentifier = description.bundleIdentifier
        source.productType = description.productType
        source.version = description.version
        source.operatingSystemVersion = description.operatingSystemVersion.flatMap {
            $0.elementsEqual("0.0.0".utf8) ? nil : $0
        }
        page.sources.append(source)
        sourceFacts.append(
            SourceFacts(
                json: ProvenanceJSON.text(of: source),
                bundleIdentifier: description.bundleIdentifier.map(SampleTexts.json)))
    }

    private mutating func add(_ description: DeviceDescription) {
        var device = CapturePage.Device()
        let preimage = ProvenanceJSON.preimage(of: description)
        device.hash = hashes.digest(of: preimage.span, in: .device)
        keptNames?.add(device.hash, description.name)
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

    // MARK: Numbers

    /// Microseconds as the archive stores them: the nearest double of the quotient.
    static func seconds(_ microseconds: Int64) -> Double {
        if microseconds.magnitude <= 1 << 53 { return Double(microseconds) / 1_000_000 }
        // Beyond 2^53 (after 2255, before 1684) only the sum is rounded: the rest of a second is exact or far
        // enough from a tie.
        let whole = floor(microseconds, 1_000_000)
        return Double(whole) + Double(microseconds - whole * 1_000_000) / 1_000_000
    }

    /// Returns a quotient, rounded down, also below zero.
    static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor)
    }
}

/// Sources and devices as they stand in preimages: the objects `source` and `device` of `Spec/items.md`, and the
/// preimage of a device hash.
enum ProvenanceJSON {
    static func text(of source: CapturePage.Source) -> [UInt8] {
        ProvenancePreimage.source(
            bundleIdentifier: source.bundleIdentifier, operatingSystemVersion: source.operatingSystemVersion,
            productType: source.productType, nameHash: hex(source.nameHash), version: source.version)
    }

    static func text(of device: CapturePage.Device) -> [UInt8] {
        ProvenancePreimage.device(
            hash: hex(device.hash), firmwareVersion: device.firmwareVersion, hardwareVersion: device.hardwareVersion,
            localIdentifierHash: hex(device.localIdentifierHash), manufacturerHash: hex(device.manufacturerHash),
            model: device.model, softwareVersion: device.softwareVersion, udiHash: hex(device.udiHash))
    }

    static func preimage(of device: DeviceDescription) -> [UInt8] {
        ProvenancePreimage.deviceDescription(
            firmwareVersion: device.firmwareVersion, hardwareVersion: device.hardwareVersion,
            localIdentifier: device.localIdentifier, manufacturer: device.manufacturer, model: device.model,
            name: device.name, other: device.other, softwareVersion: device.softwareVersion, udi: device.udi)
    }

    private static func hex(_ digest: Digest?) -> [UInt8]? { digest.map { Array($0.hex.utf8) } }
}
