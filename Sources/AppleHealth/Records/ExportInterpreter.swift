internal import Bytes
internal import CanonicalJSON
internal import Capture
internal import Recording
internal import Timestamps

/// Makes records of elements (`Spec/apple-health.md`, "Elements"): a walk over starts and ends with a stack of what
/// is open.
///
///     HealthData ─┬─ ExportDate, Me
///                 ├─ Record ─┬─ MetadataEntry
///                 │          └─ HeartRateVariabilityMetadataList ── InstantaneousBeatsPerMinute
///                 ├─ Correlation ── MetadataEntry, Record
///                 ├─ Workout ── MetadataEntry, WorkoutEvent, WorkoutStatistics, WorkoutActivity, WorkoutRoute, Record
///                 └─ …
struct ExportInterpreter: ~Copyable {
    /// Why a walk stopped.
    enum Stop {
        /// The batch was walked to its end.
        case batchEnd
        /// The date of the export was read.
        case exportDate
        /// The page is full.
        case page
    }

    /// The element that is open.
    enum Context {
        case root
        /// One of `samples`: 0, or 1 for what stands in another.
        case sample(Int)
        case beats
        /// The last of `objects`.
        case object
        /// An element whose children are not looked at.
        case leaf
        /// An element that is left out with all that is in it.
        case leftOut
    }

    /// The maximum content of a page.
    struct Limits {
        var samples = 8192
        /// Bytes of text.
        var pageBytes = 4 << 20
        /// Bytes of text in one element below the root.
        var elementBytes = 64 << 20
        /// Records and routes in one element below the root.
        var innerSamples = 4096
    }

    /// The date of the export; nil until it is read.
    var exportDate: ExportDate?
    /// The contents that were left out so far.
    var leftOut = LeftOutCounts()
    /// The birth date of the person, as it is written; it is only compared, by a keyed hash.
    var birthDate: [UInt8]?
    /// The destination of records.
    var builder: PageBuilder
    /// Open elements that become records: one below the root, and one in it.
    var samples = [SampleDraft(), SampleDraft()]
    /// Open elements that become objects of metadata.
    var objects: [ObjectDraft] = []
    /// Records of the open correlation or workout.
    var members: [CapturedRecord] = []
    /// The content of each of them, if the correlation cannot be stored.
    var memberContents: [[UInt8]] = []
    /// Samples that are routes of the open workout.
    var routes: [Int] = []
    /// `true` if something was rejected that is in no sample of the open element below the root.
    var isUnitBroken = false
    /// Values that are neither a known name nor a number.
    var unknownValues = 0
    /// The files beside the XML; nil where there are none.
    var sideFiles: SideFiles?
    /// The open route.
    var route = RouteContent()
    /// Files that are evidence of themselves, and whether these are all.
    var documents: [SourceAccount.Document] = []
    var hasAllDocuments = true
    /// Attributes that are not known.
    var unknownAttributes = UnknownAttributes()
    /// Keys of other apps whose values are kept as they are.
    var clearKeys = ClearKeys()
    /// Buffers that are used again and again.
    var key: [UInt8] = []
    var number: [UInt8] = []
    /// The type that was last found to be one.
    var knownType: [UInt8] = []
    /// The kind of values that it states.
    var knownKind = TypeKind.byUnit

    private let name: String
    private let limits: Limits
    /// The moment of an export that states none.
    private let statedDate: ExportDate?
    private var contexts: [Context] = []
    /// `true` if the root is that of an export.
    private(set) var isExport = false
    private var pageBytes = 0
    private var elementBytes = 0
    private var innerSamples = 0

    /// An interpreter of one export. `name` is what errors call the file.
    init(_ secret: ArchiveSecret, name: String, options: ReadingOptions, limits: Limits) {
        statedDate = options.observedAt
        builder = PageBuilder(secret, rules: options.rules, keepsNames: options.keepsNames)
        self.name = name
        self.limits = limits
    }

    /// Hands over the page. No element below the root may be open, or the export has ended.
    mutating func finishPage() -> PageDraft {
        pageBytes = 0
        return builder.finishDraft()
    }

