internal import Bytes
internal import CanonicalJSON
internal import Recording

/// Values of a line by their types. Texts are limited in code points, as a JSON Schema counts them.
enum FeedValues {
    /// Names: of types, kinds and reasons.
    static let nameLimit = 256
    /// All other texts.
    static let textLimit = 65_536
    /// Bytes of an anchor.
    static let anchorLimit = 1 << 20
    /// Types that an observation was asked for.
    static let typesLimit = 4096

    /// Returns a name: 1 to 256 code points.
    static func name(_ line: borrowing FeedLine, _ field: FeedField, _ bytes: Span<UInt8>) throws(FeedFault) -> [UInt8]?
    {
        guard let text = try text(line, field, bytes, limit: nameLimit) else { return nil }
        guard !text.isEmpty else { throw FeedFault(field, "empty") }
        return text
    }

    /// Returns a name that is there.
    static func requiredName(_ line: borrowing FeedLine, _ field: FeedField, _ bytes: Span<UInt8>) throws(FeedFault)
        -> [UInt8]
    {
        guard let name = try name(line, field, bytes) else { throw FeedFault(field, "missing") }
        return name
    }

    /// Returns a text.
    static func text(_ line: borrowing FeedLine, _ field: FeedField, _ bytes: Span<UInt8>, limit: Int = textLimit)
        throws(FeedFault) -> [UInt8]?
    {
        guard let contents = try contents(line, field) else { return nil }
        var text: [UInt8] = []
        line.unescape(contents, in: bytes, into: &text)
        guard isShort(text.span, limit) else { throw FeedFault(field, "longer than \(limit) characters") }
        return text
    }

    /// Returns the place of a text.
    static func contents(_ line: borrowing FeedLine, _ field: FeedField) throws(FeedFault) -> StringContents? {
        guard let value = line.value(field) else { return nil }
        guard case .text(let contents) = value else { throw FeedFault(field, "not a text") }
        return contents
    }

    /// Returns `true` if a text has at most so many code points.
    static func isShort(_ text: Span<UInt8>, _ limit: Int) -> Bool {
        guard text.count > limit else { return true }
        var count = 0
        for index in text.indices where text[index] & 0xC0 != 0x80 { count += 1 }
        return count <= limit
    }

    /// Returns one of a few words.
    static func word<Word>(
        _ line: borrowing FeedLine, _ field: FeedField, _ bytes: Span<UInt8>, _ words: [(String, Word)]
    ) throws(FeedFault) -> Word? {
        guard let text = try text(line, field, bytes) else { return nil }
        guard let word = words.first(where: { text.elementsEqual($0.0.utf8) }) else {
            throw FeedFault(field, "not a word that is known")
        }
        return word.1
    }

    /// Returns a code of an error: 1 to 128 letters, digits and `_ . : -`.
    static func code(_ line: borrowing FeedLine, _ field: FeedField, _ bytes: Span<UInt8>) throws(FeedFault) -> [UInt8]?
    {
        guard let text = try text(line, field, bytes) else { return nil }
        let isCode = text.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isCode, (1...128).contains(text.count) else { throw FeedFault(field, "not a code of an error") }
        return text
    }

    /// Bytes in Base64.
    static func base64(_ line: borrowing FeedLine, _ field: FeedField, _ bytes: Span<UInt8>) throws(FeedFault)
        -> [UInt8]?
    {
        guard let text = try text(line, field, bytes, limit: .max) else { return nil }
        guard let data = Base64.bytes(of: text) else { throw FeedFault(field, "not base64") }
        guard data.count <= anchorLimit else { throw FeedFault(field, "longer than \(anchorLimit) bytes") }
        return data
    }

    /// Returns a whole number in a range; the number is a fault if it is not one.
    static func integer(
        _ line: borrowing FeedLine, _ field: FeedField, _ bytes: Span<UInt8>, in range: ClosedRange<Int64>
    ) throws(FeedFault) -> Int64? {
        guard let number = try wholeNumber(line, field, bytes) else { return nil }
        guard case .value(let value) = number, range.contains(value) else { throw FeedFault(field, "out of range") }
        return value
    }

    /// A number that the archive can hold, or not.
    enum Number<Value> {
        case value(Value)
        /// Too large, or with more digits than a double keeps.
        case overflow
    }

    /// Returns a whole number. What counts is the nearest double, however it is spelled.
    static func wholeNumber(_ line: borrowing FeedLine, _ field: FeedField, _ bytes: Span<UInt8>) throws(FeedFault)
        -> Number<Int64>?
    {
        guard let range = try number(line, field) else { return nil }
        if let value = line.integer(range, in: bytes) { return value.magnitude < 1 << 53 ? .value(value) : .overflow }
        let value = line.double(range, in: bytes)
        guard DecimalValue.isKept(bytes.extracting(range), as: value) else { return .overflow }
        guard value == value.rounded(.towardZero) else { throw FeedFault(field, "not a whole number") }
        return value.magnitude < 0x1p53 ? .value(Int64(value)) : .overflow
    }

    /// Returns a number.
    static func double(_ line: borrowing FeedLine, _ field: FeedField, _ bytes: Span<UInt8>) throws(FeedFault)
        -> Number<Double>?
    {
        guard let range = try number(line, field) else { return nil }
        let value = line.double(range, in: bytes)
        return DecimalValue.isKept(bytes.extracting(range), as: value) ? .value(value) : .overflow
    }

    private static func number(_ line: borrowing FeedLine, _ field: FeedField) throws(FeedFault) -> Range<Int>? {
        guard let value = line.value(field) else { return nil }
        guard case .number(let range) = value else { throw FeedFault(field, "not a number") }
        return range
    }

    /// Returns the members of an object all of whose members are texts, in the order of `names`.
    static func texts(_ object: Range<Int>, of field: FeedField, _ names: [StaticString], _ bytes: Span<UInt8>)
        throws(FeedFault) -> [[UInt8]?]
    {
        var texts = [[UInt8]?](repeating: nil, count: names.count)
        let object = bytes.extracting(object)
        var reader = Reader(.json, acceptsOverflow: true)
        var token = next(&reader, in: object)
        while true {
            token = next(&reader, in: object)
            guard case .key(let key) = token else { return texts }
            guard let index = names.firstIndex(where: { reader.matches(key, in: object, $0.description.utf8Span.span) })
            else {
                throw FeedFault(field, "member at byte \(reader.tokenStart) of the object is unknown")
            }
            let name = names[index].description
            guard case .string(let contents) = next(&reader, in: object) else {
                throw FeedFault(field, name, "not a text")
            }
            var text: [UInt8] = []
            reader.unescape(contents, in: object, into: &text)
            guard isShort(text.span, textLimit) else {
                throw FeedFault(
                    field, name,
                    "longer than \(textLimit) characters")
            }
            texts[index] = text
        }
    }

    /// Returns the next token of a text that was read before.
    static func next(_ reader: inout Reader, in text: Span<UInt8>) -> Token {
        guard let token = try? reader.next(in: text) else {
            preconditionFailure(
                "an object that was read before is not JSON")
        }
        return token
    }
}
