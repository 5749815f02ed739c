public import Bytes

/// Hashes rows of an archive for its history (`Spec/history.md`, "Rows").
///
///     part: name LF (+ column…)… .
///     column: N │ I 8 bytes │ R 8 bytes │ T 4: length, text │ B 4: length, bytes
///
/// Bytes are gathered, so that the function is called once for many rows. Values are added by the million: the code
/// that adds them is specialized for the caller's function.
public struct HistoryHashing<Function: MessageDigest & ~Copyable>: ~Copyable {
    @usableFromInline var hash: Function
    @usableFromInline var buffer: ByteBuffer
    @usableFromInline static var limit: Int { 1 << 13 }

    /// A hasher; its memory is used for one digest after the other.
    public init(_ function: consuming Function) {
        hash = function
        buffer = ByteBuffer(capacity: 2 * Self.limit)
    }

    /// Begins a digest.
    public mutating func begin(_ domain: Domain) { buffer.append(copying: domain.prefix.span) }

    /// Begins a part.
    public mutating func beginPart(_ name: String) {
        buffer.append(copying: Array(name.utf8).span)
        buffer.append(UInt8(ascii: "\n"))
    }

    /// Begins a row.
    @inlinable public mutating func beginRow() {
        if buffer.count > Self.limit { flush() }
        buffer.append(UInt8(ascii: "+"))
    }

    /// Ends a part.
    public mutating func endPart() { buffer.append(UInt8(ascii: ".")) }

    /// Adds NULL.
    @inlinable public mutating func addNull() { buffer.append(UInt8(ascii: "N")) }

    /// Adds an integer.
    @inlinable public mutating func add(_ value: Int64) { add(UInt8(ascii: "I"), UInt64(bitPattern: value)) }

    /// Adds a number.
    @inlinable public mutating func add(_ value: Double) { add(UInt8(ascii: "R"), value.bitPattern) }

    /// Adds a text in UTF-8.
    @inlinable public mutating func add(text: Span<UInt8>) { add(UInt8(ascii: "T"), text) }

    /// Adds bytes.
    @inlinable public mutating func add(blob: Span<UInt8>) { add(UInt8(ascii: "B"), blob) }

    /// Returns the digest of everything since the last one.
    public mutating func finish() -> Digest {
        flush()
        return hash.finish()
    }

    @inlinable @inline(__always)
    mutating func add(_ tag: UInt8, _ word: UInt64) {
        buffer.append(tag)
        buffer.append(bigEndian: word)
    }

    @inlinable
    mutating func add(_ tag: UInt8, _ bytes: Span<UInt8>) {
        buffer.append(tag)
        buffer.append(bigEndian: UInt64(UInt32(bytes.count)), count: 4)
        guard bytes.count <= Self.limit else {
            flush()
            return hash.update(bytes)
        }
        buffer.append(copying: bytes)
    }

    @usableFromInline
    mutating func flush() {
        // Taken out, so that hashing it does not hold all of this.
        var bytes = ByteBuffer()
        swap(&bytes, &buffer)
        hash.update(bytes.span)
        bytes.removeAll()
        swap(&bytes, &buffer)
    }
}