    /// `true` if the page has as much as it should.
    var isPageFull: Bool { builder.count >= limits.samples || pageBytes >= limits.pageBytes }

    /// Walks over a batch from a place on; stops where something is complete.
    mutating func walk(_ batch: borrowing ElementBatch, from position: inout Int) throws(CaptureError) -> Stop {
        let end = batch.elements.count
        while position < end {
            let element = batch.elements[position]
            position += 1
            if !element.isEnd {
                let hadDate = exportDate != nil
                try begin(batch, element)
                if !hadDate, exportDate != nil { return .exportDate }
                continue
            }
            finish()
            guard contexts.count == 1 else { continue }
            pageBytes += elementBytes
            elementBytes = 0
            isUnitBroken = false
            if isPageFull { return .page }
        }
        return .batchEnd
    }

    private mutating func begin(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element)
        throws(CaptureError)
    {
        guard let context = contexts.last else {
            guard element.name == .HealthData else {
                throw CaptureError(
                    .format,
                    "\(name): not an Apple Health export: the root element is not HealthData")
            }
            isExport = true
            countAttributes(batch, element, but: [])
            unknownAttributes.add(batch, element)
            contexts.append(.root)
            return
        }
        if contexts.count > 1 { countBytes(batch, element) }
        contexts.append(try open(batch, element, in: context))
    }

    private mutating func open(
        _ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element, in outer: Context
    ) throws(CaptureError) -> Context {
        if element.name == .broken, contexts.count > 1 {
            breakSample(batch, element)
            if case .leftOut = outer { return .leftOut }
            return .leaf
        }
        switch outer {
        case .root: return try beginBelowRoot(batch, element)
        case .sample(let level): return beginInSample(batch, element, level)
        case .beats where element.name == .InstantaneousBeatsPerMinute: addBeat(batch, element)
        case .object:
            let outer = objects[objects.count - 1].element
            switch element.name {
            case .MetadataEntry where outer == .WorkoutEvent || outer == .WorkoutActivity:
                addObjectEntry(batch, element)
            case .WorkoutEvent where outer == .WorkoutActivity, .WorkoutStatistics where outer == .WorkoutActivity:
                return beginObject(batch, element)
            case .WorkoutZoneGroup where outer == .WorkoutActivity, .WorkoutZone where outer == .WorkoutZoneGroup:
                return beginObject(batch, element)
            default: return leaveOut(batch, element)
            }
        case .leftOut: return .leftOut
        case .beats, .leaf: return leaveOut(batch, element)
        }
        return .leaf
    }

    private mutating func beginBelowRoot(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element)
        throws(CaptureError) -> Context
    {
        switch element.name {
        case .ExportDate where exportDate == nil: try readExportDate(batch, element)
        case .Me:
            leftOut.add("characteristic", element.attributes.count)
            readBirthDate(batch, element)
        case .Record, .Correlation, .Workout, .WorkoutRoute, .ActivitySummary, .ClinicalRecord, .Audiogram,
            .VisionPrescription:
            if exportDate == nil { exportDate = statedDate }
            guard exportDate != nil else {
                throw CaptureError(
                    .format, "\(name): no ExportDate before the first record", hint: Self.observedAtHint)
            }
            elementBytes = 0
            innerSamples = 0
            countBytes(batch, element)
            beginSample(batch, element, level: 0)
            return .sample(0)
        case .broken:
            beginBroken(batch, element, ElementValues(batch, element), level: 0)
            return .sample(0)
        default: return leaveOut(batch, element)
        }
        return .leaf
    }

