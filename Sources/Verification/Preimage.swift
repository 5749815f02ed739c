internal import CanonicalJSON

/// A preimage that is put together from pieces of a line; its memory is used again.
struct Preimage: ~Copyable {
    private(set) var bytes: [UInt8] = []
    private var number = Writer()

    /// Begins with a domain prefix.
    mutating func begin(_ prefix: [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(prefix.span)
    }

    /// Begins an object behind a domain prefix.
    mutating func beginObject(_ prefix: [UInt8]) {
        begin(prefix)
        bytes.append(0x7B)
    }

    mutating func endObject() { bytes.append(0x7D) }

    private mutating func separate() {
        if bytes.last != 0x7B { bytes.append(0x2C) }
    }

    /// Appends a member as it stands in a line; nothing where it is absent.
    mutating func append(_ place: MemberPlaces.Place?, in text: Span<UInt8>) {
        guard let place else { return }
        separate()
        bytes.append(text.extracting(place.whole))
    }

    /// Appends a name, such as `"end":`, to which a value is appended next.
    mutating func append(name: String) {
        separate()
        bytes.append(contentsOf: name.utf8)
    }

    /// Appends what stands in a line.
    mutating func append(_ range: Range<Int>, in text: Span<UInt8>) { bytes.append(text.extracting(range)) }

    /// Appends bytes.
    mutating func append(_ other: [UInt8]) { bytes.append(other.span) }

    /// Appends bytes of a text.
    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Appends a finite number.
    mutating func append(_ value: Double) {
        number.removeAll()
        number.number(value)
        let digits = number.bytes
        bytes.append(digits.span)
    }

    /// Appends the contents of a text, or an object, that was captured.
    mutating func append(contentsOf value: Captured, in text: Span<UInt8>) {
        guard value.hasEscapes else { return append(value.range, in: text) }
        Reader(.canonical).unescape(StringContents(range: value.range, hasEscapes: true), in: text, into: &bytes)
    }
}
