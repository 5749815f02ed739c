internal import Bytes

extension Writer {
    /// Writes the key of the next member. It must sort after the key before it in the same object.
    public mutating func key(_ key: Key) {
        // The comma is part of the prepared text.
        let isFirst = beginKey()
        checkOrder(of: key.place, in: key.text.span, isFirst: isFirst)
        let shift = bytes.count &- (isFirst ? 1 : 0)
        bytes.append(copying: key.text.span.extracting((isFirst ? 1 : 0)..<key.text.count))
        let range = key.place.range.lowerBound &+ shift..<key.place.range.upperBound &+ shift
        previousKey = KeyOrder.Place(range: range, hasEscapes: key.place.hasEscapes)
        previousIndex = -1
    }

    /// Writes a key of a list as the key of the next member. It must come later in the list than the key before it in the same object.
    ///
    /// All keys of lists in one object must come from the same list, which is not checked. After a key of no list the texts are compared.
    public mutating func key(_ list: borrowing KeyList, _ index: Int) {
        let isFirst = beginKey()
        if previousIndex >= 0 {
            precondition(isFirst || index > previousIndex, "the key does not sort after the key before it")
        } else {
            checkOrder(of: list.places[index], in: list.text.span, isFirst: isFirst)
        }
        let start = list.starts[index]
        let skipped = isFirst ? 1 : 0
        let shift = bytes.count &- start &- skipped
        bytes.append(copying: list.text.span.extracting(start &+ skipped..<list.starts[index &+ 1]))
        let place = list.places[index]
        previousKey = KeyOrder.Place(range: place.range.lowerBound &+ shift..<place.range.upperBound &+ shift, hasEscapes: place.hasEscapes)
        previousIndex = index
    }

    /// Writes the key of the next member from UTF-8 text.
    ///
    /// It must sort after the key before it in the same object. Throws `utf8` with the offset in `name`, and has written nothing then.
    public mutating func key(_ name: Span<UInt8>) throws(JSONError) {
        try name.checkUTF8()
        let isFirst = beginKey()
        if !isFirst { bytes.append(0x2C) }
        bytes.append(0x22)
        let start = bytes.count
        let hasEscapes = name.appendEscaped(to: &bytes)
        let written = KeyOrder.Place(range: start..<bytes.count, hasEscapes: hasEscapes)
        checkOrder(of: written, in: bytes.span, isFirst: isFirst)
        bytes.append(0x22)
        bytes.append(0x3A)
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
            isFirst || KeyOrder.compare(bytes.span, previousKey, text, key) < 0,
            "the key does not sort after the key before it"
        )
    }
}
