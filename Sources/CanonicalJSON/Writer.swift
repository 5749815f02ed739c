internal import Bytes

/// Writes canonical JSON (RFC 8785) as a stream into one buffer of bytes that is used again and again.
///
///     var writer = Writer()
///     writer.beginObject()
///     writer.key(name)          // a Key, prepared once
///     writer.integer(42)
///     writer.endObject()
///     file.write(writer.span)
///     writer.removeAll()
///
/// Commas and colons come by themselves. The calls must make up a JSON text whose keys are in canonical order: a
/// value without a key, a key out of order, an end that matches no begin are mistakes of the calling code and stop
/// the program. Every call is O(bytes it writes), amortized.
public struct Writer: ~Copyable {
    /// What was written since the beginning or the last `removeAll()`.
    var buffer: ByteBuffer

    /// What may come next in the innermost open container.
    var place = Place.document
    /// The last key of the innermost open object, as a place in `buffer`.
    var previousKey = KeyOrder.Place(range: 0..<0, hasEscapes: false)
    /// That key's index in the list that it came from, or −1.
    var previousIndex = -1
    /// The places and last keys of the containers around the innermost one.
    var outer: [(place: Place, previousKey: KeyOrder.Place, previousIndex: Int)] = []

    enum Place {
        /// Outside of any value: a document may begin.
        case document
        /// After a document; something must separate it from the next one.
        case afterDocument
        case firstElement
        case nextElement
        case firstKey
        case nextKey
        case memberValue
    }

    /// A writer whose buffer has room for `capacity` bytes; it grows as needed.
    public init(capacity: Int = 0) {
        buffer = ByteBuffer(capacity: capacity)
    }

    /// What was written since the beginning or the last `removeAll()`.
    public var span: Span<UInt8> {
        @_lifetime(borrow self) get { buffer.span }
    }

    /// A copy of `span`. O(n).
    public var bytes: [UInt8] { buffer.array }

    /// Number of bytes in `span`.
    public var count: Int { buffer.count }

    /// Forgets what was written and keeps the memory for what follows. No container may be open.
    public mutating func removeAll() {
        precondition(outer.isEmpty, "a container is open")
        buffer.removeAll()
        place = .document
    }

    /// Appends one byte as it is, such as LF between documents. No container may be open.
    public mutating func append(_ byte: UInt8) {
        precondition(outer.isEmpty, "a container is open")
        buffer.append(byte)
        place = .document
    }

    /// Begins an object.
    public mutating func beginObject() {
        begin(UInt8(ascii: "{"), inside: .firstKey)
    }

    /// Ends the innermost open container, which must be an object whose last key has its value.
    public mutating func endObject() {
        precondition(place == .firstKey || place == .nextKey, "no object to end, or a key without a value")
        end(UInt8(ascii: "}"))
    }

    /// Begins an array.
    public mutating func beginArray() {
        begin(UInt8(ascii: "["), inside: .firstElement)
    }

    /// Ends the innermost open container, which must be an array.
    public mutating func endArray() {
        precondition(place == .firstElement || place == .nextElement, "no array to end")
        end(UInt8(ascii: "]"))
    }

    /// Appends the comma, if one is due, before a value.
    @inline(__always)
    mutating func beginValue() {
        switch place {
        case .memberValue: place = .nextKey
        case .nextElement: buffer.append(UInt8(ascii: ","))
        case .firstElement: place = .nextElement
        case .document: place = .afterDocument
        case .firstKey, .nextKey: preconditionFailure("a member needs a key")
        case .afterDocument: preconditionFailure("the document is complete")
        }
    }

    private mutating func begin(_ bracket: UInt8, inside: Place) {
        beginValue()
        buffer.append(bracket)
        outer.append((place, previousKey, previousIndex))
        place = inside
        previousIndex = -1
    }

    private mutating func end(_ bracket: UInt8) {
        buffer.append(bracket)
        (place, previousKey, previousIndex) = outer.removeLast()
    }
}
