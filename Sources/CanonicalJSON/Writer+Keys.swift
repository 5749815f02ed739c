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
