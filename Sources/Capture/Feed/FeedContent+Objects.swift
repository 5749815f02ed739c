internal import Bytes
internal import CanonicalJSON

// Sources, devices, metadata and the ends of relationships: objects in the members of a line.
extension FeedContent {
    private static let sourceNames: [StaticString] = [
        "name", "bundle_identifier", "product_type", "version", "operating_system_version",
    ]
    private static let deviceNames: [StaticString] = [
        "name", "manufacturer", "model", "hardware_version", "firmware_version", "software_version", "local_identifier",
        "udi",
    ]
    private static let endNames: [StaticString] = ["sample_type", "uuid"]

    /// Returns the place of the source.
    mutating func source(_ line: borrowing FeedLine, _ bytes: Span<UInt8>) throws(FeedFault) -> Int? {
        guard let object = try Self.object(line, .source) else { return nil }
        guard object.known < 0 else { return Self.index(objects.place(object.known, of: .source)) }
        var texts = try Self.sourceTexts(object.range, bytes)
        // A version that says nothing is absent, and a source of which nothing is left is none.
        if let version = texts[4], version.elementsEqual("0.0.0".utf8) { texts[4] = nil }
        var source = SourceDescription()
        (source.name, source.bundleIdentifier, source.productType, source.version, source.operatingSystemVersion) = (
            texts[0], texts[1], texts[2], texts[3], texts[4]
        )
        let isAbsent = texts.allSatisfy { $0 == nil }
        let place: FeedObjects.Place = isAbsent ? .absent : .index(builder.source(key: Self.key(texts).span) { source })
        objects.add(bytes.extracting(object.range), place, of: .source)
        return Self.index(place)
    }

    /// Returns the place of the device.
    mutating func device(_ line: borrowing FeedLine, _ bytes: Span<UInt8>) throws(FeedFault) -> Int? {
        guard let object = try Self.object(line, .device) else { return nil }
        guard object.known < 0 else { return Self.index(objects.place(object.known, of: .device)) }
        let texts = try Self.deviceTexts(object.range, bytes)
        var device = DeviceDescription()
        (device.name, device.manufacturer, device.model, device.hardwareVersion) = (
            texts[0], texts[1], texts[2], texts[3]
        )
        (device.firmwareVersion, device.softwareVersion, device.localIdentifier, device.udi) = (
            texts[4], texts[5], texts[6], texts[7]
        )
        let isAbsent = texts.allSatisfy { $0 == nil }
        let place: FeedObjects.Place = isAbsent ? .absent : .index(builder.device(key: Self.key(texts).span) { device })
        objects.add(bytes.extracting(object.range), place, of: .device)
        return Self.index(place)
    }

    /// Returns the place of the metadata in the page.
    mutating func metadata(_ line: borrowing FeedLine, _ bytes: Span<UInt8>) throws(FeedFault) -> FeedObjects.Place {
        guard let object = try Self.object(line, .metadata) else { return .absent }
        guard object.known < 0 else { return objects.place(object.known, of: .metadata) }
        let text = bytes.extracting(object.range)
        let place = FeedMetadata.place(text, &builder)
        objects.add(text, place, of: .metadata)
        return place
    }

    /// Returns an end of a relationship.
    static func end(_ line: borrowing FeedLine, _ field: FeedField, _ bytes: Span<UInt8>) throws(FeedFault) -> (
        type: [UInt8], uuid: SampleUUID
    ) {
        guard let object = try object(line, field) else { throw FeedFault(field, "missing") }
        let texts = try FeedValues.texts(object.range, of: field, endNames, bytes)
        guard let type = texts[0] else { throw FeedFault(field, "sample_type", "missing") }
        guard !type.isEmpty else { throw FeedFault(field, "sample_type", "empty") }
        guard FeedValues.isShort(type.span, FeedValues.nameLimit) else {
            throw FeedFault(field, "sample_type", "longer than \(FeedValues.nameLimit) characters")
        }
        guard let text = texts[1] else { throw FeedFault(field, "uuid", "missing") }
        guard let uuid = SampleUUID(text.span) else { throw FeedFault(field, "uuid", "not a UUID") }
        return (type, uuid)
    }

    static func sourceTexts(_ object: Range<Int>, _ bytes: Span<UInt8>) throws(FeedFault) -> [[UInt8]?] {
        try FeedValues.texts(object, of: .source, sourceNames, bytes)
    }

    static func deviceTexts(_ object: Range<Int>, _ bytes: Span<UInt8>) throws(FeedFault) -> [[UInt8]?] {
        try FeedValues.texts(object, of: .device, deviceNames, bytes)
    }

