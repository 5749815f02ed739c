internal import CanonicalJSON
internal import Recording

/// The content of the page that is being read: samples, deleted objects, relationships.
struct FeedContent: ~Copyable {
    /// Objects of the page whose text was read before.
    var objects = FeedObjects()
    var builder: PageBuilder
    /// Whether the run of a type is open, by the builder's index. Runs begin and end between pages.
    private var isOpen: [Bool] = []
    private var kinds: [ValueKind] = []

    init(_ secret: ArchiveSecret, _ rules: CaptureRules, keepsNames: Bool) {
        builder = PageBuilder(secret, rules: rules, keepsNames: keepsNames)
    }

    /// Hands over the page.
    mutating func finishPage() -> CapturePage {
        objects.removeAll()
        isOpen.removeAll(keepingCapacity: true)
        return builder.finishPage()
    }

    mutating func addSample(_ line: borrowing FeedLine, _ bytes: Span<UInt8>, _ order: borrowing FeedOrder, number: Int)
        throws(FeedFault)
    {
        let type = try openType(line, bytes, order)
        let kind = try valueKind(line, bytes)
        let dates = (start: try Self.timestamp(line, .startDate, bytes), end: try Self.timestamp(line, .endDate, bytes))
        let uuid = try Self.uuid(line, bytes)
        let unit = try Self.unit(line, bytes)
        let value = try FeedValues.double(line, .numericValue, bytes)
        let duration = try FeedValues.double(line, .durationSeconds, bytes)
        let category = try FeedValues.wholeNumber(line, .categoryValue, bytes)
        let activity = try FeedValues.wholeNumber(line, .workoutActivityType, bytes)
        let readable: Int64? = if case .moment(let moment) = dates.start { moment } else { nil }
        guard let start = readable, case .moment(let end) = dates.end else {
            return try reject(line, bytes, type, "bad_date", number, start: readable, uuid)
        }
        var record = CapturedRecord(type: type, start: start, end: end, valueKind: kind)
        let isStorable =
            Self.put(value, &record.numericValue) && Self.put(duration, &record.durationSeconds)
            && Self.put(category, &record.categoryValue)
            && Self.put(activity, &record.workoutActivityType)
        guard isStorable else {
            return try reject(line, bytes, type, "bad_number", number, start: start, uuid)
        }
        let metadata = try metadata(line, bytes)
        if case .overflow = metadata {
            return try reject(line, bytes, type, "bad_number", number, start: start, uuid)
        }
        record.uuid = uuid
        if let unit { record.unit = Self.withText(unit, line, bytes) { builder.text($0) } }
        record.source = try source(line, bytes)
        record.device = try device(line, bytes)
        record.metadata = Self.index(metadata)
        builder.add(record)
    }

    mutating func addDeleted(_ line: borrowing FeedLine, _ bytes: Span<UInt8>, _ order: borrowing FeedOrder)
        throws(FeedFault)
    {
        let type = try openType(line, bytes, order)
        guard let uuid = try Self.uuid(line, bytes) else { throw FeedFault(.uuid, "missing") }
        builder.addDeleted(type: type, uuid)
    }

    mutating func addRelationship(_ line: borrowing FeedLine, _ bytes: Span<UInt8>, _ order: borrowing FeedOrder)
        throws(FeedFault)
    {
        let source = try Self.end(line, .source, bytes)
        let target = try Self.end(line, .target, bytes)
        let kind = try FeedValues.requiredName(line, .relationshipKind, bytes)
        let metadata = try metadata(line, bytes)
        if case .overflow = metadata { throw FeedFault(.metadata, "a number is out of range") }
        let types = (
            Self.type(source.type.span, &builder, &isOpen, order), Self.type(target.type.span, &builder, &isOpen, order)
        )
        builder.link(
            type: types.0, source.uuid, toType: types.1, target.uuid, kind: kind.span, metadata: Self.index(metadata))
    }

    /// Counts a record that cannot be stored. Its objects are looked at and not kept.
    private mutating func reject(
        _ line: borrowing FeedLine, _ bytes: Span<UInt8>, _ type: Int, _ reason: String, _ number: Int,
        start: Int64?, _ uuid: SampleUUID?
    ) throws(FeedFault) {
        if let source = try Self.object(line, .source), source.known < 0 {
            _ = try Self.sourceTexts(source.range, bytes)
        }
        if let device = try Self.object(line, .device), device.known < 0 {
            _ = try Self.deviceTexts(device.range, bytes)
        }
        _ = try Self.object(line, .metadata)
        var content = Writer()
        content.beginObject()
        try Self.put("end_date", FeedValues.text(line, .endDate, bytes), to: &content)
        try Self.put("sample_type", FeedValues.text(line, .sampleType, bytes), to: &content)
        try Self.put("start_date", FeedValues.text(line, .startDate, bytes), to: &content)
        Self.put("uuid", uuid.map(Self.bytes), to: &content)
        try Self.put("value_kind", FeedValues.text(line, .valueKind, bytes), to: &content)
        content.endObject()
        builder.reject(
            type: type, reason: reason, place: "line \(number)", start: start, content: content.bytes.span)
    }