    private mutating func beginInSample(
        _ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element, _ level: Int
    ) -> Context {
        switch (samples[level].element, element.name) {
        case (.Correlation, .Record), (.Workout, .Record), (.Workout, .WorkoutRoute):
            innerSamples += 1
            guard innerSamples <= limits.innerSamples else {
                discard()
                return .leftOut
            }
            beginSample(batch, element, level: 1)
            return .sample(1)
        case (.Record, .HeartRateVariabilityMetadataList): return .beats
        case (.Workout, .WorkoutEvent), (.Workout, .WorkoutStatistics), (.Workout, .WorkoutActivity),
            (.Workout, .WorkoutZoneGroup), (.Audiogram, .SensitivityPoint), (.VisionPrescription, .RightEye),
            (.VisionPrescription, .LeftEye), (.VisionPrescription, .Prescription):
            return beginObject(batch, element)
        case (.WorkoutRoute, .FileReference): addFile(batch, element, level)
        case (.WorkoutRoute, .Location): addLocation(batch, element)
        case (_, .MetadataEntry): addEntry(batch, element, level)
        default: return leaveOut(batch, element)
        }
        return .leaf
    }

    private mutating func finish() {
        switch contexts.removeLast() {
        case .sample(let level): endSample(level)
        case .object: endObject()
        case .root, .beats, .leaf, .leftOut: break
        }
    }

    /// The innermost open sample.
    var innermost: Int { openSample ?? 0 }

    /// The innermost open sample; `nil` if none is open.
    var openSample: Int? {
        for context in contexts.reversed() { if case .sample(let level) = context { return level } }
        return nil
    }

    private mutating func leaveOut(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element)
        -> Context
    {
        if element.name == .other {
            leftOut.add(element: batch.bytes.span.extracting(element.text.range))
        } else {
            leftOut.add(element: element.name.text.utf8Span.span)
        }
        return .leftOut
    }

    private mutating func readBirthDate(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element) {
        for index in element.attributes {
            let attribute = batch.attributes[index]
            guard birthDate == nil, attribute.value.count > 0,
                batch.name(of: attribute).elementsEqual("HKCharacteristicTypeIdentifierDateOfBirth".utf8)
            else { continue }
            birthDate = batch.text(attribute.value).array
        }
    }

    private mutating func readExportDate(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element)
        throws(CaptureError)
    {
        countAttributes(batch, element, but: [.value])
        unknownAttributes.add(batch, element)
        let values = ElementValues(batch, element)
        var read: ExportDate?
        if let value = values[.value] { read = date(batch.text(value)) }
        if let read, let statedDate, statedDate != read {
            throw CaptureError(.format, "\(name): line \(element.line): its ExportDate is another moment than stated")
        }
        guard let date = read ?? statedDate else {
            throw CaptureError(
                .format, "\(name): line \(element.line): ExportDate has no readable date", hint: Self.observedAtHint)
        }
        exportDate = date
    }

    /// Returns a moment; `nil` if the text is none.
    func date(_ text: Span<UInt8>) -> ExportDate? { ExportDate(text, allowsCompact: true) }

    private static let observedAtHint = "--observed-at MOMENT states when it was made"

    private mutating func countAttributes(
        _ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element, but known: [AttributeName]
    ) {
        let count = batch.attributes[element.attributes].count { !known.contains($0.name) }
        leftOut.add("attribute:\(element.name.text)", count)
    }

    /// Adds what an element brings to the text of the element below the root that it is in; beyond the limit, all
    /// of that is rejected.
    private mutating func countBytes(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element) {
        // What an element takes in memory beside its text.
        var count = 256
        for index in element.attributes {
            count += Int(batch.attributes[index].value.count) + Int(batch.attributes[index].text.count) + 8
        }
        elementBytes += count
        if elementBytes > limits.elementBytes { discard() }
    }
}

/// Elements in a record, which become metadata of it.
extension ExportInterpreter {
    /// Adds a `MetadataEntry` to a sample.
    mutating func addEntry(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element, _ level: Int) {
        let values = ElementValues(batch, element)
        guard let key = values[.key], let value = values[.value] else { return leftOut.add("element:MetadataEntry") }
        samples[level].metadata.add(.entry, batch.text(key), batch.text(value))
        clearKeys.add(batch.text(key), &builder)
        if element.attributes.count > 2 { unknownAttributes.add(batch, element) }
        for index in element.attributes {
            let attribute = batch.attributes[index]
            guard attribute.name != .key, attribute.name != .value else { continue }
            let name = batch.name(of: attribute)
            samples[level].metadata.add(
                kind(of: attribute.name, name), name.span, batch.text(attribute.value))
        }
    }

