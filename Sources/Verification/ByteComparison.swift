import Glibc

/// Comparing and searching bytes.
extension Span where Element == UInt8 {
    /// Negative, 0 or positive, by the first byte that differs, then by length.
    @inline(__always)
    func compared(with other: Span<UInt8>) -> Int {
        let order = unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return Int32(0) }
                return unsafe memcmp(left, right, Swift.min(count, other.count))
            }
        }
        return order != 0 ? Int(order) : count &- other.count
    }

    /// Whether two sequences of bytes are the same.
    func isSame(as other: Span<UInt8>) -> Bool { count == other.count && compared(with: other) == 0 }

    /// Whether the bytes are those of a text.
    func isText(_ text: String) -> Bool {
        guard count == text.utf8.count else { return false }
        var index = 0
        for byte in text.utf8 {
            if self[index] != byte { return false }
            index &+= 1
        }
        return true
    }

    /// Whether these bytes begin with others.
    func begins(with other: [UInt8]) -> Bool { count >= other.count && extracting(first: other.count).isSame(as: other.span) }

    /// The index of the first LF from `start` on.
    package func firstLineEnd(from start: Int) -> Int? {
        unsafe withUnsafeBytes { bytes in
            guard start < bytes.count, let base = bytes.baseAddress, let end = unsafe memchr(base + start, 0x0A, bytes.count - start) else { return nil }
            return unsafe UnsafeRawPointer(end) - base
        }
    }
}
