import Glibc

/// Comparing bytes as SQLite compares blobs, and texts in UTF-8.
extension Span where Element == UInt8 {
    /// Negative, 0 or positive, by the first byte that differs, then by length. O(n).
    public func compared(with other: Span<UInt8>) -> Int {
        let order = unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return Int32(0) }
                return unsafe memcmp(left, right, Swift.min(count, other.count))
            }
        }
        return order != 0 ? Int(order) : count &- other.count
    }

    /// Whether two sequences of bytes are the same. O(n).
    public func isSame(as other: Span<UInt8>) -> Bool { count == other.count && compared(with: other) == 0 }
}
