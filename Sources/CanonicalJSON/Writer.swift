package import Bytes

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
    /// The bytes written since the beginning or the last `removeAll()`.
    var buffer: ByteBuffer

    /// The place in the innermost open container, which decides what may come next.
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

    /// The bytes written since the beginning or the last `removeAll()`.
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

extension Writer {
    /// Writes the key of the next member. It must sort after the key before it in the same object.
    public mutating func key(_ key: Key) {
        // The comma is part of the prepared text.
        let isFirst = beginKey()
        checkOrder(of: key.place, in: key.text.span, isFirst: isFirst)
        let shift = buffer.count &- (isFirst ? 1 : 0)
        buffer.append(copying: key.text.span.extracting((isFirst ? 1 : 0)..<key.text.count))
        previousKey = key.place.moved(by: shift)
        previousIndex = -1
    }

    /// Writes a key of a list as the key of the next member. It must come later in the list than the key before it
    /// in the same object.
    ///
    /// All keys of lists in one object must come from the same list, which is not checked. After a key of no list
    /// the texts are compared.
    public mutating func key(_ list: borrowing KeyList, _ index: Int) {
        let isFirst = beginKey()
        if previousIndex >= 0 {
            precondition(isFirst || index > previousIndex, "the key does not sort after the key before it")
        } else {
            checkOrder(of: list.entries[index].place, in: list.text.span, isFirst: isFirst)
        }
        let entry = list.entries[index]
        let start = isFirst ? entry.text.lowerBound &+ 1 : entry.text.lowerBound
        let shift = buffer.count &- start
        buffer.append(first: entry.text.upperBound &- start, of: list.text.span.extracting(start...))
        previousKey = entry.place.moved(by: shift)
        previousIndex = index
    }

    /// Writes the key of the next member from UTF-8 text.
    ///
    /// It must sort after the key before it in the same object. Throws `utf8` with the offset in `name`, and has
    /// written nothing then.
    public mutating func key(_ name: Span<UInt8>) throws(JSONError) {
        try name.checkUTF8()
        let isFirst = beginKey()
        if !isFirst { buffer.append(UInt8(ascii: ",")) }
        buffer.append(UInt8(ascii: "\""))
        let start = buffer.count
        let hasEscapes = name.appendEscaped(to: &buffer)
        let written = KeyOrder.Place(range: start..<buffer.count, hasEscapes: hasEscapes)
        checkOrder(of: written, in: buffer.span, isFirst: isFirst)
        buffer.append(UInt8(ascii: "\""))
        buffer.append(UInt8(ascii: ":"))
        previousKey = written
        previousIndex = -1
    }

    /// Checks that a key may come; returns whether it is the first of its object.
    @inline(__always)
    private mutating func beginKey() -> Bool {
        let isFirst = place == .firstKey
        precondition(isFirst || place == .nextKey, "a key where no member can begin")
        place = .memberValue
        return isFirst
    }

    @inline(__always)
    private func checkOrder(of key: KeyOrder.Place, in text: Span<UInt8>, isFirst: Bool) {
        precondition(
            isFirst || KeyOrder.compare(buffer.span, previousKey, text, key) < 0,
            "the key does not sort after the key before it"
        )
    }
}

extension Writer {
    /// Writes a member with a text; nothing where there is none.
    public mutating func member(_ name: Key, _ text: String?) {
        guard let text else { return }
        key(name)
        string(text)
    }

    /// Writes a member with an integer of a magnitude below 2^53; nothing where there is none.
    public mutating func member(_ name: Key, _ number: Int64?) {
        guard let number else { return }
        key(name)
        integer(number)
    }

    /// Writes a member with an integer of a magnitude below 2^53; nothing where there is none.
    public mutating func member(_ name: Key, _ number: Int?) { member(name, number.map { Int64($0) }) }

    /// Writes a member with `true` or `false`.
    public mutating func member(_ name: Key, _ value: Bool) {
        key(name)
        bool(value)
    }
}

extension Writer {
    /// Some members of an object, one after the other, as they were written: a part of a text that was copied.
    package struct Members: Sendable {
        /// The range in which they are, without a comma in front.
        let range: Range<Int>
        /// The last key, counted from the beginning of the members, and its index in its list, or −1.
        let lastKey: KeyOrder.Place
        let lastIndex: Int
    }

    /// Appends to `text` the members of the innermost open object that were written since `count` was `start`. O(n).
    package func copyMembers(since start: Int, to text: inout ByteBuffer) -> Members {
        precondition(place == .firstKey || place == .nextKey, "no object is open, or a key has no value")
        let begin = buffer.count > start && buffer.span[start] == UInt8(ascii: ",") ? start + 1 : start
        let copied = text.count
        text.append(copying: buffer.span.extracting(begin...))
        return Members(range: copied..<text.count, lastKey: previousKey.moved(by: -begin), lastIndex: previousIndex)
    }

    /// Writes members that were copied to `text` from another object. Their keys must sort after the key before
    /// them, which is not checked. O(n).
    package mutating func embed(_ members: Members, of text: borrowing ByteBuffer) {
        guard !members.range.isEmpty else { return }
        precondition(place == .firstKey || place == .nextKey, "members where none can begin")
        if place == .nextKey { buffer.append(UInt8(ascii: ",")) }
        place = .nextKey
        previousKey = members.lastKey.moved(by: buffer.count)
        previousIndex = members.lastIndex
        buffer.append(copying: text.span.extracting(members.range))
    }
}

extension Writer {
    /// A place in what is written.
    public struct Mark: Sendable {
        let count: Int
        let place: Place
        let previousKey: KeyOrder.Place
        let previousIndex: Int
        let depth: Int
    }

    /// The mark of the place of the next byte.
    public var mark: Mark {
        Mark(
            count: buffer.count, place: place, previousKey: previousKey, previousIndex: previousIndex,
            depth: outer.count)
    }

    /// Takes back everything that was written since a mark. The containers that were open then must not have ended.
    public mutating func rewind(to mark: Mark) {
        precondition(buffer.count >= mark.count && outer.count >= mark.depth, "what the mark is in is gone")
        buffer.removeLast(buffer.count - mark.count)
        outer.removeLast(outer.count - mark.depth)
        place = mark.place
        previousKey = mark.previousKey
        previousIndex = mark.previousIndex
    }
}