    private static func bytes(_ uuid: SampleUUID) -> [UInt8] {
        let text = uuid.text
        return text.indices.map { text[$0] }
    }

    private static func put(_ key: Key, _ text: [UInt8]?, to content: inout Writer) {
        guard let text else { return }
        content.key(key)
        // Texts of a line are UTF-8.
        try? content.string(text.span)
    }

    // MARK: Members

    /// Calls `body` with the text of a string: its bytes in the line, or a copy where it has escapes.
    private static func withText<Result>(
        _ contents: StringContents, _ line: borrowing FeedLine, _ bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Result
    ) -> Result {
        guard contents.hasEscapes else { return body(bytes.extracting(contents.range)) }
        var text: [UInt8] = []
        line.unescape(contents, in: bytes, into: &text)
        return body(text.span)
    }

    /// The timestamp of a member that is there.
    static func timestamp(_ line: borrowing FeedLine, _ field: FeedField, _ bytes: Span<UInt8>) throws(FeedFault)
        -> FeedTimestamp
    {
        guard let contents = try FeedValues.contents(line, field) else { throw FeedFault(field, "missing") }
        let moment = withText(contents, line, bytes) { FeedTimestamp($0) }
        guard moment != .malformed else { throw FeedFault(field, "not a timestamp") }
        return moment
    }

    private static func uuid(_ line: borrowing FeedLine, _ bytes: Span<UInt8>) throws(FeedFault) -> SampleUUID? {
        guard let contents = try FeedValues.contents(line, .uuid) else { return nil }
        guard let uuid = withText(contents, line, bytes, { SampleUUID($0) }) else {
            throw FeedFault(.uuid, "not a UUID")
        }
        return uuid
    }

    private static func unit(_ line: borrowing FeedLine, _ bytes: Span<UInt8>) throws(FeedFault) -> StringContents? {
        guard let contents = try FeedValues.contents(line, .unit) else { return nil }
        guard withText(contents, line, bytes, { FeedValues.isShort($0, FeedValues.textLimit) }) else {
            throw FeedFault(.unit, "longer than \(FeedValues.textLimit) characters")
        }
        return contents
    }

    private mutating func valueKind(_ line: borrowing FeedLine, _ bytes: Span<UInt8>) throws(FeedFault) -> ValueKind {
        guard let contents = try FeedValues.contents(line, .valueKind) else { throw FeedFault(.valueKind, "missing") }
        for kind in kinds where line.isEqual(contents, in: bytes, kind.name.span) { return kind }
        guard let kind = Self.withText(contents, line, bytes, { ValueKind($0) }) else {
            throw FeedFault(.valueKind, "not 1 to 64 small letters, digits and _")
        }
        // A feed has few kinds; one that makes them up is only read more slowly.
        if kinds.count < 16 { kinds.append(kind) }
        return kind
    }

    /// The place of a sample type whose run is open.
    private mutating func openType(_ line: borrowing FeedLine, _ bytes: Span<UInt8>, _ order: borrowing FeedOrder)
        throws(FeedFault) -> Int
    {
        guard let contents = try FeedValues.contents(line, .sampleType) else { throw FeedFault(.sampleType, "missing") }
        let type = Self.withText(contents, line, bytes) { Self.type($0, &builder, &isOpen, order) }
        guard isOpen[type] else { throw FeedFault(.sampleType, "has no open run") }
        return type
    }

    private static func type(
        _ name: Span<UInt8>, _ builder: inout PageBuilder, _ isOpen: inout [Bool], _ order: borrowing FeedOrder
    ) -> Int {
        let type = builder.sampleType(name)
        if type == isOpen.count { isOpen.append(order.isOpen(name.indices.map { name[$0] })) }
        return type
    }

    /// Puts a number into a record; false where it is too large.
    private static func put<Value>(_ number: FeedValues.Number<Value>?, _ target: inout Value?) -> Bool {
        switch number {
        case .value(let value): target = value
        case .overflow: return false
        case nil: break
        }
        return true
    }
}
