internal import Bytes
internal import CanonicalJSON
internal import Capture

/// Elements that become records.
extension ExportInterpreter {
    /// Reads the attributes of an element that becomes a record.
    mutating func beginSample(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element, level: Int) {
        samples[level].begin(element.name, line: element.line)
        if element.name == .WorkoutRoute { route.restart() }
        let values = ElementValues(batch, element)
        if values[.broken] != nil { return beginBroken(batch, element, values, level: level) }
        if values[.tooLarge] != nil { samples[level].reject("too_large") }
        var taken = Self.always
        switch element.name {
        case .Record, .Correlation, .ClinicalRecord: readType(batch, values, level, otherwise: nil, &taken)
        case .Audiogram: readType(batch, values, level, otherwise: Self.audiogramType, &taken)
        case .VisionPrescription: readType(batch, values, level, otherwise: Self.prescriptionType, &taken)
        case .WorkoutRoute: setType(Self.routeType, level)
        case .ActivitySummary: setType(Self.summaryType, level)
        default: setType(Self.workoutType, level)
        }
        readProvenance(batch, values, level, &taken)
        switch element.name {
        case .ActivitySummary: readDay(batch, values, level, &taken)
        case .ClinicalRecord: readDates(batch, values, level, .receivedDate, .receivedDate, &taken)
        case .VisionPrescription:
            readDates(
                batch, values, level, .dateIssued, values[.expirationDate] == nil ? .dateIssued : .expirationDate,
                &taken)
        default: readDates(batch, values, level, .startDate, .endDate, &taken)
        }
        if element.name != .ActivitySummary, element.name != .ClinicalRecord {
            readCreation(batch, values, level, &taken)
        }
        if element.name == .Record { readValue(batch, values, level, &taken) }
        if element.name == .Workout { readWorkout(batch, values, level, &taken) }
        addAttributes(batch, element, level, but: taken)
        // What follows may reject the outer sample, and with it a record in it.
        let isMember = level == 1 && samples[1].element == .Record
        if samples[level].rejection != nil || isMember {
            readContent(batch, element, level)
        }
    }

    /// Begins an element that is not well-formed: nothing but its type is known, if that.
    mutating func beginBroken(
        _ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element, _ values: ElementValues, level: Int
    ) {
        samples[level].begin(element.name, line: element.line)
        samples[level].reject(Self.notWellFormed)
        switch element.name {
        case .Workout: setType(Self.workoutType, level)
        case .WorkoutRoute: setType(Self.routeType, level)
        case .ActivitySummary: setType(Self.summaryType, level)
        default:
            if let place = values[.type], Self.isType(batch.text(place)) {
                samples[level].type = builder.sampleType(batch.text(place))
            }
        }
        readContent(batch, element, level)
    }

    /// Rejects the innermost sample, because something in it is not well-formed; what stands in no sample is an element
    /// whose type cannot be told.
    mutating func breakSample(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element) {
        guard let level = openSample else {
            guard !isUnitBroken else { return }
            isUnitBroken = true
            samples[0].begin(element.name, line: element.line)
            samples[0].reject(Self.notWellFormed)
            readContent(batch, element, 0)
            return rejectSample(0)
        }
        guard samples[level].rejection == nil else { return }
        samples[level].reject(Self.notWellFormed)
        readContent(batch, element, level)
    }

    private static let notWellFormed = "not_well_formed"

    /// Adds a sample, or counts why it cannot be stored.
    mutating func endSample(_ level: Int) {
        defer { if level == 0, !members.isEmpty || !routes.isEmpty { forgetParts() } }
        guard samples[level].rejection == nil, let type = samples[level].type else { return rejectSample(level) }
        samples[level].record.type = type
        samples[level].endLists()
        if samples[level].element == .WorkoutRoute {
            samples[level].record.isUnread = route.isUnread
            if let content = route.finish(&builder) {
                samples[level].metadata.add(own: Array("hp:route".utf8), json: content)
            }
        }
        if !samples[level].metadata.isEmpty {
            let draft = samples[level].metadata
            samples[level].record.metadata = builder.metadata(key: draft.bytes.span) { builder in draft.object(&builder)
            }
        }
        if level == 1, samples[level].element == .Record {
            if let content = samples[level].content { memberContents.append(content) }
            return members.append(samples[level].record)
        }
        let place = builder.add(samples[level].record)
        if level == 1 { return routes.append(place) }
        let kind = samples[level].element == .Workout ? "workout_record" : "correlation_member"
        for member in members { builder.addMember(member, of: place, kind: kind) }
        for route in routes { builder.link(place, to: route, kind: "workout_route") }
    }

