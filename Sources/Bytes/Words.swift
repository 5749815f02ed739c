extension Span where Element == UInt8 {
    /// A copy. O(n).
    public var array: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

    /// Returns eight bytes from an index on, the first in the lowest. They have to be there.
    @inlinable @inline(__always)
    public func word(at index: Int) -> UInt64 {
        precondition(index >= 0 && count &- index >= 8)
        return unsafe withUnsafeBytes {
            unsafe UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        }
    }
}

extension UInt64 {
    /// Returns the high bit of the lowest of the eight bytes that equals `byte`, and perhaps of bytes above it; 0 if
    /// none does.
    ///
    /// A byte that becomes zero sets its high bit; the borrow of that only spoils bytes above it.
    @inlinable @inline(__always)
    public func marks(of byte: UInt8) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let word = self ^ ones &* UInt64(byte)
        return (word &- ones) & ~word & (ones &<< 7)
    }
}
