internal import Bytes
internal import Capture
internal import Files
internal import Manifest
internal import Recording

/// Routes, electrocardiograms and documents (`Spec/apple-health.md`, "Files").
extension ExportInterpreter {
    /// The type of electrocardiograms, which only files beside the XML have.
    static let electrocardiogramType = Array("HKDataTypeIdentifierElectrocardiogram".utf8)

    /// Adds the places of a file to the open route.
    mutating func readRoute(_ path: [UInt8]) {
        guard let sideFiles, sideFiles.areAny else { return route.noteUnknownFile() }
        guard let file = sideFiles.file(at: path) else { return route.noteMissingFile() }
        guard sideFiles.mayRead(file) else { return route.noteUnreadableFile() }
        let reader = RouteFile()
        var isRoute = true
        let isWhole = sideFiles.read(file) { part in
            reader.read(part)
            isRoute = takePoints(reader) && isRoute
        }
        let nothing: [UInt8] = []
        reader.read(nothing.span)
        isRoute = takePoints(reader) && isRoute
        guard isWhole, isRoute, !reader.isBroken else { return route.noteUnreadableFile() }
        sideFiles.noteRoute(file)
    }

    private mutating func takePoints(_ reader: RouteFile) -> Bool {
        let (points, unknown) = reader.take()
        for name in unknown {
            let text = Array("gpx.".utf8) + name
            leftOut.add(element: text.span)
        }
        var areAllPlaces = true
        for point in points where !route.add(point) { areAllPlaces = false }
        return areAllPlaces
    }

    /// Adds a `Location` to the open route.
    mutating func addLocation(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element) {
        var point = RoutePoint()
        for index in element.attributes {
            let attribute = batch.attributes[index]
            let text = batch.text(attribute.value)
            switch String(decoding: batch.name(of: attribute), as: UTF8.self) {
            case "altitude": point[.altitude] = text.array
            case "course": point[.course] = text.array
            case "date": point[.time] = timestamp(text) ?? text.array
            case "horizontalAccuracy": point[.horizontalAccuracy] = text.array
            case "latitude": point[.latitude] = text.array
            case "longitude": point[.longitude] = text.array
            case "speed": point[.speed] = text.array
            case "verticalAccuracy": point[.verticalAccuracy] = text.array
            default: leftOut.add("attribute:Location")
            }
        }
        if !route.add(point) { leftOut.add("element:Location") }
    }

    /// Reads a file beside the XML, after the last record.
    mutating func readSideFile(_ file: SideFiles.File, of sideFiles: SideFiles) {
        switch ExportMembers.kind(of: file.member.name) {
        case let kind where ExportMembers.leftOut.contains(kind): leftOut.add(kind)
        case "electrocardiogram_file":
            if !readElectrocardiogram(file, sideFiles) {
                let content = JSONMembers.file(file.name)
                builder.reject(
                    type: builder.sampleType(Self.electrocardiogramType.span), reason: "bad_file",
                    place: "file \(Path(bytes: file.name).display)", start: nil, content: content.span)
                addDocument("electrocardiogram", file, sideFiles)
            }
        case "workout_route_file": if !sideFiles.isRoute(file) { addDocument("workout_route", file, sideFiles) }
        case "clinical_record_file": addDocument("clinical_record", file, sideFiles)
        case "attachment_file": addDocument("attachment", file, sideFiles)
        default: addDocument(Self.isClinicalDocument(file.name) ? "clinical_document" : "other", file, sideFiles)
        }
    }

    private static let clinicalDocument = "export_cda.xml"

    private static func isClinicalDocument(_ name: [UInt8]) -> Bool {
        name.suffix(8).elementsEqual("_cda.xml".utf8)
    }

    /// Adds an electrocardiogram; false where the file is none.
    private mutating func readElectrocardiogram(_ file: SideFiles.File, _ sideFiles: SideFiles) -> Bool {
        var bytes: [UInt8] = []
        let isWhole = sideFiles.read(file) { part in
            if bytes.count <= Electrocardiogram.sizeLimit { bytes += part.array }
        }
        guard isWhole, bytes.count <= Electrocardiogram.sizeLimit, let recording = Electrocardiogram(bytes) else {
            return false
        }
        var members = JSONMembers()
        func add(_ key: String, _ text: [UInt8]?) {
            if let text { members.add(Array(key.utf8), JSONMembers.string(text.span)) }
        }
        add("hp:classification", recording.classification)
        add("hp:content_hash", Array(recording.contentHash.hex.utf8))
        members.add("hp:sample_count", Int64(recording.sampleCount))
        members.add(Array("hp:sample_rate_hertz".utf8), JSONMembers.number(recording.sampleRate))
        add("hp:software_version", recording.softwareVersion)
        add("hp:symptoms", recording.symptoms)
        add("hp:voltage_unit", recording.voltageUnit)
        var record = CapturedRecord(
            type: builder.sampleType(Self.electrocardiogramType.span), start: recording.recorded.microseconds,
            end: recording.recorded.microseconds, valueKind: .electrocardiogram)
        let metadata = members.object()
        record.metadata = builder.metadata(canonical: metadata.span)
        if let device = recording.device {
            let key = Array("electrocardiogram:".utf8) + device
            record.device = builder.device(key: key.span) {
                var description = DeviceDescription()
                description.hardwareVersion = device
                return description
            }
        }
        builder.add(record)
        leftOut.add("characteristic", 2)
        return true
    }

    /// Adds a file as evidence of itself.
    private mutating func addDocument(_ kind: String, _ file: SideFiles.File, _ sideFiles: SideFiles) {
        var hash = SHA256()
        var size: Int64 = 0
        let isWhole = sideFiles.read(file) { part in
            hash.update(part)
            size += Int64(part.count)
        }
        guard isWhole else {
            hasAllDocuments = false
            return leftOut.add("unreadable_file")
        }
        let key = Array("hp:document_name".utf8)
        // A zip may have names in any encoding.
        let name = JSONMembers.string(String(decoding: file.name, as: UTF8.self).utf8Span.span)
        let nameHash = builder.privateValue(key: key.span, value: name.span).dropFirst("hmac:".utf8.count)
        documents.append(
            SourceAccount.Document(
                kind: kind, name: file.name.elementsEqual(Self.clinicalDocument.utf8) ? Self.clinicalDocument : nil,
                nameHash: Array(nameHash), size: size, contentHash: Array(hash.finish().hex.utf8)))
    }
}