    private mutating func forgetParts() {
        members.removeAll()
        memberContents.removeAll()
        routes.removeAll()
    }

    // MARK: What cannot be stored

    /// Keeps what was read of a start tag, so that the same record is known again.
    mutating func readContent(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element, _ level: Int)
    {
        var attributes = JSONMembers()
        for index in element.attributes {
            let attribute = batch.attributes[index]
            attributes.add(batch.name(of: attribute), JSONMembers.string(batch.text(attribute.value)))
        }
        var content = Writer()
        content.beginObject()
        content.key("attributes")
        content.embed(canonical: attributes.object().span)
        content.key("element")
        content.string(element.name.text)
        content.endObject()
        samples[level].content = content.bytes
    }

    /// Counts a record that cannot be stored, with what stands in it.
    mutating func rejectSample(_ level: Int) {
        let sample = samples[level]
        let reason = sample.rejection ?? "missing_attribute"
        let place = "line \(sample.line)"
        // What is too large was not read as a whole: it is never known again.
        let content = (reason == "too_large" ? nil : sample.content) ?? Self.placed(sample)
        builder.reject(
            type: sample.type, reason: reason, place: place, start: sample.readableStart,
            content: content.span)
        // Without a type it weighs on all types already. Members stand elsewhere too, but whether all of them do is
        // not known now.
        guard level == 0, sample.type != nil else { return }
        for (index, member) in members.enumerated() {
            let content = index < memberContents.count ? memberContents[index] : Self.placed(sample)
            builder.reject(
                type: member.type, reason: "rejected_parent", place: place, start: member.start, content: content.span)
        }
    }

    private static func placed(_ sample: SampleDraft) -> [UInt8] {
        (["element": sample.element.text, "line": sample.line] as JSONObject).bytes
    }

    /// Gives up what is open: it is beyond the limit.
    mutating func discard() {
        for level in samples.indices {
            samples[level].rejection = "too_large"
            samples[level].metadata.removeAll()
            samples[level].lists.removeAll()
        }
        // What else stood in it is not known.
        if samples[0].element == .Correlation || samples[0].element == .Workout {
            samples[0].type = nil
            samples[0].readableStart = nil
        }
        for index in objects.indices { objects[index] = ObjectDraft(objects[index].element) }
        members.removeAll()
        memberContents.removeAll()
    }

    // MARK: Type and provenance

    private mutating func setType(_ type: [UInt8], _ level: Int) { samples[level].type = builder.sampleType(type.span) }

    private mutating func readType(
        _ batch: borrowing ElementBatch, _ values: ElementValues, _ level: Int, otherwise: [UInt8]?,
        _ taken: inout AttributeSet
    ) {
        taken.insert(.type)
        guard let place = values[.type] else {
            guard let otherwise else { return samples[level].override("missing_attribute") }
            return setType(otherwise, level)
        }
        let text = batch.text(place)
        if text.isEmpty || !text.isEqual(to: knownType.span) {
            guard Self.isType(text) else { return samples[level].override("bad_type") }
            knownType = text.array
            knownKind = TypeKind(of: knownType)
        }
        samples[level].type = builder.sampleType(text)
    }

