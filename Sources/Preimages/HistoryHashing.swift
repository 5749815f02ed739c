/// Hashes rows of an archive for its history (`Spec/history.md`, "Rows").
///
///     part: name LF (+ column…)… .
///     column: N │ I 8 bytes │ R 8 bytes │ T 4: length, text │ B 4: length, bytes
///
/// Bytes are gathered, so that the function is called once for many rows.
public struct HistoryHashing<Function: DigestFunction & ~Copyable>: ~Copyable {
    private var hash = Function()
    private var buffer: [UInt8] = []
    private static var limit: Int { 1 << 16 }

    /// A hasher; its memory is used for one digest after the other.
    public init() { buffer.reserveCapacity(2 * Self.limit) }

    /// Begins a digest.
    public mutating func begin(_ domain: Domain) { buffer += domain.prefix }

    /// Begins a part.
    public mutating func beginPart(_ name: String) {
        buffer += Array(name.utf8)
        buffer.append(UInt8(ascii: "\n"))
    }

    /// Begins a row.
    public mutating func beginRow() {
        if buffer.count > Self.limit { flush() }
        buffer.append(UInt8(ascii: "+"))
    }

    /// Ends a part.
    public mutating func endPart() { buffer.append(UInt8(ascii: ".")) }

    /// Adds NULL.
    public mutating func addNull() { buffer.append(UInt8(ascii: "N")) }

    /// Adds an integer.
    public mutating func add(_ value: Int64) { add(UInt8(ascii: "I"), UInt64(bitPattern: value)) }

    /// Adds a number.
    public mutating func add(_ value: Double) { add(UInt8(ascii: "R"), value.bitPattern) }

    /// Adds a text in UTF-8.
    public mutating func add(text: Span<UInt8>) { add(UInt8(ascii: "T"), text) }

    /// Adds bytes.
    public mutating func add(blob: Span<UInt8>) { add(UInt8(ascii: "B"), blob) }

    /// The digest of everything since the last one.
    public mutating func finish() -> Digest {
        flush()
        return hash.finish()
    }

    private mutating func add(_ tag: UInt8, _ word: UInt64) {
        var bytes = InlineArray<9, UInt8>(repeating: tag)
        for index in 1..<9 { bytes[index] = UInt8(truncatingIfNeeded: word >> UInt64(64 - 8 * index)) }
        let span = bytes.span
        unsafe span.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
    }

    private mutating func add(_ tag: UInt8, _ bytes: Span<UInt8>) {
        let count = UInt32(bytes.count)
        buffer.append(tag)
        buffer.append(UInt8(truncatingIfNeeded: count >> 24))
        buffer.append(UInt8(truncatingIfNeeded: count >> 16))
        buffer.append(UInt8(truncatingIfNeeded: count >> 8))
        buffer.append(UInt8(truncatingIfNeeded: count))
        guard bytes.count <= Self.limit else {
            flush()
            return hash.update(bytes)
        }
        unsafe bytes.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
    }

    private mutating func flush() {
        // Taken out, so that hashing it does not hold all of this.
        var bytes: [UInt8] = []
        swap(&bytes, &buffer)
        hash.update(bytes.span)
        bytes.removeAll(keepingCapacity: true)
        swap(&bytes, &buffer)
    }
}
