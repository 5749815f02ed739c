internal import CanonicalJSON
internal import Timestamps

/// An object in canonical text, member by member in the order of their keys.
struct PreimageObject: ~Copyable {
    private var json = Writer(capacity: 512)
    /// `true` if every value had canonical text.
    private(set) var isWhole = true

    /// Begins an object; its memory is used again.
    mutating func begin() {
        json.removeAll()
        json.beginObject()
        isWhole = true
    }

    /// Ends it.
    mutating func end() -> [UInt8] {
        json.endObject()
        return json.bytes
    }

    mutating func put(_ key: Key, _ value: Int64) {
        json.key(key)
        json.integer(value)
    }

    /// Puts a number; `nil` is no member.
    mutating func put(_ key: Key, _ value: Double?) {
        guard let value else { return }
        json.key(key)
        json.number(value)
    }

    /// Puts a moment in Unix seconds; `nil` is no member. One beyond the years 1 to 9999 has no canonical text.
    mutating func put(_ key: Key, moment: Double?) {
        guard let moment else { return }
        guard let text = try? TimestampText(moment) else {
            isWhole = false
            return
        }
        json.key(key)
        json.string(text.string)
    }

    /// Puts a text; `nil` is no member. The text can be one that an item cannot carry, such as U+0000: the hash is that
    /// of what is stored.
    mutating func put(_ key: Key, text: [UInt8]?) {
        guard let text else { return }
        guard (try? UTF8Span(validating: text.span)) != nil else {
            isWhole = false
            return
        }
        json.key(key)
        try? json.string(text.span)
    }

    /// Puts an object that is canonical already; `nil` is no member.
    mutating func put(_ key: Key, object: [UInt8]?) {
        guard let object else { return }
        json.key(key)
        json.embed(canonical: object.span)
    }
}
