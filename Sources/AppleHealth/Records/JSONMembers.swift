internal import CanonicalJSON

/// The members of an object that come in any order: written in canonical order in the end.
struct JSONMembers {
    /// Each with its value as canonical JSON.
    private var members: [(key: [UInt8], value: [UInt8])] = []
    /// The places of keys, once there are many.
    private var places: [[UInt8]: Int] = [:]
    /// Of keys that came again: the values so far, and the last number.
    private var again: [[UInt8]: (values: Set<[UInt8]>, number: Int)] = [:]

    /// `true` if there are none.
    var isEmpty: Bool { members.isEmpty }

    /// Adds a member. Where the key is taken by the same value nothing happens; where it is taken by another, the
    /// key is `KEY.2`, then `KEY.3`.
    mutating func add(_ key: [UInt8], _ value: [UInt8]) {
        var name = key
        if let place = place(of: key) {
            var known = again.removeValue(forKey: key) ?? ([members[place].value], 1)
            if known.values.insert(value).inserted {
                repeat {
                    known.number += 1
                    name = key + Array(".\(known.number)".utf8)
                } while self.place(of: name) != nil
            } else {
                name = []
            }
            again[key] = known
            if name.isEmpty { return }
        }
        if members.count >= Self.few { places[name] = members.count }
        members.append((name, value))
        if members.count == Self.few { for (index, member) in members.enumerated() { places[member.key] = index } }
    }

    /// Returns the object in canonical form.
    func object() -> [UInt8] {
        var json = Writer()
        json.beginObject()
        for member in members.sorted(by: { Self.precedes($0.key, $1.key) }) {
            // Texts come from a parser that gives UTF-8 and nothing else.
            try? json.key(member.key.span)
            json.embed(canonical: member.value.span)
        }
        json.endObject()
        return json.bytes
    }

    /// Returns the content by which a file that cannot be stored is recognised.
    static func file(_ name: [UInt8]) -> [UInt8] {
        var members = JSONMembers()
        members.add(Array("file".utf8), string(name.span))
        return members.object()
    }

    /// Returns a text as canonical JSON.
    static func string(_ text: Span<UInt8>) -> [UInt8] {
        var json = Writer(capacity: text.count + 2)
        try? json.string(text)
        return json.bytes
    }

    /// Returns a number as canonical JSON.
    static func number(_ value: Double) -> [UInt8] {
        var json = Writer()
        json.number(value)
        return json.bytes
    }

    /// So many are looked through one by one.
    private static let few = 16

    private func place(of key: [UInt8]) -> Int? {
        members.count < Self.few ? members.firstIndex { $0.key == key } : places[key]
    }

    /// Returns `true` if one key comes before another in the order of UTF-16 on UTF-8 (RFC 8785, section 3.2.3): the
    /// lead bytes 0xEE and 0xEF come after those of characters beyond U+FFFF.
    private static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        func rank(_ byte: UInt8) -> Int { byte == 0xEE || byte == 0xEF ? Int(byte) + 0x10 : Int(byte) }
        return left.lexicographicallyPrecedes(right) { rank($0) < rank($1) }
    }
}
