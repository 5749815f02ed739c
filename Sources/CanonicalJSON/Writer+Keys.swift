internal import Bytes

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