    /// Returns the object that is the value of a member.
    static func object(_ line: borrowing FeedLine, _ field: FeedField) throws(FeedFault) -> (
        range: Range<Int>, known: Int
    )? {
        guard let value = line.value(field) else { return nil }
        guard case .object(let range, let known) = value else { throw FeedFault(field, "not an object") }
        return (range, known)
    }

    static func index(_ place: FeedObjects.Place) -> Int? {
        guard case .index(let index) = place else { return nil }
        return index
    }

    /// Bytes that are equal for equal texts, however the object was spelled.
    private static func key(_ texts: [[UInt8]?]) -> [UInt8] {
        var key: [UInt8] = []
        for text in texts {
            guard let text else { key.append(0); continue }
            key.append(1)
            for shift in stride(from: 0, to: 32, by: 8) { key.append(UInt8(truncatingIfNeeded: text.count >> shift)) }
            key += text
        }
        return key
    }
}

/// Metadata of a feed in the form that is stored: canonical, with private values hashed (`Spec/identity.md`).
enum FeedMetadata {
    /// Gives an object that was read before its place in the page.
    static func place(_ object: Span<UInt8>, _ builder: inout PageBuilder) -> FeedObjects.Place {
        do throws(JSONError) {
            let object = try mayHaveLongNumber(object) ? withTextsOfNumbers(object) : object.array
            guard let text = try withoutPrivateValues(object.span, builder: &builder) else { return .absent }
            return .index(builder.metadata(canonical: text.span))
        } catch {
            // The only fault that an object that was read can still have.
            precondition(error.code == .numberRange, "metadata that was read before is not JSON")
            return .overflow
        }
    }

    /// Returns `true` if a number may have more than 15 digits or an exponent; texts may look like it too.
    private static func mayHaveLongNumber(_ object: Span<UInt8>) -> Bool {
        var digits = 0
        for at in object.indices {
            let byte = object[at]
            if byte &- UInt8(ascii: "0") < 10 {
                digits += 1
                if digits > 15 { return true }
            } else if digits > 0, byte | 0x20 == UInt8(ascii: "e") {
                return true
            } else if byte != UInt8(ascii: ".") {
                digits = 0
            }
        }
        return false
    }

    /// Returns the object with a text in the place of each finite number that no double keeps.
    private static func withTextsOfNumbers(_ object: Span<UInt8>) throws(JSONError) -> [UInt8] {
        var reader = Reader(.json, nestingLimit: FeedLine.metadataDepth, acceptsOverflow: true)
        var text: [UInt8] = []
        var copied = 0
        while true {
            let token = try reader.next(in: object)
            if case .end = token { break }
            guard case .number(let range) = token else { continue }
            let value = reader.double(range, in: object)
            guard value.isFinite, !DecimalValue.isKept(object.extracting(range), as: value) else { continue }
            text.append(copying: object.extracting(copied..<range.lowerBound))
            text.append(UInt8(ascii: "\""))
            text.append(copying: object.extracting(range))
            text.append(UInt8(ascii: "\""))
            copied = range.upperBound
        }
        text.append(copying: object.extracting(copied..<object.count))
        return text
    }

    /// Returns the canonical text; `nil` for an empty object.
    private static func withoutPrivateValues(_ object: Span<UInt8>, builder: inout PageBuilder) throws(JSONError)
        -> [UInt8]?
    {
        var reader = Reader(.json, nestingLimit: FeedLine.metadataDepth)
        // The object as it is spelled, with other values in the place of private ones.
        var text: [UInt8] = []
        var copied = 0
        var isEmpty = true
        _ = try reader.next(in: object)
        while case .key(let key) = try reader.next(in: object) {
            isEmpty = false
            var name: [UInt8] = []
            reader.unescape(key, in: object, into: &name)
            guard let value = try reader.skipValue(in: object), builder.isPrivate(key: name.span) else { continue }
            let canonical = try canonicalize(object.extracting(value), nestingLimit: FeedLine.metadataDepth)
            text.append(copying: object.extracting(copied..<value.lowerBound))
            text.append(UInt8(ascii: "\""))
            text.append(contentsOf: builder.privateValue(key: name.span, value: canonical.span))
            text.append(UInt8(ascii: "\""))
            copied = value.upperBound
        }
        if isEmpty { return nil }
        guard copied > 0 else { return try canonicalize(object, nestingLimit: FeedLine.metadataDepth) }
        text.append(copying: object.extracting(copied..<object.count))
        return try canonicalize(text.span, nestingLimit: FeedLine.metadataDepth)
    }
}
