internal import CanonicalJSON

/// A preimage that is put together from pieces of a line; its memory is used again.
struct Preimage: ~Copyable {
    private(set) var bytes: [UInt8] = []
    /// Members that stand next to each other in the line and here: they are copied in one go.
    private var pending = 0..<0

    /// Begins with a domain prefix.
    mutating func begin(_ prefix: [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        pending = 0..<0
        append(prefix)
    }

    /// Begins an object behind a domain prefix.
    mutating func beginObject(_ prefix: [UInt8]) {
        begin(prefix)
        bytes.append(UInt8(ascii: "{"))
    }

    mutating func endObject(in text: Span<UInt8>) {
        flush(text)
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func separate() {
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func flush(_ text: Span<UInt8>) {
        guard !pending.isEmpty else { return }
        separate()
        append(pending, in: text)
        pending = 0..<0
    }

    /// Appends a member as it stands in a line; nothing where it is absent.
    mutating func append(_ place: MemberPlaces.Place?, in text: Span<UInt8>) {
        guard let place else { return }
        if pending.upperBound &+ 1 != place.whole.lowerBound || pending.isEmpty {
            flush(text)
            pending = place.whole
        } else {
            pending = pending.lowerBound..<place.whole.upperBound
        }
    }

    /// Appends a name, such as `"end":`, to which a value is appended next.
    mutating func append(name: String, in text: Span<UInt8>) {
        flush(text)
        separate()
        bytes.append(contentsOf: name.utf8)
    }

    /// Appends what stands in a line.
    mutating func append(_ range: Range<Int>, in text: Span<UInt8>) {
        let piece = text.extracting(range)
        unsafe piece.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends bytes.
    mutating func append(_ other: [UInt8]) { bytes.append(contentsOf: other) }

    /// Appends bytes of a text.
    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Appends a finite number, as canonical text has it.
    mutating func append(_ value: Double) {
        bytes.append(ecmaScript: value)
    }

    /// Appends the contents of a text, or an object, that was captured.
    mutating func append(contentsOf value: Captured, in text: Span<UInt8>) {
        guard value.hasEscapes else { return append(value.range, in: text) }
        Reader.unescape(StringContents(range: value.range, hasEscapes: true), in: text, into: &bytes)
    }
}
