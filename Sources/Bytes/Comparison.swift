/// Comparing bytes as SQLite compares blobs, and texts in UTF-8.
extension Span where Element == UInt8 {
    /// Returns a number below, equal to or above 0, by the first byte that differs, then by length. O(n).
    public func compared(with other: Span<UInt8>) -> Int {
        let shared = Swift.min(count, other.count)
        var at = 0
        while shared &- at >= 8 {
            let (left, right) = (word(at: at), other.word(at: at))
            if left != right { return left.byteSwapped < right.byteSwapped ? -1 : 1 }
            at &+= 8
        }
        while at < shared {
            if self[at] != other[at] { return self[at] < other[at] ? -1 : 1 }
            at &+= 1
        }
        return count &- other.count
    }

    /// Returns `true` if two sequences of bytes are the same. O(n).
    public func isSame(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard count >= 8 else { return compared(with: other) == 0 }
        var at = 0
        while count &- at > 32 {
            let differences = vector(at: at) ^ other.vector(at: at)
            if differences.x | differences.y | differences.z | differences.w != 0 { return false }
            at &+= 32
        }
        while count &- at > 8 {
            if word(at: at) != other.word(at: at) { return false }
            at &+= 8
        }
        // The last word begins where it ends with the bytes, so that it may overlap the one before.
        return word(at: count &- 8) == other.word(at: count &- 8)
    }

    /// Returns 32 bytes from an index on. They have to be there.
    @inline(__always)
    private func vector(at index: Int) -> SIMD4<UInt64> {
        precondition(index >= 0 && count &- index >= 32)
        return unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: index, as: SIMD4<UInt64>.self) }
    }

    /// Returns `true` if one of 64 bytes has a value.
    @inline(__always)
    private func has(_ byte: UInt8, in64BytesAt index: Int) -> Bool {
        let wanted = SIMD16<UInt8>(repeating: byte)
        return unsafe withUnsafeBytes { bytes in
            func isWanted(_ offset: Int) -> SIMDMask<SIMD16<Int8>> {
                unsafe bytes.loadUnaligned(fromByteOffset: index &+ offset, as: SIMD16<UInt8>.self) .== wanted
            }
            let found = isWanted(0) .| isWanted(16) .| isWanted(32) .| isWanted(48)
            let halves = unsafe unsafeBitCast(found, to: SIMD2<UInt64>.self)
            return halves.x | halves.y != 0
        }
    }

    /// Returns the index of the first place of some bytes; `nil` if they are in none. O(n · their number).
    public func firstIndex(of bytes: [UInt8]) -> Int? {
        guard let first = bytes.first else { return 0 }
        var start = 0
        while let found = firstIndex(of: first, from: start), found &+ bytes.count <= count {
            if extracting(found..<found &+ bytes.count).isSame(as: bytes.span) { return found }
            start = found &+ 1
        }
        return nil
    }

    /// Returns the index of the first byte of a value from `start` on; `nil` if there is none. O(n).
    public func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        precondition(start >= 0)
        // A byte of the exclusive or is zero where the byte is found; a subtraction borrows from its high bit.
        let ones: UInt64 = 0x0101_0101_0101_0101
        let (pattern, highs) = (ones &* UInt64(byte), ones &<< 7)
        var at = start
        while count &- at >= 64, !has(byte, in64BytesAt: at) { at &+= 64 }
        while count &- at >= 8 {
            let other = word(at: at) ^ pattern
            let marks = (other &- ones) & ~other & highs
            // The lowest mark is certain; one above it may come of a borrow.
            if marks != 0 { return at &+ marks.trailingZeroBitCount >> 3 }
            at &+= 8
        }
        while at < count {
            if self[at] == byte { return at }
            at &+= 1
        }
        return nil
    }
}

extension [UInt8] {
    /// Returns `true` if an array has the same bytes. O(n).
    public func isSame(as other: Span<UInt8>) -> Bool { span.isSame(as: other) }
}
