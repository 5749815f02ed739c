extension Reader {
    /// Reads the number that begins at `position`.
    mutating func number(in bytes: Span<UInt8>) throws(JSONError) -> Range<Int> {
        let start = position
        doubleOfNumber = nil
        if let end = Self.endOfPlainInteger(in: bytes, from: start) {
            position = end
            return start..<end
        }
        let scan: NumberScan
        do { scan = try NumberScan(bytes, from: start) } catch { throw unexpected(at: error.offset, in: bytes) }
        if !acceptsOverflow, !isFinite(scan, in: bytes) { throw JSONError(.numberRange, at: start) }
        if mode == .canonical, !isCanonical(scan, in: bytes) { throw JSONError(.number, at: start) }
        position = scan.range.upperBound
        return scan.range
    }

    /// The end of a number of one to fifteen digits with nothing else to it, which is always right as it is; nil
    /// for any other.
    @inline(__always)
    private static func endOfPlainInteger(in bytes: Span<UInt8>, from start: Int) -> Int? {
        let first = bytes[start] == UInt8(ascii: "-") ? start &+ 1 : start
        var at = first
        while at < bytes.count, bytes[at].isDigit { at &+= 1 }
        guard at > first, at &- first <= 15, bytes[first] != UInt8(ascii: "0") || at == start &+ 1 else { return nil }
        if at < bytes.count, bytes[at] == UInt8(ascii: ".") || bytes[at] | 0x20 == UInt8(ascii: "e") { return nil }
        return at
    }

    /// Whether the nearest double is finite. Only next to the largest double must the number be converted to know it.
    private func isFinite(_ scan: NumberScan, in bytes: Span<UInt8>) -> Bool {
        guard scan.significantCount > 0, scan.point > 308 else { return true }
        return scan.point == 309 && double(scan.range, in: bytes).isFinite
    }

    /// Whether a number is in its ECMAScript text.
    ///
    /// On purpose this asks nothing of the writer. Every decimal of at most fifteen significant digits survives the
    /// way to a normal double and back, so its digits are the fewest already, and only the layout can be wrong.
    /// Seventeen digits are always enough. What lies between, and the subnormal doubles with their lower precision,
    /// is compared with the digits that the standard library gives for the nearest double.
    private mutating func isCanonical(_ scan: NumberScan, in bytes: Span<UInt8>) -> Bool {
        guard scan.hasCanonicalLayout, scan.significantCount <= 17 else { return false }
        if scan.significantCount <= 15, scan.point > -307 { return true }
        let value = double(scan.range, in: bytes)
        doubleOfNumber = value
        let description = value.description
        let text = description.utf8Span.span
        guard let shortest = try? NumberScan(text, from: 0) else { return false }
        return shortest.point == scan.point && scan.hasDigits(of: shortest, in: text, own: bytes)
    }
}
