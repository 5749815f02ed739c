package import Bytes

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
        /// Where they stand, without a comma in front.
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

    /// Where the next byte goes.
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
