internal import CanonicalJSON

/// A value of a line, as its place in the line.
enum FeedValue {
    case text(StringContents)
    case number(Range<Int>)
    /// An object; `known` is its index among objects that were read before, or −1.
    case object(Range<Int>, known: Int)
    case array(Range<Int>)
    /// `true`, `false` or `null`.
    case literal
}

/// One line of a feed: a JSON object, read to its end before anything in it is used.
///
/// Members may come in any order, `kind` too, so a line is first taken apart into the places of its values.
struct FeedLine: ~Copyable {
    /// Levels of objects and arrays in metadata; the line itself is one more.
    static let metadataDepth = 64

    private(set) var kind = FeedKind.feed
    private(set) var fields = FeedFields()
    private var values = [FeedValue](repeating: .literal, count: FeedField.allCases.count)
    private var reader = Reader(.json, nestingLimit: metadataDepth + 1, acceptsOverflow: true)
    private let names = FeedNames()
    private var scratch: [UInt8] = []
    /// The members of `kind`, looked up when it changes.
    private var allowed = FeedFields()
    private var required = FeedFields()

    init() {}

    /// Takes a line apart. `known` has the objects whose text was read before.
    mutating func read(_ line: Span<UInt8>, known: borrowing FeedObjects) throws(FeedFault) {
        fields = []
        reader.restart()
        var place: FeedField?
        var unknown: Int?
        var isObject = false
        do throws(JSONError) {
            isObject = try reader.next(in: line) == .beginObject
            while isObject, case .key(let name) = try reader.next(in: line) {
                guard let field = field(name, in: line) else {
                    unknown = unknown ?? reader.tokenStart
                    _ = try reader.skipValue(in: line)
                    continue
                }
                place = field
                try readValue(of: field, in: line, known)
                place = nil
            }
            while try reader.next(in: line) != .end {}
        } catch {
            throw Self.fault(error, place)
        }
        guard isObject else { throw FeedFault("not an object") }
        try checkMembers(in: line, unknown: unknown)
    }

    /// Returns the value of a member that is there.
    func value(_ field: FeedField) -> FeedValue? {
        fields.contains(FeedFields(field)) ? values[Int(field.rawValue)] : nil
    }

    /// Appends the text of a string.
    func unescape(_ contents: StringContents, in line: Span<UInt8>, into text: inout [UInt8]) {
        reader.unescape(contents, in: line, into: &text)
    }

    /// Returns `true` if a string has this text.
    func isEqual(_ contents: StringContents, in line: Span<UInt8>, _ text: Span<UInt8>) -> Bool {
        reader.matches(contents, in: line, text)
    }

    /// Returns a whole number that is written without fraction and exponent.
    func integer(_ number: Range<Int>, in line: Span<UInt8>) -> Int64? { reader.integer(number, in: line) }

    /// Returns the nearest double, infinite where there is none.
    func double(_ number: Range<Int>, in line: Span<UInt8>) -> Double { reader.double(number, in: line) }

    private static func fault(_ error: JSONError, _ place: FeedField?) -> FeedFault {
        if let place { return FeedFault(place, error.description) }
        return FeedFault(error.description)
    }

    private mutating func field(_ name: StringContents, in line: Span<UInt8>) -> FeedField? {
        guard name.hasEscapes else { return names.field(line.extracting(name.range)) }
        scratch.removeAll(keepingCapacity: true)
        reader.unescape(name, in: line, into: &scratch)
        return names.field(scratch.span)
    }

    private mutating func readValue(of field: FeedField, in line: Span<UInt8>, _ known: borrowing FeedObjects)
        throws(JSONError)
    {
        fields.insert(FeedFields(field))
        if let text = FeedObjects.extent(in: line, at: reader.position) {
            let index = known.find(line.extracting(text), as: field)
            if index >= 0 {
                reader.skipObject(readBefore: text.count)
                values[Int(field.rawValue)] = .object(text, known: index)
                return
            }
        }
        let depth = reader.depth
        let token = try reader.next(in: line)
        let start = reader.tokenStart
        while reader.depth > depth { _ = try reader.next(in: line) }
        switch token {
        case .string(let contents): values[Int(field.rawValue)] = .text(contents)
        case .number(let range): values[Int(field.rawValue)] = .number(range)
        case .beginObject: values[Int(field.rawValue)] = .object(start..<reader.position, known: -1)
        case .beginArray: values[Int(field.rawValue)] = .array(start..<reader.position)
        default: values[Int(field.rawValue)] = .literal
        }
    }

    private mutating func checkMembers(in line: Span<UInt8>, unknown: Int?) throws(FeedFault) {
        guard fields.contains(FeedFields(.kind)) else { throw FeedFault(.kind, "missing") }
        guard case .text(let contents) = values[Int(FeedField.kind.rawValue)] else {
            throw FeedFault(.kind, "not a text")
        }
        // Most lines are of the kind of the one before.
        if allowed.isEmpty || !reader.matches(contents, in: line, kind.rawValue.utf8Span.span) {
            try changeKind(contents, in: line)
        }
        if let unknown { throw FeedFault("member at byte \(unknown) is unknown") }
        if let extra = fields.subtracting(allowed).first {
            throw FeedFault(
                extra,
                "not a member of lines of this kind")
        }
        if let missing = required.subtracting(fields).first { throw FeedFault(missing, "missing") }
    }

    private mutating func changeKind(_ contents: StringContents, in line: Span<UInt8>) throws(FeedFault) {
        for kind in FeedKind.allCases where reader.matches(contents, in: line, kind.rawValue.utf8Span.span) {
            self.kind = kind
            allowed = FeedKind.allowed[kind] ?? []
            required = FeedKind.required[kind] ?? []
            return
        }
        throw FeedFault(.kind, "not a kind of line that is known")
    }
}