    /// Returns the kind that an attribute that no table names has in the metadata.
    mutating func kind(of name: AttributeName, _ text: [UInt8]) -> MetadataDraft.Kind {
        let isPrivate = name.isPrivate || builder.isPrivate(key: text.span)
        return isPrivate ? .privateAttribute : .attribute
    }

    /// Adds a `MetadataEntry` to the innermost object.
    mutating func addObjectEntry(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element) {
        let values = ElementValues(batch, element)
        guard let key = values[.key], let value = values[.value] else { return leftOut.add("element:MetadataEntry") }
        clearKeys.add(batch.text(key), &builder)
        unknownAttributes.add(batch, element)
        MetadataDraft.add(entry: batch.text(key), batch.text(value), to: &objects[objects.count - 1].metadata, &builder)
    }

    /// Adds a heartbeat to the innermost sample.
    mutating func addBeat(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element) {
        let level = innermost
        var members = JSONMembers()
        unknownAttributes.add(batch, element)
        for index in element.attributes {
            let attribute = batch.attributes[index]
            let text = batch.text(attribute.value)
            if attribute.name == .time,
                let seconds = BeatTime.seconds(
                    text, after: samples[level].secondOfDay, modulo: 900)
            {
                var json = Writer()
                json.number(seconds)
                members.add(Array("seconds".utf8), json.bytes)
            } else {
                members.add(key(of: batch.name(of: attribute)), value(of: attribute, batch))
            }
        }
        samples[level].append(members.object(), to: .beats)
    }

    /// Adds a file's path to the innermost sample.
    mutating func addFile(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element, _ level: Int) {
        guard let path = ElementValues(batch, element)[.path] else { return leftOut.add("element:FileReference") }
        samples[level].append(JSONMembers.string(batch.text(path)), to: .files)
        unknownAttributes.add(batch, element)
        readRoute(batch.text(path).array)
    }

    /// Begins an element that becomes an object.
    mutating func beginObject(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element) -> Context {
        var object = ObjectDraft(element.name)
        unknownAttributes.add(batch, element)
        for index in element.attributes {
            let attribute = batch.attributes[index]
            object.members.add(key(of: batch.name(of: attribute)), value(of: attribute, batch))
        }
        switch element.name {
        case .RightEye, .LeftEye, .Prescription:
            object.members.add(Array("element".utf8), JSONMembers.string(element.name.text.utf8Span.span))
        default: break
        }
        objects.append(object)
        return .object
    }

    /// Ends the innermost object: it stands in the activity around it, or in the sample.
    mutating func endObject() {
        let object = objects.removeLast()
        if objects.isEmpty {
            guard let list = ObjectDraft.list(of: object.element) else { return }
            samples[innermost].append(object.object(), to: list)
        } else {
            objects[objects.count - 1].append(object.object(), of: object.element)
        }
    }

    /// Returns an attribute's value as canonical JSON: a moment as a timestamp, what identifies as a private value, all
    /// else as its text.
    private mutating func value(of attribute: ElementBatch.Attribute, _ batch: borrowing ElementBatch) -> [UInt8] {
        let text = batch.text(attribute.value)
        let name = batch.name(of: attribute)
        if attribute.name.isPrivate || builder.isPrivate(key: name.span) {
            return MetadataDraft.privateValue(name.span, text, &builder)
        }
        if attribute.name.isDate, let timestamp = timestamp(text) { return JSONMembers.string(timestamp.span) }
        return JSONMembers.string(text)
    }

    /// Returns a moment as a canonical timestamp; `nil` if the text is none.
    func timestamp(_ text: Span<UInt8>) -> [UInt8]? {
        guard let date = date(text), let timestamp = try? TimestampText(Double(date.seconds)) else { return nil }
        return Array(timestamp.string.utf8)
    }

    /// Returns the key of an attribute; those of our own are taken.
    private func key(of name: [UInt8]) -> [UInt8] {
        Self.taken.contains(name) ? Array("attribute:".utf8) + name : name
    }

    private static let taken = ["element", "events", "metadata", "seconds", "statistics", "zones"].map {
        Array($0.utf8)
    }
}
