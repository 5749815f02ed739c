extension Span where Element == UInt8 {
    /// A copy. O(n).
    public var array: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

    /// Eight bytes from an index on, the first in the lowest. They have to be there.
    @inlinable @inline(__always)
    public func word(at index: Int) -> UInt64 {
        precondition(index >= 0 && count &- index >= 8)
        return unsafe withUnsafeBytes {
            unsafe UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        }
    }
}
