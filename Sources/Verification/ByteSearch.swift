internal import Bytes
import Glibc

/// Searching bytes.
extension Span where Element == UInt8 {
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
