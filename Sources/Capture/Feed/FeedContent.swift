internal import CanonicalJSON
internal import Recording
internal import Timestamps

/// The content of the page that is being read: samples, deleted objects, relationships.
struct FeedContent: ~Copyable {
    /// Objects of the page whose text was read before.
    var objects = FeedObjects()
    var builder: PageBuilder
    /// `true` if the run of a type is open, by the builder's index. Runs begin and end between pages.
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

    /// Returns the timestamp of a member that is there.
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

    /// Returns the place of a sample type whose run is open.
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

/// A timestamp of a feed (`Spec/capture-feed.md`, "Values"): any offset, up to nine fraction digits.
///
/// Apart from the readers in Timestamps on purpose: those give doubles, and a capture rounds to microseconds from
/// the exact decimal.
enum FeedTimestamp: Equatable {
    /// The text has another form.
    case malformed
    /// The text has the form and names no moment of the years 1 to 9999 that the archive can hold.
    case outside
    /// Microseconds since 1970, rounded half to even.
    case moment(Int64)

    /// Reads a text. O(1).
    init(_ text: Span<UInt8>) {
        let isSigned = !text.isEmpty && (text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-"))
        var at = isSigned ? 1 : 0
        let yearStart = at
        while at < text.count, text[at] &- UInt8(ascii: "0") < 10, at - yearStart < 9 { at += 1 }
        let yearDigits = at - yearStart
        self = .malformed
        guard yearDigits >= 4, text.count - at >= 16, let year = Self.number(text, yearStart, yearDigits),
            text[at] == UInt8(ascii: "-"), let month = Self.number(text, at + 1, 2), text[at + 3] == UInt8(ascii: "-"),
            let day = Self.number(text, at + 4, 2),
            text[at + 6] == UInt8(ascii: "T"), let hour = Self.number(text, at + 7, 2),
            text[at + 9] == UInt8(ascii: ":"),
            let minute = Self.number(text, at + 10, 2),
            text[at + 12] == UInt8(ascii: ":"), let second = Self.number(text, at + 13, 2)
        else { return }
        at += 15
        guard let nanoseconds = Self.fraction(text, &at), let offset = Self.offset(text, at) else { return }
        self = .outside
        guard !isSigned, yearDigits == 4, hour < 24, minute < 60, second < 60, offset.isClock,
            let days = Calendar.days(year: year, month: month, day: day)
        else { return }
        let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second) - offset.seconds
        self = Self.rounded(seconds, nanoseconds: nanoseconds)
    }

    private static func rounded(_ seconds: Int64, nanoseconds: Int) -> FeedTimestamp {
        var microseconds = seconds * 1_000_000 + Int64(nanoseconds / 1000)
        let rest = nanoseconds % 1000
        if rest > 500 || (rest == 500 && microseconds & 1 != 0) { microseconds += 1 }
        // The doubles near the year 10000 are further apart than microseconds: what is stored decides.
        guard microseconds >= Calendar.range.lowerBound * 1_000_000,
            PageBuilder.seconds(microseconds) < Double(Calendar.range.upperBound)
        else { return .outside }
        return .moment(microseconds)
    }

    /// Nanoseconds of a fraction of one to nine digits, 0 where there is none; nil for another form.
    private static func fraction(_ text: Span<UInt8>, _ at: inout Int) -> Int? {
        guard text[at] == UInt8(ascii: ".") else { return 0 }
        at += 1
        var value = 0
        var digits = 0
        while at < text.count, text[at] &- UInt8(ascii: "0") < 10 {
            value = value * 10 + Int(text[at] &- UInt8(ascii: "0"))
            digits += 1
            at += 1
            if digits > 9 { return nil }
        }
        guard digits > 0 else { return nil }
        for _ in digits..<9 { value *= 10 }
        return value
    }

    /// Returns the offset that ends a text; `nil` for another form.
    private static func offset(_ text: Span<UInt8>, _ at: Int) -> (seconds: Int64, isClock: Bool)? {
        guard at < text.count else { return nil }
        if text[at] == UInt8(ascii: "Z") { return at + 1 == text.count ? (0, true) : nil }
        guard text[at] == UInt8(ascii: "+") || text[at] == UInt8(ascii: "-"), text.count - at == 6,
            text[at + 3] == UInt8(ascii: ":"),
            let hour = number(text, at + 1, 2), let minute = number(text, at + 4, 2)
        else { return nil }
        return (Int64(hour * 3600 + minute * 60) * (text[at] == UInt8(ascii: "+") ? 1 : -1), hour < 24 && minute < 60)
    }

    private static func number(_ text: Span<UInt8>, _ start: Int, _ count: Int) -> Int? {
        var value = 0
        for index in start..<start + count {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }
}