    /// Returns `true` if a text may be a type: 1 to 256 letters, digits, `.`, `_` and `-`.
    static func isType(_ text: Span<UInt8>) -> Bool {
        guard (1...256).contains(text.count) else { return false }
        for at in text.indices {
            switch text[at] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                continue
            default: return false
            }
        }
        return true
    }

    private mutating func readProvenance(
        _ batch: borrowing ElementBatch, _ values: ElementValues, _ level: Int, _ taken: inout AttributeSet
    ) {
        var name = values[.sourceName]
        let version = values[.sourceVersion]
        if name == nil, let source = values[.source] {
            name = source
            taken.insert(.source)
        }
        if name != nil || version != nil {
            var key: [UInt8] = []
            swap(&key, &self.key)
            key.removeAll(keepingCapacity: true)
            key.append((name == nil ? 0 : 1) | (version == nil ? 0 : 2))
            if let version { key.append(copying: batch.text(version)) }
            // No text holds this byte.
            key.append(0xFF)
            if let name { key.append(copying: batch.text(name)) }
            samples[level].record.source = builder.source(key: key.span) {
                Self.source(name.map { batch.text($0).array }, version.map { batch.text($0).array })
            }
            swap(&key, &self.key)
        }
        if let device = values[.device] {
            let text = batch.text(device)
            samples[level].record.device = builder.device(key: text) { DeviceText.description(text) }
        }
    }

    private static func source(_ name: [UInt8]?, _ version: [UInt8]?) -> SourceDescription {
        var description = SourceDescription()
        description.name = name
        description.version = version
        return description
    }

    // MARK: Dates

    private mutating func readDates(
        _ batch: borrowing ElementBatch, _ values: ElementValues, _ level: Int, _ start: AttributeName,
        _ end: AttributeName, _ taken: inout AttributeSet
    ) {
        taken.insert(start)
        taken.insert(end)
        var readable: ExportDate?
        if let place = values[start] { readable = date(batch.text(place)) }
        samples[level].readableStart = readable?.microseconds
        guard values[start] != nil, let endPlace = values[end] else {
            return samples[level].reject("missing_attribute")
        }
        guard let startDate = readable,
            let endDate = start == end ? startDate : date(batch.text(endPlace))
        else {
            return samples[level].reject("bad_date")
        }
        samples[level].record.start = startDate.microseconds
        samples[level].record.end = endDate.microseconds
        samples[level].secondOfDay = startDate.secondOfDay
    }

    /// Reads a moment of the day that is one of that local day nearly everywhere, and the same in each export.
    private mutating func readDay(
        _ batch: borrowing ElementBatch, _ values: ElementValues, _ level: Int, _ taken: inout AttributeSet
    ) {
        taken.insert(.dateComponents)
        guard let place = values[.dateComponents] else { return samples[level].reject("missing_attribute") }
        guard let day = ExportDate.day(batch.text(place)), day < Self.lastDay else {
            return samples[level].reject("bad_date")
        }
        let start = day * 86_400_000_000
        samples[level].record.start = start + Self.momentOfDay
        samples[level].record.end = start + Self.momentOfDay
        samples[level].readableStart = samples[level].record.start
    }

    /// Reads the delay and not the date, so that records that were written in step share their metadata.
    private mutating func readCreation(
        _ batch: borrowing ElementBatch, _ values: ElementValues, _ level: Int, _ taken: inout AttributeSet
    ) {
        guard let place = values[.creationDate], let date = date(batch.text(place)),
            samples[level].rejection == nil
        else { return }
        taken.insert(.creationDate)
        number.removeAll(keepingCapacity: true)
        Self.append((date.microseconds - samples[level].record.end) / 1_000_000, to: &number)
        let (name, digits) = (Self.creationDelay, number)
        samples[level].metadata.add(.own, name.span, digits.span)
    }

    private static func append(_ value: Int64, to text: inout [UInt8]) {
        if value < 0 { text.append(UInt8(ascii: "-")) }
        let first = text.count
        var rest = value.magnitude
        repeat {
            text.insert(UInt8(ascii: "0") + UInt8(rest % 10), at: first)
            rest /= 10
        } while rest > 0
    }

    private mutating func addAttributes(
        _ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element, _ level: Int,
        but taken: AttributeSet
    ) {
        var isChecked = false
        for index in element.attributes {
            let attribute = batch.attributes[index]
            guard !taken.contains(attribute.name) else { continue }
            if !isChecked { unknownAttributes.add(batch, element) }
            isChecked = true
            let name = batch.name(of: attribute)
            samples[level].metadata.add(kind(of: attribute.name, name), name.span, batch.text(attribute.value))
        }
    }

    private static let always = AttributeSet(.sourceName, .sourceVersion, .device, .tooLarge)
    private static let creationDelay = Array("hp:creation_delay_seconds".utf8)
    private static let workoutType = Array("HKWorkoutTypeIdentifier".utf8)
    private static let routeType = Array("HKWorkoutRouteTypeIdentifier".utf8)
    private static let summaryType = Array("HKActivitySummaryTypeIdentifier".utf8)
    private static let audiogramType = Array("HKDataTypeIdentifierAudiogram".utf8)
    private static let prescriptionType = Array("HKVisionPrescriptionTypeIdentifier".utf8)
    /// 10:00 UTC: at offsets from -10:00 to +13:59 it is the same date. It depends on nothing of the export, so that
    /// a day stays the same record wherever its phone is.
    private static let momentOfDay: Int64 = 36_000_000_000

    /// 9999-12-31.
    private static let lastDay: Int64 = 2_932_896
}
