/// A value that can be written as one value of a JSON text.
public protocol JSONValue {
    /// Writes the value.
    func write(to json: inout Writer)
}

/// An object whose members are given in any order and written in canonical order: the form of all results.
///
///     let result: JSONObject = ["file": path.display, "item_count": count, "line": line]
///
/// A member whose value is `nil` is left out. For what is written millions of times there is `Writer` itself.
public struct JSONObject: JSONValue, ExpressibleByDictionaryLiteral {
    private var members: [(name: String, value: any JSONValue)]

    /// An object of some members; each name may be there once.
    public init(_ members: some Sequence<(String, any JSONValue)>) { self.members = members.map { ($0, $1) } }

    /// An object of some members whose values are of one kind.
    public init<Value: JSONValue>(_ members: some Sequence<(String, Value)>) { self.members = members.map { ($0, $1) } }

    /// An object of counts.
    public init(_ counts: [String: Int]) { members = counts.map { ($0.key, $0.value) } }

    /// An object of the members that have a value.
    public init(dictionaryLiteral elements: (String, (any JSONValue)?)...) {
        members = elements.compactMap { name, value in value.map { (name, $0) } }
    }

    /// Returns the object with the members of another one, none of which it has.
    public func adding(_ other: JSONObject) -> JSONObject {
        var object = self
        object.members += other.members
        return object
    }

    /// Writes the object. O(n log n) for n members.
    public func write(to json: inout Writer) {
        json.beginObject()
        for member in members.sorted(by: { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }) {
            json.member(member.name, member.value)
        }
        json.endObject()
    }

    /// The object as a text.
    public var bytes: [UInt8] {
        var json = Writer()
        write(to: &json)
        return json.bytes
    }

    /// The object as a string.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The object as a line, with its end.
    public var line: [UInt8] { bytes + [UInt8(ascii: "\n")] }
}

extension String: JSONValue {
    /// Writes a string.
    public func write(to json: inout Writer) { json.string(self) }
}

extension Bool: JSONValue {
    /// Writes `true` or `false`.
    public func write(to json: inout Writer) { json.bool(self) }
}

extension Int: JSONValue {
    /// Writes an integer of a magnitude below 2^53.
    public func write(to json: inout Writer) { json.integer(Int64(self)) }
}

extension Int64: JSONValue {
    /// Writes an integer of a magnitude below 2^53.
    public func write(to json: inout Writer) { json.integer(self) }
}

extension Double: JSONValue {
    /// Writes a finite number.
    public func write(to json: inout Writer) { json.number(self) }
}

extension Array: JSONValue where Element: JSONValue {
    /// Writes an array.
    public func write(to json: inout Writer) { json.array(self) }
}

/// A sequence whose elements are made as they are written.
extension LazyMapSequence: JSONValue where Element: JSONValue {
    /// Writes an array.
    public func write(to json: inout Writer) { json.array(self) }
}

extension Writer {
    fileprivate mutating func member(_ name: String, _ value: any JSONValue) {
        key(Key(name))
        value.write(to: &self)
    }

    fileprivate mutating func array(_ elements: some Sequence<some JSONValue>) {
        beginArray()
        for element in elements { element.write(to: &self) }
        endArray()
    }
}
