internal import Bytes
internal import CanonicalJSON
internal import Preimages

/// A preimage that is put together from pieces of a line; its memory is used again.
struct Preimage: ~Copyable {
    private var buffer = ByteBuffer(capacity: 1024)
    /// A text without its escapes.
    private var piece: [UInt8] = []
    /// Members that stand next to each other in the line and here: they are copied in one go.
    private var pending = 0..<0
    /// Whether the object has no member yet.
    private var isEmpty = true

    /// What was put together.
    var span: Span<UInt8> {
        @_lifetime(borrow self) get { buffer.span }
    }

    /// Begins with a domain prefix.
    mutating func begin(_ prefix: [UInt8]) {
        buffer.removeAll()
        pending = 0..<0
        append(prefix)
    }

    /// Begins an object behind a domain prefix.
    mutating func beginObject(_ prefix: [UInt8]) {
        begin(prefix)
        buffer.append(UInt8(ascii: "{"))
        isEmpty = true
    }

    mutating func endObject(in text: Span<UInt8>) {
        flush(text)
        buffer.append(UInt8(ascii: "}"))
    }

    private mutating func separate() {
        if !isEmpty { buffer.append(UInt8(ascii: ",")) }
        isEmpty = false
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
        append(name)
    }

    /// Appends what stands in a line.
    mutating func append(_ range: Range<Int>, in text: Span<UInt8>) { buffer.append(copying: text.extracting(range)) }

    /// Appends bytes.
    mutating func append(_ other: [UInt8]) { buffer.append(copying: other.span) }

    /// Appends bytes of a text.
    mutating func append(_ text: String) { buffer.append(copying: text.utf8Span.span) }

    /// Appends an integer.
    mutating func append(_ value: Int64) { buffer.append(decimal: value) }

    /// Appends a finite number, as canonical text has it.
    mutating func append(_ value: Double) { buffer.append(ecmaScript: value) }

    /// Appends the contents of a text, or an object, that was captured.
    mutating func append(contentsOf value: Captured, in text: Span<UInt8>) {
        guard value.hasEscapes else { return append(value.range, in: text) }
        piece.removeAll(keepingCapacity: true)
        Reader.unescape(StringContents(range: value.range, hasEscapes: true), in: text, into: &piece)
        append(piece)
    }
}
