internal import CanonicalJSON

/// A JSON value of a line, which the writer of this process made.
enum PageValue {
    /// Members have the order of the text, by name: objects are small, and a page has tens of thousands of them.
    case object([Member]), array([PageValue]), string(String), number(Double), bool(Bool), null

    typealias Member = (key: String, value: PageValue)

    /// Reads a canonical text.
    static func reading(_ text: [UInt8]) -> PageValue {
        var reader = Reader(.canonical)
        do throws(JSONError) {
            let token = try reader.next(in: text.span)
            return try value(token, &reader, text)
        } catch {
            preconditionFailure("a line of our own is canonical")
        }
    }

    private static func value(_ token: Token, _ reader: inout Reader, _ text: [UInt8]) throws(JSONError) -> PageValue {
        switch token {
        case .beginObject:
            var members: [Member] = []
            while case .key(let contents) = try reader.next(in: text.span) {
                let key = string(contents, reader, text.span)
                let token = try reader.next(in: text.span)
                members.append((key, try value(token, &reader, text)))
            }
            return .object(members)
        case .beginArray:
            var elements: [PageValue] = []
            while true {
                let token = try reader.next(in: text.span)
                if token == .endArray { return .array(elements) }
                elements.append(try value(token, &reader, text))
            }
        case .string(let contents): return .string(string(contents, reader, text.span))
        case .number(let range): return .number(reader.double(range, in: text.span))
        case .true: return .bool(true)
        case .false: return .bool(false)
        default: return .null
        }
    }

    private static func string(_ contents: StringContents, _ reader: Reader, _ text: Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        reader.unescape(contents, in: text, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A member; null where there is none.
    subscript(_ key: String) -> PageValue {
        guard case .object(let members) = self else { return .null }
        return members.first { $0.key == key }?.value ?? .null
    }

    /// The elements of an array; none of anything else.
    var elements: [PageValue] { if case .array(let elements) = self { elements } else { [] } }
    /// The members of an object, by name.
    var members: [Member] { if case .object(let members) = self { members } else { [] } }
    /// The text, where it is one.
    var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The number, where it is one.
    var number: Double? { if case .number(let number) = self { number } else { nil } }
    /// The truth value, where it is one.
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The number as a count, 0 where there is none.
    var count: Int { number.flatMap { Int(exactly: $0) } ?? 0 }
}
