internal import CanonicalJSON
internal import Timestamps

/// Writes the members of items that come from no row: members in the order of their keys, absent ones left out.
struct DocumentWriter: ~Copyable {
    private var json = Writer(capacity: 1024)

    init() { json.beginObject() }

    /// Returns the finished item.
    consuming func finish() -> [UInt8] {
        json.endObject()
        return json.bytes
    }

    mutating func put(_ key: Key, _ number: Int?) { json.member(key, number) }

    /// Puts a number. One that is not finite has no member; −0 is 0.
    mutating func put(_ key: Key, _ number: Double?) {
        guard let number, number.isFinite else { return }
        json.key(key)
        json.number(number)
    }

    mutating func put(_ key: Key, _ text: String?) { json.member(key, text) }

    mutating func put(_ key: Key, _ value: Bool) { json.member(key, value) }

    mutating func put(_ key: Key, optional value: Bool?) { if let value { put(key, value) } }

    /// Puts UTF-8 that was checked.
    mutating func put(_ key: Key, text: [UInt8]?) {
        guard let text else { return }
        json.key(key)
        do throws(JSONError) { try json.string(text.span) } catch {
            preconditionFailure(
                "text that was checked is not UTF-8")
        }
    }

    mutating func put(_ key: Key, moment: Double?) {
        guard let moment, let text = try? TimestampText(moment) else { return }
        put(key, text.string)
    }

    mutating func put(_ key: Key, object: (inout DocumentWriter) -> Void) {
        json.key(key)
        json.beginObject()
        object(&self)
        json.endObject()
    }

    mutating func put<Element>(_ key: Key, array: [Element], _ element: (Element, inout DocumentWriter) -> Void) {
        json.key(key)
        json.beginArray()
        for each in array {
            json.beginObject()
            element(each, &self)
            json.endObject()
        }
        json.endArray()
    }

    mutating func put(_ key: Key, texts: [String]) {
        json.key(key)
        json.beginArray()
        for text in texts { json.string(text) }
        json.endArray()
    }

    /// Puts the identifier of a type, which has a canonical form if it has an index.
    mutating func putType(_ index: Int?, _ types: TypeNames) {
        put("sample_type", text: index.flatMap { types.name($0) })
    }
}
